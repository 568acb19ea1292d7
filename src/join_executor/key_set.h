/*
 * The hashes of a join's keys, and the Bloom filter that they become.
 */
#ifndef FILTER_JOIN_KEY_SET_H
#define FILTER_JOIN_KEY_SET_H

#include "postgres.h"

#include "port/atomics.h"
#include "storage/lwlock.h"

#include "core/bloom.h"

/* So many that a process seldom waits for another one, and so few that each has many keys of a chunk. */
#define SHARED_PARTS	16

typedef struct SharedKeys
{
	BloomLayer	geometry;		/* of the filter, which follows the struct, aligned */
	LWLockPadded lock[SHARED_PARTS];	/* each of the blocks of one part of the filter */
	pg_atomic_uint64 keys;		/* that all processes have added; duplicates count */
	pg_atomic_uint32 begun;		/* processes that hash rows */
	pg_atomic_uint32 ended;		/* those of them that have added all of their keys */
	pg_atomic_uint32 is_useless;	/* 1: they have ended, and the filter is too full; or there is none in this execution */
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
	SharedKeys *shared;			/* of a Parallel Hash: instead of a layer; or null */
} KeySet;

/* Start a set that is all zero, which allocates in a context of its own below `parent`, `limit` bytes at most. */
extern void key_set_init(KeySet *set, MemoryContext parent, Size limit);

/* Forget the keys and the filter, but one that is shared, and free their memory. */
extern void key_set_reset(KeySet *set);

/* The first key is about to be added. A shared filter is not ready before the process ends, by key_set_finish. */
extern void key_set_begin(KeySet *set);

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
 * Make the filter in set->layer, of all keys added. False if there is no memory, or too little for the keys; and if the filter
 * is shared, since other processes may still add keys to it.
 */
extern bool key_set_finish(KeySet *set);

/* The bytes of a SharedKeys with a filter for a set with this limit. */
extern Size shared_keys_size(double expected_keys, Size limit);

/* In the leader, before each execution; if is_off, there is no filter in it. */
extern void shared_keys_init(SharedKeys *shared, double expected_keys, Size limit, bool is_off);

/* Get the filter, if it has the keys of all processes. */
extern bool shared_keys_ready(SharedKeys *shared, BloomLayer *layer);

/* The shared memory is about to be freed: of the filter, the set keeps the number of keys and the geometry. */
extern void key_set_leave(KeySet *set);

#endif
