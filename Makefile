# cuckoo_filter
#
#   make [GOAL]             builds the extension; GOAL: install, installcheck, clean and others of PGXS, for PG_CONFIG
#   make help               prints these lines
#   make test               builds and tests everything in a throwaway server; needs only make, see test/README.md
#   make unit               the unit tests of src/core alone, without PostgreSQL
#   make lint               compiler warnings, cppcheck, clang-tidy, shellcheck and others
#   make demo               a guided tour in a throwaway server
#   make drawings           draws the pictures of docs/drawings and docs/performance, from the code and the tables of docs
#   make coverage           the lines of src/core that the unit tests reach
#   make bench              the core and SQL, compared with the alternatives; takes 40 minutes and 8 GB of memory
#   make bench-star         only its star schema: plain SQL, filter scan, conditions
#   make bench-queries      whole benchmarks with runtime filters and without them: the star schema and the next four
#   make bench-skewed       only joins of skewed data
#   make bench-chains       only joins along foreign keys
#   make bench-tpch         only TPC-H, given its kit: TPCH_SOURCE
#   make bench-tpcds        only TPC-DS, given its kit: TPCDS_SOURCE
#   make bench-blocklist    a list of 100 million hashes, beside a B-tree; takes a quarter of an hour and 20 GB of disk
#   make bench-recipes      the recipes, beside plain tables; takes two minutes
#   make bench-peers        the core, compared with other libraries, given their sources: ROCKSDB_SOURCE and others
#   make check-cancel       how soon long operations on large filters end when cancelled
#   make dist               the source package of the last commit, build/dist/cuckoo_filter-VERSION.zip
#   make release            each step of a release up to its tag; test/release --dry-run prints them
#   make check-dist         unpacks, builds, installs and tests that package
#   make check-container    runs the steps of the Containerfile in chroots, and uses the result
#   make check-matrix       make test on several versions of PostgreSQL, in chroots of Debian suites
#   make check-upgrade      pg_upgrade from PostgreSQL 15 to 17, in such a chroot
#   make check-packages     the packages of debian and packaging are built, installed, tested, upgraded and removed, in chroots
#   make check-exchange     filters are sent to a server on an emulated s390x and back
#   make check-torture      many clients change filters while the server is killed; SECONDS=120
#   make check-in-step      many clients change a table, and triggers its filters, meanwhile; SECONDS=120
#   make check-equality     filters of every type, probed with all that SQL says is equal; SECONDS=120, SEED
#   make check-filter-scan  random queries with the filter scan and without it; SECONDS=600, SEED
#   make check-join-filter  random joins with runtime filters and without them; SECONDS=600, SEED
#   make check-join-suite   PostgreSQL's own regression tests with runtime filters and without them
#   make check-sqlsmith     random queries over filters; SECONDS=300, SEED
#   make check-citus        aggregates and probes on a Citus cluster of this machine, given its source: CITUS_SOURCE
#   make check-timescaledb  queries of hypertables with filters and without them; TIMESCALEDB_SOURCE: TimescaleDB's source
#   make check-company      the extension beside others, from Debian's packages, in a chroot; COMPANY=18
#   make check-clients      the packages for Python and JavaScript, and the documented lines with each driver; SEED
#   make check-valgrind     the regression tests with the server under valgrind; an hour
#   make check-fuzz         fuzzes src/core; SECONDS=60 for each harness, SEED
#   make check-sanitize     the unit tests under sanitizers: gcc, clang, 32-bit, without vectors
#   make check-big-endian   the unit tests on emulated CPUs: s390x, aarch64
#   make check-mutations    plants bugs, which the tests must detect; an hour, SECONDS=300 for each test
#
# WERROR=1 turns warnings into errors. VECTORS=0 leaves out the code with vector instructions. HOST=portable leaves out what
# knows PostgreSQL's private state (src/host); scans and joins take longer. PREFETCH_ALL=1 is for tests: the rows of small
# hash tables are prefetched, too. Builds outside the source tree work: make -f /path/to/Makefile.

top := $(patsubst %/,%,$(dir $(firstword $(MAKEFILE_LIST))))

# Three libraries: the types; the scans and joins, which have copies of what they need of the core; and what turns joins on.
# PGXS makes one, so it runs again for each of the others, with LIBRARY=scan and LIBRARY=join.
TYPE_ROOMS = src $(addprefix src/,core value stored collect functions estimate citus)
SCAN_ROOMS = $(addprefix src/,host plan_nodes scan_planner scan_executor join_planner join_executor)
SHARED_OBJS = src/huge_memory.o $(patsubst %,src/core/%.o,bloom bloom_kernels bloom_sizing cpu pause)
objects = $(patsubst $(top)/%.c,%.o,$(sort $(wildcard $(1:%=$(top)/%/*.c))))

ifndef LIBRARY
MODULE_big = cuckoo_filter
OBJS = src/modules/cuckoo_filter.o $(call objects,$(TYPE_ROOMS))
EXTENSION = cuckoo_filter cuckoo_filter_citus
DATA = cuckoo_filter_citus--1.0.sql $(patsubst $(top)/%,%,$(sort $(wildcard $(top)/updates/*--*.sql)))
DATA_built = cuckoo_filter--1.0.sql
# installcheck runs the tests of sql, or those that REGRESS names: ten at a time, and then, one by one, those that drop the
# extension, or depend on what else there is.
alone = aggregate_types create_extension distributed extension_moves hostile_path join_filter_locks psql_names rights \
	same_parameter
tests_of_sql := $(or $(REGRESS),$(patsubst $(top)/sql/%.sql,%,$(sort $(wildcard $(top)/sql/*.sql))))
side_by_side = $(filter-out $(alone),$(tests_of_sql))
override REGRESS = $(filter $(alone),$(tests_of_sql))
# Somewhere else if the tree belongs to someone else.
check_folder := $(if $(filter installcheck,$(MAKECMDGOALS)),$(shell test -w . || mktemp -d))
check_folder := $(or $(check_folder),.)
REGRESS_OPTS = --load-extension=cuckoo_filter --outputdir=$(check_folder) --schedule=$(check_folder)/regress_schedule
REGRESS_PREP = schedule
PROVE_TESTS = test/t/*.pl
else
MODULE_big = cuckoo_$(LIBRARY)
OBJS = src/modules/cuckoo_$(LIBRARY).o $(if $(filter scan,$(LIBRARY)),$(SHARED_OBJS) $(call objects,$(SCAN_ROOMS)))
endif

CORE_OBJS = $(call objects,src/core)

# The core has assertions where the server has them.
server_asserts = $(shell grep -s '^\#define USE_ASSERT_CHECKING 1' "$$($(PG_CONFIG) --includedir-server)/pg_config.h")
PG_CPPFLAGS = -I$(top)/src $(if $(filter 0,$(VECTORS)),-DFILTER_NO_VECTORS) \
	$(if $(filter portable,$(HOST)),-DFILTER_HOST_PORTABLE) $(if $(filter 1,$(PREFETCH_ALL)),-DFILTER_PREFETCH_ALL) $(if $(server_asserts),,-DNDEBUG)
ifeq ($(WERROR),1)
PG_CFLAGS += -Werror
endif
# The server's flags are those of the compiler that built it.
ifneq (,$(findstring clang,$(shell $(CC) --version)))
PG_CFLAGS += -Wno-unknown-warning-option -Wno-ignored-optimization-argument -Wno-ignored-attributes
endif
SHLIB_LINK = -Wl,-Bsymbolic -lm

# PGXS makes this the list of the library's exports, on every version of PostgreSQL.
SHLIB_EXPORTS = $(MODULE_big)_exports.txt

# Since PostgreSQL 15, pg_regress sets it.
export PG_ABS_SRCDIR := $(abspath $(top))

EXTRA_CLEAN = build src/modules/version.txt $(SHLIB_EXPORTS) $(SHLIB_EXPORTS:.txt=.list) $(SHLIB_EXPORTS:.txt=.symbols) regress_schedule

# The goals listed above. They install what they need, even pg_config.
STANDALONE_GOALS := $(shell sed -n 's/^.   make \([a-z-]*\) .*/\1/p' $(firstword $(MAKEFILE_LIST)))
.PHONY: $(STANDALONE_GOALS)

ifneq (,$(filter-out $(STANDALONE_GOALS),$(or $(MAKECMDGOALS),all)))

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
ifeq (clean,$(MAKECMDGOALS)$(wildcard $(PGXS)))
clean:
	rm -rf build *.so *_exports.* src/modules/version.txt regress_schedule $(DATA_built) $(foreach room,src src/*,$(room)/*.o $(room)/*.bc)
else
# N is the major version of the server, if pg_config tells it.
no_headers = $(foreach N,$(or $(shell $(PG_CONFIG) --version 2>/dev/null | sed 's/^[^0-9]*\([0-9]*\).*/\1/'),N),$(error $1: install \
	postgresql-server-dev-$N (Debian, Ubuntu), postgresql$N-devel (Fedora, RHEL) or postgresql$N-dev (Alpine), or set PG_CONFIG to \
	that of another server; "make test" installs all it needs))
ifeq (,$(wildcard $(PGXS)))
$(call no_headers,$(if $(PGXS),$(PGXS) is missing,cannot run "$(PG_CONFIG) --pgxs"))
endif
include $(PGXS)

# For a build outside the source tree, PGXS sets VPATH, which would also find objects of an earlier build in the tree.
# Only sources are to be found there. pg_buildext sets VPATH, too, and PGXS takes srcdir from it.
override srcdir := $(top)
override VPATH :=
vpath %.c $(srcdir)
vpath %.control $(srcdir)

# Nothing in the core is exported. PGXS hides the glue from PostgreSQL 16 on; before that only exports.txt does.
$(CORE_OBJS): override CFLAGS += -fvisibility=hidden

BITCODE = $(OBJS:.o=.bc)
OBJECT_DIRS = $(addprefix $(CURDIR)/,$(sort $(dir $(OBJS))))
$(OBJS) $(BITCODE): $(wildcard $(top)/src/*.h $(top)/src/*/*.h) $(top)/Makefile | $(OBJECT_DIRS) $(includedir_server)/postgres.h
$(includedir_server)/postgres.h:
	$(call no_headers,$@ is missing)
$(OBJECT_DIRS):
	$(MKDIR_P) $@

# What the setting "version" of each library says: the release, and the commit, which a source package has in REVISION. Where there is neither,
# or git does not trust the owner of the tree, as in "sudo make install", it stays.
version_file = src/modules/version.txt
$(version_file): always | $(OBJECT_DIRS)
	@version=$$(cat $(top)/VERSION); commit=$$(cd $(top); { grep -v % REVISION || { test -e .git && \
	    git log -1 --format="%cs %H$$(git diff --quiet HEAD || echo -dirty)"; }; } 2>/dev/null); \
	test -z "$$commit" && grep -qsF "$$version (" $@ || echo "$$version ($${commit:-unknown})" >$@.new; \
	if cmp -s $@.new $@ || ! test -e $@.new; then rm -f $@.new; else mv $@.new $@; fi
.PHONY: always
$(addprefix src/modules/$(MODULE_big),.o .bc): $(version_file)
$(addprefix src/modules/$(MODULE_big),.o .bc): override CPPFLAGS += -DFILTER_VERSION="\"$$(cat $(version_file))\""

# The script of the extension is repeated for both types.
.DELETE_ON_ERROR:
$(DATA_built): $(top)/src/cuckoo_filter.sql.in $(top)/src/expand.awk
	$(AWK) -f $(top)/src/expand.awk $< >$@

# SQL can call the functions that have an info function.
$(SHLIB_EXPORTS): $(OBJS)
	nm -g --defined-only $(OBJS) >$(@:.txt=.symbols)
	$(AWK) '$$3 ~ /^pg_finfo_/ { print $$3; print substr($$3, 10) } \
	    $$3 ~ /^(Pg_magic_func|_PG_init)$$/ { print $$3 }' $(@:.txt=.symbols) | LC_ALL=C sort >$@

# After the first library, since they share objects. SQL calls no function of the others, so the JIT needs no bitcode of them.
ifndef LIBRARY
libraries = $(foreach library,scan join,$(MAKE) -f $(firstword $(MAKEFILE_LIST)) LIBRARY=$(library) with_llvm=no $1 &&) true
.PHONY: other-libraries
other-libraries: all-lib
	+$(call libraries,all)
all: other-libraries
install: install-libraries
uninstall: uninstall-libraries
clean: clean-libraries
%-libraries:
	+$(call libraries,$*)
install-libraries: all

schedule:
	$(if $(side_by_side),printf 'test: %s %s %s %s %s %s %s %s %s %s\n' $(side_by_side)) >$(check_folder)/regress_schedule

# The tests of test/t start servers of their own, which no server does as root. Needs IPC::Run.
.PHONY: schedule prove_installcheck
prove_installcheck:
	$(prove_installcheck)

# All pages, in their folders, so that their links work.
pages = README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE docs $(patsubst $(top)/%,%,$(wildcard $(addprefix $(top)/,clients/*.md clients/*/README.md src/*.md packaging/README.md updates/README.md test/*.md test/golden/README.md test/golden/vectors.json)))
install: install-pages
uninstall: uninstall-pages
.PHONY: install-pages uninstall-pages
install-pages:
	$(MKDIR_P) '$(DESTDIR)$(docdir)/cuckoo_filter'
	cd $(top) && tar -cf - $(pages) | tar -C '$(DESTDIR)$(docdir)/cuckoo_filter' --no-same-owner -xf -
uninstall-pages:
	rm -rf '$(DESTDIR)$(docdir)/cuckoo_filter'
endif

endif
endif

# A goal NAME or check-NAME runs test/NAME or test/NAME/run, unless another script is named here.
$(STANDALONE_GOALS): name = $(subst -,_,$(@:check-%=%))
$(STANDALONE_GOALS): script = $(firstword $(wildcard $(top)/test/$(name)/run $(top)/test/$(name)))
help: script = -c "sed -n 's/^.   make/make/p' $(firstword $(MAKEFILE_LIST))"
test: script = $(top)/test/run
unit: script = $(top)/test/run unit
demo: script = $(top)/demo/run
bench-star bench-queries bench-skewed bench-chains bench-tpch bench-tpcds: script = $(top)/test/bench/run $(@:bench-%=%)
bench-peers: script = $(top)/test/peers/run
bench-blocklist: script = $(top)/test/blocklist/run
bench-recipes: script = $(top)/test/bench/recipes
dist: script = $(top)/test/dist/zip
check-torture check-in-step: script = $(top)/test/crashes/run $(name)

# Tests of test/t, which then do more than in "make test".
in_full = $(addprefix check-,cancel equality filter-scan join-filter)
$(in_full): script = $(top)/test/run tap
$(in_full): export TAP = *_$(name)
$(in_full): export CUCKOO_FILTER_FULL = 1
check-join-filter check-join-suite: export PREFETCH_ALL = 1

# Not by its own name, which is that of a clock in bash.
check-%: export CUCKOO_FILTER_SECONDS = $(SECONDS)
check-%: export CUCKOO_FILTER_SEED = $(SEED)

# The source package leaves out what only developers need.
$(STANDALONE_GOALS):
	@$(if $(filter -c,$(script))$(wildcard $(firstword $(script))),bash $(script),echo 'make $@: only in the repository'; exit 2)
