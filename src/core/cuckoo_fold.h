/*
 * Merging cuckoo layers.
 */
#ifndef FILTER_CUCKOO_FOLD_H
#define FILTER_CUCKOO_FOLD_H

#include <stdbool.h>

#include "core/cuckoo.h"
#include "core/status.h"

/*
 * Whether source refines target, that is, whether the class of a value in source determines its class in target:
 * source's windows are a whole multiple of target's, and its fingerprints are no shorter. Depends on the geometries
 * only.
 */
extern bool cuckoo_can_fold(const CuckooLayer *target, const CuckooLayer *source);

/*
 * Add every entry of source to target, and cover what source's wildcards cover; requires cuckoo_can_fold. FILTER_FULL
 * if they do not all fit; target then holds some of them, so the caller must work on a copy. With `cover`, wildcards
 * cover those that do not fit. If target may receive wildcards, set target->crowded beforehand.
 */
extern FilterStatus cuckoo_fold(const CuckooLayer *target, const CuckooLayer *source, bool cover);

#endif
