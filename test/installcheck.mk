# For the Makefile at the top: what installcheck and prove_installcheck run in a server where the extension is installed.

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
# Since PostgreSQL 15, pg_regress sets it.
export PG_ABS_SRCDIR := $(abspath $(top))

.PHONY: schedule prove_installcheck
schedule:
	$(if $(side_by_side),printf 'test: %s %s %s %s %s %s %s %s %s %s\n' $(side_by_side)) >$(check_folder)/regress_schedule

# The tests of test/t start servers of their own, which no server does as root. Needs IPC::Run.
PROVE_TESTS = test/t/*.pl
prove_installcheck:
	$(prove_installcheck)
