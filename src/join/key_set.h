/*
 * The hashes of a join's keys, and the Bloom filter that they become.
 */
#ifndef FILTER_JOIN_KEY_SET_H
#define FILTER_JOIN_KEY_SET_H

#include "postgres.h"

#include "port/atomics.h"
#include "storage/lwlock.h"

#include "core/bloom.h"

typedef struct SharedKeys
{
	pg_atomic_uint64 keys;		/* that all processes have added; duplicates count */
	bool		is_off;			/* the leader has decided that no process adds keys */
	uint32		blocks;			/* of the filter, which follows the struct, aligned */
	uint32		probes;

	LWLock		lock;			/* of what follows, and of the filter */
	int			begun;			/* processes that hash rows */
	int			ended;			/* those of them that have added all of their keys */
	bool		is_useless;		/* they have ended, and the filter is too full */
} SharedKeys;

/* So many that each chunk is freed when its keys are in the filter: memory contexts keep what is smaller. */
#define KEY_CHUNK	4000

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
	bool		lost;			/* there was no memory for the keys or the layer */
	SharedKeys *shared;			/* of a Parallel Hash, or null */
} KeySet;

/* Start an empty set, which allocates in a context of its own below `parent`, `limit` bytes at most. */
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
 * Make the filter in set->layer, of all keys added. False if there is no memory, or too little for the keys. If the keys
 * are shared, they are united with those of the other processes, and the set keeps none of them: false, too.
 */
extern bool key_set_finish(KeySet *set);

static inline Size
key_set_filter_bytes(const KeySet *set)
{
	return set->layer.bits != NULL ? (Size) bloom_bytes(&set->layer) : 0;
}

/* The bytes of a SharedKeys with a filter of at most `limit` bytes. */
extern Size shared_keys_size(double expected_keys, Size limit);

/* In the leader, before the first execution, of so many bytes; and before another one. */
extern void shared_keys_init(SharedKeys *shared, double expected_keys, Size limit);
extern void shared_keys_reset(SharedKeys *shared);

/* A process begins to hash rows. The filter is not ready before it ends. */
extern void shared_keys_begin(SharedKeys *shared);

/* Get the filter, if it has the keys of all processes. */
extern bool shared_keys_ready(SharedKeys *shared, BloomLayer *layer);

/* The bytes of the filter. */
extern Size shared_keys_bytes(const SharedKeys *shared);

#endif
