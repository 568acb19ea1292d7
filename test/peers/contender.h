/*
 * The interface of the filters that bench_peers measures, ours and those of other libraries. All are given hashes, 64
 * random bits each; hashing keys is not measured. Each function processes an array, so that a library of inline
 * functions is compiled into the loop, as in a program that uses it.
 */
#ifndef PEERS_CONTENDER_H
#define PEERS_CONTENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number of hashes passed to count_batched is a multiple of this. */
#define CONTENDER_BATCH 128

typedef enum ContenderKind
{
	CONTENDER_BLOOM,
	CONTENDER_CUCKOO
} ContenderKind;

typedef struct Contender
{
	const char *name;
	ContenderKind kind;

	/* An empty filter with room for this many values, all of its memory touched; `destroy` frees it. */
	void	   *(*create) (uint64_t values);
	void		(*destroy) (void *set);
	uint64_t	(*bytes) (const void *set);

	/* Null for Bloom filters, and for cuckoo filters that grow by themselves. */
	uint64_t	(*slots) (const void *set);

	/*
	 * The fastest way to fill an empty filter with distinct values, which may change both arrays of `count` hashes;
	 * null: add. False if they do not fit.
	 */
	bool		(*build) (void *set, uint64_t *hashes, uint64_t *scratch, size_t count);

	/* Add values one by one; returns how many were added before one found no place. */
	size_t		(*add) (void *set, const uint64_t *hashes, size_t count);

	/* The same by the library's function for many values, if it has one, else null. */
	size_t		(*add_batched) (void *set, const uint64_t *hashes, size_t count);

	/* The number of values that the filter contains: one by one, and by the library's function for many (or null). */
	size_t		(*count) (const void *set, const uint64_t *hashes, size_t count);
	size_t		(*count_batched) (const void *set, const uint64_t *hashes, size_t count, bool most);

	/* Delete values one by one; returns how many were found. Null for Bloom filters. */
	size_t		(*remove) (void *set, const uint64_t *hashes, size_t count);

	/* The same by the library's function for many values, if it has one, else null. */
	size_t		(*remove_batched) (void *set, const uint64_t *hashes, size_t count);
} Contender;

/* Each array ends with a contender without a name. */
extern const Contender our_contenders[];
extern const Contender rocksdb_contenders[];
extern const Contender rocksdb_avx2_contenders[];
extern const Contender fastfilter_contenders[];
extern const Contender cuckoofilter_contenders[];
extern const Contender redisbloom_contenders[];
extern const Contender vacuum_contenders[];

/* Zeroed memory, touched so that no page faults occur later. Exits if there is none. */
static inline void *
touched_memory(size_t bytes)
{
	unsigned char *memory = (unsigned char *) calloc(bytes > 0 ? bytes : 1, 1);

	if (memory == NULL)
		abort();
	for (size_t i = 0; i < bytes; i += 4096)
		((volatile unsigned char *) memory)[i] = 0;
	return memory;
}

#ifdef __cplusplus
}
#endif

#endif
