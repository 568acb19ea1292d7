/*
 * One layer of any geometry, compared with the same layer in the simplest form that docs/format.md allows. The bits
 * of a Bloom layer must be the same. A cuckoo layer must count every class of values exactly, up to four without counters and
 * up to CUCKOO_PERMANENT with them or in a stash, through adds, removals and moves to another layer, and be unchanged when it is
 * full.
 *
 * Input: a byte for the type and the distribution of the hashes, four for the geometry, then operations of two bytes.
 */
#include "core/bloom_inline.h"
#include "core/cuckoo_stash.h"
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
 * Cuckoo: the number of copies of each class. Equal positions are one class.
 */

typedef struct Classes
{
	CuckooPosition position[VALUES];
	unsigned	copies[VALUES];
	size_t		count;
} Classes;

static size_t
class_of(Classes *classes, const CuckooPosition *position)
{
	size_t		i = 0;

	while (i < classes->count &&
		   !(classes->position[i].first_bit == position->first_bit && classes->position[i].window[0] == position->window[0] &&
			 classes->position[i].fingerprint == position->fingerprint))
		i++;
	if (i == classes->count)
	{
		classes->position[classes->count] = *position;
		classes->copies[classes->count++] = 0;
	}
	if (classes->position[i].window[1] != position->window[1])
		broken("values of one class have different upper windows");
	return i;
}

static void
check_classes(const CuckooLayer *layer, const Classes *classes, const char *after)
{
	uint64_t	copies = 0;

	for (size_t i = 0; i < classes->count; i++)
	{
		if (cuckoo_count(layer, &classes->position[i]) != classes->copies[i])
			broken("after %s: %u copies are counted as %u", after, classes->copies[i],
				   cuckoo_count(layer, &classes->position[i]));
		if (cuckoo_has_class(layer, &classes->position[i]) != (classes->copies[i] > 0))
			broken("after %s: %u copies: contained %d", after, classes->copies[i], classes->copies[i] == 0);
		copies += classes->copies[i];
	}
	if (cuckoo_entries(layer) + cuckoo_further_copies(layer) != copies)
		broken("after %s: %u entries and %u further copies instead of %u copies", after, (unsigned) cuckoo_entries(layer),
			   (unsigned) cuckoo_further_copies(layer), (unsigned) copies);
	if (!cuckoo_content_is_valid(layer, false))
		broken("after %s: the content is not valid", after);
}

static CuckooLayer
copy_layer(const CuckooLayer *layer)
{
	CuckooLayer copy = *layer;

	copy.slots = zeroed_memory(cuckoo_bytes(layer));
	memcpy(copy.slots, layer->slots, (size_t) cuckoo_bytes(layer));
	return copy;
}

/* Move the entries to a coarser layer of a geometry that divides this one's: with its counts, or as a set. */
static void
check_move(const CuckooLayer *layer, const Classes *classes, const uint64_t *hashes, uint32_t divisor, uint32_t narrower,
		   bool as_set)
{
	uint32_t	windows = layer->pages * layer->windows;
	CuckooLayer source,
				target;
	Classes    *moved;

	if (windows % divisor != 0 || narrower > layer->slot_bits ||
		!cuckoo_geometry_is_valid(1, windows / divisor, layer->slot_bits - narrower))
		return;
	source = copy_layer(layer);
	target = cuckoo_layer(1, windows / divisor, layer->slot_bits - narrower, !as_set, layer->stash_capacity, NULL);
	if (!cuckoo_can_fold(&target, &source))
		broken("a layer cannot be moved to one whose geometry divides its own");
	target.slots = zeroed_memory(cuckoo_bytes(&target));
	cuckoo_move(&target, &source, as_set, UINT64_MAX);
	moved = zeroed_memory(sizeof(Classes));
	for (size_t i = 0; i < classes->count; i++)
	{
		CuckooPosition position = cuckoo_position(&target, hashes[i]);
		unsigned   *copies = &moved->copies[class_of(moved, &position)];

		if (classes->copies[i] > 0 && !cuckoo_has_class(&target, &position) && !cuckoo_has_class(&source, &classes->position[i]))
			broken("a class is lost by moving");
		*copies = as_set ? *copies | (classes->copies[i] > 0) : *copies + classes->copies[i];
		if (*copies > CUCKOO_PERMANENT)
			*copies = CUCKOO_PERMANENT;
	}
	if (cuckoo_entries(&source) == 0)
		check_classes(&target, moved, as_set ? "moving as a set" : "moving");
	free(moved);
	free(source.slots);
	free(target.slots);
}

/* Copies to another layer with counters, where the entries of each class become one. */
static void
check_counters(const CuckooLayer *layer, const Classes *classes)
{
	CuckooLayer counted = *layer;

	if (layer->counted)
		return;
	counted.counted = true;
	counted.stash_capacity = 0;
	counted.slots = zeroed_memory(cuckoo_bytes(&counted));
	memcpy(counted.slots, layer->slots, (size_t) cuckoo_slot_bytes(layer));
	cuckoo_merge_copies(&counted);
	if (layer->stash_capacity == 0)
		check_classes(&counted, classes, "merging copies");
	free(counted.slots);
}

static void
run_cuckoo(Input *input, uint32_t distribution, bool counted, bool has_stash)
{
	uint32_t	pages = 1 + input_below(input, 4);
	uint32_t	windows = 1 + input_below(input, 200);
	uint32_t	slot_bits = CUCKOO_MIN_SLOT_BITS + input_below(input, CUCKOO_MAX_SLOT_BITS - CUCKOO_MIN_SLOT_BITS + 1);
	CuckooLayer layer = cuckoo_layer(pages, windows, cuckoo_geometry_is_valid(pages, windows, slot_bits) ? slot_bits : 28,
									 counted, has_stash ? windows / 4 + 1 : 0, NULL);
	Classes    *classes = zeroed_memory(sizeof(Classes));
	uint64_t   *hashes = zeroed_memory(VALUES * sizeof(uint64_t));	/* one of each class */
	uint8_t    *before;
	uint64_t	bytes;
	int			times_full = 0;

	bytes = cuckoo_bytes(&layer);
	before = zeroed_memory(bytes);
	layer.slots = zeroed_memory(bytes);
	for (int i = 0; i < MAX_OPERATIONS && input->left > 0 && times_full < 20; i++)
	{
		uint32_t	operation = (uint32_t) input_number(input, 2);
		uint64_t	hash = make_hash(distribution, operation % VALUES);
		CuckooPosition position = cuckoo_position(&layer, hash);
		size_t		class = class_of(classes, &position);
		unsigned	copies = classes->copies[class];
		bool		changed;

		if (hashes[class] == 0)
			hashes[class] = hash;
		memcpy(before, layer.slots, (size_t) bytes);
		if (operation / VALUES % 4 == 0)
		{
			bool		removed = cuckoo_remove(&layer, &position);

			changed = memcmp(before, layer.slots, (size_t) bytes) != 0;
			if (removed != (copies % CUCKOO_PERMANENT != 0) || removed != changed)
				broken("removing one of %u copies: removed %d, layer changed %d", copies, removed, changed);
			classes->copies[class] -= removed;
		}
		else if (copies < CUCKOO_PERMANENT)
		{
			FilterStatus status = cuckoo_count_up(&layer, &position, 1) ? FILTER_OK : cuckoo_add(&layer, &position);

			changed = memcmp(before, layer.slots, (size_t) bytes) != 0;
			if (changed != (status == FILTER_OK))
				broken("adding a copy after %u: layer changed %d", copies, changed);
			if (status == FILTER_FULL && (++times_full, copies > 0 && counted))
				broken("a copy of a class with a counter is rejected");
			if (status == FILTER_FULL && cuckoo_stash_used(&layer) < layer.stash_capacity)
				broken("a class is rejected although the stash has room");
			classes->copies[class] += changed;
		}
		if (cuckoo_has_class(&layer, &position) != (classes->copies[class] > 0))
			broken("%u copies: contained %d", classes->copies[class], cuckoo_has_class(&layer, &position));
		if (i % 64 == 0)
			check_classes(&layer, classes, "an operation");
	}
	check_classes(&layer, classes, "all operations");
	check_counters(&layer, classes);
	for (uint32_t divisor = 1; divisor <= 4; divisor++)
		for (uint32_t narrower = 0; narrower <= 8; narrower += 4)
		{
			check_move(&layer, classes, hashes, divisor, narrower, false);
			check_move(&layer, classes, hashes, divisor, narrower, true);
		}
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
		run_cuckoo(&input, setting / 4 % 4, (setting / 16 & 1) != 0, (setting / 16 & 2) != 0);
}
