/*
 * cuckoo_join.so: where it is loaded, joins filter themselves, unless the setting says otherwise. Not where cuckoo_scan.so is:
 * the library of the types loads that, and a LOAD after it would do nothing, since PostgreSQL calls _PG_init once.
 */
#include "compat.h"

#include "modules/version.h"
#include "sibling_library.h"

FILTER_MODULE_MAGIC("cuckoo_join");

void
_PG_init(void)
{
	char		path[MAXPGPATH];

	*find_rendezvous_variable(JOINS_ON_VARIABLE) = (void *) _PG_init;
	sibling_library_path(path, (void *) _PG_init, "cuckoo_scan");
	load_file(path, false);
	/* It may have been loaded before, with another default: take the new one where no other value is set. */
	SetConfigOption("cuckoo_scan.enable_join_filter", NULL, PGC_USERSET, PGC_S_DEFAULT);
	/* The settings are those of cuckoo_scan.so. */
	define_version("cuckoo_join.version");
	MarkGUCPrefixReserved("cuckoo_join");
}
