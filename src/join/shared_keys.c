#include "join/shared_keys.h"

#include "compat.h"
#include "core/pause.h"
#include "join/sizing.h"

/* When the size is chosen, other processes may still have this fraction of what has been added so far. */
#define FRACTION_TO_COME	0.5

/* Blocks that are united at a time, so that other processes need not wait long for the lock. */
#define BLOCKS_AT_ONCE		((uint32) 1024)

void
shared_keys_init(SharedKeys *shared, Size limit, double expected_keys)
{
	memset(shared, 0, sizeof(SharedKeys));
	pg_atomic_init_u64(&shared->keys, 0);
	/* Of the wait events that every session knows, the one that says what is waited for: the other processes of the join. */
	LWLockInitialize(&shared->lock, LWTRANCHE_PARALLEL_HASH_JOIN);
	shared->limit = limit;
	shared->expected_keys = expected_keys;
	shared->memory = InvalidDsaPointer;
}

void
shared_keys_reset(SharedKeys *shared, dsa_area *area)
{
	bool		is_off = shared->is_off;

	if (DsaPointerIsValid(shared->memory))
		dsa_free(area, shared->memory);
	shared_keys_init(shared, shared->limit, shared->expected_keys);
	shared->is_off = is_off;
}

void
shared_keys_begin(SharedKeys *shared)
{
	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	shared->begun++;
	LWLockRelease(&shared->lock);
}

/* The lock is held. */
static BloomLayer
map_layer(const SharedKeys *shared, dsa_area *area)
{
	BloomLayer	layer;

	layer.blocks = shared->blocks;
	layer.block_bits = BLOOM_BLOCK_BITS;
	layer.probes = shared->probes;
	layer.bits = (uint8 *) TYPEALIGN(JOIN_BLOCK_BYTES, dsa_get_address(area, shared->memory));
	return layer;
}

static void
allocate_layer(SharedKeys *shared, dsa_area *area)
{
	double		keys = (double) pg_atomic_read_u64(&shared->keys) * (1.0 + FRACTION_TO_COME);
	BloomGeometry geometry = join_geometry(Max(keys, shared->expected_keys));
	BloomLayer	layer;

	shared->blocks = (uint32) Min(geometry.blocks, Max(shared->limit / JOIN_BLOCK_BYTES, 1));
	shared->probes = geometry.probes;
	shared->memory = dsa_allocate_extended(area, (shared->blocks + 1) * JOIN_BLOCK_BYTES, DSA_ALLOC_HUGE);
	layer = map_layer(shared, area);
	memset(layer.bits, 0, bloom_bytes(&layer));
}

BloomLayer
shared_keys_layer(SharedKeys *shared, dsa_area *area)
{
	BloomLayer	layer;

	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	if (!DsaPointerIsValid(shared->memory))
		allocate_layer(shared, area);
	layer = map_layer(shared, area);
	LWLockRelease(&shared->lock);
	return layer;
}

void
shared_keys_end(SharedKeys *shared, dsa_area *area, const BloomLayer *keys)
{
	BloomLayer	to = shared_keys_layer(shared, area);
	BloomLayer	from = *keys;

	for (uint32 blocks = keys->blocks; blocks > 0; blocks -= to.blocks)
	{
		to.blocks = from.blocks = Min(blocks, BLOCKS_AT_ONCE);
		LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
		bloom_unite(&to, &from);
		LWLockRelease(&shared->lock);
		to.bits += bloom_bytes(&to);
		from.bits += bloom_bytes(&from);
	}
	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	shared->ended++;
	LWLockRelease(&shared->lock);
}

bool
shared_keys_ready(SharedKeys *shared, dsa_area *area, BloomLayer *layer)
{
	bool		ready;

	LWLockAcquire(&shared->lock, LW_SHARED);
	ready = shared->ended > 0 && shared->ended == shared->begun;
	if (ready)
		*layer = map_layer(shared, area);
	LWLockRelease(&shared->lock);
	return ready;
}

Size
shared_keys_bytes(const SharedKeys *shared)
{
	return shared->blocks * JOIN_BLOCK_BYTES;
}
