/*
 * The settings of cuckoo_scan.so.
 */
#ifndef FILTER_SCAN_SETTINGS_H
#define FILTER_SCAN_SETTINGS_H

#include "postgres.h"

extern bool filter_scan_enabled;
extern bool runtime_filter_enabled;
extern bool runtime_filter_explain;	/* whether the client is told why joins have none */
extern bool runtime_filter_costs;	/* whether the planner regards filters */
extern int	runtime_filter_min_rows;	/* the scan's rows, as estimated */
extern double runtime_filter_max_match_fraction;	/* a fraction of the scanned rows */
extern int	runtime_filter_max_memory;	/* kilobytes, of one filter with all that is needed to build it, in one process */

/* Define the settings. install_join_hooks is called once, when enable_join_filter is first turned on. */
extern void scan_settings_init(void (*install_join_hooks) (void));

#endif
