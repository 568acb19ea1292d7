/*
 * What bench_peers measures: filters behind one set of functions, ours and those of other libraries. All are given
 * hashes, 64 random bits each; hashing keys is not measured. Each function works through an array, so that a library
 * of inline functions is compiled into the loop, as it is in a program that uses it.
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

/* count_batched is given a multiple of this many hashes. */
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

	/* An empty filter with room for that many values, all of its memory touched. destroy() it. */
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

	/* The same with what the library has for many values; null: add. */
	size_t		(*add_batched) (void *set, const uint64_t *hashes, size_t count);

	/* How many of the values the filter contains: one by one, and with what the library has for many (or null). */
	size_t		(*count) (const void *set, const uint64_t *hashes, size_t count);
	size_t		(*count_batched) (const void *set, const uint64_t *hashes, size_t count, bool most);

	/* Delete values one by one; returns how many were found. Null for Bloom filters. */
	size_t		(*remove) (void *set, const uint64_t *hashes, size_t count);
} Contender;

/* Each ends with one without a name. */
extern const Contender our_contenders[];
extern const Contender rocksdb_contenders[];
extern const Contender rocksdb_avx2_contenders[];
extern const Contender fastfilter_contenders[];
extern const Contender cuckoofilter_contenders[];
extern const Contender redisbloom_contenders[];
extern const Contender vacuum_contenders[];

/* Zeroed memory that no page fault interrupts later. The end of the program if there is none. */
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
