/*
 * The library of the scans probes filters with the keys of all rows of a page, as probe_api.h describes.
 */
#ifndef FILTER_FUNCTIONS_PAGE_PROBE_H
#define FILTER_FUNCTIONS_PAGE_PROBE_H

extern void page_probe_init(void);

#endif
