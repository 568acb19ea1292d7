# cuckoo_filter
#
#   make, make install, make installcheck, make clean
#                   as with any PGXS extension, for the PostgreSQL of PG_CONFIG
#   make test               builds and tests everything in a throwaway server; needs nothing but make, see test/README.md
#   make unit               the unit tests of src/core alone, without PostgreSQL
#   make demo               a guided tour in a throwaway server
#   make bench              measures the core and SQL beside what else there is; minutes, and 4 GB of memory
#   make bench-peers        measures the core beside other libraries, whose sources are in ROCKSDB_SOURCE and others
#
#   make test-matrix        make test on several versions of PostgreSQL, in chroots of Debian suites
#   make test-upgrade       pg_upgrade from PostgreSQL 15 to 17, in such a chroot
#   make test-exchange      sends filters to a server on an emulated s390x and back
#   make test-torture       many clients change filters while the server is killed, TORTURE_SECONDS=120
#   make test-in-step       many clients change a table whose filters triggers keep in step, IN_STEP_SECONDS=120
#   make test-equality      filters of every type, asked about all that SQL says is equal, EQUALITY_SECONDS=120, SEED
#   make test-filter-scan   random queries with the filter scan and without it, FILTER_SCAN_SECONDS=600, SEED
#   make test-drivers       the lines that the documents have for applications, with each driver
#   make test-fuzz          fuzzes src/core, FUZZ_SECONDS=60 for each harness
#   make test-cancel        how soon long work on large filters ends when it is cancelled
#   make test-sanitize      the unit tests under sanitizers: gcc, clang, 32-bit
#   make test-big-endian    the unit tests on emulated CPUs: s390x, aarch64
#   make test-sqlsmith      random queries over filters, SQLSMITH_SECONDS=300
#   make test-valgrind      the regression tests with the server under valgrind; an hour
#   make lint               reads the sources: compilers' warnings, cppcheck, clang-tidy, shellcheck
#   make coverage           which lines of src/core the unit tests reach
#
# WERROR=1 turns warnings into errors. Builds outside the source tree work: make -f /path/to/Makefile.

top := $(patsubst %/,%,$(dir $(firstword $(MAKEFILE_LIST))))

EXTENSION = cuckoo_filter
MODULE_big = cuckoo_filter
DATA = $(notdir $(sort $(wildcard $(top)/cuckoo_filter--*.sql)))

CORE_OBJS = $(patsubst $(top)/%.c,%.o,$(sort $(wildcard $(top)/src/core/*.c)))
OBJS = $(patsubst $(top)/%.c,%.o,$(sort $(wildcard $(top)/src/*.c $(top)/src/*/*.c)))

PG_CPPFLAGS = -I$(top)/src
ifeq ($(WERROR),1)
PG_CFLAGS += -Werror
endif
SHLIB_LINK = -Wl,-Bsymbolic -lm

# PGXS makes this the list of what the library exports, on every version of PostgreSQL.
SHLIB_EXPORTS = exports.txt

REGRESS = $(patsubst $(top)/sql/%.sql,%,$(sort $(wildcard $(top)/sql/*.sql)))
TAP_TESTS = 1
PROVE_TESTS = test/t/*.pl

EXTRA_CLEAN = build exports.txt exports.list

# Goals that bring what they need themselves, pg_config included.
STANDALONE_GOALS = test test-cancel test-filter-scan test-matrix test-upgrade test-exchange test-torture test-in-step test-equality test-sqlsmith \
	test-drivers test-valgrind unit demo bench bench-peers test-fuzz test-sanitize test-big-endian lint coverage
.PHONY: $(STANDALONE_GOALS)

ifneq (,$(filter-out $(STANDALONE_GOALS),$(or $(MAKECMDGOALS),all)))

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
ifeq (,$(wildcard $(PGXS)))
$(error no server headers found through "$(PG_CONFIG)": install postgresql-server-dev-N or set PG_CONFIG; "make test" sets up all it needs by itself)
endif
include $(PGXS)

# PGXS sets VPATH for a build outside the source tree. That finds objects of an earlier build inside it, too; only
# sources are wanted from there.
override VPATH :=
vpath %.c $(srcdir)
vpath %.control $(srcdir)

# Nothing in the core is exported. The glue is hidden by PGXS from PostgreSQL 16 on, before that by exports.txt alone.
$(CORE_OBJS): override CFLAGS += -fvisibility=hidden

BITCODE = $(OBJS:.o=.bc)
OBJECT_DIRS = $(addprefix $(CURDIR)/,$(sort $(dir $(OBJS))))
$(OBJS) $(BITCODE): $(wildcard $(top)/src/*.h $(top)/src/*/*.h) $(top)/Makefile | $(OBJECT_DIRS)
$(OBJECT_DIRS):
	$(MKDIR_P) $@

# What SQL can call is what has an info function.
exports.txt: $(OBJS)
	nm -g --defined-only $(OBJS) | $(AWK) '\
	    $$3 ~ /^pg_finfo_/ { print $$3; print substr($$3, 10) } \
	    $$3 ~ /^(Pg_magic_func|_PG_init)$$/ { print $$3 }' | LC_ALL=C sort >$@

endif

test:
	@bash $(top)/test/run

test-cancel:
	@TAP=012_cancel CUCKOO_FILTER_CANCEL=3 bash $(top)/test/run tap

unit:
	@bash $(top)/test/run unit

demo:
	@bash $(top)/demo/run

bench:
	@bash $(top)/test/bench/run

bench-peers:
	@bash $(top)/test/peers/run

test-matrix:
	@bash $(top)/test/matrix

test-upgrade:
	@bash $(top)/test/upgrade

test-exchange:
	@bash $(top)/test/exchange/run

test-torture:
	@TORTURE_SECONDS=$(TORTURE_SECONDS) bash $(top)/test/torture/run

test-in-step:
	@IN_STEP_SECONDS=$(IN_STEP_SECONDS) bash $(top)/test/in_step/run

test-equality:
	@TAP=014_equality CUCKOO_FILTER_EQUALITY=$(or $(EQUALITY_SECONDS),120) CUCKOO_FILTER_SEED=$(SEED) bash $(top)/test/run tap

test-filter-scan:
	@TAP=022_filter_scan CUCKOO_FILTER_SCAN=$(or $(FILTER_SCAN_SECONDS),600) CUCKOO_FILTER_SEED=$(SEED) bash $(top)/test/run tap

test-drivers:
	@bash $(top)/test/drivers/run

test-fuzz:
	@FUZZ_SECONDS=$(FUZZ_SECONDS) bash $(top)/test/fuzz/run

test-sanitize:
	@bash $(top)/test/sanitize

test-big-endian:
	@bash $(top)/test/big_endian

test-sqlsmith:
	@SQLSMITH_SECONDS=$(SQLSMITH_SECONDS) bash $(top)/test/sqlsmith/run

test-valgrind:
	@bash $(top)/test/valgrind

lint:
	@bash $(top)/test/lint

coverage:
	@bash $(top)/test/coverage
