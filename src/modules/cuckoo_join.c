/*
 * cuckoo_join.so: where it is loaded, joins filter themselves, unless the setting says otherwise. Not where cuckoo_scan.so is:
 * the library of the types loads that, and a LOAD after it would do nothing, since PostgreSQL calls _PG_init once.
 */
#include "compat.h"

#include "access/parallel.h"
#include "miscadmin.h"
#include "utils/guc.h"

#include "sibling_library.h"

FILTER_MODULE_MAGIC;

void
_PG_init(void)
{
	char		path[MAXPGPATH];

	/*
	 * In the postmaster, the variable begins with on: a value that is removed from the configuration file leaves it as it began.
	 * Other processes inherit that.
	 */
	if (process_shared_preload_libraries_in_progress)
		*find_rendezvous_variable(JOINS_ON_VARIABLE) = (void *) _PG_init;
	sibling_library_path(path, (void *) _PG_init, "cuckoo_scan");
	load_file(path, false);
	/* Otherwise it begins with off. Workers have the leader's setting, which is sent to them because it is another one. */
	if (!InitializingParallelWorker)
		SetConfigOption("cuckoo_scan.enable_join_filter", "on", PGC_USERSET, PGC_S_DYNAMIC_DEFAULT);
}
