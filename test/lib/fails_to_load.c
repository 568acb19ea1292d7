/*
 * For tests: a library whose loading raises an error.
 */
#include "postgres.h"

#include "fmgr.h"

PG_MODULE_MAGIC;

void		_PG_init(void);

void
_PG_init(void)
{
	ereport(ERROR, (errcode(ERRCODE_CONFIG_FILE_ERROR), errmsg("this library never loads")));
}
