/*
 * The entry point of cuckoo_filter.so, which has the types. Everything else is reached through SQL functions.
 */
#include "compat.h"

#include "miscadmin.h"
#include "utils/guc.h"

#include "core/pause.h"
#include "estimate/load_scan.h"
#include "functions/page_probe.h"

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
	load_scan_init();
	MarkGUCPrefixReserved("cuckoo_filter");
}
