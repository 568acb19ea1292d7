/*
 * Loading cuckoo_scan.so once, from the folder of this library. A library that is missing, or cannot be loaded, must not
 * make a query fail, so dlopen tries it first: load_file would raise an error.
 */
#include "estimate/load_scan.h"

#include "postgres.h"

#include <unistd.h>

#include "access/parallel.h"
#include "access/xact.h"
#include "utils/guc.h"

#include "compat.h"
#include "sibling_library.h"

static bool load_scan_enabled = true;

static void
load_once(void)
{
	static bool tried = false;
	char		path[MAXPGPATH];

	/* A library cannot define its settings in parallel mode. */
	if (tried || !load_scan_enabled || IsInParallelMode())
		return;
	tried = true;
	sibling_library_path(path, (void *) load_scan, "cuckoo_scan");
	if (access(path, F_OK) != 0)
		return;
	/* As load_file does, which would raise an error. */
	if (dlopen(path, RTLD_NOW | RTLD_GLOBAL) != NULL)
		load_file(path, false);
	else
		ereport(LOG, (errcode(ERRCODE_UNDEFINED_FILE),
					  errmsg("cuckoo_filter works without cuckoo_scan, which cannot be loaded: %s", dlerror()),
					  errhint("Install the same version of both libraries, or set cuckoo_filter.load_scan to off.")));
}

void
load_scan(void)
{
	void		(*plans_probe) (void);

	load_once();
	plans_probe = *find_rendezvous_variable(PLANS_PROBE_VARIABLE);
	if (plans_probe != NULL)
		plans_probe();
}

void
load_scan_init(void)
{
	DefineCustomBoolVariable("cuckoo_filter.load_scan",
							 "Loads the library cuckoo_scan when a query that probes a filter is planned.",
							 "It has a scan of tables that probes a filter with all rows of a page at a time.",
							 &load_scan_enabled, true, PGC_SUSET, 0, NULL, NULL, NULL);
}
