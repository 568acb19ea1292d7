/*
 * Functions for one type of filter, or for two filters of one type: an assertion fails for another type, before any bits are
 * read or written as what they are not.
 */
#define _POSIX_C_SOURCE 200809L

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "owned_filter.h"
#include "tap.h"

#define CAPACITY	100

static OwnedFilter bloom,
			cuckoo,
			set;
static uint64_t hashes[4];
static bool changed;

/* Wrong calls: of cuckoo filters' functions, of Bloom filters', and of functions of two filters. */

static void
enlarge_bloom(void)
{
	double		bytes;

	(void) filter_enlarge_newest(&bloom.filter.header, &bytes);
}

static void
compact_bloom(void)
{
	filter_compact(&bloom.filter);
}

static void
count_in_bloom(void)
{
	(void) filter_count(&bloom.filter, 1);
}

static void
remove_from_bloom(void)
{
	(void) filter_remove(&bloom.filter, 1);
}

static void
remove_all_from_bloom(void)
{
	(void) filter_remove_all(&bloom.filter, hashes, 4);
}

static void
intersect_cuckoo(void)
{
	(void) filter_intersect(&cuckoo.filter, &cuckoo.filter);
}

static void
intersect_with_cuckoo(void)
{
	(void) filter_intersect(&bloom.filter, &cuckoo.filter);
}

static void
merge_cuckoo_into_bloom(void)
{
	(void) filter_unite_layer(&bloom.filter, &cuckoo.filter, 0);
}

static void
merge_bloom_into_cuckoo(void)
{
	(void) filter_unite_layer(&cuckoo.filter, &bloom.filter, 0);
}

static void
unite_with_what_counts(void)
{
	(void) filter_unite_layer(&cuckoo.filter, &cuckoo.filter, 0);
}

static void
remove_from_set(void)
{
	(void) filter_remove(&set.filter, hashes[0]);
}

static void
remove_all_from_set(void)
{
	(void) filter_remove_all(&set.filter, hashes, 4);
}

static void
copy_cuckoo_to_bloom(void)
{
	filter_copy_layer(&bloom.filter, 0, &cuckoo.filter, 0);
}

static const struct
{
	const char *name;
	void		(*call) (void);
}			calls[] = {
	{"a Bloom filter is enlarged", enlarge_bloom},
	{"a Bloom filter is compacted", compact_bloom},
	{"a value is counted in a Bloom filter", count_in_bloom},
	{"a value is removed from a Bloom filter", remove_from_bloom},
	{"values are removed from a Bloom filter", remove_all_from_bloom},
	{"two cuckoo filters are intersected", intersect_cuckoo},
	{"a Bloom filter is intersected with a cuckoo filter", intersect_with_cuckoo},
	{"a cuckoo layer is merged into a Bloom layer", merge_cuckoo_into_bloom},
	{"a Bloom layer is merged into a cuckoo layer", merge_bloom_into_cuckoo},
	{"a layer is merged into a cuckoo filter that is no set", unite_with_what_counts},
	{"a value is removed from a set", remove_from_set},
	{"values are removed from a set", remove_all_from_set},
	{"a cuckoo layer is copied to a Bloom filter", copy_cuckoo_to_bloom},
};

/* Whether an assertion fails in the call, which is made in a process of its own. */
static bool
is_refused(void (*call) (void))
{
	int			status;
	pid_t		child;

	fflush(stdout);
	child = fork();
	if (child < 0)
		bail_out("cannot start a process");
	if (child == 0)
	{
		/* The message of the assertion. */
		if (freopen("/dev/null", "w", stderr) == NULL)
			_exit(EXIT_FAILURE);
		call();
		_exit(EXIT_SUCCESS);
	}
	if (waitpid(child, &status, 0) != child)
		bail_out("cannot wait for a process");
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

int
main(void)
{
	bloom = owned_filter_create(FILTER_BLOOM, CAPACITY, FILTER_DEFAULT_RATE);
	cuckoo = owned_filter_create(FILTER_CUCKOO, CAPACITY, FILTER_DEFAULT_RATE);
	for (unsigned i = 0; i < 4; i++)
	{
		hashes[i] = i * UINT64_C(0x9e3779b97f4a7c15);
		(void) filter_add(&bloom.filter, hashes[i], false, &changed);
		(void) filter_add(&cuckoo.filter, hashes[i], false, &changed);
	}
	set = owned_filter_copy(&cuckoo);
	if (owned_filter_become_set(&set) != FILTER_OK)
		bail_out("a filter does not become a set");
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		ok(is_refused(calls[i].call), "an assertion fails if %s", calls[i].name);
	owned_filter_free(&bloom);
	owned_filter_free(&cuckoo);
	owned_filter_free(&set);
	return done_testing();
}
