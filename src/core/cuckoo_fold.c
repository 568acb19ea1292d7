#include "core/cuckoo_fold.h"

#include "core/cuckoo_add.h"
#include "core/pause.h"

bool
cuckoo_can_fold(const CuckooLayer *target, const CuckooLayer *source)
{
	return ((uint64_t) source->pages * source->windows) % ((uint64_t) target->pages * target->windows) == 0 &&
		source->slot_bits >= target->slot_bits;
}

/*
 * The place in target, without fingerprint and upper window, of the values of a lower window of source. If the lower
 * windows of all pages are numbered in order, the number of a value's window is floor(hash * pages * windows / 2^64):
 * the same fraction in any geometry. So its number in target follows by division, and all values of a window of source
 * belong to one window of target.
 */
static CuckooPlace
folded_window(const CuckooLayer *target, const CuckooLayer *source, uint64_t factor, uint64_t page, uint32_t window)
{
	uint64_t	lower = (page * source->windows + window) / factor;
	/* A valid geometry has windows; the analyzer thinks that cuckoo_cover may leave none. */
	uint64_t	target_page = lower / target->windows;	/* NOLINT(clang-analyzer-core.DivideZero) */
	CuckooPlace place = {target_page * target->page_bits, {(uint32_t) (lower % target->windows), 0}, 0};

	return place;
}

static void
fold_wildcard(const CuckooLayer *target, const CuckooLayer *source, uint64_t factor, uint64_t page, uint32_t slot)
{
	for (uint32_t window = slot - (slot > 0); window <= slot && window < source->windows; window++)
	{
		CuckooPlace place = folded_window(target, source, factor, page, window);

		cuckoo_cover(target, &place);
	}
}

/* cuckoo_fold of one page. *max_steps is the limit for a search, and is lowered once wildcards are in use. */
static FilterStatus
fold_page(const CuckooLayer *target, const CuckooLayer *source, uint64_t page, bool cover, uint32_t *max_steps)
{
	uint64_t	factor = ((uint64_t) source->pages * source->windows) / ((uint64_t) target->pages * target->windows);
	uint32_t	shift = source->slot_bits - target->slot_bits;

	for (uint32_t slot = 0; slot < cuckoo_page_slots(source); slot++)
	{
		uint32_t	entry = cuckoo_load_entry(source, page * cuckoo_page_slots(source) + slot);
		uint32_t	half,
					window;
		CuckooPlace place;

		if (entry == 0)
			continue;
		if (!cuckoo_window_of_entry(source, slot, entry, &half, &window))
		{
			if (entry == CUCKOO_WILDCARD && half == 0 && source->crowded)
				fold_wildcard(target, source, factor, page, slot);
			continue;
		}
		if (half == 1)
			window = cuckoo_other_window(source, window, entry >> 1);
		place = folded_window(target, source, factor, page, window);
		place.fingerprint = entry >> 1 >> shift;
		place.fingerprint += place.fingerprint == 0;
		place.window[1] = cuckoo_other_window(target, place.window[0], place.fingerprint);
		if (cuckoo_add(target, &place, *max_steps) == FILTER_OK)
			continue;
		if (!cover)
			return FILTER_FULL;
		cuckoo_cover(target, &place);
		*max_steps = CUCKOO_FEW_STEPS;
	}
	return FILTER_OK;
}

FilterStatus
cuckoo_fold(const CuckooLayer *target, const CuckooLayer *source, bool cover)
{
	uint32_t	max_steps = CUCKOO_MAX_STEPS;

	for (size_t page = 0; page < source->pages;)
		for (size_t end = filter_stride(page, source->pages, 1); page < end; page++)
			if (fold_page(target, source, page, cover, &max_steps) != FILTER_OK)
				return FILTER_FULL;
	return FILTER_OK;
}
