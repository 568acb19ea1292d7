#include "scan/shared_filter.h"

#include "utils/dsa.h"

#include "compat.h"
#include "core/bloom.h"

/* Those of the executor's nodes are their numbers in the plan. */
#define FIRST_KEY	UINT64CONST(0xCF00000000000000)

/* A probe reads one cache line. */
#define ALIGNMENT	((Size) BLOOM_BLOCK_BITS / 8)

/* No process changes it while there are workers. */
typedef struct SharedFilter
{
	uint64		version;		/* of the filter that was copied */
	dsa_pointer memory;			/* with its bits, to be aligned; invalid: there is no filter */
	BloomLayer	layer;			/* without the address of its bits */
	double		max_matches;
} SharedFilter;

void
shared_filter_estimate(ParallelContext *parallel)
{
	shm_toc_estimate_chunk(&parallel->estimator, sizeof(SharedFilter));
	shm_toc_estimate_keys(&parallel->estimator, 1);
}

static SharedFilter *
shared_filter_of(shm_toc *toc, int param)
{
	SharedFilter *shared = shm_toc_lookup(toc, FIRST_KEY + (uint64) param, true);

	if (shared != NULL)
		return shared;
	shared = shm_toc_allocate(toc, sizeof(SharedFilter));
	memset(shared, 0, sizeof(SharedFilter));
	shared->memory = InvalidDsaPointer;
	shm_toc_insert(toc, FIRST_KEY + (uint64) param, shared);
	return shared;
}

/* Segments are mapped at addresses of pages, so that what is aligned in one process is so in another. */
static uint8 *
shared_filter_bits(const SharedFilter *shared, dsa_area *area)
{
	return (uint8 *) TYPEALIGN(ALIGNMENT, dsa_get_address(area, shared->memory));
}

void
shared_filter_put(shm_toc *toc, int param, const EState *estate, const RuntimeFilter *filter)
{
	SharedFilter *shared = shared_filter_of(toc, param);
	dsa_area   *area = estate->es_query_dsa;

	/* If there is no shared memory, there are no workers. */
	if (area == NULL)
		return;
	if (DsaPointerIsValid(shared->memory))
	{
		/* Another scan has put it there, or the workers before these have probed the same filter. */
		if (filter != NULL && filter->version == shared->version)
			return;
		dsa_free(area, shared->memory);
		shared->memory = InvalidDsaPointer;
	}
	if (filter == NULL)
		return;
	shared->memory = dsa_allocate_extended(area, bloom_bytes(&filter->layer) + ALIGNMENT, DSA_ALLOC_HUGE | DSA_ALLOC_NO_OOM);
	if (!DsaPointerIsValid(shared->memory))
		return;
	shared->version = filter->version;
	shared->layer = filter->layer;
	shared->layer.bits = NULL;
	shared->max_matches = filter->max_matches;
	memcpy(shared_filter_bits(shared, area), filter->layer.bits, bloom_bytes(&filter->layer));
}

void
shared_filter_take(shm_toc *toc, int param, EState *estate)
{
	const SharedFilter *shared = shm_toc_lookup(toc, FIRST_KEY + (uint64) param, true);
	ParamExecData *value = &estate->es_param_exec_vals[param];
	RuntimeFilter *filter;

	/* Another scan has taken it, if there is a value. */
	if (shared == NULL || !DsaPointerIsValid(shared->memory) || DatumGetPointer(value->value) != NULL)
		return;
	filter = MemoryContextAllocZero(estate->es_query_cxt, sizeof(RuntimeFilter));
	filter->ready = true;
	filter->version = shared->version;
	filter->layer = shared->layer;
	filter->layer.bits = shared_filter_bits(shared, estate->es_query_dsa);
	filter->max_matches = shared->max_matches;
	value->value = PointerGetDatum(filter);
}
