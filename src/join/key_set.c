/*
 * The hashes of a join's keys, and the Bloom filter that they become.
 *
 * How many there are is known only when all have come: planners' estimates are often wrong by factors. So hashes are
 * kept as they come, and the filter is made for exactly that many. If they take half of the memory, they go into the
 * largest filter that the other half can hold.
 *
 * In a Parallel Hash, each process has such a set, of the rows that it hashes. The filter lies in the node's part of the query's
 * segment of shared memory, so that nothing is allocated while the query runs: its size is that for the rows that the planner
 * expects. Each process makes a filter of this size, and unites it with that one. No process scans the other side of the join
 * before all that hash rows have ended; those that come later hash none.
 *
 * A query does not fail because there is no memory for a filter: then there is none.
 */
#include "join/key_set.h"

#include "utils/memutils.h"

#include "compat.h"
#include "core/pause.h"
#include "huge_memory.h"

/* A block is a cache line. */
#define JOIN_BLOCK_BYTES	((Size) BLOOM_BLOCK_BITS / 8)

/*
 * The rate of false positives that filters are made for, and the one at which a filter is not worth its probes. A
 * false positive costs no more than a row without a filter.
 */
#define RATE			0.01
#define USELESS_RATE	0.3

/* For fewer, bloom_choose_geometry might choose another block size. */
#define FEWEST_KEYS		2048

/* Of estimates, which can be larger than any integer. */
#define MOST_KEYS		1e12

/*
 * How large a filter is.
 */

/* The geometry for a number of keys, of blocks of BLOOM_BLOCK_BITS bits. */
static BloomLayer
join_geometry(double keys)
{
	static BloomLayer smallest = {0};
	BloomLayer	geometry = {0};
	double		bytes;

	/* Choosing takes as long as some small queries. */
	if (keys <= FEWEST_KEYS && smallest.blocks > 0)
		return smallest;
	keys = Min(Max(keys, FEWEST_KEYS), MOST_KEYS);
	if (bloom_choose_geometry((uint64) keys, RATE, &geometry, &bytes) != FILTER_OK)
		geometry.blocks = PG_INT32_MAX;
	if (keys <= FEWEST_KEYS)
		smallest = geometry;
	return geometry;
}

/* A layer in memory that is a block longer. It is aligned, so that a probe reads one cache line. */
static BloomLayer
layer_at(uint32 blocks, uint32 probes, void *memory)
{
	return (BloomLayer) {blocks, BLOOM_BLOCK_BITS, probes, (uint8 *) TYPEALIGN(JOIN_BLOCK_BYTES, memory)};
}

/* Whether a filter is too full to be worth its probes. */
static bool
is_useless(const BloomLayer *layer)
{
	return bloom_rate(layer, bloom_cardinality(layer, bloom_bits_set(layer))) > USELESS_RATE;
}

/*
 * The filter of a Parallel Hash.
 */

/* Of the keys that are expected, the multiple that the filter is made for: the planner's estimates are often too low. */
#define EXPECTED_MULTIPLE	2.0

static void
size_shared(SharedKeys *shared, double expected_keys, Size limit)
{
	BloomLayer	geometry = join_geometry(EXPECTED_MULTIPLE * expected_keys);

	shared->blocks = (uint32) Min(geometry.blocks, Max(limit / JOIN_BLOCK_BYTES, 1));
	shared->probes = geometry.probes;
}

/* The filter, which lies behind the other fields. */
static BloomLayer
shared_layer(SharedKeys *shared)
{
	return layer_at(shared->blocks, shared->probes, shared + 1);
}

Size
shared_keys_size(double expected_keys, Size limit)
{
	SharedKeys	shared;

	size_shared(&shared, expected_keys, limit);
	return sizeof(SharedKeys) + (shared.blocks + (Size) 1) * JOIN_BLOCK_BYTES;
}

void
shared_keys_init(SharedKeys *shared, double expected_keys, Size limit)
{
	memset(shared, 0, sizeof(SharedKeys));
	pg_atomic_init_u64(&shared->keys, 0);
	/* Of the wait events that every session knows, the one that says what is waited for: the other processes of the join. */
	LWLockInitialize(&shared->lock, LWTRANCHE_PARALLEL_HASH_JOIN);
	size_shared(shared, expected_keys, limit);
	shared_keys_reset(shared);
}

void
shared_keys_reset(SharedKeys *shared)
{
	BloomLayer	layer = shared_layer(shared);

	pg_atomic_write_u64(&shared->keys, 0);
	shared->begun = shared->ended = 0;
	shared->is_useless = false;
	memset(layer.bits, 0, bloom_bytes(&layer));
}

void
shared_keys_begin(SharedKeys *shared)
{
	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	shared->begun++;
	LWLockRelease(&shared->lock);
}

/* A process has hashed its rows. Its filter has the geometry of the shared one. */
static void
shared_keys_end(SharedKeys *shared, const BloomLayer *keys)
{
	BloomLayer	whole = shared_layer(shared);

	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	bloom_unite(&whole, keys);
	shared->ended++;
	if (shared->ended == shared->begun)
		shared->is_useless = is_useless(&whole);
	LWLockRelease(&shared->lock);
}

bool
shared_keys_ready(SharedKeys *shared, BloomLayer *layer)
{
	bool		ready;

	LWLockAcquire(&shared->lock, LW_SHARED);
	ready = shared->ended > 0 && shared->ended == shared->begun && !shared->is_useless;
	LWLockRelease(&shared->lock);
	*layer = shared_layer(shared);
	return ready;
}

Size
shared_keys_bytes(const SharedKeys *shared)
{
	return shared->blocks * JOIN_BLOCK_BYTES;
}

/*
 * The set of a process.
 */

void
key_set_init(KeySet *set, MemoryContext parent, Size limit)
{
	memset(set, 0, sizeof(KeySet));
	set->context = AllocSetContextCreate(parent, "keys of a runtime filter", ALLOCSET_DEFAULT_SIZES);
	set->limit = limit;
}

void
key_set_reset(KeySet *set)
{
	KeySet		empty = {.context = set->context,.limit = set->limit};

	MemoryContextReset(set->context);
	*set = empty;
}

/* Takes the place of a chunk for which there is no memory. Nothing reads it. */
static KeyChunk lost_keys;

/* If there is no memory for it, the keys are lost. */
static void
make_layer(KeySet *set, uint32 blocks, uint32 probes)
{
	Size		bytes = blocks * JOIN_BLOCK_BYTES;
	uint8	   *memory = huge_memory_allocate(set->context, bytes + JOIN_BLOCK_BYTES, MCXT_ALLOC_NO_OOM);

	set->lost = memory == NULL;
	if (set->lost)
		return;
	set->layer = layer_at(blocks, probes, memory);
	filter_clear_bytes(set->layer.bits, bytes);
}

/* The hashes take half of the memory: go on with the largest filter in the other half, or as the shared one is. */
static void
make_largest_layer(KeySet *set)
{
	Size		blocks = Min(set->limit / 2 / JOIN_BLOCK_BYTES, PG_UINT32_MAX);

	if (set->shared != NULL)
		make_layer(set, set->shared->blocks, set->shared->probes);
	else
		make_layer(set, (uint32) Max(blocks, 1), join_geometry(0).probes);
}

/* Move all hashes to the layer, unless they are lost; one chunk remains, which is empty. */
static void
empty_chunks(KeySet *set)
{
	while (set->chunks != NULL)
	{
		KeyChunk   *next = set->chunks->next;

		if (!set->lost)
			(void) bloom_add_all(&set->layer, set->chunks->hash, set->in_chunk);
		if (next == NULL)
			break;
		pfree(set->chunks);
		set->chunks = next;
		set->in_chunk = KEY_CHUNK;
	}
	set->in_chunk = 0;
}

/* Make room for a key in the first chunk, which is full, or missing. */
void
key_set_turn_chunk(KeySet *set)
{
	if (set->shared != NULL && set->chunks != NULL)
		pg_atomic_fetch_add_u64(&set->shared->keys, KEY_CHUNK);
	if (set->layer.bits == NULL && !set->lost && set->count / KEY_CHUNK * sizeof(KeyChunk) < set->limit / 2)
	{
		KeyChunk   *chunk = MemoryContextAllocExtended(set->context, sizeof(KeyChunk), MCXT_ALLOC_NO_OOM);

		set->lost = chunk == NULL;
		if (!set->lost)
		{
			chunk->next = set->chunks;
			set->chunks = chunk;
			set->in_chunk = 0;
			return;
		}
	}
	if (set->layer.bits == NULL && !set->lost)
		make_largest_layer(set);
	if (set->chunks == NULL)
		set->chunks = &lost_keys;
	empty_chunks(set);
}

/* Free all of the set, of which only the number of keys remains. */
static void
free_keys(KeySet *set)
{
	MemoryContextReset(set->context);
	set->chunks = NULL;
	set->layer.bits = NULL;
}

static bool
finish_private(KeySet *set)
{
	if (set->layer.bits == NULL && !set->lost)
	{
		BloomLayer	geometry = join_geometry((double) set->count);

		make_layer(set, geometry.blocks, geometry.probes);
	}
	empty_chunks(set);
	if (set->lost || is_useless(&set->layer))
	{
		free_keys(set);
		return false;
	}
	return true;
}

bool
key_set_finish(KeySet *set)
{
	if (set->shared == NULL)
		return finish_private(set);
	pg_atomic_fetch_add_u64(&set->shared->keys, set->in_chunk);
	if (set->layer.bits == NULL && !set->lost)
		make_largest_layer(set);
	empty_chunks(set);
	/* A process whose keys are lost never ends. */
	if (!set->lost)
		shared_keys_end(set->shared, &set->layer);
	free_keys(set);
	return false;
}
