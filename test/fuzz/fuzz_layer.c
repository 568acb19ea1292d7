/*
 * One layer of any geometry, compared with the same layer in the simplest form that docs/format.md allows. The bits
 * of a Bloom layer must be the same. A cuckoo layer must count every class of values exactly, up to four, through
 * adds, removals and folding, and be unchanged when it is full. In some runs a wildcard covers a value that finds no
 * place; then the classes of at most two lower windows per wildcard are sticky, and the others still exact.
 *
 * Input: a byte for the type and the distribution of the hashes, four for the geometry, then operations of two bytes.
 */
#include "core/bloom.h"
#include "core/cuckoo.h"
#include "fuzz.h"

#include "core/bytes.h"

#define VALUES 512
#define MAX_OPERATIONS 3000

static uint64_t
make_hash(uint32_t distribution, uint64_t n)
{
	Random		random = {n};
	uint64_t	mixed = random_next(&random);

	switch (distribution)
	{
		case 0:
			return mixed;
		case 1:					/* few fingerprints */
			return (mixed & UINT64_C(0xffffffff00000000)) | (n & 7) << 29;
		case 2:					/* few places */
			return (n & 7) << 61 | (mixed & UINT64_C(0xffffffff));
		default:				/* few of both */
			return (n & 7) << 61 | (n >> 3 & 7) << 29 | (n >> 6) << 10;
	}
}

/*
 * Bloom: the bits of a value by the formulas of the format.
 */

static void
add_plainly(uint8_t *bits, const BloomLayer *layer, uint64_t hash)
{
	uint64_t	block = ((hash >> 32) * layer->blocks) >> 32;
	uint64_t	state = hash;
	uint32_t	word = 0;

	for (uint32_t i = 0; i < layer->probes; i++)
	{
		uint64_t	bit;

		if (i % 8 == 0)
		{
			state *= UINT64_C(0x9e3779b97f4a7c15);
			word = (uint32_t) (state >> 32);
		}
		bit = block * layer->block_bits + (((uint64_t) word * layer->block_bits) >> 32);
		bits[bit / 8] = (uint8_t) (bits[bit / 8] | 1U << (bit % 8));
		word *= UINT32_C(0x9e3779b9);
	}
}

static void
run_bloom(Input *input, uint32_t distribution)
{
	uint32_t	blocks = 1 + input_below(input, 40);
	uint32_t	words = 1 + input_below(input, BLOOM_SMALL_BITS / BLOOM_WORD_BITS);
	uint32_t	probes = 1 + input_below(input, BLOOM_MAX_PROBES);
	BloomLayer	layer = {blocks, blocks == 1 ? words * BLOOM_WORD_BITS : BLOOM_BLOCK_BITS, probes, NULL};
	uint64_t	bytes = bloom_bytes(&layer);
	uint8_t    *plain = zeroed_memory(bytes);
	uint8_t    *before = zeroed_memory(bytes);
	uint64_t	set = 0;

	if (!bloom_geometry_is_valid(layer.blocks, layer.block_bits, layer.probes))
		broken("a valid geometry is rejected");
	layer.bits = zeroed_memory(bytes);
	for (int i = 0; i < MAX_OPERATIONS && input->left > 0; i++)
	{
		uint64_t	hash = make_hash(distribution, input_number(input, 2));
		bool		contained;

		memcpy(before, plain, (size_t) bytes);
		add_plainly(plain, &layer, hash);
		contained = memcmp(before, plain, (size_t) bytes) == 0;
		if (bloom_contains(&layer, hash) != contained)
			broken("a value is contained although not all of its bits are set, or vice versa");
		if (bloom_add(&layer, hash) == contained)
			broken("an addition reports that it set %s", contained ? "a bit" : "none");
		if (memcmp(layer.bits, plain, (size_t) bytes) != 0)
			broken("the bits set are not those of the format");
	}
	for (uint64_t i = 0; i < bytes; i++)
		for (unsigned bit = 0; bit < 8; bit++)
			set += plain[i] >> bit & 1;
	if (bloom_bits_set(&layer) != set)
		broken("%u bits are counted as %u", (unsigned) set, (unsigned) bloom_bits_set(&layer));
	free(layer.bits);
	free(plain);
	free(before);
}

/*
 * Cuckoo: the number of copies of each class. Equal places are one class.
 */

typedef struct Classes
{
	CuckooPlace place[VALUES];
	unsigned	copies[VALUES];
	size_t		count;
} Classes;

static size_t
class_of(Classes *classes, const CuckooPlace *place)
{
	size_t		i = 0;

	while (i < classes->count &&
		   !(classes->place[i].first_bit == place->first_bit && classes->place[i].window[0] == place->window[0] &&
			 classes->place[i].fingerprint == place->fingerprint))
		i++;
	if (i == classes->count)
	{
		classes->place[classes->count] = *place;
		classes->copies[classes->count++] = 0;
	}
	if (classes->place[i].window[1] != place->window[1])
		broken("values of one class have different upper windows");
	return i;
}

static unsigned
at_most_four(unsigned copies)
{
	return copies < CUCKOO_STICKY_COUNT ? copies : CUCKOO_STICKY_COUNT;
}

/* The exact count of a class. */
static unsigned
expected_count(const CuckooLayer *layer, const Classes *classes, size_t class)
{
	return cuckoo_place_is_covered(layer, &classes->place[class]) ? CUCKOO_STICKY_COUNT
		: at_most_four(classes->copies[class]);
}

static void
check_classes(const CuckooLayer *layer, const Classes *classes, const char *after)
{
	uint64_t	entries = 0;

	for (size_t i = 0; i < classes->count; i++)
	{
		if (cuckoo_count(layer, &classes->place[i]) != expected_count(layer, classes, i))
			broken("after %s: %u copies are counted as %u", after, classes->copies[i],
				   cuckoo_count(layer, &classes->place[i]));
		entries += at_most_four(classes->copies[i]);
	}
	if (cuckoo_entries(layer) != entries && !layer->crowded)
		broken("after %s: %u entries instead of %u", after, (unsigned) cuckoo_entries(layer), (unsigned) entries);
	if (!cuckoo_entries_are_valid(layer))
		broken("after %s: an entry is not valid", after);
}

/* Fold into a coarser layer of a geometry that divides this one's. */
static void
check_fold(const CuckooLayer *source, const Classes *classes, const uint64_t *hashes, uint32_t divisor,
		   uint32_t narrower)
{
	uint32_t	windows = source->pages * source->windows;
	CuckooLayer target;
	Classes    *folded;
	bool		sticky = false;

	if (windows % divisor != 0 || narrower > source->slot_bits ||
		!cuckoo_geometry_is_valid(1, windows / divisor, source->slot_bits - narrower))
		return;
	target = cuckoo_layer(1, windows / divisor, source->slot_bits - narrower, source->crowded, NULL);
	if (!cuckoo_can_fold(&target, source))
		broken("a multiple of a geometry cannot be folded into it");
	target.slots = zeroed_memory(cuckoo_bytes(&target));
	if (cuckoo_fold(&target, source, false) == FILTER_OK)
	{
		folded = zeroed_memory(sizeof(Classes));
		for (size_t i = 0; i < classes->count; i++)
		{
			CuckooPlace place = cuckoo_place(&target, hashes[i]);

			folded->copies[class_of(folded, &place)] += expected_count(source, classes, i);
			sticky |= classes->copies[i] > CUCKOO_STICKY_COUNT;
		}
		for (size_t i = 0; i < classes->count; i++)
		{
			CuckooPlace place = cuckoo_place(&target, hashes[i]);

			if (cuckoo_place_is_covered(source, &classes->place[i]) && !cuckoo_place_is_covered(&target, &place))
				broken("a covered window is not covered after folding");
		}
		check_classes(&target, folded, sticky ? "folding, with a sticky class" : "folding");
		free(folded);
	}
	free(target.slots);
}

static void
run_cuckoo(Input *input, uint32_t distribution, bool covering)
{
	uint32_t	pages = 1 + input_below(input, 4);
	uint32_t	windows = 1 + input_below(input, 200);
	uint32_t	slot_bits = CUCKOO_MIN_SLOT_BITS + input_below(input, CUCKOO_MAX_SLOT_BITS - CUCKOO_MIN_SLOT_BITS + 1);
	CuckooLayer layer = cuckoo_layer(pages, windows,
									 cuckoo_geometry_is_valid(pages, windows, slot_bits) ? slot_bits : 28, false, NULL);
	Classes    *classes = zeroed_memory(sizeof(Classes));
	uint64_t   *hashes = zeroed_memory(VALUES * sizeof(uint64_t));	/* one of each class */
	uint8_t    *before;
	uint64_t	bytes;
	int			times_full = 0;
	uint64_t	covers = 0;

	bytes = cuckoo_bytes(&layer);
	before = zeroed_memory(bytes);
	layer.slots = zeroed_memory(bytes);
	for (int i = 0; i < MAX_OPERATIONS && input->left > 0 && times_full < 20; i++)
	{
		uint32_t	operation = (uint32_t) input_number(input, 2);
		uint64_t	hash = make_hash(distribution, operation % VALUES);
		CuckooPlace place = cuckoo_place(&layer, hash);
		size_t		class = class_of(classes, &place);
		unsigned	sticky_before = expected_count(&layer, classes, class);
		bool		changed;

		if (hashes[class] == 0)
			hashes[class] = hash;
		memcpy(before, layer.slots, (size_t) bytes);
		if (operation / VALUES % 4 == 0)
		{
			bool		removed = cuckoo_remove(&layer, &place);

			changed = memcmp(before, layer.slots, (size_t) bytes) != 0;
			if (removed != (sticky_before % CUCKOO_STICKY_COUNT != 0) || removed != changed)
				broken("removing one of %u copies: removed %d, layer changed %d", classes->copies[class], removed,
					   changed);
			classes->copies[class] -= removed;
		}
		else
		{
			FilterStatus status = cuckoo_add(&layer, &place, CUCKOO_MAX_STEPS);

			changed = memcmp(before, layer.slots, (size_t) bytes) != 0;
			if (status == FILTER_FULL)
			{
				times_full++;
				if (changed)
					broken("an addition changes a full layer");
				if (expected_count(&layer, classes, class) >= CUCKOO_STICKY_COUNT)
					broken("an addition to a sticky class is rejected");
				if (covering)
				{
					layer.crowded = true;
					covers++;
					cuckoo_cover(&layer, &place);
					if (!cuckoo_place_is_covered(&layer, &place))
						broken("cuckoo_cover did not cover the window");
				}
			}
			else
			{
				if (changed != (sticky_before < CUCKOO_STICKY_COUNT))
					broken("adding a copy after %u: layer changed %d", classes->copies[class], changed);
				classes->copies[class] += classes->copies[class] < CUCKOO_STICKY_COUNT;
			}
		}
		if (cuckoo_contains(&layer, hash) != (classes->copies[class] > 0) && !layer.crowded)
			broken("%u copies: contained %d", classes->copies[class], cuckoo_contains(&layer, hash));
		if (cuckoo_windows_covered(&layer) > 2 * covers)
			broken("%u wildcards cover too many windows", (unsigned) covers);
		if (i % 64 == 0)
			check_classes(&layer, classes, "an operation");
	}
	check_classes(&layer, classes, "all operations");
	for (uint32_t divisor = 1; divisor <= 4; divisor++)
		for (uint32_t narrower = 0; narrower <= 8; narrower += 4)
			check_fold(&layer, classes, hashes, divisor, narrower);
	free(layer.slots);
	free(before);
	free(hashes);
	free(classes);
}

void
fuzz_layer(const uint8_t *bytes, size_t length)
{
	Input		input = {bytes, length};
	uint32_t	setting = (uint32_t) input_number(&input, 1);

	if (setting % 4 == 0)
		run_bloom(&input, setting / 4 % 4);
	else
		run_cuckoo(&input, setting / 4 % 4, setting / 16 % 4 == 3);
}
