# cuckoo_filter
#
#   make [GOAL]             builds the extension; GOAL: install, installcheck, clean and others of PGXS, for PG_CONFIG
#   make help               prints these lines
#   make test               builds and tests everything in a throwaway server; needs only make, see test/README.md
#   make unit               the unit tests of src/core alone, without PostgreSQL
#   make lint               compiler warnings, cppcheck, clang-tidy, shellcheck and others
#   make fuzz               fuzzes src/core; SECONDS=60 for each harness, SEED
#   make check SUITE=NAME   another suite; without SUITE, lists them
#   make matrix             make test on several versions of PostgreSQL, in chroots of Debian suites
#   make bench              the core and SQL, compared with the alternatives; takes 40 minutes and 8 GB of memory
#   make bench TOPIC=NAME   one benchmark; an unknown NAME lists them
#   make demo               a guided tour in a throwaway server
#   make dist               the source package of the last commit, build/dist/cuckoo_filter-VERSION.zip
#   make release            each step of a release up to its tag; test/release --dry-run prints them
#
# WERROR=1 turns warnings into errors. VECTORS=0 leaves out the code with vector instructions. HOST=portable leaves out what
# knows PostgreSQL's private state (src/host); scans and joins take longer. PREFETCH_ALL=1 is for tests: the rows of small
# hash tables are prefetched, too. Builds outside the source tree work: make -f /path/to/Makefile.

top := $(patsubst %/,%,$(dir $(firstword $(MAKEFILE_LIST))))

# The goals that run a script. The script installs what it needs, even pg_config.
scripted = help test unit lint fuzz check matrix bench demo dist release
.PHONY: $(scripted) always install-pages uninstall-pages

ifneq (,$(filter-out $(scripted),$(or $(MAKECMDGOALS),all)))
all:

# PGXS makes one library, so it runs for each of three: the types; with LIBRARY=scan, the scans and joins, which have copies of
# what they need of the core; and with LIBRARY=join, what turns joins on.
TYPE_FOLDERS = src $(addprefix src/,core value stored collect functions estimate citus)
SCAN_FOLDERS = $(addprefix src/,host plan_nodes scan_planner scan_executor join_planner join_executor)
SHARED_OBJS = src/huge_memory.o $(patsubst %,src/core/%.o,bloom bloom_kernels bloom_sizing cpu pause)
objects = $(patsubst $(top)/%.c,%.o,$(sort $(wildcard $(1:%=$(top)/%/*.c))))
ifndef LIBRARY
MODULE_big = cuckoo_filter
OBJS = src/modules/cuckoo_filter.o $(call objects,$(TYPE_FOLDERS))
EXTENSION = cuckoo_filter cuckoo_filter_citus
DATA = cuckoo_filter_citus--1.0.sql $(patsubst $(top)/%,%,$(sort $(wildcard $(top)/updates/*--*.sql)))
DATA_built = cuckoo_filter--1.0.sql
include $(top)/test/installcheck.mk
else
MODULE_big = cuckoo_$(LIBRARY)
OBJS = src/modules/cuckoo_$(LIBRARY).o $(if $(filter scan,$(LIBRARY)),$(SHARED_OBJS) $(call objects,$(SCAN_FOLDERS)))
endif

# The core has assertions where the server has them. The server's flags are those of the compiler that built it.
server_asserts = $(shell grep -s '^\#define USE_ASSERT_CHECKING 1' "$$($(PG_CONFIG) --includedir-server)/pg_config.h")
PG_CPPFLAGS = -I$(top)/src $(if $(filter 0,$(VECTORS)),-DFILTER_NO_VECTORS) $(if $(server_asserts),,-DNDEBUG) \
	$(if $(filter portable,$(HOST)),-DFILTER_HOST_PORTABLE) $(if $(filter 1,$(PREFETCH_ALL)),-DFILTER_PREFETCH_ALL)
PG_CFLAGS += $(if $(filter 1,$(WERROR)),-Werror) $(if $(findstring clang,$(shell $(CC) --version)), \
	-Wno-unknown-warning-option -Wno-ignored-optimization-argument -Wno-ignored-attributes)
SHLIB_LINK = -Wl,-Bsymbolic -lm

# PGXS makes this the list of the library's exports, on every version of PostgreSQL.
SHLIB_EXPORTS = $(MODULE_big)_exports.txt
version_file = src/modules/version.txt
EXTRA_CLEAN = build $(version_file) $(SHLIB_EXPORTS) $(SHLIB_EXPORTS:.txt=.list) $(SHLIB_EXPORTS:.txt=.symbols) regress_schedule

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
ifeq (clean,$(MAKECMDGOALS)$(wildcard $(PGXS)))
clean: ; rm -rf $(EXTRA_CLEAN) *.so *_exports.* $(DATA_built) $(foreach folder,src src/*,$(folder)/*.o $(folder)/*.bc)
else
# N is the major version of the server, if pg_config tells it.
no_headers = $(foreach N,$(or $(shell $(PG_CONFIG) --version 2>/dev/null | sed 's/^[^0-9]*\([0-9]*\).*/\1/'),N),$(error $1: install \
	postgresql-server-dev-$N (Debian, Ubuntu), postgresql$N-devel (Fedora, RHEL) or postgresql$N-dev (Alpine), or set PG_CONFIG to \
	that of another server; "make test" installs all it needs))
$(if $(wildcard $(PGXS)),,$(call no_headers,$(if $(PGXS),$(PGXS) is missing,cannot run "$(PG_CONFIG) --pgxs")))
include $(PGXS)

# For a build outside the source tree, PGXS sets VPATH, which would also find objects of an earlier build in the tree. Only
# sources are to be found there. pg_buildext sets VPATH, too, and PGXS takes srcdir from it.
override srcdir := $(top)
override VPATH :=
vpath %.c $(srcdir)
vpath %.control $(srcdir)

# Nothing in the core is exported. PGXS hides the glue from PostgreSQL 16 on; before that only exports.txt does.
$(call objects,src/core): override CFLAGS += -fvisibility=hidden

object_folders = $(addprefix $(CURDIR)/,$(sort $(dir $(OBJS))))
$(OBJS) $(OBJS:.o=.bc): $(wildcard $(top)/src/*.h $(top)/src/*/*.h) $(top)/Makefile | $(object_folders) $(includedir_server)/postgres.h
$(includedir_server)/postgres.h:
	$(call no_headers,$@ is missing)
$(object_folders):
	$(MKDIR_P) $@

# What the setting "version" of each library says: the release, and the commit, which a source package has in REVISION. Where
# there is neither, or git does not trust the owner of the tree, as in "sudo make install", it stays.
$(version_file): always | $(object_folders)
	@version=$$(cat $(top)/VERSION); commit=$$(cd $(top); { grep -v % REVISION || { test -e .git && \
	    git log -1 --format="%cs %H$$(git diff --quiet HEAD || echo -dirty)"; }; } 2>/dev/null); \
	test -z "$$commit" && grep -qsF "$$version (" $@ || echo "$$version ($${commit:-unknown})" >$@.new; \
	if cmp -s $@.new $@ || ! test -e $@.new; then rm -f $@.new; else mv $@.new $@; fi
$(addprefix src/modules/$(MODULE_big),.o .bc): $(version_file)
$(addprefix src/modules/$(MODULE_big),.o .bc): override CPPFLAGS += -DFILTER_VERSION="\"$$(cat $(version_file))\""

# SQL can call the functions that have an info function.
.DELETE_ON_ERROR:
$(SHLIB_EXPORTS): $(OBJS)
	nm -g --defined-only $(OBJS) >$(@:.txt=.symbols)
	$(AWK) '$$3 ~ /^pg_finfo_/ { print $$3; print substr($$3, 10) } $$3 ~ /^(Pg_magic_func|_PG_init)$$/ { print $$3 }' \
		$(@:.txt=.symbols) | LC_ALL=C sort >$@

ifndef LIBRARY
# The script of the extension is repeated for both types.
$(DATA_built): $(top)/src/cuckoo_filter.sql.in $(top)/src/expand.awk
	$(AWK) -f $(top)/src/expand.awk $< >$@

# After the first library, since they share objects. SQL calls no function of the others, so the JIT needs no bitcode of them.
libraries = $(foreach library,scan join,$(MAKE) -f $(firstword $(MAKEFILE_LIST)) LIBRARY=$(library) with_llvm=no $1 &&) true
%-libraries:
	+$(call libraries,$*)
all-libraries: all-lib
all: all-libraries
install: install-libraries install-pages
install-libraries: all
uninstall: uninstall-libraries uninstall-pages
clean: clean-libraries

# All pages, in their folders, so that their links work.
pages = README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE docs $(patsubst $(top)/%,%,$(wildcard $(addprefix $(top)/, \
	clients/*.md clients/*/README.md src/*.md packaging/README.md updates/README.md test/*.md test/golden/README.md \
	test/golden/vectors.json)))
install-pages:
	$(MKDIR_P) '$(DESTDIR)$(docdir)/cuckoo_filter'
	cd $(top) && tar -cf - $(pages) | tar -C '$(DESTDIR)$(docdir)/cuckoo_filter' --no-same-owner -xf -
uninstall-pages:
	rm -rf '$(DESTDIR)$(docdir)/cuckoo_filter'
endif
endif
endif

help: script = -c "sed -n 's/^.   make/make/p' $(firstword $(MAKEFILE_LIST))"
test: script = $(top)/test/run
unit: script = $(top)/test/run unit
lint matrix release: script = $(top)/test/$@
fuzz: script = $(top)/test/fuzz/run
check: script = $(top)/test/suite check $(SUITE)
bench: script = $(top)/test/suite bench $(TOPIC)
demo: script = $(top)/demo/run
dist: script = $(top)/test/dist/zip
# Not as SECONDS, which is a clock in bash.
check fuzz: export CUCKOO_FILTER_SECONDS = $(SECONDS)
check fuzz: export CUCKOO_FILTER_SEED = $(SEED)
# Only the goals that are asked for, since PGXS has a rule for check, too. The source package leaves out some of the scripts.
$(sort $(filter $(scripted),$(MAKECMDGOALS))):
	@$(if $(filter -c,$(script))$(wildcard $(firstword $(script))),bash $(script),echo 'make $@: only in the repository'; exit 2)
