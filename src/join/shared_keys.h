/*
 * The filter of a Parallel Hash: each process adds the keys of the rows that it hashes.
 *
 * The processes agree on the filter's size when the first of them ends, or runs out of memory for its hashes. Then they
 * have hashed nearly all rows. Each makes a filter of this size, and unites it with that in shared memory.
 *
 * No process scans the other side of the join before all that hash rows have ended; those that come later hash none.
 */
#ifndef FILTER_JOIN_SHARED_KEYS_H
#define FILTER_JOIN_SHARED_KEYS_H

#include "postgres.h"

#include "port/atomics.h"
#include "storage/lwlock.h"
#include "utils/dsa.h"

#include "core/bloom.h"

typedef struct SharedKeys
{
	pg_atomic_uint64 keys;		/* that all processes have added; duplicates count */
	Size		limit;			/* bytes of the filter */
	double		expected_keys;
	bool		is_off;			/* the leader has decided that no process adds keys */

	LWLock		lock;			/* of what follows */
	int			begun;			/* processes that hash rows */
	int			ended;			/* those of them that have added all of their keys */
	dsa_pointer memory;			/* with the filter's bits, aligned; invalid before its size is agreed on */
	uint32		blocks;
	uint32		probes;
} SharedKeys;

/* In the leader, before the first execution, and before another one. */
extern void shared_keys_init(SharedKeys *shared, Size limit, double expected_keys);
extern void shared_keys_reset(SharedKeys *shared, dsa_area *area);

/* A process begins to hash rows. The filter is not ready before it ends. */
extern void shared_keys_begin(SharedKeys *shared);

/* The filter in shared memory, which is empty if this is the first call. */
extern BloomLayer shared_keys_layer(SharedKeys *shared, dsa_area *area);

/* A process has hashed its rows. Its filter has the geometry of shared_keys_layer. */
extern void shared_keys_end(SharedKeys *shared, dsa_area *area, const BloomLayer *keys);

/* Get the filter, if it has the keys of all processes. */
extern bool shared_keys_ready(SharedKeys *shared, dsa_area *area, BloomLayer *layer);

/* The bytes of the filter. */
extern Size shared_keys_bytes(const SharedKeys *shared);

#endif
