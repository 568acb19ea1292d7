/*
 * Values that come again and again: a model of cuckoo filters under additions of 1 to 50 copies, deletions, unions and
 * compactions, uniform and skewed, at every rate. At every thousandth operation: no value is lost, the rate is within 1.5
 * times the requested one, and the size within 4 times that of a filter to which each value was added once. Some values can be
 * chosen so that they have no slot: then the size is not compared.
 */
#include <math.h>

#include "chosen_hashes.h"
#include "owned_filter.h"
#include "random.h"
#include "tap.h"

#define MAX_RATIO		1.5		/* of the rate to the requested one */
#define MAX_BYTES		4		/* times those of a filter with each value once */
#define MAX_UNITED		1.3		/* the same, of a union */
#define SIGMAS			5.0
#define ABSENT			4000	/* lookups of absent values at each check */

/* A value, by its rank in order of frequency. Its hash is random. */
typedef struct Key
{
	uint64_t	hash;
	uint32_t	copies;			/* added and not deleted */
	bool		permanent;		/* whether it had more copies than are counted */
	bool		counted;		/* whether it counts for `once` */
} Key;

typedef struct Model
{
	OwnedFilter filter;
	OwnedFilter once;			/* a filter of the same parameters, with as many values as the other ever had at a time */
	uint64_t	distinct;		/* values that are in the filter */
	uint64_t	most_distinct;
	size_t		keys;
	size_t		chosen;			/* the first ones */
	Key		   *key;
	double		rate;
	double		skew;			/* 1: uniform; 3: half of the operations are on an eighth of the values */
	Random		random;
	Random		absent;			/* hashes that no key has */
	uint64_t	lookups;
	uint64_t	positives;		/* of lookups of absent values */
} Model;

static Model
create_model(uint64_t capacity, double rate, size_t keys, double skew, bool fixed)
{
	Model		model = {.keys = keys, .rate = rate, .skew = skew, .random = {keys}, .absent = {UINT64_C(1) << 63}};
	Random		hashes = {capacity};

	model.filter = owned_filter_create(FILTER_CUCKOO, capacity, rate);
	model.once = owned_filter_create(FILTER_CUCKOO, capacity, rate);
	if (fixed)
	{
		filter_set_fixed(&model.filter.filter);
		filter_set_fixed(&model.once.filter);
	}
	model.key = zeroed_memory(keys * sizeof(Key));
	for (size_t i = 0; i < keys; i++)
		model.key[i].hash = random_next(&hashes);
	return model;
}

/* Replace the hashes of the first keys. */
static void
choose_keys(Model *model, size_t most)
{
	CuckooLayer layer = filter_cuckoo_layer(&model->filter.filter, 0);
	uint64_t   *hashes = zeroed_memory(most * sizeof(uint64_t));

	model->chosen = choose_neighbours(&layer, &model->random, hashes, most);
	for (size_t i = 0; i < model->chosen; i++)
		model->key[i].hash = hashes[i];
	free(hashes);
}

static void
free_model(Model *model)
{
	owned_filter_free(&model->filter);
	owned_filter_free(&model->once);
	free(model->key);
}

static Key *
random_key(Model *model)
{
	double		fraction = (double) random_below(&model->random, 1u << 30) / (double) (1u << 30);

	return &model->key[(size_t) (pow(fraction, model->skew) * (double) model->keys)];
}

/* Update the number of distinct values after the copies of a key have changed. */
static void
recount(Model *model, Key *key, uint64_t *failed)
{
	bool		counted = key->copies > 0 || key->permanent;

	model->distinct += (uint64_t) counted - key->counted;
	key->counted = counted;
	for (; model->most_distinct < model->distinct; model->most_distinct++)
		if (owned_filter_add(&model->once, random_next(&model->absent), false) != FILTER_OK)
			wrong(failed, "a filter with each value once is full at %" PRIu64 " values", model->most_distinct);
}

static void
add_copies(Model *model, Key *key, uint32_t copies, uint64_t *failed)
{
	for (uint32_t i = 0; i < copies; i++)
	{
		if (owned_filter_add(&model->filter, key->hash, false) != FILTER_OK)
		{
			wrong(failed, "copy %u of a value cannot be added to a filter with %" PRIu64 " values", key->copies + 1, model->distinct);
			return;
		}
		key->copies++;
		key->permanent |= key->copies > CUCKOO_MAX_COUNT;
	}
	recount(model, key, failed);
}

/* A value counted as permanent may be so because of others of its class: then it stays. */
static void
delete_copy(Model *model, Key *key, uint64_t *failed)
{
	if (key->copies == 0 || key->permanent)
		return;
	if (!filter_remove(&model->filter.filter, key->hash))
	{
		if (filter_count(&model->filter.filter, key->hash) != CUCKOO_PERMANENT)
			wrong(failed, "one of %u copies cannot be deleted", key->copies);
		key->permanent = true;
	}
	key->copies--;
	recount(model, key, failed);
}

static void
check_held(const FilterView *filter, const Model *model, const char *what, uint64_t *failed)
{
	for (size_t i = 0; i < model->keys; i++)
	{
		const Key  *key = &model->key[i];
		unsigned	count = filter_count(filter, key->hash);

		if (i % 64 == 0 && !filter->header.has_stash)
			check_count_by_ranges(filter, filter->header.layer[filter->header.layers - 1].offset + filter->header.layer[filter->header.layers - 1].bytes, key->hash);
		if (key->copies > 0 && !filter_contains(filter, key->hash))
			wrong(failed, "%s: a value with %u copies is lost", what, key->copies);
		if (!filter->header.is_set && (key->permanent ? count != CUCKOO_PERMANENT : count < key->copies))
			wrong(failed, "%s: %u copies are counted as %u", what, key->copies, count);
	}
}

/* Whether the number of positives is so large that the true rate must exceed the bound. */
static bool
is_above(uint64_t positives, uint64_t lookups, double rate)
{
	double		expected = MAX_RATIO * rate * (double) lookups;

	return (double) positives > expected + SIGMAS * sqrt(expected) + 2.0;
}

static uint64_t
count_absent(const FilterView *filter, Random *absent, uint64_t lookups)
{
	uint64_t	positives = 0;

	for (uint64_t i = 0; i < lookups; i++)
		positives += filter_contains(filter, random_next(absent));
	return positives;
}

static void
check_rate(Model *model, const char *what, uint64_t *failed)
{
	uint64_t	positives = count_absent(&model->filter.filter, &model->absent, ABSENT);
	uint64_t	gone = 0,
				stale = 0;

	model->lookups += ABSENT;
	model->positives += positives;
	if (is_above(positives, ABSENT, model->rate) || is_above(model->positives, model->lookups, model->rate))
		wrong(failed, "%s: %" PRIu64 " of %d absent values are contained, and %" PRIu64 " of %" PRIu64 " in all", what,
			  positives, ABSENT, model->positives, model->lookups);
	/* Chosen ones may be of the class of another. */
	for (size_t i = model->chosen; i < model->keys; i++)
		if (!model->key[i].counted)
		{
			gone++;
			stale += filter_contains(&model->filter.filter, model->key[i].hash);
		}
	if (is_above(stale, gone, model->rate))
		wrong(failed, "%s: %" PRIu64 " of %" PRIu64 " deleted values are contained", what, stale, gone);
}

static void
check_size(const OwnedFilter *filter, const OwnedFilter *once, double most, const char *what, uint64_t *failed)
{
	if ((double) filter->image_bytes > most * (double) once->image_bytes)
		wrong(failed, "%s: %" PRIu64 " bytes, with each value once %" PRIu64, what, filter->image_bytes, once->image_bytes);
}

/* The union of two filters of some of the keys each, many in both, compared to a filter of all. */
static void
check_union(Model *model, uint64_t capacity, const char *what, uint64_t *failed)
{
	OwnedFilter united = owned_filter_copy(&model->filter);
	OwnedFilter all = owned_filter_create(FILTER_CUCKOO, capacity, model->rate);
	bool		was_empty = filter_is_empty(&united.filter);
	uint64_t	positives;

	for (size_t i = 0; i < model->keys; i++)
		if (model->key[i].counted)
			(void) owned_filter_add(&all, model->key[i].hash, true);
	for (int part = 0; part < 3; part++)
	{
		OwnedFilter other = owned_filter_create(FILTER_CUCKOO, capacity, model->rate);

		if (model->filter.filter.header.fixed)
			filter_set_fixed(&other.filter);
		for (size_t i = (size_t) part; i < model->keys; i += 2)
			if (model->key[i].counted)
				(void) owned_filter_add(&other, model->key[i].hash, false);
		if (owned_filter_unite(&united, &other.filter) != FILTER_OK)
			wrong(failed, "%s: the union fails", what);
		owned_filter_free(&other);
	}
	if (!was_empty && !united.filter.header.is_set)
		wrong(failed, "%s: the union is not a set", what);
	check_held(&united.filter, model, what, failed);
	if (all.filter.header.layers == 1)
		check_size(&united, &all, MAX_UNITED, what, failed);
	positives = count_absent(&united.filter, &model->absent, ABSENT);
	if (is_above(positives, ABSENT, model->rate) && all.filter.header.layers == 1)
		wrong(failed, "%s: %" PRIu64 " of %d absent values are contained", what, positives, ABSENT);
	owned_filter_free(&united);
	owned_filter_free(&all);
}

/* Periods of growth and of shrinking follow one another. */
static void
run_model(uint64_t capacity, double rate, size_t keys, double skew, size_t chosen, bool fixed)
{
	Model		model = create_model(capacity, rate, keys, skew, fixed);
	uint64_t	operations = repeats(50000);
	uint64_t	failed = 0;
	bool		stashed;
	char		what[140];

	choose_keys(&model, chosen);
	snprintf(what, sizeof(what), "capacity %" PRIu64 ", rate %g, %zu values, %zu chosen, skew %g%s", capacity, rate, keys,
			 model.chosen, skew, fixed ? ", fixed" : "");
	for (size_t i = 0; i < model.chosen; i++)
		add_copies(&model, &model.key[i], 1, &failed);
	stashed = model.filter.filter.header.has_stash;
	for (uint64_t i = 1; i <= operations; i++)
	{
		unsigned	adds = i / (operations / 5) % 2 == 0 ? 60 : 35;
		Key		   *key = random_key(&model);

		if (random_below(&model.random, 100) >= adds)
			for (uint64_t copies = random_below(&model.random, 8); copies > 0; copies--)
				delete_copy(&model, key, &failed);
		else
			/* Mostly few. */
			add_copies(&model, key, 1 + (uint32_t) random_below(&model.random, 1 + random_below(&model.random, 50) / 16 * 16 + 2),
					   &failed);
		if (i % 1000 != 0)
			continue;
		check_held(&model.filter.filter, &model, what, &failed);
		check_rate(&model, what, &failed);
		if (chosen == 0)
			check_size(&model.filter, &model.once, MAX_BYTES, what, &failed);
		if (i % 10000 == 0)
			check_union(&model, capacity, what, &failed);
		if (i % 7000 == 0)
			owned_filter_compact(&model.filter);
	}
	if (!stashed && chosen > 0)
		wrong(&failed, "%s: no value was in a stash", what);
	none_wrong(failed, "%s", what);
	free_model(&model);
}

/*
 * All values once, then all once more, and so on, as many as fill the layers exactly; a tenth of them so often that they become
 * permanent. Then the others are deleted in the same way.
 */
#define PASSES	20

static void
run_passes(uint64_t capacity, double rate, size_t keys)
{
	Model		model = create_model(capacity, rate, keys, 1.0, false);
	uint64_t	failed = 0;
	char		what[100];

	snprintf(what, sizeof(what), "passes, capacity %" PRIu64 ", rate %g, %zu values", capacity, rate, keys);
	for (int pass = 1; pass <= 2 * PASSES; pass++)
	{
		for (size_t i = 0; i < keys; i++)
			if (pass > PASSES)
				delete_copy(&model, &model.key[i], &failed);
			else if (pass <= CUCKOO_MAX_COUNT || i % 10 == 0)
				add_copies(&model, &model.key[i], 1, &failed);
		check_held(&model.filter.filter, &model, what, &failed);
		check_rate(&model, what, &failed);
		check_size(&model.filter, &model.once, MAX_BYTES, what, &failed);
	}
	none_wrong(failed, "%s", what);
	free_model(&model);
}

/*
 * A window that moves: each day values are added, and those of a week before deleted.
 */
#define DAYS		7
#define PER_DAY		1000

static void
run_window(uint64_t capacity, double rate, double skew)
{
	Model		model = create_model(capacity, rate, 20000, skew, false);
	Key		   *window[DAYS][PER_DAY] = {{NULL}};
	uint64_t	days = repeats(1000);
	uint64_t	failed = 0;
	char		what[100];

	snprintf(what, sizeof(what), "window, capacity %" PRIu64 ", rate %g, skew %g", capacity, rate, skew);
	for (uint64_t day = 0; day < days; day++)
	{
		OwnedFilter now,
					compacted;

		for (int i = 0; i < PER_DAY; i++)
		{
			Key		  **slot = &window[day % DAYS][i];

			if (*slot != NULL)
				delete_copy(&model, *slot, &failed);
			*slot = random_key(&model);
			add_copies(&model, *slot, 1, &failed);
		}
		if (day % 50 != 49)
			continue;
		check_held(&model.filter.filter, &model, what, &failed);
		check_rate(&model, what, &failed);
		now = owned_filter_create(FILTER_CUCKOO, capacity, rate);
		for (size_t i = 0; i < model.keys; i++)
			if (model.key[i].counted)
				(void) owned_filter_add(&now, model.key[i].hash, true);
		compacted = owned_filter_copy(&model.filter);
		owned_filter_compact(&compacted);
		check_size(&model.filter, &now, MAX_BYTES, what, &failed);
		check_size(&compacted, &now, 2, what, &failed);
		check_held(&compacted.filter, &model, what, &failed);
		owned_filter_free(&now);
		owned_filter_free(&compacted);
	}
	none_wrong(failed, "%s", what);
	free_model(&model);
}

/*
 * Values that come once each, far beyond a tiny capacity, deleted in between and at the end: every one can be deleted, since none of
 * another class counts as its copy.
 */
#define FAR		100000

static void
run_far(uint64_t capacity, double rate, bool compacts)
{
	Model		model = create_model(capacity, rate, FAR, 1.0, false);
	uint64_t	failed = 0;
	char		what[100];

	snprintf(what, sizeof(what), "each once, capacity %" PRIu64 ", rate %g%s", capacity, rate, compacts ? ", compacted" : "");
	for (size_t i = 0; i < FAR; i++)
	{
		(void) owned_filter_add(&model.filter, model.key[i].hash, false);
		model.key[i].copies = 1;
		if (i % 4 == 3 && !filter_remove(&model.filter.filter, model.key[i / 4].hash))
			wrong(&failed, "%s: an old value cannot be deleted", what);
		if (i % 4 == 3)
			model.key[i / 4].copies = 0;
		if (compacts && i == FAR / 2)
			owned_filter_compact(&model.filter);
	}
	if (filter_cardinality(&model.filter.filter) != FAR - FAR / 4)
		wrong(&failed, "%s: the cardinality is %g", what, filter_cardinality(&model.filter.filter));
	if (compacts)
		owned_filter_compact(&model.filter);
	check_held(&model.filter.filter, &model, what, &failed);
	for (size_t i = FAR / 4; i < FAR; i++)
		if (!filter_remove(&model.filter.filter, model.key[i].hash))
			wrong(&failed, "%s: a value cannot be deleted", what);
	if (!filter_is_empty(&model.filter.filter))
		wrong(&failed, "%s: %g values are left", what, filter_cardinality(&model.filter.filter));
	none_wrong(failed, "%s", what);
	free_model(&model);
}

int
main(void)
{
	static const double rates[] = {0.5, 0.1, 0.01, 0.001, 1e-4, 1e-5, 1e-6};

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
	{
		run_model(10000, rates[i], 8000, 1.0, 0, false);
		run_model(100000, rates[i], 4000, 3.0, 0, false);
		run_model(300, rates[i], 5000, 2.0, 0, false);
		run_model(3000, rates[i], 2000, 1.0, 400, false);
	}
	for (size_t layers = 1; layers <= 4; layers++)
		for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i += 2)
		{
			size_t		capacity = ((size_t) 1 << layers) - 1;	/* of so many layers, for a first one of 1 */
			size_t		first = repeats(1000);

			run_passes(100, rates[i], 100 * capacity);
			run_passes(first, rates[i], first * capacity);
			run_passes(first, rates[i], first * capacity - capacity * first / 200);
			run_passes(first, rates[i], first * capacity / 2);
		}
	for (uint64_t capacity = 1; capacity <= 100; capacity *= 10)
		for (int compacts = 0; compacts <= 1; compacts++)
		{
			run_far(capacity, 0.5, compacts);
			run_far(capacity, 0.01, compacts);
		}
	run_model(8000, 0.01, 8000, 1.0, 0, true);
	run_model(1000, 1e-4, 1000, 2.0, 0, true);
	run_model(50, 0.1, 50, 2.0, 0, true);
	for (double skew = 1.0; skew <= 3.0; skew++)
	{
		run_window(8000, 0.001, skew);
		run_window(500, 0.01, skew);
		run_window(100000, 1e-5, skew);
	}
	return done_testing();
}
