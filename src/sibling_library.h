/*
 * How the libraries of the project know of each other. All are in one folder, wherever that is. (It need not be $libdir, since
 * PostgreSQL 18 has extension_control_path.)
 */
#ifndef FILTER_SIBLING_LIBRARY_H
#define FILTER_SIBLING_LIBRARY_H

#include "postgres.h"

#include <dlfcn.h>

/* A rendezvous variable: not null if cuckoo_join.so wants that joins filter themselves by default. */
#define JOINS_ON_VARIABLE	"cuckoo_join.on"

/* Another one: a function of cuckoo_scan.so without arguments, to be called while a query that probes a filter is planned. */
#define PLANS_PROBE_VARIABLE	"cuckoo_scan.plans_probe"

/* Get the path of a library, which may not exist, into MAXPGPATH bytes. `own` is the address of a function of this library. */
static inline void
sibling_library_path(char *path, void *own, const char *name)
{
	Dl_info		library;

	if (dladdr(own, &library) == 0)
		elog(ERROR, "the library of a function is not known");
	strlcpy(path, library.dli_fname, MAXPGPATH);
	get_parent_directory(path);
	join_path_components(path, path, name);
	strlcat(path, DLSUFFIX, MAXPGPATH);
}

#endif
