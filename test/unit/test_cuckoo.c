/*
 * One cuckoo layer compared with an exact model.
 *
 * The model knows the classes of the values (those with the same page, windows and fingerprint, which the layer
 * cannot distinguish) and the count of each: an add increments it up to CUCKOO_PERMANENT, where it stays, or up to
 * four if a layer has no counters; a remove decrements it. However entries move, and whether a class is in slots or in the
 * stash, the layer must give exactly the model's answers. Then a value is never lost, and its count is never below its
 * copies while there were never more than are counted.
 */
#include <math.h>
#include <string.h>

#include "core/cuckoo_stash.h"
#include "random.h"
#include "tap.h"

static CuckooLayer
create_layer_with(uint32_t pages, uint32_t windows, uint32_t slot_bits, bool counted, uint32_t stash_capacity)
{
	CuckooLayer layer = cuckoo_layer(pages, windows, slot_bits, counted, stash_capacity, NULL);

	if (!cuckoo_geometry_is_valid(pages, windows, slot_bits))
		bail_out("a test uses an invalid geometry");
	layer.slots = zeroed_memory(cuckoo_bytes(&layer));
	return layer;
}

static CuckooLayer
create_layer(uint32_t pages, uint32_t windows, uint32_t slot_bits)
{
	return create_layer_with(pages, windows, slot_bits, false, 0);
}

static void
report(uint64_t *failed, const CuckooLayer *layer, const char *what)
{
	wrong(failed, "%u pages of 2 * %u windows, slots of %u bits%s, stash of %u: %s", layer->pages, layer->windows,
		  layer->slot_bits, layer->counted ? ", counted" : "", layer->stash_capacity, what);
}

/*
 * The model.
 */

typedef struct Value
{
	uint64_t	hash;
	CuckooPosition position;
	size_t		class_index;	/* of the class's first value in the model */
	unsigned	count;			/* of the class; kept at its first value */
	unsigned	copies;			/* of this value: added, and not removed again */
	bool		permanent;		/* whether it had more copies than are counted */
} Value;

typedef struct Model
{
	const CuckooLayer *layer;
	size_t		values;
	Value	   *value;
	uint64_t	copies;			/* of all classes */
} Model;

static int
compare_positions(const void *a, const void *b)
{
	const CuckooPosition *left = &((const Value *) a)->position;
	const CuckooPosition *right = &((const Value *) b)->position;

	if (left->first_bit != right->first_bit)
		return left->first_bit < right->first_bit ? -1 : 1;
	if (left->window[0] != right->window[0])
		return left->window[0] < right->window[0] ? -1 : 1;
	if (left->fingerprint != right->fingerprint)
		return left->fingerprint < right->fingerprint ? -1 : 1;
	return 0;
}

static Model
create_model(const CuckooLayer *layer, size_t values, Random *random)
{
	Model		model = {layer, values, NULL, 0};

	model.value = zeroed_memory(values * sizeof(Value));
	for (size_t i = 0; i < values; i++)
	{
		model.value[i].hash = i == 0 ? 0 : i == 1 ? UINT64_MAX : random_next(random);
		model.value[i].position = cuckoo_position(layer, model.value[i].hash);
	}
	qsort(model.value, values, sizeof(Value), compare_positions);
	for (size_t i = 1; i < values; i++)
		model.value[i].class_index = compare_positions(&model.value[i - 1], &model.value[i]) == 0 ?
			model.value[i - 1].class_index : i;
	return model;
}

static unsigned *
count_of(const Model *model, const Value *value)
{
	return &model->value[value->class_index].count;
}

/* Add a copy of a value to the model. */
static void
model_count(Model *model, Value *value)
{
	value->permanent |= ++value->copies > CUCKOO_MAX_COUNT;
	if (*count_of(model, value) < CUCKOO_PERMANENT)
	{
		(*count_of(model, value))++;
		model->copies++;
	}
}

/* Add a copy to the layer as a filter does: to a counter if there is one, else as an entry. */
static FilterStatus
add_copy(const CuckooLayer *layer, const CuckooPosition *position)
{
	if (cuckoo_count(layer, position) == CUCKOO_PERMANENT || cuckoo_count_up(layer, position, 1))
		return FILTER_OK;
	return cuckoo_add(layer, position);
}

/* Add to the layer; where that succeeds, to the model. */
static FilterStatus
model_add(Model *model, Value *value, uint64_t *failed)
{
	unsigned	count = *count_of(model, value);
	FilterStatus status = add_copy(model->layer, &value->position);

	if (status == FILTER_OK)
	{
		model_count(model, value);
		if (count == CUCKOO_MAX_ENTRIES && !model->layer->counted && model->layer->stash_capacity == 0)
			report(failed, model->layer, "a class has five entries");
	}
	else if (status != FILTER_FULL)
		report(failed, model->layer, "an add returns neither OK nor FULL");
	else if (count > 0 && model->layer->counted)
		report(failed, model->layer, "a copy cannot be counted");
	else if (cuckoo_stash_used(model->layer) < model->layer->stash_capacity)
		report(failed, model->layer, "a class finds no slot, and the stash has room");
	return status;
}

/* Remove a value that was added. */
static void
model_remove(Model *model, Value *value, uint64_t *failed)
{
	unsigned   *count = count_of(model, value);
	bool		expected = *count > 0 && *count < CUCKOO_PERMANENT;

	if (cuckoo_remove(model->layer, &value->position) != expected)
		report(failed, model->layer, expected ? "a value cannot be removed" : "a value that must stay was removed");
	value->copies--;
	if (expected)
	{
		(*count)--;
		model->copies--;
	}
}

/* A lookup in copies of the two windows of a value. */
static bool
windows_contain(const CuckooLayer *layer, const CuckooPosition *position)
{
	uint8_t		windows[2][CUCKOO_WINDOW_BYTES];

	for (uint32_t half = 0; half < 2; half++)
	{
		uint64_t	offset = cuckoo_window_offset(layer, position, half);

		if (offset + CUCKOO_WINDOW_BYTES > cuckoo_bytes(layer))
			bail_out("a window extends beyond the layer");
		memcpy(windows[half], layer->slots + offset, CUCKOO_WINDOW_BYTES);
	}
	return cuckoo_windows_contain(layer, position, (const uint8_t *const[2]) {windows[0], windows[1]});
}

static void
check_value(const Model *model, const Value *value, uint64_t *failed)
{
	unsigned	expected = *count_of(model, value);
	unsigned	count = cuckoo_count(model->layer, &value->position);

	if (count != expected)
		report(failed, model->layer, "a count differs from that of the model");
	if (cuckoo_has_class(model->layer, &value->position) != (expected > 0))
		report(failed, model->layer, expected > 0 ? "a value is lost" : "a value that was removed is found");
	if (model->layer->stash_capacity == 0 && cuckoo_contains(model->layer, value->hash) != (expected > 0))
		report(failed, model->layer, "the slots do not have a value");
	if (windows_contain(model->layer, &value->position) != cuckoo_contains(model->layer, value->hash))
		report(failed, model->layer, "a lookup in the windows and one in the layer differ");
	if (count < (value->permanent ? CUCKOO_PERMANENT : value->copies))
		report(failed, model->layer, "a count is below the copies of the value");
}

static void
check_all(const Model *model, uint64_t *failed)
{
	for (size_t i = 0; i < model->values; i++)
		check_value(model, &model->value[i], failed);
	if (cuckoo_entries(model->layer) + cuckoo_further_copies(model->layer) != model->copies)
		report(failed, model->layer, "the number of copies differs from that of the model");
	if (!cuckoo_content_is_valid(model->layer, false))
		report(failed, model->layer, "the content is invalid");
}

/*
 * Random adds and removes that fill the layer, empty it, and fill it again. A few values get many copies. An add may
 * fail when the layer is nearly full, but must leave every byte as it was; after some failures many values are removed,
 * since a failure takes long.
 */
static void
check_layer(CuckooLayer layer, uint64_t seed, uint64_t *failed)
{
	/* How often to add rather than remove, in percent, one phase after the other. */
	static const unsigned adds[] = {90, 45, 70, 30, 100, 10};
	uint64_t	bytes = cuckoo_bytes(&layer);
	uint8_t    *before = zeroed_memory(bytes);
	bool		compare_bytes = bytes < 5000;
	Random		random = {seed};
	Model		model = create_model(&layer, (size_t) cuckoo_slots(&layer) + 5, &random);
	size_t		operations = 2 * model.values + 50;
	unsigned	failures = 0;
	size_t		to_remove = 0;

	for (size_t phase = 0; phase < sizeof(adds) / sizeof(adds[0]); phase++)
	{
		for (size_t i = 0; i < operations; i++)
		{
			bool		favourite = random_below(&random, 8) == 0;
			Value	   *value = &model.value[random_below(&random, favourite ? 5 : model.values)];

			if (to_remove == 0 && random_below(&random, 100) < adds[phase])
			{
				if (compare_bytes)
					memcpy(before, layer.slots, (size_t) bytes);
				if (model_add(&model, value, failed) == FILTER_FULL)
				{
					if (compare_bytes && memcmp(before, layer.slots, (size_t) bytes) != 0)
						report(failed, &layer, "a failed add changed something");
					if (++failures % 2 == 0)
						to_remove = model.values / 3 + 1;
				}
			}
			else if (value->copies > 0)
				model_remove(&model, value, failed);
			to_remove -= to_remove > 0;
			check_value(&model, value, failed);
		}
		check_all(&model, failed);
	}
	free(before);
	free(model.value);
	free(layer.slots);
}

/* Without counters and stash, with one of them, and with both. */
static void
check_against_model(uint32_t pages, uint32_t windows, uint32_t slot_bits, uint64_t seed, uint64_t *failed)
{
	for (int counted = 0; counted <= 1; counted++)
		for (uint32_t capacity = 0; capacity <= windows; capacity += windows)
			check_layer(create_layer_with(pages, windows, slot_bits, counted, capacity), seed, failed);
}

/* The same; on an emulated CPU only one of the four, by the seed. */
static void
check_large_against_model(uint32_t pages, uint32_t windows, uint32_t slot_bits, uint64_t seed, uint64_t *failed)
{
	if (repeats(16) == 16)
		check_against_model(pages, windows, slot_bits, seed, failed);
	else
		check_layer(create_layer_with(pages, windows, slot_bits, seed % 2 == 1, seed % 4 >= 2 ? windows : 0), seed, failed);
}

static bool
width_is_legal(uint32_t slot_bits)
{
	return cuckoo_geometry_is_valid(1, 1, slot_bits);
}

static void
test_small_layers(void)
{
	static const uint32_t windows[] = {1, 2, 3, 5, 8, 60};

	for (uint32_t pages = 1; pages <= 5; pages += 2)
	{
		uint64_t	failed = 0;

		for (uint32_t slot_bits = 0; slot_bits <= 40; slot_bits++)
			for (size_t i = 0; width_is_legal(slot_bits) && i < sizeof(windows) / sizeof(windows[0]); i++)
				check_against_model(pages, windows[i], slot_bits, i, &failed);
		none_wrong(failed, "small layers of %u pages, slots of every width: as the model", pages);
	}
}

static void
test_large_layers(void)
{
	uint64_t	failed = 0;

	for (uint32_t slot_bits = 0; slot_bits <= 40; slot_bits++)
		if (width_is_legal(slot_bits))
			check_large_against_model(2, 1000, slot_bits, slot_bits, &failed);
	none_wrong(failed, "two pages of 2,002 slots of every width: as the model");

	failed = 0;
	check_large_against_model(1, 32767, 6, 1, &failed);
	if (repeats(16) == 16)
	{
		check_against_model(2, 32767, 13, 2, &failed);
		check_against_model(3, 30001, 32, 3, &failed);
	}
	none_wrong(failed, "pages of 65,536 slots: as the model");
}

static void
test_geometry_is_valid(void)
{
	uint64_t	failed = 0;

	for (uint32_t pages = 0; pages <= 2; pages++)
		for (uint32_t windows = 0; windows <= 65536; windows++)
			for (uint32_t slot_bits = 0; slot_bits <= 64; slot_bits++)
			{
				bool		expected = pages >= 1 && windows >= 1 && windows <= 32767 &&
					((slot_bits >= 6 && slot_bits <= 28) || slot_bits == 32);

				if (cuckoo_geometry_is_valid(pages, windows, slot_bits) != expected)
					wrong(&failed, "%u pages, %u windows, %u bits", pages, windows, slot_bits);
			}
	none_wrong(failed, "exactly the geometries of the format are valid");
}

/* Every position lies in its page, and values are spread evenly over pages, windows of both halves, and fingerprints. */
static void
test_positions(void)
{
	enum
	{
		PAGES = 7, WINDOWS = 50, SLOT_BITS = 6, VALUES = 700000, FINGERPRINTS = 1 << (SLOT_BITS - 1)
	};
	CuckooLayer layer = cuckoo_layer(PAGES, WINDOWS, SLOT_BITS, false, 0, NULL);
	static uint64_t in_window[2][PAGES][WINDOWS];
	static uint64_t of_fingerprint[FINGERPRINTS];
	uint64_t	failed = 0;
	double		expected;
	Random		random = {1};

	for (int i = 0; i < VALUES; i++)
	{
		CuckooPosition position = cuckoo_position(&layer, random_next(&random));
		uint64_t	page_bits = 2 * (WINDOWS + 1) * SLOT_BITS;
		uint64_t	page = position.first_bit / page_bits;

		if (position.first_bit % page_bits != 0 || page >= PAGES || position.window[0] >= WINDOWS ||
			position.window[1] >= WINDOWS || position.fingerprint == 0 || position.fingerprint >= FINGERPRINTS)
		{
			wrong(&failed, "page at bit %" PRIu64 ", windows %u and %u, fingerprint %u", position.first_bit,
				  position.window[0], position.window[1], position.fingerprint);
			continue;
		}
		in_window[0][page][position.window[0]]++;
		in_window[1][page][position.window[1]]++;
		of_fingerprint[position.fingerprint]++;
	}
	none_wrong(failed, "positions lie inside the layer");

	/* A fingerprint's upper windows are its lower ones in another order, so these are not independent. */
	expected = (double) VALUES / (PAGES * WINDOWS);
	for (int half = 0; half < 2; half++)
	{
		failed = 0;
		for (int page = 0; page < PAGES; page++)
			for (int window = 0; window < WINDOWS; window++)
				if (fabs((double) in_window[half][page][window] - expected) > 5.0 * sqrt(expected))
					wrong(&failed, "page %d, window %d: %" PRIu64, page, window, in_window[half][page][window]);
		none_wrong(failed, "values are spread evenly over the %s windows", half == 0 ? "lower" : "upper");
	}

	failed = 0;
	expected = (double) VALUES / FINGERPRINTS;
	for (int fingerprint = 1; fingerprint < FINGERPRINTS; fingerprint++)
	{
		double		frequency = fingerprint == 1 ? 2.0 * expected : expected;

		if (fabs((double) of_fingerprint[fingerprint] - frequency) > 5.0 * sqrt(frequency))
			wrong(&failed, "fingerprint %d: %" PRIu64, fingerprint, of_fingerprint[fingerprint]);
	}
	none_wrong(failed, "fingerprints are equally frequent, except the first, which is twice as frequent");
}

/* Copies of one value: four entries, or up to CUCKOO_MAX_COUNT with a counter. */
static void
test_copies(void)
{
	uint64_t	hash = UINT64_C(0x123456789abcdef0);

	for (int counted = 0; counted <= 1; counted++)
	{
		CuckooLayer layer = create_layer_with(1, 20, 12, counted, 0);
		CuckooPosition position = cuckoo_position(&layer, hash);
		unsigned	most = counted ? CUCKOO_MAX_COUNT : CUCKOO_MAX_ENTRIES;
		bool		exact = true;

		for (unsigned copies = 1; copies <= most; copies++)
			exact &= add_copy(&layer, &position) == FILTER_OK && cuckoo_count(&layer, &position) == copies;
		exact &= cuckoo_entries(&layer) == (counted ? 1 : most);
		for (unsigned copies = most; copies-- > 0;)
			exact &= cuckoo_remove(&layer, &position) && cuckoo_count(&layer, &position) == copies;
		ok(exact, "up to %u copies are exact, added and removed", most);
		ok(!cuckoo_remove(&layer, &position) && !cuckoo_contains(&layer, hash), "removing from a count of 0 changes nothing");

		for (unsigned copies = 0; copies < most; copies++)
			(void) add_copy(&layer, &position);
		ok(add_copy(&layer, &position) == (counted ? FILTER_OK : FILTER_FULL) &&
		   cuckoo_count(&layer, &position) == (counted ? CUCKOO_PERMANENT : most),
		   "one more is %s", counted ? "permanent" : "full");
		ok(cuckoo_remove(&layer, &position) == !counted && cuckoo_contains(&layer, hash),
		   "and is%s removed", counted ? " not" : "");
		free(layer.slots);
	}
}

/* The counter of each entry moves with it, however full the layer gets. */
static void
test_counters_move(void)
{
	enum
	{
		CAPACITY = 20000
	};
	static const uint32_t widths[] = {6, 9, 16, 32};
	uint64_t	failed = 0;

	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
	{
		CuckooLayer layer = create_layer_with(1, CAPACITY / 2, widths[i], true, 0);
		Random		random = {i};
		Model		model = create_model(&layer, CAPACITY, &random);
		size_t		classes = 0;

		for (size_t j = 0; j < model.values && classes < CAPACITY * 9 / 10; j++)
		{
			Value	   *value = &model.value[j * 7919 % model.values];
			bool		is_new = *count_of(&model, value) == 0;

			for (unsigned copies = 1 + (unsigned) random_below(&random, CUCKOO_MAX_COUNT); copies > 0; copies--)
				if (model_add(&model, value, &failed) != FILTER_OK)
					break;
			classes += is_new && *count_of(&model, value) > 0;
		}
		check_all(&model, &failed);
		free(model.value);
		free(layer.slots);
	}
	none_wrong(failed, "counters move with their entries");
}

/* A layer that gets counters has one entry of each class, and counts as before. */
static void
test_merge_copies(void)
{
	uint64_t	failed = 0;

	for (uint32_t slot_bits = 6; slot_bits <= 28; slot_bits += 2)
	{
		CuckooLayer before = create_layer(2, 500, slot_bits);
		CuckooLayer after = create_layer_with(2, 500, slot_bits, true, 0);
		Random		random = {slot_bits};
		Model		model = create_model(&before, 900, &random);
		uint64_t	classes = 0;

		for (size_t i = 0; i < model.values; i++)
			for (unsigned copies = (unsigned) random_below(&random, 5); copies > 0; copies--)
				(void) model_add(&model, &model.value[i], &failed);
		check_all(&model, &failed);
		memcpy(after.slots, before.slots, (size_t) cuckoo_slot_bytes(&before));
		cuckoo_merge_copies(&after);
		model.layer = &after;
		check_all(&model, &failed);
		for (size_t i = 0; i < model.values; i++)
			classes += model.value[i].count > 0;
		if (cuckoo_entries(&after) != classes)
			report(&failed, &after, "there is not one entry of each class");
		/* Without counters, the copies are dropped. */
		cuckoo_merge_copies(&before);
		if (cuckoo_entries(&before) != classes || cuckoo_sample_copies(&before, 1) != 0.0)
			report(&failed, &before, "there is not one entry of each class");
		for (size_t i = 0; i < model.values; i++)
			if (cuckoo_contains(&before, model.value[i].hash) != (*count_of(&model, &model.value[i]) > 0))
				report(&failed, &before, "a value is lost, or found");
		free(model.value);
		free(before.slots);
		free(after.slots);
	}
	none_wrong(failed, "the entries of a class become one, with its count");
}

/*
 * Fill a layer until no value finds a slot: how full it gets, and whether each of many failures leaves every byte
 * unchanged.
 */
static void
check_overfilling(uint32_t pages, uint32_t windows, uint32_t slot_bits, uint64_t *failed)
{
	CuckooLayer layer = create_layer(pages, windows, slot_bits);
	uint64_t	bytes = cuckoo_bytes(&layer);
	uint8_t    *before = zeroed_memory(bytes);
	Random		random = {windows + slot_bits};
	Model		model = create_model(&layer, 2 * (size_t) cuckoo_slots(&layer), &random);
	unsigned	failures = 0;

	for (size_t i = 0; i < model.values && failures < repeats(100); i++)
	{
		/* The model is in the order of the positions; take its values from all over. */
		Value	   *value = &model.value[i * 7919 % model.values];

		if (model_add(&model, value, failed) == FILTER_OK)
			memcpy(before, layer.slots, (size_t) bytes);
		else
		{
			failures++;
			if (memcmp(before, layer.slots, (size_t) bytes) != 0)
				report(failed, &layer, "a failed add changed something");
		}
	}
	if (failures == 0)
		report(failed, &layer, "twice as many values as slots all find a slot");
	check_all(&model, failed);
	free(before);
	free(model.value);
	free(layer.slots);
}

static void
test_overfilling(void)
{
	uint64_t	failed = 0;

	for (uint32_t windows = 1; windows < 40; windows++)
		check_overfilling(1, windows, 16, &failed);
	for (uint32_t slot_bits = 8; slot_bits <= 40; slot_bits++)
		if (width_is_legal(slot_bits))
			check_overfilling(2, 300, slot_bits, &failed);
	none_wrong(failed, "a failed add leaves every byte as it was");
}

/* A layer of the geometry chosen for a number of entries. */
static CuckooLayer
create_for(uint64_t capacity, double rate)
{
	CuckooLayer geometry;
	double		bytes;

	if (cuckoo_choose_geometry(capacity, rate, &geometry, &bytes) != FILTER_OK)
		bail_out("no geometry");
	return create_layer(geometry.pages, geometry.windows, geometry.slot_bits);
}

/*
 * Fill a layer to its capacity with distinct values, then replace them one by one for a long time. No value is missing
 * at any check, and hardly any finds no slot: 2 in a million if fingerprints have 6 bits (a random walk of 5,000 kicks
 * leaves as many), none in ten million if they have 11.
 */
static void
check_churn(uint64_t capacity, double rate, uint64_t pairs)
{
	CuckooLayer layer = create_for(capacity, rate);
	uint64_t   *hashes = zeroed_memory(capacity * sizeof(uint64_t));
	Random		random = {capacity};
	uint64_t	no_slot = 0;
	uint64_t	lost = 0;

	random_fill(&random, hashes, (size_t) capacity);
	for (uint64_t i = 0; i < capacity; i++)
	{
		CuckooPosition position = cuckoo_position(&layer, hashes[i]);

		no_slot += cuckoo_add(&layer, &position) != FILTER_OK;
	}
	for (uint64_t pair = 0; pair < pairs; pair++)
	{
		uint64_t	i = random_below(&random, capacity);
		uint64_t	hash = random_next(&random);
		CuckooPosition old = cuckoo_position(&layer, hashes[i]);
		CuckooPosition position = cuckoo_position(&layer, hash);

		lost += !cuckoo_contains(&layer, hashes[i]);
		(void) cuckoo_remove(&layer, &old);
		if (cuckoo_add(&layer, &position) == FILTER_OK)
			hashes[i] = hash;
		else
		{
			no_slot++;
			lost += cuckoo_add(&layer, &old) != FILTER_OK;
		}
		if ((pair + 1) % (pairs / 4) == 0)
			for (uint64_t j = 0; j < capacity; j++)
				lost += !cuckoo_contains(&layer, hashes[j]);
	}
	ok(no_slot <= pairs / 200000, "churn: %" PRIu64 " values at their capacity, rate %g: all but a few find a slot", capacity,
	   rate);
	is(lost, 0, "churn: %" PRIu64 " values, %" PRIu64 " of them replaced: none is lost", capacity, pairs);
	free(hashes);
	free(layer.slots);
}

/*
 * Small layers are chosen at lower loads so that their capacity is almost sure to find a slot; more than one failure
 * in a hundred would be suspicious (after a failure the aggregates build a larger layer, and an addition appends one).
 */
static void
test_small_capacities(void)
{
	static const uint64_t capacities[] = {1, 2, 3, 5, 10, 20, 31, 32, 64, 100, 200, 255, 256, 500, 1000, 4000, 4096};
	uint64_t	failed = 0;

	for (size_t i = 0; i < sizeof(capacities) / sizeof(capacities[0]); i++)
	{
		uint64_t	capacity = capacities[i];
		int			tries = (int) repeats(capacity < 1000 ? 2000 : 200);
		int			unlucky = 0;
		Random		random = {capacity};
		CuckooLayer layer = create_for(capacity, 0.01);

		for (int try = 0; try < tries; try++)
		{
			bool		full = false;

			memset(layer.slots, 0, (size_t) cuckoo_bytes(&layer));
			for (uint64_t j = 0; j < capacity; j++)
			{
				CuckooPosition position = cuckoo_position(&layer, random_next(&random));

				full |= cuckoo_add(&layer, &position) != FILTER_OK;
			}
			unlucky += full;
		}
		if (unlucky * 100 > tries)
			wrong(&failed, "capacity %" PRIu64 ": %d of %d layers take less", capacity, unlucky, tries);
		free(layer.slots);
	}
	none_wrong(failed, "99 of 100 small layers have room for the values that they were made for");
}

/*
 * Move random values of source to target, both partly filled, and compare with the model. If target has counters, the count of
 * a class of it is what it had and the counts of the classes of source that fall into it; otherwise it is what it had, or 1.
 */
static void
check_move(const CuckooLayer *target, const CuckooLayer *source, size_t in_target, size_t in_source, uint64_t *failed)
{
	Random		random = {target->windows + source->slot_bits};
	Model		model;
	bool		is_any_moved = false;

	memset(target->slots, 0, (size_t) cuckoo_bytes(target));
	memset(source->slots, 0, (size_t) cuckoo_bytes(source));
	if (!cuckoo_can_fold(target, source))
	{
		report(failed, target, "a layer cannot be folded into this one");
		return;
	}

	/* The model is in the order of the positions, so each layer takes every n-th value. */
	model = create_model(target, in_target + in_source, &random);
	for (int to_target = 1; to_target >= 0; to_target--)
		for (size_t i = 0; i < model.values; i++)
		{
			Value	   *value = &model.value[i];
			bool		goes_to_target = i * in_target / model.values != (i + 1) * in_target / model.values;
			/* Values of many copies that share two or more slots find no slot; there must be few of them. */
			unsigned	copies = i % 1024 == 0 ? 1 + (unsigned) (i / 1024 % 6) : 1;

			for (; goes_to_target == to_target && copies > 0; copies--)
				if (to_target)
					(void) model_add(&model, value, failed);
				else
				{
					CuckooPosition position = cuckoo_position(source, value->hash);

					if (add_copy(source, &position) != FILTER_OK)
						continue;
					is_any_moved = true;
					if (target->counted || *count_of(&model, value) == 0)
						model_count(&model, value);
				}
		}
	if (!is_any_moved)
		report(failed, source, "a layer without entries to move");
	cuckoo_move(target, source, !target->counted, UINT64_MAX);
	if (cuckoo_entries(source) != 0 || cuckoo_further_copies(source) != 0 || !cuckoo_content_is_valid(source, true))
		report(failed, target, "no room for the moved entries");
	else
		check_all(&model, failed);
	free(model.value);
}

static void
test_move(void)
{
	/* Pages, windows, slot bits of target and source. */
	static const uint32_t geometries[][6] = {
		{1, 10, 8, 1, 10, 8}, {1, 10, 8, 1, 20, 8}, {1, 10, 8, 1, 20, 13}, {1, 10, 8, 1, 1000, 28},
		{1, 1, 6, 1, 1, 32}, {1, 7, 28, 1, 7, 32}, {1, 100, 9, 2, 50, 9}, {2, 50, 9, 1, 100, 10},
		{1, 20000, 7, 2, 20000, 8}, {2, 3000, 12, 3, 2000, 12}, {3, 2000, 12, 2, 3000, 14}, {3, 11, 16, 12, 11, 20},
		{2, 32767, 8, 4, 32767, 9}, {1, 300, 6, 1, 900, 32}, {5, 6, 10, 1, 30, 10}, {2, 15, 10, 5, 6, 12}
	};

	for (size_t i = 0; i < sizeof(geometries) / sizeof(geometries[0]); i++)
	{
		const uint32_t *g = geometries[i];
		uint64_t	failed = 0;

		for (int counted = 0; counted <= 3; counted++)
		{
			CuckooLayer target = create_layer_with(g[0], g[1], g[2], (counted & 1) != 0, 1 + g[1] / 10);
			CuckooLayer source = create_layer_with(g[3], g[4], g[5], (counted & 2) != 0, 1 + g[4] / 10);
			size_t		fit = (size_t) (cuckoo_slots(&target) * 6 / 10);

			check_move(&target, &source, 0, fit, &failed);
			check_move(&target, &source, fit / 3, fit - fit / 3, &failed);
			check_move(&target, &source, fit - fit / 5, fit / 5 + 1, &failed);
			free(target.slots);
			free(source.slots);
		}
		none_wrong(failed, "move: %u * %u windows of %u bits into %u * %u of %u", g[3], g[4], g[5], g[0], g[1], g[2]);
	}
}

static void
test_can_fold(void)
{
	CuckooLayer base = cuckoo_layer(2, 30, 10, false, 0, NULL);
	CuckooLayer same = cuckoo_layer(2, 30, 10, false, 0, NULL);
	CuckooLayer wider = cuckoo_layer(2, 30, 11, false, 0, NULL);
	CuckooLayer doubled = cuckoo_layer(2, 60, 10, false, 0, NULL);
	CuckooLayer half_again = cuckoo_layer(3, 30, 10, false, 0, NULL);
	CuckooLayer other_pages = cuckoo_layer(4, 45, 10, false, 0, NULL);

	ok(cuckoo_can_fold(&base, &same), "can fold: the same geometry");
	ok(cuckoo_can_fold(&base, &wider) && !cuckoo_can_fold(&wider, &base), "can fold: longer fingerprints into shorter");
	ok(cuckoo_can_fold(&base, &doubled) && !cuckoo_can_fold(&doubled, &base), "can fold: twice the windows");
	ok(!cuckoo_can_fold(&base, &half_again), "can fold: not one and a half times the windows");
	ok(cuckoo_can_fold(&base, &other_pages), "can fold: three times the windows, in other pages");
}

/* What has no room, or finds no slot, stays where it was. */
static void
test_move_full(void)
{
	static const uint64_t limits[] = {0, 1, 50, UINT64_MAX};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
	{
		CuckooLayer target = create_layer(1, 50, 12);
		CuckooLayer source = create_layer(1, 100, 12);
		uint64_t	hashes[150];
		uint64_t	lost = 0;
		Random		random = {1};

		for (int j = 0; j < 150; j++)
		{
			CuckooPosition position = cuckoo_position(&source, hashes[j] = random_next(&random));

			(void) cuckoo_add(&source, &position);
		}
		cuckoo_move(&target, &source, true, limits[i]);
		for (int j = 0; j < 150; j++)
			lost += cuckoo_contains(&target, hashes[j]) + cuckoo_contains(&source, hashes[j]) != 1;
		is(lost, 0, "move: 150 entries to 102 slots: each is in one of the layers");
		ok(limits[i] <= 50 ? cuckoo_entries(&target) == limits[i] : cuckoo_entries(&target) > 80,
		   "move: as many as there is room for");
		ok(cuckoo_content_is_valid(&target, true) && cuckoo_content_is_valid(&source, true), "move: both layers are valid");
		free(target.slots);
		free(source.slots);
	}
}

/* Put an entry into a slot of a layer whose slots are whole bytes. */
static void
put_entry(const CuckooLayer *layer, uint32_t slot, uint8_t entry)
{
	layer->slots[slot] = entry;
}

/* Slots of 8 bits, in halves of 5: entries that insertion can make and those it cannot. */
static void
test_entries_are_valid(void)
{
	CuckooLayer layer = create_layer(2, 4, 8);
	uint64_t	bytes = cuckoo_bytes(&layer);
	uint64_t	failed = 0;

	for (uint32_t slot = 0; slot < 20; slot++)
		for (unsigned entry = 0; entry < 256; entry++)
		{
			bool		first_of_half = slot % 5 == 0;
			bool		last_of_half = slot % 5 == 4;
			bool		expected = entry == 0 ||
				(entry > 1 && !(first_of_half && entry % 2 == 1) && !(last_of_half && entry % 2 == 0));

			put_entry(&layer, slot, (uint8_t) entry);
			if (cuckoo_content_is_valid(&layer, false) != expected)
				wrong(&failed, "entry %u in slot %u", entry, slot);
			put_entry(&layer, slot, 0);
		}
	for (uint64_t i = bytes - CUCKOO_TAIL_BYTES; i < bytes; i++)
		for (unsigned bit = 0; bit < 8; bit++)
		{
			layer.slots[i] = (uint8_t) (1U << bit);
			if (cuckoo_content_is_valid(&layer, false))
				wrong(&failed, "a bit in the tail");
			layer.slots[i] = 0;
		}
	free(layer.slots);

	/* 4 slots of 7 bits: 4 bits of the last byte are padding. */
	layer = create_layer(1, 1, 7);
	for (unsigned bit = 0; bit < 8; bit++)
	{
		layer.slots[3] = (uint8_t) (1U << bit);
		/* The last slot begins at bit 21; only offset 1 is possible there, and not without a fingerprint. */
		if (cuckoo_content_is_valid(&layer, false))
			wrong(&failed, "bit %u of the last byte", bit);
	}
	layer.slots[2] = 1 << 5;
	layer.slots[3] = 1;
	if (!cuckoo_content_is_valid(&layer, false))
		wrong(&failed, "an entry across two bytes");
	layer.slots[3] = 1 | 1 << 4;
	if (cuckoo_content_is_valid(&layer, false))
		wrong(&failed, "a bit of the padding next to an entry");
	none_wrong(failed, "only entries that adding values can make are valid");
	free(layer.slots);
}

/* The moves of a search depend on the hashes only. */
static void
test_deterministic(void)
{
	CuckooLayer once = create_layer(2, 500, 9);
	CuckooLayer again = create_layer(2, 500, 9);
	Random		random = {3};

	for (int i = 0; i < 1900; i++)
	{
		uint64_t	hash = random_next(&random);
		CuckooPosition position = cuckoo_position(&once, hash);

		cuckoo_prefetch(&once, false, hash);
		(void) cuckoo_add(&once, &position);
		position = cuckoo_position(&again, hash);
		(void) cuckoo_add(&again, &position);
	}
	ok(memcmp(once.slots, again.slots, (size_t) cuckoo_bytes(&once)) == 0, "the same adds give the same bytes");
	free(once.slots);
	free(again.slots);
}

int
main(void)
{
	test_geometry_is_valid();
	test_positions();
	test_copies();
	test_counters_move();
	test_merge_copies();
	test_small_layers();
	test_large_layers();
	test_overfilling();
	test_small_capacities();
	check_churn(50000, 0.03, repeats(2000000));
	check_churn(50000, 0.001, repeats(2000000));
	check_churn(repeats(1000000), 0.01, repeats(3000000));
	test_can_fold();
	test_move();
	test_move_full();
	test_entries_are_valid();
	test_deterministic();
	return done_testing();
}
