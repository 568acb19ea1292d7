/*
 * The operations on a cuckoo layer by many hashes are compiled twice (core/cuckoo_kernels.c). Both variants have the same
 * results and make the same image; and many values at once have the same results as one by one.
 */
#include "core/cpu.h"
#include "core/filter.h"
#include "owned_filter.h"
#include "random.h"
#include "tap.h"

#include <string.h>

#define VALUES 6000

static uint64_t values[VALUES];

static void
use_instructions(bool use)
{
#if FILTER_DETECTS_CPU
	filter_cpu_has_bmi = use;
#else
	(void) use;
#endif
}

static bool
cpu_has_instructions(void)
{
#if FILTER_DETECTS_CPU
	return filter_cpu_has_bmi;
#else
	return false;
#endif
}

/* What a filter answered, as one number per operation. */
typedef struct Answers
{
	size_t		count;
	uint64_t	answer[16 * VALUES];
} Answers;

static void
note(Answers *answers, uint64_t answer)
{
	answers->answer[answers->count++] = answer;
}

/* Add until the load is high, test, remove some, and add again. */
static void
use_filter(FilterView *filter, bool at_once, Answers *answers)
{
	size_t		half = VALUES / 2,
				done = 0,
				count;
	uint32_t	index[VALUES];
	PreparedFilter prepared;
	bool		changed = false;

	filter_prepare(&prepared, filter);
	if (at_once)
		(void) filter_add_all(filter, values, half, false, &done, &changed);
	else
		for (bool one_changed; done < half; done++)
		{
			if (filter_add(filter, values[done], false, &one_changed) != FILTER_OK)
				break;
			changed |= one_changed;
		}
	note(answers, done);
	note(answers, changed);
	for (size_t i = 0; i < VALUES; i++)
		note(answers, at_once ? filter_contains(filter, values[i]) : prepared_contains(&prepared, values[i]));
	for (size_t i = 0; i < VALUES; i++)
		note(answers, filter_contains_run(filter, values + i, VALUES - i, i % 2 == 0));
	count = filter_contained(filter, values, VALUES, index);
	for (size_t i = 0; i < count; i++)
		note(answers, index[i]);
	for (size_t i = 0; i < VALUES; i += 3)
		note(answers, filter_remove(filter, values[i]));
	for (size_t i = half; i < VALUES; i++)
	{
		FilterStatus status = filter_add(filter, values[i], false, &changed);

		note(answers, (uint64_t) status << 1 | changed);
		if (status != FILTER_OK)
			break;
	}
	for (size_t i = 0; i < VALUES; i++)
		note(answers, filter_count(filter, values[i]));
}

static void
compare(const Answers *a, const Answers *b, const OwnedFilter *x, const OwnedFilter *y, const char *what, double rate,
		uint64_t *failed)
{
	if (a->count != b->count || memcmp(a->answer, b->answer, a->count * sizeof(uint64_t)) != 0)
		wrong(failed, "rate %g: %s: other answers", rate, what);
	if (memcmp(x->image, y->image, (size_t) x->image_bytes) != 0)
		wrong(failed, "rate %g: %s: another image", rate, what);
}

static void
test_rate(double rate, uint64_t *failed)
{
	static Answers one_by_one,
				at_once,
				plain;
	OwnedFilter filter[3];

	for (int i = 0; i < 3; i++)
		filter[i] = owned_filter_create(FILTER_CUCKOO, VALUES / 2, rate);
	if (!filter_is_plain(&filter[0].filter.header) || filter[0].filter.remaining > 0 || filter[0].filter.header.layer[0].size < 256)
		bail_out("the filter is too small for the functions to test");
	one_by_one.count = at_once.count = plain.count = 0;
	use_filter(&filter[0].filter, false, &one_by_one);
	use_filter(&filter[1].filter, true, &at_once);
	compare(&one_by_one, &at_once, &filter[0], &filter[1], "added at once", rate, failed);

	if (cpu_has_instructions())
	{
		use_instructions(false);
		use_filter(&filter[2].filter, false, &plain);
		use_instructions(true);
		compare(&one_by_one, &plain, &filter[0], &filter[2], "without instructions of this CPU", rate, failed);
	}
	for (int i = 0; i < 3; i++)
		owned_filter_free(&filter[i]);
}

/*
 * Adding many values ends at one that finds no slot. Then those before it have been added, each once, and none after it.
 * Removing many takes as many as one by one.
 */
static void
test_full(double rate, const uint64_t *hashes, uint64_t *failed)
{
	OwnedFilter added = owned_filter_create(FILTER_CUCKOO, VALUES / 2, rate);
	OwnedFilter one_by_one = owned_filter_create(FILTER_CUCKOO, VALUES / 2, rate);
	size_t		done,
				removed = 0;
	bool		changed;

	if (filter_add_all(&added.filter, hashes, VALUES, false, &done, &changed) != FILTER_FULL || done >= VALUES)
		wrong(failed, "rate %g: all values were added", rate);
	if (filter_cardinality(&added.filter) != (double) done)
		wrong(failed, "rate %g: %g entries of %u values", rate, filter_cardinality(&added.filter), (unsigned) done);
	if (filter_contains_run(&added.filter, hashes, done, true) != done)
		wrong(failed, "rate %g: a value was lost", rate);

	memcpy(one_by_one.image, added.image, (size_t) added.image_bytes);
	for (size_t i = 0; i < VALUES; i++)
		removed += filter_remove(&one_by_one.filter, hashes[i]);
	if (filter_remove_all(&added.filter, hashes, VALUES) != removed || removed < done ||
		memcmp(one_by_one.image, added.image, (size_t) added.image_bytes) != 0)
		wrong(failed, "rate %g: removing all at once has another result", rate);
	owned_filter_free(&added);
	owned_filter_free(&one_by_one);
}

int
main(void)
{
	static const double rates[] = {0.3, 0.1, 0.05, 0.02, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 1e-7};
	Random		random = {1};
	static uint64_t distinct[VALUES];
	uint64_t	failed = 0;

	for (size_t i = 0; i < VALUES; i++)
		distinct[i] = random_next(&random);
	for (double rate = 1e-3; rate > 1e-6; rate /= 3)
		test_full(rate, distinct, &failed);
	none_wrong(failed, "a full layer has what was added, and not what was not");

	for (size_t i = 0; i < VALUES; i++)
		values[i] = random_next(&random);
	/* Copies: a few classes of two, three, and four entries. */
	for (size_t i = 0; i < 200; i++)
		values[1000 + i] = values[i % 60];
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		test_rate(rates[i], &failed);
	none_wrong(failed, "a layer: one by one, at once, and %s instructions of this CPU",
			   cpu_has_instructions() ? "without" : "(not tried, it has none) without");
	return done_testing();
}
