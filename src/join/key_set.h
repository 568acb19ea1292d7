/*
 * The hashes of a join's keys, and the Bloom filter that they become.
 *
 * How many there are is known only when all have come: planners' estimates are often wrong by factors. So hashes are
 * kept as they come, and the filter is made for exactly that many. If they take half of the memory, they go into the
 * largest filter that the other half can hold. In the end, a filter is folded to the size that its distinct keys need.
 *
 * In a Parallel Hash, each process has such a set, and the size of the filter is that of the shared one.
 */
#ifndef FILTER_JOIN_KEY_SET_H
#define FILTER_JOIN_KEY_SET_H

#include "postgres.h"

#include "core/bloom.h"
#include "join/shared_keys.h"

#define KEY_CHUNK	1000

typedef struct KeyChunk
{
	struct KeyChunk *next;
	uint64		hash[KEY_CHUNK];
} KeyChunk;

typedef struct KeySet
{
	MemoryContext context;		/* of all that belongs to the set */
	Size		limit;			/* bytes */
	uint64		count;			/* of the keys added; duplicates count */
	KeyChunk   *chunks;			/* the one that is being filled comes first; null before the first key */
	uint32		in_chunk;
	BloomLayer	layer;			/* without bits until there is one */
	uint64		next_check;		/* the count at which to examine whether the layer is too full */
	bool		is_useless;		/* there is no filter: there are too many keys for the memory */
	SharedKeys *shared;			/* of a Parallel Hash, or null */
	dsa_area   *area;
} KeySet;

/* Start an empty set, which allocates in a context of its own below `parent`, about `limit` bytes at most. */
extern void key_set_init(KeySet *set, MemoryContext parent, Size limit);

/* Forget the keys and the filter, and free their memory. */
extern void key_set_reset(KeySet *set);

extern void key_set_turn_chunk(KeySet *set);

static inline void
key_set_add(KeySet *set, uint64 hash)
{
	if (unlikely(set->chunks == NULL || set->in_chunk == KEY_CHUNK))
		key_set_turn_chunk(set);
	set->chunks->hash[set->in_chunk++] = hash;
	set->count++;
}

/*
 * Make the filter in set->layer, of all keys added. False if there is none. If the keys are shared, they are united
 * with those of the other processes, and the set keeps none of them.
 */
extern bool key_set_finish(KeySet *set);

static inline Size
key_set_filter_bytes(const KeySet *set)
{
	return set->layer.bits != NULL ? (Size) bloom_bytes(&set->layer) : 0;
}

#endif
