/*
 * The module's entry point. Everything else is reached through SQL functions.
 */
#include "compat.h"

#include "miscadmin.h"

#include "utils/guc.h"

#include "core/pause.h"
#include "functions/page_probe.h"
#include "join/plan.h"
#include "scan/path.h"

FILTER_MODULE_MAGIC;

static void
check_for_interrupts(void)
{
	CHECK_FOR_INTERRUPTS();
}

void
_PG_init(void)
{
	filter_pause_hook = check_for_interrupts;
	page_probe_init();
	filter_scan_init();
	runtime_filter_init();
	MarkGUCPrefixReserved("cuckoo_filter");
}
