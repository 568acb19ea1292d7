/*
 * The validity of a cuckoo layer's content, and the copies of a class. Lookups are inline functions of cuckoo_inline.h, or
 * take many hashes and are in cuckoo_kernels.c; adding, which moves entries, is in cuckoo_add.c.
 */
#include "core/cuckoo_stash.h"

#include "core/pause.h"

bool
cuckoo_geometry_is_valid(uint32_t pages, uint32_t windows, uint32_t slot_bits)
{
	if (pages == 0 || windows == 0 || windows > CUCKOO_PAGE_SLOTS / 2 - 1)
		return false;
	/* Two slots of at most 28 bits fit in 64 bits at any bit offset in a byte; two of 32 bits do at offset 0. */
	return (slot_bits >= CUCKOO_MIN_SLOT_BITS && slot_bits <= 28) || slot_bits == CUCKOO_MAX_SLOT_BITS;
}

uint64_t
cuckoo_entries(const CuckooLayer *layer)
{
	size_t		slots = (size_t) cuckoo_slots(layer);
	uint64_t	entries = cuckoo_stash_used(layer);

	for (size_t slot = 0; slot < slots;)
		for (size_t end = filter_stride(slot, slots, FILTER_STRIDE_WORDS); slot < end; slot++)
			entries += cuckoo_load_entry(layer, slot) != 0;
	return entries;
}

uint64_t
cuckoo_further_copies(const CuckooLayer *layer)
{
	size_t		slots = layer->counted ? (size_t) cuckoo_slots(layer) : 0;
	uint64_t	copies = 0;

	for (size_t slot = 0; slot < slots;)
		for (size_t end = filter_stride(slot, slots, FILTER_STRIDE_WORDS); slot < end; slot++)
			copies += cuckoo_counter(layer, slot);
	for (uint32_t i = 0; i < cuckoo_stash_used(layer); i++)
		copies += cuckoo_stash_get(layer, i) & CUCKOO_MAX_COUNT;
	return copies;
}

bool
cuckoo_content_is_valid(const CuckooLayer *layer, bool is_set)
{
	size_t		slots = (size_t) cuckoo_slots(layer);
	uint64_t	used_bits = (uint64_t) slots * layer->slot_bits;
	uint64_t	bytes = cuckoo_slot_bytes(layer);
	uint32_t	in_page = 0;

	for (size_t slot = 0; slot < slots;)
		for (size_t end = filter_stride(slot, slots, FILTER_STRIDE_WORDS); slot < end; slot++)
		{
			uint32_t	entry = cuckoo_load_entry(layer, slot);
			uint32_t	half,
						window;

			if (entry != 0 ? !cuckoo_window_of_entry(layer, in_page, entry, &half, &window) :
				layer->counted && cuckoo_counter(layer, slot) != 0)
				return false;
			if (++in_page == cuckoo_page_slots(layer))
				in_page = 0;
		}

	if (used_bits % 8 != 0 && layer->slots[used_bits / 8] >> (used_bits % 8) != 0)
		return false;
	for (uint64_t i = (used_bits + 7) / 8; i < bytes; i++)
		if (layer->slots[i] != 0)
			return false;
	return cuckoo_stash_is_valid(layer, is_set);
}

/*
 * The copies of a class are counted with its entries, in its slots, and in the stash. Bits 0 to 3 say which slots have an
 * entry, as in cuckoo_matches, and bit 4 whether the stash has the class, at an index.
 */
#define IN_SLOTS	15u
#define IN_STASH	16u

static unsigned
find_entries(const CuckooLayer *layer, const CuckooPosition *position, uint32_t *index)
{
	return cuckoo_matches(layer, position) | (cuckoo_stash_find(layer, position, index) ? IN_STASH : 0);
}

/* The counter of the entry that the lowest bit stands for. */
static unsigned
get_counter(const CuckooLayer *layer, const CuckooPosition *position, unsigned entries, uint32_t index)
{
	if ((entries & IN_SLOTS) == 0)
		return (unsigned) (cuckoo_stash_get(layer, index) & CUCKOO_MAX_COUNT);
	return layer->counted ? cuckoo_counter(layer, cuckoo_slot_of_position(layer, position, filter_lowest_bit(entries))) : 0;
}

static void
set_counter(const CuckooLayer *layer, const CuckooPosition *position, unsigned entries, uint32_t index, unsigned counter)
{
	if ((entries & IN_SLOTS) == 0)
		cuckoo_stash_set(layer, index, (cuckoo_stash_get(layer, index) & ~(uint64_t) CUCKOO_MAX_COUNT) | counter);
	else
		cuckoo_set_counter(layer, cuckoo_slot_of_position(layer, position, filter_lowest_bit(entries)), counter);
}

unsigned
cuckoo_count(const CuckooLayer *layer, const CuckooPosition *position)
{
	uint32_t	index;
	unsigned	count = 0;

	for (unsigned left = find_entries(layer, position, &index); left != 0; left &= left - 1)
	{
		unsigned	counter = get_counter(layer, position, left, index);

		/* The largest counter means that there were more copies than can be counted. */
		count += counter < CUCKOO_MAX_COUNT ? 1 + counter : CUCKOO_PERMANENT;
	}
	return count < CUCKOO_PERMANENT ? count : CUCKOO_PERMANENT;
}

bool
cuckoo_count_up(const CuckooLayer *layer, const CuckooPosition *position, unsigned copies)
{
	uint32_t	index;
	unsigned	entries = find_entries(layer, position, &index) & (layer->counted ? IN_SLOTS | IN_STASH : IN_STASH);
	unsigned	counter;

	if (entries == 0)
		return false;
	counter = get_counter(layer, position, entries, index) + copies;
	set_counter(layer, position, entries, index, counter < CUCKOO_MAX_COUNT ? counter : CUCKOO_MAX_COUNT);
	return true;
}

bool
cuckoo_remove(const CuckooLayer *layer, const CuckooPosition *position)
{
	uint32_t	index;
	unsigned	entries;

	if (!layer->counted && layer->stash_capacity == 0)
		return cuckoo_remove_entry(layer, position);
	if (cuckoo_count(layer, position) == CUCKOO_PERMANENT)
		return false;
	entries = find_entries(layer, position, &index);
	for (unsigned left = entries; left != 0; left &= left - 1)
	{
		unsigned	counter = get_counter(layer, position, left, index);

		if (counter > 0)
		{
			set_counter(layer, position, left, index, counter - 1);
			return true;
		}
	}
	if ((entries & IN_STASH) == 0)
		return cuckoo_remove_entry(layer, position);
	cuckoo_stash_remove(layer, index);
	return true;
}
