/*
 * Collect the hashes of a join's keys, and make a Bloom filter of them.
 */
#ifndef FILTER_JOIN_KEY_SET_H
#define FILTER_JOIN_KEY_SET_H

#include "postgres.h"

#include "port/atomics.h"
#include "storage/lwlock.h"

#include "core/bloom.h"

/* With so many parts, a process seldom waits for another one, and each part still gets many keys of a chunk. */
#define SHARED_PARTS	16

typedef struct SharedKeys
{
	BloomLayer	geometry;		/* of the filter, which follows the struct, aligned */
	LWLockPadded lock[SHARED_PARTS];	/* each protects the blocks of one part of the filter */
	pg_atomic_uint64 keys;		/* the number that all processes have added; duplicates count */
	pg_atomic_uint32 begun;		/* processes that hash rows */
	pg_atomic_uint32 ended;		/* processes that have added all of their keys */
	pg_atomic_uint32 is_useless;	/* 1: the filter is too full, or there is none in this execution */
} SharedKeys;

/* With this many keys, a chunk is freed as soon as its keys are in the filter: memory contexts keep smaller ones. */
#define KEY_CHUNK	4000

typedef struct KeyChunk
{
	struct KeyChunk *next;
	uint64		hash[KEY_CHUNK];
} KeyChunk;

typedef struct KeySet
{
	MemoryContext context;		/* contains all that belongs to the set */
	Size		limit;			/* bytes */
	uint64		count;			/* the number of keys added; duplicates count */
	KeyChunk   *chunks;			/* the one that is being filled comes first; null before the first key */
	uint32		in_chunk;
	BloomLayer	layer;			/* its bits are null until the filter is made */
	SharedKeys *shared;			/* replaces the layer in a Parallel Hash; or null */
} KeySet;

/* Initialize a set that is all zero. It allocates at most `limit` bytes, in a context of its own below `parent`. */
extern void key_set_init(KeySet *set, MemoryContext parent, Size limit);

/* Forget the keys and the filter, and free their memory, except that of a shared filter. */
extern void key_set_reset(KeySet *set);

/* Call this before the first key is added. There is then no shared filter before the process calls key_set_finish. */
extern void key_set_begin(KeySet *set);

extern void key_set_next_chunk(KeySet *set);

static inline void
key_set_add(KeySet *set, uint64 hash)
{
	if (unlikely(set->chunks == NULL || set->in_chunk == KEY_CHUNK))
		key_set_next_chunk(set);
	set->chunks->hash[set->in_chunk++] = hash;
	set->count++;
}

/* Make the filter of all keys, in set->layer or the shared one. There is none if there is no memory, or too little for the keys. */
extern void key_set_finish(KeySet *set);

/* The bytes of a SharedKeys with a filter for a set with this limit. */
extern Size shared_keys_size(double expected_keys, Size limit);

/* The leader calls this before each execution. If is_off, the execution has no filter. */
extern void shared_keys_init(SharedKeys *shared, double expected_keys, Size limit, bool is_off);

/* The filter, if it has the keys of all processes; otherwise, its bits are null. */
extern BloomLayer shared_keys_filter(SharedKeys *shared);

/* Call this before the shared memory is freed. The set keeps the number of keys and the geometry of the filter. */
extern void key_set_leave(KeySet *set);

#endif
