/*
 * The entry point of cuckoo_scan.so, which has filter scans, and joins that filter themselves. Everything else is reached
 * through hooks of the planner and the executor.
 */
#include "compat.h"

#include "utils/guc.h"

#include "core/pause.h"
#include "join/explain.h"
#include "join/node.h"
#include "join/plan.h"
#include "modules/interrupts.h"
#include "scan/offer.h"
#include "scan/settings.h"

FILTER_MODULE_MAGIC;

void
_PG_init(void)
{
	filter_pause_hook = check_for_interrupts;
	filter_scan_init();
	runtime_filter_node_init();
	runtime_filter_explain_init();
	scan_settings_init(runtime_filter_install_hooks);
	MarkGUCPrefixReserved("cuckoo_scan");
}
