/*
 * For tests: when it is loaded, the library of the types looks like another version to that of the scans.
 */
#include "postgres.h"

#include "fmgr.h"

PG_MODULE_MAGIC;

void		_PG_init(void);

void
_PG_init(void)
{
	static uint32 version = PG_UINT32_MAX;

	*find_rendezvous_variable("cuckoo_filter.probe") = &version;
}
