/*
 * cuckoo_scan.so is loaded once, from the folder of this library. A library that is missing, or cannot be loaded, must not
 * make a query fail.
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
	MemoryContext context = CurrentMemoryContext;

	/* A library cannot define its settings in parallel mode. */
	if (tried || !load_scan_enabled || IsInParallelMode())
		return;
	tried = true;
	sibling_library_path(path, (void *) load_scan, "cuckoo_scan");
	if (access(path, F_OK) != 0)
		return;
	/* Loading holds nothing that only the end of a transaction releases, so its error needs no subtransaction. */
	PG_TRY();
	{
		load_file(path, false);
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		ereport(LOG, (errcode(error->sqlerrcode),
					  errmsg("cuckoo_filter works without cuckoo_scan, which cannot be loaded: %s", error->message),
					  error->detail == NULL ? 0 : errdetail_internal("%s", error->detail),
					  errhint("Install the same version of both libraries, or set cuckoo_filter.load_scan to off.")));
	}
	PG_END_TRY();
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
