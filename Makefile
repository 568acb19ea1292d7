# cuckoo_filter
#
#   make, make install, make installcheck, make clean
#                   as with any PGXS extension, for the PostgreSQL of PG_CONFIG
#   make test               builds and tests everything in a throwaway server; needs only make, see test/README.md
#   make unit               the unit tests of src/core alone, without PostgreSQL
#   make demo               a guided tour in a throwaway server
#   make bench              compares the core and SQL with the alternatives; takes 40 minutes and 8 GB of memory
#   make bench-star         only its star schema: plain SQL, filter scan, conditions; STAR_SCALE=1, STAR_MODES, STAR_WORKERS
#   make bench-tpch, make bench-tpcds
#                           the queries of TPC-H and TPC-DS with runtime filters and without them, given the sources of their
#                           kits: TPCH_SOURCE, TPCDS_SOURCE; TPCH_SCALE=1, TPCDS_SCALE=1
#                           BASELINE=/path/to/cuckoo_scan.so: these, and the star, compare with another build
#   make bench-peers        compares the core with other libraries, given their sources: ROCKSDB_SOURCE and others
#
#   make test-matrix        make test on several versions of PostgreSQL, in chroots of Debian suites
#   make test-upgrade       pg_upgrade from PostgreSQL 15 to 17, in such a chroot
#   make test-exchange      sends filters to a server on an emulated s390x and back
#   make test-torture       many clients change filters while the server is killed, TORTURE_SECONDS=120
#   make test-in-step       many clients change a table, and triggers its filters, IN_STEP_SECONDS=120
#   make test-equality      probes filters of every type with all that SQL says is equal, EQUALITY_SECONDS=120, SEED
#   make test-filter-scan   random queries with the filter scan and without it, FILTER_SCAN_SECONDS=600, SEED
#   make test-join-filter   random joins with runtime filters and without them, JOIN_FILTER_SECONDS=600, SEED
#   make test-join-suite    PostgreSQL's own regression tests with runtime filters and without them
#   make test-citus         aggregates and probes on a Citus cluster of this machine, given its source: CITUS_SOURCE
#   make test-clients       the packages for Python and JavaScript, the latter in a browser, too, and more cases
#   make test-drivers       the documented lines for applications, with each driver
#   make test-fuzz          fuzzes src/core, FUZZ_SECONDS=60 for each harness
#   make test-cancel        measures how soon long operations on large filters end when cancelled
#   make test-sanitize      the unit tests under sanitizers: gcc, clang, 32-bit, without vectors
#   make test-big-endian    the unit tests on emulated CPUs: s390x, aarch64
#   make test-sqlsmith      random queries over filters, SQLSMITH_SECONDS=300
#   make test-valgrind      the regression tests with the server under valgrind; an hour
#   make lint               checks the sources: compiler warnings, cppcheck, clang-tidy, shellcheck and others
#   make coverage           reports the lines of src/core that the unit tests reach
#
# WERROR=1 turns warnings into errors. VECTORS=0 leaves out the code with vector instructions. HOST=portable leaves out what
# knows PostgreSQL's private state (src/host); scans and joins take longer. PREFETCH_ALL=1 is for tests: the rows of small
# hash tables are prefetched, too. Builds outside the source tree work: make -f /path/to/Makefile.

top := $(patsubst %/,%,$(dir $(firstword $(MAKEFILE_LIST))))

# Three libraries: the types; the scans and joins, which have copies of what they need of the core; and what turns joins on.
# PGXS makes one, so it runs again for each of the others, with LIBRARY=scan and LIBRARY=join.
TYPE_ROOMS = src $(addprefix src/,core value stored collect functions estimate citus)
SCAN_ROOMS = $(addprefix src/,host scan join)
SHARED_OBJS = src/huge_memory.o $(patsubst %,src/core/%.o,bloom bloom_kernels bloom_sizing cpu pause)
objects = $(patsubst $(top)/%.c,%.o,$(sort $(wildcard $(1:%=$(top)/%/*.c))))

ifndef LIBRARY
MODULE_big = cuckoo_filter
OBJS = src/modules/cuckoo_filter.o $(call objects,$(TYPE_ROOMS))
EXTENSION = cuckoo_filter cuckoo_filter_citus
DATA = cuckoo_filter_citus--1.0.sql
DATA_built = cuckoo_filter--1.0.sql
REGRESS_OPTS = --load-extension=cuckoo_filter
REGRESS = $(patsubst $(top)/sql/%.sql,%,$(sort $(wildcard $(top)/sql/*.sql)))
TAP_TESTS = 1
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
SHLIB_LINK = -Wl,-Bsymbolic -lm

# PGXS makes this the list of the library's exports, on every version of PostgreSQL.
SHLIB_EXPORTS = $(MODULE_big)_exports.txt

# Since PostgreSQL 15, pg_regress sets it.
export PG_ABS_SRCDIR := $(abspath $(top))

EXTRA_CLEAN = build $(SHLIB_EXPORTS) $(SHLIB_EXPORTS:.txt=.list)

# Goals that install what they need, even pg_config.
STANDALONE_GOALS = test test-cancel test-matrix test-upgrade test-exchange test-torture test-in-step test-equality lint \
	test-filter-scan test-join-filter test-join-suite test-sqlsmith test-citus test-clients test-drivers test-valgrind \
	test-fuzz test-sanitize test-big-endian unit demo bench bench-star bench-tpch bench-tpcds bench-peers coverage
.PHONY: $(STANDALONE_GOALS)

ifneq (,$(filter-out $(STANDALONE_GOALS),$(or $(MAKECMDGOALS),all)))

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
ifeq (,$(wildcard $(PGXS)))
$(error no server headers found through "$(PG_CONFIG)": install postgresql-server-dev-N or set PG_CONFIG; "make test" sets up all it needs by itself)
endif
include $(PGXS)

# For a build outside the source tree, PGXS sets VPATH, which would also find objects of an earlier build in the tree.
# Only sources are to be found there.
override VPATH :=
vpath %.c $(srcdir)
vpath %.control $(srcdir)

# Nothing in the core is exported. PGXS hides the glue from PostgreSQL 16 on; before that only exports.txt does.
$(CORE_OBJS): override CFLAGS += -fvisibility=hidden

BITCODE = $(OBJS:.o=.bc)
OBJECT_DIRS = $(addprefix $(CURDIR)/,$(sort $(dir $(OBJS))))
$(OBJS) $(BITCODE): $(wildcard $(top)/src/*.h $(top)/src/*/*.h) $(top)/Makefile | $(OBJECT_DIRS)
$(OBJECT_DIRS):
	$(MKDIR_P) $@

# The script of the extension is repeated for both types.
.DELETE_ON_ERROR:
$(DATA_built): $(top)/src/cuckoo_filter.sql.in $(top)/src/expand.awk
	$(AWK) -f $(top)/src/expand.awk $< >$@

# SQL can call the functions that have an info function.
$(SHLIB_EXPORTS): $(OBJS)
	nm -g --defined-only $(OBJS) | $(AWK) '\
	    $$3 ~ /^pg_finfo_/ { print $$3; print substr($$3, 10) } \
	    $$3 ~ /^(Pg_magic_func|_PG_init)$$/ { print $$3 }' | LC_ALL=C sort >$@

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
endif

endif

# A goal runs test/NAME or test/NAME/run, unless another script is named here.
$(STANDALONE_GOALS): name = $(subst -,_,$(patsubst test-%,%,$@))
$(STANDALONE_GOALS): script = $(firstword $(wildcard $(top)/test/$(name)/run $(top)/test/$(name)))
test: script = $(top)/test/run
unit: script = $(top)/test/run unit
demo: script = $(top)/demo/run
bench-star: script = $(top)/test/bench/run star
bench-tpch: script = $(top)/test/bench/run tpch
bench-tpcds: script = $(top)/test/bench/run tpcds
bench-peers: script = $(top)/test/peers/run
test-join-suite: script = $(top)/test/join_filter/suite

test-cancel: export TAP = 012_cancel
test-cancel: export CUCKOO_FILTER_CANCEL = 3
test-equality: export TAP = 014_equality
test-equality: export CUCKOO_FILTER_EQUALITY = $(or $(EQUALITY_SECONDS),120)
test-filter-scan: export TAP = 022_filter_scan
test-filter-scan: export CUCKOO_FILTER_SCAN = $(or $(FILTER_SCAN_SECONDS),600)
test-join-filter: export TAP = 023_join_filter
test-join-filter: export CUCKOO_FILTER_JOIN = $(or $(JOIN_FILTER_SECONDS),600)
test-clients: export TAP = 026_clients
test-clients: export CUCKOO_FILTER_GEOMETRIES = 4000
test-clients: export CUCKOO_FILTER_BROWSER = 1
test-cancel test-equality test-filter-scan test-join-filter test-clients: script = $(top)/test/run tap
test-equality test-filter-scan test-join-filter: export CUCKOO_FILTER_SEED = $(SEED)
test-join-filter test-join-suite: export PREFETCH_ALL = 1

$(STANDALONE_GOALS):
	@bash $(script)
