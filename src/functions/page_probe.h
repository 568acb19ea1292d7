/*
 * Probes of a filter with the keys of all rows of a page, for the library of the scans.
 */
#ifndef FILTER_FUNCTIONS_PAGE_PROBE_H
#define FILTER_FUNCTIONS_PAGE_PROBE_H

/* Offer what probe_api.h describes. Called once, when the library is loaded. */
extern void page_probe_init(void);

#endif
