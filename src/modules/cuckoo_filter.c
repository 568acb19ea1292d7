/*
 * The entry point of cuckoo_filter.so, which has the types. Everything else is reached through SQL functions.
 */
#include "compat.h"

#include "core/pause.h"
#include "estimate/load_scan.h"
#include "functions/page_probe.h"
#include "modules/interrupts.h"
#include "modules/version.h"

FILTER_MODULE_MAGIC("cuckoo_filter");

void
_PG_init(void)
{
	filter_pause_hook = check_for_interrupts;
	page_probe_init();
	load_scan_init();
	define_version("cuckoo_filter.version");
	MarkGUCPrefixReserved("cuckoo_filter");
}
