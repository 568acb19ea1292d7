#include "join/key_set.h"

#include "utils/memutils.h"

#include "core/bloom_kernels.h"
#include "core/pause.h"
#include "join/sizing.h"
#include "stored/huge_memory.h"

/* A filter of more blocks than this is a multiple of them, so that it can be folded by this factor. A power of two. */
#define FOLDS			((uint32) 256)

/* The keys in the largest filter that are few enough not to examine it. */
#define FIRST_CHECK		((uint64) 1 << 20)

void
key_set_init(KeySet *set, MemoryContext parent, Size limit)
{
	memset(set, 0, sizeof(KeySet));
	set->context = AllocSetContextCreate(parent, "keys of a join filter", ALLOCSET_DEFAULT_SIZES);
	set->limit = limit;
}

void
key_set_reset(KeySet *set)
{
	MemoryContext context = set->context;
	Size		limit = set->limit;

	MemoryContextReset(context);
	memset(set, 0, sizeof(KeySet));
	set->context = context;
	set->limit = limit;
}

static void
make_layer(KeySet *set, uint32 blocks, uint32 probes)
{
	Size		bytes = blocks * JOIN_BLOCK_BYTES;
	uint8	   *memory = huge_memory_allocate(set->context, bytes + JOIN_BLOCK_BYTES);

	set->layer.blocks = blocks;
	set->layer.block_bits = BLOOM_BLOCK_BITS;
	set->layer.probes = probes;
	/* Aligned, so that a probe reads one cache line. */
	set->layer.bits = (uint8 *) TYPEALIGN(JOIN_BLOCK_BYTES, memory);
	filter_clear_bytes(set->layer.bits, bytes);
}

static void
make_layer_as_shared(KeySet *set)
{
	BloomLayer	shared = shared_keys_layer(set->shared, set->area);

	make_layer(set, shared.blocks, shared.probes);
}

/* The hashes take half of the memory: go on with the largest filter in the other half. */
static void
make_largest_layer(KeySet *set)
{
	Size		blocks = Min(set->limit / 2 / JOIN_BLOCK_BYTES, PG_UINT32_MAX);

	if (blocks > FOLDS)
		blocks -= blocks % FOLDS;
	make_layer(set, (uint32) Max(blocks, 1), join_geometry(0).probes);
	set->next_check = Max(FIRST_CHECK, 2 * set->count);
}

static void
make_layer_for_keys(KeySet *set)
{
	BloomGeometry geometry = join_geometry((double) set->count);

	if (geometry.blocks > FOLDS)
		geometry.blocks += FOLDS - 1 - (geometry.blocks - 1) % FOLDS;
	make_layer(set, geometry.blocks, geometry.probes);
}

/* Move all hashes to the layer; one chunk remains, which is empty. */
static void
empty_chunks(KeySet *set)
{
	while (set->chunks != NULL)
	{
		KeyChunk   *next = set->chunks->next;

		(void) bloom_add_all(&set->layer, set->chunks->hash, set->in_chunk);
		if (next == NULL)
			break;
		pfree(set->chunks);
		set->chunks = next;
		set->in_chunk = KEY_CHUNK;
	}
	set->in_chunk = 0;
}

/* If the layer has too many keys, free it; keys are counted from then on, and not kept. */
static void
check_layer(KeySet *set)
{
	set->next_check = 2 * set->count;
	if (!join_filter_is_useless(&set->layer))
		return;
	set->is_useless = true;
	MemoryContextReset(set->context);
	memset(&set->layer, 0, sizeof(BloomLayer));
	set->chunks = MemoryContextAlloc(set->context, sizeof(KeyChunk));
	set->chunks->next = NULL;
}

static void
add_chunk(KeySet *set)
{
	KeyChunk   *chunk = MemoryContextAlloc(set->context, sizeof(KeyChunk));

	chunk->next = set->chunks;
	set->chunks = chunk;
	set->in_chunk = 0;
}

/* Make room for a key in the first chunk, which is full, or missing. */
void
key_set_turn_chunk(KeySet *set)
{
	if (set->shared != NULL && set->chunks != NULL)
		pg_atomic_fetch_add_u64(&set->shared->keys, KEY_CHUNK);
	if (!set->is_useless && set->layer.bits == NULL)
	{
		if (set->count / KEY_CHUNK * sizeof(KeyChunk) < set->limit / 2)
		{
			add_chunk(set);
			return;
		}
		if (set->shared != NULL)
			make_layer_as_shared(set);
		else
			make_largest_layer(set);
	}
	if (!set->is_useless)
	{
		empty_chunks(set);
		if (set->shared == NULL && set->count >= set->next_check)
			check_layer(set);
	}
	set->in_chunk = 0;
}

/* Make the filter as small as its distinct keys allow. */
static void
fold(KeySet *set)
{
	uint32		blocks = set->layer.blocks;
	uint32		needed = join_geometry(join_filter_keys(&set->layer)).blocks;
	uint32		factor = 1;

	while (blocks % (2 * factor) == 0 && blocks / (2 * factor) >= needed)
		factor *= 2;
	if (factor > 1)
		bloom_fold(&set->layer, factor);
}

static bool
finish_private(KeySet *set)
{
	if (set->is_useless)
		return false;
	if (set->layer.bits == NULL)
		make_layer_for_keys(set);
	empty_chunks(set);
	check_layer(set);
	if (set->is_useless)
		return false;
	fold(set);
	return true;
}

static bool
finish_shared(KeySet *set)
{
	BloomLayer	unused;

	pg_atomic_fetch_add_u64(&set->shared->keys, set->in_chunk);
	if (set->layer.bits == NULL)
		make_layer_as_shared(set);
	empty_chunks(set);
	shared_keys_end(set->shared, set->area, &set->layer);
	MemoryContextReset(set->context);
	set->chunks = NULL;
	set->layer.bits = NULL;
	return shared_keys_ready(set->shared, set->area, &unused);
}

bool
key_set_finish(KeySet *set)
{
	return set->shared != NULL ? finish_shared(set) : finish_private(set);
}
