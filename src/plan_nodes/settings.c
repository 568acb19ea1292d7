/*
 * Both the planner and the executor read the settings, so they are next to what plans carry. The hooks of joins are installed
 * when enable_join_filter is first turned on: until then, a session has none.
 */
#include "plan_nodes/settings.h"

#include <limits.h>

#include "utils/guc.h"

#include "sibling_library.h"

bool		filter_scan_enabled = true;
bool		runtime_filter_enabled = false;
bool		runtime_filter_explain = false;
bool		runtime_filter_costs = true;
int			runtime_filter_min_rows = 50000;
double		runtime_filter_max_match_fraction = 0.75;
int			runtime_filter_max_memory = 64 * 1024;

/*
 * The hooks are installed when the setting is first turned on. They stay when it is turned off, and do nothing, since other
 * libraries may have put their hooks above ours by then.
 */
static void (*install_hooks) (void) = NULL;

static void
assign_enabled(bool enabled, void *extra)
{
	(void) extra;
	if (!enabled || install_hooks == NULL)
		return;
	install_hooks();
	install_hooks = NULL;
}

static bool
joins_on_by_default(void)
{
	return *find_rendezvous_variable(JOINS_ON_VARIABLE) != NULL;
}

/*
 * Once cuckoo_join.so is loaded, the default is on. This can be after this library has defined the variable: in workers, and
 * when it is removed from the configuration file, PostgreSQL still returns to the value that it was defined with, but asks
 * this function.
 */
static bool
check_enabled(bool *enabled, void **extra, GucSource source)
{
	(void) extra;
	if (source == PGC_S_DEFAULT)
		*enabled = joins_on_by_default();
	return true;
}

void
scan_settings_init(void (*install_join_hooks) (void))
{
	install_hooks = install_join_hooks;
	DefineCustomBoolVariable("cuckoo_scan.enable_filter_scan",
							 "Enables the planner's use of filter scan plans.",
							 "A filter scan probes filters with all rows of a page of a table at a time.",
							 &filter_scan_enabled, true, PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomBoolVariable("cuckoo_scan.explain_join_filter",
							 "Tells why joins build no runtime filters.",
							 "For each such join of a query over a large table, planning raises a notice.",
							 &runtime_filter_explain, false, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("cuckoo_scan.join_filter_costs",
							 "Chooses a plan with other joins if its filters make it cheaper.",
							 "If off, filters are only added to PostgreSQL's plan.",
							 &runtime_filter_costs, true, PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomIntVariable("cuckoo_scan.join_filter_min_rows",
							"Sets the minimum estimated number of rows for which a join builds a filter.",
							"It is compared with the estimated rows of the scans that would probe the filter.",
							&runtime_filter_min_rows, 50000, 0, INT_MAX, PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomRealVariable("cuckoo_scan.join_filter_max_match_fraction",
							 "Sets the fraction of scanned rows with a match above which a runtime filter is not used.",
							 "This is compared with the planner's estimate, and with the rows that pass the filter.",
							 &runtime_filter_max_match_fraction, 0.75, 0.0, 1.0, PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomIntVariable("cuckoo_scan.join_filter_max_memory",
							"Sets the maximum memory for one runtime filter in one process.",
							"It is also limited by work_mem times hash_mem_multiplier.",
							&runtime_filter_max_memory, 64 * 1024, 64, MAX_KILOBYTES, PGC_USERSET, GUC_UNIT_KB | GUC_EXPLAIN,
							NULL, NULL, NULL);
	/* This setting comes last, since it may install the hooks: if another cannot be defined, there are none. */
	DefineCustomBoolVariable("cuckoo_scan.enable_join_filter",
							 "Enables runtime filters that hash joins build from one side for the scans of the other.",
							 "Such a filter rejects rows that have no match where they are scanned.",
							 &runtime_filter_enabled, joins_on_by_default(), PGC_USERSET, GUC_EXPLAIN,
							 check_enabled, assign_enabled, NULL);
}
