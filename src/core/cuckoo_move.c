/*
 * Entries move between the layers of a filter, or from one filter to another, without their hashes: the position in a layer
 * determines the position in any layer that it refines.
 */
#include "core/cuckoo_stash.h"

#include "core/pause.h"

bool
cuckoo_can_fold(const CuckooLayer *target, const CuckooLayer *source)
{
	return ((uint64_t) source->pages * source->windows) % ((uint64_t) target->pages * target->windows) == 0 &&
		source->slot_bits >= target->slot_bits;
}

/*
 * The position in target of a class of source, given by its lower window, as page * windows + window, and its fingerprint.
 *
 * If the lower windows of all pages are numbered in order, the number of a value's window is floor(hash * pages * windows /
 * 2^64), the same fraction in any geometry. A division therefore gives its number in target, and all values of a window of
 * source belong to one window of target. A shorter fingerprint is a prefix.
 */
static CuckooPosition
folded_position(const CuckooLayer *target, const CuckooLayer *source, uint64_t lower, uint32_t fingerprint)
{
	uint64_t	windows = (uint64_t) target->pages * target->windows;
	uint64_t	folded = lower / ((uint64_t) source->pages * source->windows / windows);	/* NOLINT(clang-analyzer-core.DivideZero) */
	CuckooPosition position = {folded / target->windows % target->pages * target->page_bits,
		{(uint32_t) (folded % target->windows), 0}, fingerprint >> (source->slot_bits - target->slot_bits)};

	position.fingerprint += position.fingerprint == 0;
	position.window[1] = cuckoo_other_window(target, position.window[0], position.fingerprint);
	return position;
}

/* The position of the entry in a slot of a page; false if there is none. */
static bool
entry_position(const CuckooLayer *layer, uint64_t page, uint32_t slot, CuckooPosition *position)
{
	uint32_t	entry = cuckoo_load_entry(layer, page * cuckoo_page_slots(layer) + slot);
	uint32_t	half,
				window;

	if (!cuckoo_window_of_entry(layer, slot, entry, &half, &window))
		return false;
	position->first_bit = page * layer->page_bits;
	position->fingerprint = entry >> 1;
	position->window[half] = window;
	position->window[1 - half] = cuckoo_other_window(layer, window, position->fingerprint);
	return true;
}

static void
clear_slot(const CuckooLayer *layer, uint64_t slot)
{
	uint64_t	bit = slot * layer->slot_bits;
	uint8_t    *bytes = layer->slots + (bit >> 3);

	store_le64(bytes, load_le64(bytes) & ~(cuckoo_slot_mask(layer) << (bit & 7)));
	if (layer->counted)
		cuckoo_set_counter(layer, slot, 0);
}

/* Merge the entries of a class into one, in the first of its slots that has one. */
static void
merge_class(const CuckooLayer *layer, const CuckooPosition *position, unsigned matches)
{
	for (unsigned left = matches & (matches - 1); left != 0; left &= left - 1)
	{
		uint64_t	slot = cuckoo_slot_of_position(layer, position, filter_lowest_bit(left));

		if (layer->counted)
			(void) cuckoo_count_up(layer, position, 1 + cuckoo_counter(layer, slot));
		clear_slot(layer, slot);
	}
}

void
cuckoo_merge_copies(const CuckooLayer *layer)
{
	for (size_t page = 0; page < layer->pages;)
		for (size_t end = filter_stride(page, layer->pages, 1); page < end; page++)
			for (uint32_t slot = 0; slot < cuckoo_page_slots(layer); slot++)
			{
				CuckooPosition position;

				if (entry_position(layer, page, slot, &position))
					merge_class(layer, &position, cuckoo_matches(layer, &position));
			}
}

double
cuckoo_sample_copies(const CuckooLayer *layer, uint32_t step)
{
	/* For each entry of a class with k entries, this is the number of copies beyond the first. */
	static const double further[5] = {0.0, 0.0, 1.0 / 2.0, 2.0 / 3.0, 3.0 / 4.0};
	double		copies = 0.0;
	uint64_t	slot = 0;

	for (uint64_t page = 0; page < layer->pages; page++, slot -= cuckoo_page_slots(layer))
		for (; slot < cuckoo_page_slots(layer); slot += step)
		{
			CuckooPosition position;

			if (entry_position(layer, page, (uint32_t) slot, &position))
				copies += further[filter_popcount_64(cuckoo_matches(layer, &position))];
		}
	return copies;
}

/* Move an entry with its copies to its position in target; true if it is gone from source. */
static bool
move_entry(const CuckooLayer *target, const CuckooPosition *position, unsigned counter, bool as_set, bool counts, uint64_t *limit)
{
	if (as_set ? cuckoo_has_class(target, position) : counts && cuckoo_count_up(target, position, 1 + counter))
		return true;
	/* Without counters, only single copies have a slot. */
	if ((counter > 0 && !as_set && !target->counted) || *limit == 0 || cuckoo_add(target, position) != FILTER_OK)
		return false;
	(*limit)--;
	if (counter > 0 && !as_set)
		(void) cuckoo_count_up(target, position, counter);
	return true;
}

void
cuckoo_move(const CuckooLayer *target, const CuckooLayer *source, bool as_set, uint64_t limit)
{
	CuckooPosition position;
	uint32_t	used = cuckoo_stash_used(source);
	uint32_t	left = 0;
	double		entries = as_set ? 0.0 : (double) cuckoo_entries(target);
	/* Only if few values of source are of the class of an entry of target by chance: many would make it permanent. */
	bool		counts = !as_set && (double) cuckoo_entries(source) * cuckoo_rate(target, entries) <= entries;

	for (size_t page = 0; page < source->pages;)
		for (size_t end = filter_stride(page, source->pages, 1); page < end; page++)
			for (uint32_t slot = 0; slot < cuckoo_page_slots(source); slot++)
			{
				uint64_t	at = page * cuckoo_page_slots(source) + slot;

				if (!entry_position(source, page, slot, &position))
					continue;
				position = folded_position(target, source, page * source->windows + position.window[0], position.fingerprint);
				if (move_entry(target, &position, source->counted ? cuckoo_counter(source, at) : 0, as_set, counts, &limit))
					clear_slot(source, at);
			}
	/* The order is ascending, so that target's stash is appended to. */
	for (size_t i = 0; i < used;)
		for (size_t end = filter_stride(i, used, FILTER_STRIDE_ADDITIONS); i < end; i++)
		{
			uint64_t	word = cuckoo_stash_get(source, (uint32_t) i);

			position = folded_position(target, source, word >> (source->slot_bits + 3),
									   (uint32_t) (word >> 4 & cuckoo_slot_mask(source) >> 1));
			if (!move_entry(target, &position, word % 16, as_set, counts, &limit))
				cuckoo_stash_set(source, left++, word);
		}
	cuckoo_stash_truncate(source, left);
}
