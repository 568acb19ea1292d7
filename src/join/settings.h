/*
 * The settings of join filters.
 */
#ifndef FILTER_JOIN_SETTINGS_H
#define FILTER_JOIN_SETTINGS_H

#include "postgres.h"

extern bool join_filter_enabled;
extern int	join_filter_min_rows;	/* of the scan, as estimated */
extern double join_filter_max_matches;	/* a fraction of the scanned rows */

/* The bytes that one filter may take, with all that is needed to build it, in one process. */
extern Size join_filter_memory_limit(void);

extern void join_filter_define_settings(void);

#endif
