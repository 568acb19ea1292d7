/*
 * A setting of each library that says what it was built from. Cannot be changed.
 */
#ifndef FILTER_MODULES_VERSION_H
#define FILTER_MODULES_VERSION_H

#include "postgres.h"

#include "utils/guc.h"

static inline void
define_version(const char *name)
{
	static char *version;

	DefineCustomStringVariable(name, "Shows the version of the library, and the commit that it was built from.", NULL,
							   &version, FILTER_VERSION, PGC_INTERNAL, GUC_NOT_IN_SAMPLE | GUC_DISALLOW_IN_FILE,
							   NULL, NULL, NULL);
}

#endif
