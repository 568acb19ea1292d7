/*
 * Operations on a few filters of one type, each compared with an exact multiset. After any sequence of legal
 * operations every value that is held is found, and its count is at least the number of its copies. A value that once had
 * more copies than are counted is permanent.
 *
 * Legal: values are deleted only from a filter that holds them, and not from a union, which is a set; and a sequence that
 * deletes adds nothing as unique, since such an addition may skip a value because of another one that is deleted later.
 *
 * Input: a byte for the type and whether the sequence deletes or adds as unique, a byte for the distribution of the
 * hashes and for which filters do not grow, two bytes for each filter, then operations: a byte, and their arguments.
 */
#include "core/cuckoo_inline.h"
#include "core/filter.h"
#include "fuzz.h"

#define FILTERS 3
#define VALUES 1024
#define MAX_OPERATIONS 400
#define MAX_CHECKS 12			/* operations that check everything, which take long */
#define MAX_MERGES 4096		/* attempts to merge layers in the unions of one input: likewise */
#define MAX_COPIES 200

typedef struct Modelled
{
	OwnedFilter owned;
	uint8_t		copies[VALUES];
	bool		permanent[VALUES];
	bool		fixed;			/* whether it is created so that it does not grow, if it has a layer */
} Modelled;

typedef struct Model
{
	FilterType	type;
	bool		deletes;		/* and never adds as unique; otherwise it never deletes */
	uint64_t	hash[VALUES];
	Modelled	filter[FILTERS];
	Random		random;
	uint32_t	merges;
} Model;

/*
 * Hashes: random ones, and ones that agree in the bits that a layer uses: in the high half, which determines page and
 * window; in the leading bits of the low half, which are the fingerprint; and in all bits that a layer of high rate or
 * small size uses.
 */
static uint64_t
make_hash(uint32_t distribution, uint32_t value, Random *random)
{
	uint64_t	mixed = random_next(random);
	uint64_t	n = value;

	switch (distribution)
	{
		case 0:
			return mixed;
		case 1:					/* four fingerprints */
			return (mixed & UINT64_C(0xffffffff00000000)) | (n & 3) << 30 | (mixed & 1);
		case 2:					/* four places */
			return (n & 3) << 62 | (mixed & UINT64_C(0xffffffff));
		case 3:					/* 64 pairs of both, and among them differences in the last bits only */
			return (n & 7) << 61 | ((n >> 3) & 7) << 29 | ((n >> 6) & 3) << 32 | n >> 8;
		case 4:					/* alike in a coarse layer, different in a finer one */
			return (n & 1) << 63 | ((n >> 1) & 1) << 58 | ((n >> 2) & 3) << 54 | ((n >> 4) & 1) << 50 |
				((n >> 5) & 1) << 31 | ((n >> 6) & 1) << 25 | ((n >> 7) & 1) << 20 | ((n >> 8) & 3) << 8;
		case 5:					/* at the edges of windows and pages, and the fingerprints 0 and 1 */
			return (n >> 2) * (UINT64_MAX / (VALUES / 4)) + ((n & 2) != 0 ? 0 : UINT64_MAX) + (n & 1) * 2;
		case 6:					/* small and large numbers */
			return n & 1 ? n >> 1 : ~(n >> 1);
		case 8:					/* two windows, and fingerprints enough to crowd them in every layer */
			return (n & 1) << 63 | UINT64_C(0x12345678) << 32 | (mixed & UINT64_C(0xffffffff));
		default:				/* some of each, none of them equal */
			return make_hash(value % 5, value / 5, random) ^ (n % 5) << 12;
	}
}

static OwnedFilter
make_filter(FilterType type, uint64_t capacity, double rate)
{
	OwnedFilter owned = owned_filter_create(type, capacity, rate);

	owned_filter_set_kind(&owned, VALUE_KIND_NAMED, "test");
	return owned;
}

static OwnedFilter
read_filter(Input *input, FilterType type, bool fixed)
{
	static const uint64_t capacities[] = {0, 1, 2, 3, 5, 7, 10, 20, 21, 33, 40, 64, 80, 100, 200, 500, 800, 1000};
	static const double rates[] = {0.5, 0.4, 0.2, 0.1, 0.05, 0.01, 0.001, 1e-5, 1e-7};
	uint64_t	capacity = capacities[input_below(input, sizeof(capacities) / sizeof(capacities[0]))];
	double		rate = rates[input_below(input, sizeof(rates) / sizeof(rates[0]))];
	OwnedFilter owned = make_filter(type, capacity, rate);

	if (fixed && capacity > 0)
		filter_set_fixed(&owned.filter);
	return owned;
}

static unsigned
least_count(const Modelled *modelled, uint32_t value)
{
	if (modelled->owned.filter.header.is_set)
		return modelled->copies[value] > 0;
	return modelled->permanent[value] ? CUCKOO_PERMANENT : modelled->copies[value];
}

static void
forget_all(Modelled *modelled)
{
	memset(modelled->copies, 0, sizeof(modelled->copies));
	memset(modelled->permanent, 0, sizeof(modelled->permanent));
}

/* The copies of a value in all layers: more than filter_count if that is CUCKOO_MAX_COUNT. */
static unsigned
sum_of_counts(const FilterView *filter, uint64_t hash)
{
	unsigned	sum = 0;

	for (uint32_t layer = 0; layer < filter->header.layers; layer++)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);
		CuckooPosition position = cuckoo_position(&cuckoo, hash);

		sum += cuckoo_count(&cuckoo, &position);
	}
	return sum;
}

static void
check_value(const Model *model, Modelled *modelled, uint32_t value, const char *after)
{
	const FilterView *filter = &modelled->owned.filter;
	uint64_t	hash = model->hash[value];
	PreparedFilter prepared;

	filter_prepare(&prepared, &modelled->owned.filter);
	if (prepared_contains(&prepared, hash) != filter_contains(filter, hash))
		broken("after %s: a prepared filter disagrees about value %u", after, value);
	if (modelled->copies[value] == 0 && !modelled->permanent[value])
		return;
	if (!filter_contains(filter, hash))
		broken("after %s: value %u of %u copies is lost", after, value, modelled->copies[value]);
	if (model->type == FILTER_CUCKOO && filter_count(filter, hash) < least_count(modelled, value))
		broken("after %s: %u copies of value %u are counted as %u", after, modelled->copies[value], value,
			   filter_count(filter, hash));
}

static void
check_filter(const Model *model, Modelled *modelled, const char *after)
{
	for (uint32_t value = 0; value < VALUES; value++)
		check_value(model, modelled, value, after);
}

/* Check everything that can be queried. */
static void
check_everything(const Model *model, Modelled *modelled, const char *after)
{
	const FilterView *filter = &modelled->owned.filter;
	uint64_t	held[VALUES];
	size_t		count = 0;
	double		max_copies = 0.0;

	check_filter(model, modelled, after);
	fuzz_check_opens(&modelled->owned);
	if (filter->header.fixed && filter->header.layers != 1)
		broken("after %s: a filter that does not grow has %u layers", after, filter->header.layers);
	for (uint32_t value = 0; value < VALUES; value++)
	{
		if (modelled->copies[value] > 0)
			held[count++] = model->hash[value];
		if (value % 16 == 0)
			check_ranges(filter, modelled->owned.image_bytes, model->hash[value]);
	}
	if (filter_contains_run(filter, held, count, true) != count)
		broken("after %s: a run of lookups misses a value", after);
	if (!(filter_rate_now(filter) >= 0.0 && filter_rate_now(filter) <= 1.0))
		broken("after %s: a rate of %g", after, filter_rate_now(filter));
	for (uint32_t layer = 0; layer < filter->header.layers; layer++)
		max_copies += CUCKOO_PERMANENT * 8.0 * (double) filter->header.layer[layer].bytes;
	if (model->type == FILTER_CUCKOO && filter_cardinality(filter) > max_copies)
		broken("after %s: %g copies", after, filter_cardinality(filter));
}

/* Move to a planned image, if that is small enough. */
static bool
move_to_planned(OwnedFilter *owned, FilterStatus status, FilterView *next)
{
	double		bytes;

	if (status != FILTER_OK || filter_lay_out(&next->header, &bytes) != FILTER_OK || bytes > FUZZ_MAX_IMAGE)
		return false;
	if (owned_filter_move(owned, &next->header) != FILTER_OK)
		broken("an image that was planned cannot be made");
	return true;
}

static bool
grow(OwnedFilter *owned)
{
	FilterView	next = owned->filter;
	double		bytes;
	FilterStatus status = filter_append_layer(&next.header, 0, &bytes);

	return move_to_planned(owned, status, &next);
}

static void
count_copy(Modelled *modelled, uint32_t value, bool unique)
{
	if (unique)
		modelled->copies[value] += modelled->copies[value] == 0;
	else
		modelled->copies[value] = (uint8_t) (modelled->copies[value] + (modelled->copies[value] < MAX_COPIES));
	modelled->permanent[value] |= modelled->copies[value] > CUCKOO_MAX_COUNT;
}

/*
 * Make room for a value that found none. A filter that does not grow may be full only if it can have no more entries, or none
 * in its stash.
 */
static bool
make_larger(OwnedFilter *owned, uint64_t hash)
{
	const FilterView *filter = &owned->filter;
	FilterView	next;
	double		bytes;
	FilterStatus status = filter_plan_growth(filter, hash, &next.header, &bytes);
	CuckooLayer layer;

	if (status != FILTER_FULL)
		return move_to_planned(owned, status, &next);
	if (!filter->header.fixed)
		broken("a filter that grows is full");
	if (filter->header.type == FILTER_BLOOM)
		broken("a Bloom filter that does not grow is full");
	layer = filter_cuckoo_layer(filter, 0);
	if (cuckoo_entries(&layer) < filter->header.layer[0].capacity && layer.stash_capacity < cuckoo_slots(&layer) / 8)
		broken("a filter is full at %u entries", (unsigned) cuckoo_entries(&layer));
	return false;
}

/* Add values one by one, or as one list. If the filter becomes too large, it holds only the first of them. */
static void
add_values(Model *model, Modelled *modelled, const uint32_t *values, size_t count, bool unique, bool together)
{
	uint64_t	hashes[VALUES];
	size_t		at = 0;

	for (size_t i = 0; i < count; i++)
		hashes[i] = model->hash[values[i]];
	while (at < count)
	{
		bool		changed = false;
		size_t		done = 0;
		FilterStatus status;

		if (together)
			status = filter_add_all(&modelled->owned.filter, hashes + at, count - at, unique, &done, &changed);
		else
		{
			bool		held = modelled->owned.filter.header.is_set && filter_contains(&modelled->owned.filter, hashes[at]);

			status = filter_add(&modelled->owned.filter, hashes[at], unique, &changed);
			done = status == FILTER_OK;
			if (held && (changed || status != FILTER_OK))
				broken("a value that a set contains is added again");
		}
		for (size_t i = 0; i < done; i++)
			count_copy(modelled, values[at + i], unique && model->type == FILTER_CUCKOO);
		at += done;
		if (status == FILTER_FULL ? !make_larger(&modelled->owned, hashes[at]) : status != FILTER_OK)
			break;
	}
}

/* Delete one copy. The filter may have to keep the entry, but must never remove more than one. */
static void
delete_value(const Model *model, Modelled *modelled, uint32_t value)
{
	const FilterView *filter = &modelled->owned.filter;
	unsigned	before = filter_count(filter, model->hash[value]);
	unsigned	sum = sum_of_counts(filter, model->hash[value]);
	bool		removed;

	if (modelled->copies[value] == 0 || filter->header.is_set)
		return;
	modelled->copies[value]--;
	removed = filter_remove(filter, model->hash[value]);
	if (sum_of_counts(filter, model->hash[value]) != sum - removed)
		broken("a deletion leaves %u of %u", sum_of_counts(filter, model->hash[value]), sum);
	if (removed && before == CUCKOO_PERMANENT)
		broken("a copy of a permanent value is deleted");
	if (!removed && filter->header.layers == 1 && before % CUCKOO_PERMANENT != 0)
		broken("one of %u copies cannot be deleted", before);
}

/* Open a copy of the image, as after a dump and restore. */
static void
reopen(Modelled *modelled)
{
	OwnedFilter again = {.image_bytes = modelled->owned.image_bytes};
	const char *reason;

	again.image = zeroed_memory(again.image_bytes);
	memcpy(again.image, modelled->owned.image, (size_t) again.image_bytes);
	if (filter_open(&again.filter, again.image, again.image_bytes, &reason) != FILTER_OK ||
		filter_check_content(&again.filter, &reason) != FILTER_OK)
		broken("an image of our own is refused: %s", reason);
	owned_filter_free(&modelled->owned);
	modelled->owned = again;
}

static void
unite(Model *model, Modelled *target, const Modelled *source)
{
	OwnedFilter copy = owned_filter_copy(&target->owned);
	const FilterView *mine = &target->owned.filter;
	const FilterView *theirs = &source->owned.filter;
	bool		is_set;

	/* Each pair of layers is tried, and the merge may fail after much work. */
	model->merges += target->owned.filter.header.layers * source->owned.filter.header.layers;
	if (model->merges > MAX_MERGES ||
		target->owned.image_bytes + source->owned.image_bytes > 2 * FUZZ_MAX_IMAGE ||
		owned_filter_unite(&copy, &source->owned.filter) != FILTER_OK)
	{
		owned_filter_free(&copy);
		return;
	}
	/* With an empty filter, the other one stays what it is. */
	is_set = model->type == FILTER_CUCKOO &&
		(filter_is_empty(theirs) ? mine->header.is_set : filter_is_empty(mine) ? theirs->header.is_set : true);
	if (copy.filter.header.is_set != is_set && !(filter_is_empty(mine) && filter_is_empty(theirs)))
		broken("a union is a set: %d, and should be: %d", copy.filter.header.is_set, is_set);
	owned_filter_free(&target->owned);
	target->owned = copy;
	for (uint32_t value = 0; value < VALUES; value++)
	{
		unsigned	sum = (unsigned) target->copies[value] + source->copies[value];

		target->copies[value] = (uint8_t) (sum < MAX_COPIES ? sum : MAX_COPIES);
		target->permanent[value] |= source->permanent[value];
	}
	check_filter(model, target, "a union");
}

static void
intersect(const Model *model, Modelled *target, const Modelled *source)
{
	if (filter_intersect(&target->owned.filter, &source->owned.filter) != FILTER_OK)
		return;
	if (source->owned.filter.header.fixed)
		filter_set_fixed(&target->owned.filter);
	for (uint32_t value = 0; value < VALUES; value++)
		if (source->copies[value] == 0)
		{
			target->copies[value] = 0;
			target->permanent[value] = false;
		}
	check_filter(model, target, "an intersection");
}

/* Rebuild the filter from its distinct values, as an aggregate does. */
static void
build(const Model *model, Modelled *modelled, bool exact)
{
	FilterHeader planned;
	OwnedFilter built;
	uint64_t	hashes[VALUES];
	size_t		count = 0;
	double		bytes;

	for (uint32_t value = 0; value < VALUES; value++)
		if (modelled->copies[value] > 0)
		{
			bool		repeated = false;

			for (size_t i = 0; i < count && !repeated; i++)
				repeated = hashes[i] == model->hash[value];
			if (!repeated)
				hashes[count++] = model->hash[value];
		}
	(void) filter_init(&planned, model->type, modelled->owned.filter.header.rate);
	if (filter_append_layer(&planned, (exact && count > 0) || (model->type == FILTER_BLOOM && count > 20) ? count : 20,
							&bytes) != FILTER_OK)
		broken("a layer of a plain size cannot be made");
	planned.kind.code = VALUE_KIND_INTEGER;
	built = owned_filter_build(&planned, hashes, count);
	if (built.image_bytes > FUZZ_MAX_IMAGE)
	{
		owned_filter_free(&built);
		return;
	}
	owned_filter_free(&modelled->owned);
	modelled->owned = built;
	for (uint32_t value = 0; value < VALUES; value++)
	{
		modelled->copies[value] = modelled->copies[value] > 0;
		modelled->permanent[value] = false;
	}
	check_filter(model, modelled, "building");
}

static void
copy_filter(Modelled *target, const Modelled *source)
{
	OwnedFilter copy = owned_filter_copy(&source->owned);

	owned_filter_free(&target->owned);
	memmove(target, source, sizeof(*target));
	target->owned = copy;
}

/* The values with the numbers first, first + step, ...: those that are held, or all. */
static size_t
read_list(Input *input, const Modelled *modelled, bool held, uint32_t values[VALUES])
{
	uint32_t	first = input_below(input, VALUES);
	uint32_t	count = input_below(input, 256);
	uint32_t	step = 1 + input_below(input, 16);
	size_t		length = 0;

	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t	value = (first + i * step) % VALUES;

		if (!held || modelled->copies[value] > 0)
			values[length++] = value;
	}
	return length;
}

/* Up to six, or about as many as are counted. */
static uint32_t
copies_to_add(uint32_t number)
{
	return number < 5 ? number + 1 : CUCKOO_MAX_COUNT - 2;
}

static void
operate(Model *model, Input *input, int *checks)
{
	uint32_t	operation = (uint32_t) input_number(input, 1);
	Modelled   *modelled = &model->filter[operation / 32 % FILTERS];
	Modelled   *other = &model->filter[operation / 96 % FILTERS];
	uint32_t	values[VALUES];
	uint32_t	value;
	size_t		count;

	switch (operation % 32)
	{
		case 0:
		case 1:
		case 2:					/* copies of one value, checked each time */
			value = input_below(input, VALUES);
			for (uint32_t copies = copies_to_add(input_below(input, 6)); copies > 0; copies--)
			{
				add_values(model, modelled, &value, 1, false, false);
				check_value(model, modelled, value, "an add");
			}
			break;
		case 3:
		case 4:
		case 5:
		case 6:
			count = read_list(input, modelled, false, values);
			add_values(model, modelled, values, count, false, operation % 2 == 0);
			check_filter(model, modelled, "adds");
			break;
		case 7:
		case 8:
		case 9:
			count = read_list(input, modelled, model->deletes, values);
			if (model->deletes)
				for (size_t i = 0; i < count; i++)
					delete_value(model, modelled, values[i]);
			else
				add_values(model, modelled, values, count, true, operation % 2 == 0);
			check_filter(model, modelled, "deletions or unique adds");
			break;
		case 10:
		case 11:
		case 12:
			value = input_below(input, VALUES);
			if (model->deletes)
				delete_value(model, modelled, value);
			else
				add_values(model, modelled, &value, 1, true, false);
			check_value(model, modelled, value, "a deletion or unique add");
			break;
		case 13:				/* all copies of a few values */
			count = read_list(input, modelled, model->deletes, values);
			for (size_t i = 0; i < count && model->deletes; i++)
				while (modelled->copies[values[i]] > 0 && !modelled->owned.filter.header.is_set)
					delete_value(model, modelled, values[i]);
			check_filter(model, modelled, "deletions of all copies");
			break;
		case 14:
		case 15:
		case 16:
			if (other != modelled)
				unite(model, modelled, other);
			else
			{
				Modelled	copy = {.owned = {.image = NULL}};

				copy_filter(&copy, modelled);
				unite(model, modelled, &copy);
				owned_filter_free(&copy.owned);
			}
			break;
		case 17:
		case 18:
			if (model->type == FILTER_CUCKOO && modelled->owned.filter.header.layers > 1)
				owned_filter_compact(&modelled->owned);
			else if (model->type == FILTER_BLOOM)
				intersect(model, modelled, other);
			check_filter(model, modelled, "compaction or an intersection");
			break;
		case 19:
			(void) grow(&modelled->owned);
			check_filter(model, modelled, "growth");
			break;
		case 20:
			reopen(modelled);
			break;
		case 21:
			owned_filter_free(&modelled->owned);
			forget_all(modelled);
			modelled->owned = read_filter(input, model->type, modelled->fixed);
			break;
		case 22:
			build(model, modelled, operation >= 128);
			break;
		case 23:
			if (other != modelled)
				copy_filter(modelled, other);
			break;
		case 24:
			if ((*checks)++ < MAX_CHECKS)
				check_everything(model, modelled, "all that came");
			break;
		default:				/* random adds and deletions of a few values, as in normal use */
			value = input_below(input, VALUES);
			for (uint32_t passes = input_below(input, 64); passes > 0; passes--)
			{
				uint32_t	one = (value + (uint32_t) random_below(&model->random, 24)) % VALUES;

				if (model->deletes && random_below(&model->random, 32) < 4 * (operation % 32 - 24))
					delete_value(model, modelled, one);
				else
					add_values(model, modelled, &one, 1, !model->deletes && passes % 2 == 0, false);
				check_value(model, modelled, one, "random operations");
			}
			check_filter(model, modelled, "random operations");
			break;
	}
}

void
fuzz_model(const uint8_t *bytes, size_t length)
{
	Model	   *model = zeroed_memory(sizeof(Model));
	Input		input = {bytes, length};
	uint32_t	setting = (uint32_t) input_number(&input, 1);
	uint32_t	distribution = (uint32_t) input_number(&input, 1);
	uint32_t	fixed = distribution / 16;
	int			checks = 0;

	distribution = distribution % 16 == 15 ? 8 : distribution % 8;
	model->type = setting % 8 == 0 ? FILTER_BLOOM : FILTER_CUCKOO;
	model->deletes = model->type == FILTER_CUCKOO && setting / 8 % 4 != 0;
	model->random.state = setting / 32;
	for (uint32_t value = 0; value < VALUES; value++)
		model->hash[value] = make_hash(distribution, value, &model->random);
	for (int i = 0; i < FILTERS; i++)
	{
		model->filter[i].fixed = (fixed >> i & 1) != 0;
		model->filter[i].owned = read_filter(&input, model->type, model->filter[i].fixed);
	}

	for (int i = 0; i < MAX_OPERATIONS && input.left > 0; i++)
		operate(model, &input, &checks);

	for (int i = 0; i < FILTERS; i++)
	{
		check_everything(model, &model->filter[i], "all operations");
		owned_filter_free(&model->filter[i].owned);
	}
	free(model);
}
