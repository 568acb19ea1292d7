/*
 * cuckoo_scan.so, the library with a scan that probes a page at a time, is loaded when a query is planned that it can make
 * faster.
 */
#ifndef FILTER_ESTIMATE_LOAD_SCAN_H
#define FILTER_ESTIMATE_LOAD_SCAN_H

/*
 * Load the library, unless this session tried before, a setting forbids it, or the file is missing. If it cannot be loaded,
 * the log says why, and queries run without it.
 */
extern void load_scan(void);

/* Define the setting. */
extern void load_scan_init(void);

#endif
