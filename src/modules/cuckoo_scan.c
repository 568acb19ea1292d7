/*
 * The entry point of cuckoo_scan.so, which has filter scans, and joins that filter themselves. Everything else is reached
 * through hooks of the planner and the executor.
 */
#include "compat.h"

#include "core/pause.h"
#include "join_executor/node.h"
#include "join_planner/explain.h"
#include "join_planner/hooks.h"
#include "modules/interrupts.h"
#include "modules/version.h"
#include "plan_nodes/plan_structs.h"
#include "plan_nodes/settings.h"
#include "scan_planner/offer.h"

FILTER_MODULE_MAGIC("cuckoo_scan");

/* Called once, when joins are first to filter themselves. */
static void
install_join_hooks(void)
{
	runtime_filter_node_install();
	runtime_filter_install_hooks();
}

void
_PG_init(void)
{
	filter_pause_hook = check_for_interrupts;
	/* What can fail comes first, so that a library that fails to load has no hooks. */
	plan_structs_init(FILTER_VERSION);
	runtime_filter_node_init();
	define_version("cuckoo_scan.version");
	scan_settings_init(install_join_hooks);
	filter_scan_init();
	runtime_filter_explain_init();
	MarkGUCPrefixReserved("cuckoo_scan");
}
