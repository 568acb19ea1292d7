/*
 * For tests: a library that defines a setting of the scans' library, whose loading then fails half-way.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/guc.h"

PG_MODULE_MAGIC;

void		_PG_init(void);

void
_PG_init(void)
{
	static bool taken = false;

	DefineCustomBoolVariable("cuckoo_scan.join_filter_min_rows", "Is taken.", NULL, &taken, false, PGC_USERSET, 0, NULL, NULL, NULL);
}
