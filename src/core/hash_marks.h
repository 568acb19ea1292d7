/*
 * Which hashes may be duplicates: marks to count distinct hashes without sorting them.
 *
 * Each hash is marked in a bitmap at a position that some of its bits choose. The hashes whose position was marked
 * more than once are candidates: only these can have duplicates, and only these need to be sorted to be counted.
 */
#ifndef FILTER_HASH_MARKS_H
#define FILTER_HASH_MARKS_H

#include <stddef.h>
#include <stdint.h>

typedef struct HashMarks
{
	uint64_t   *words;			/* filter_mark_words(bits) of them, all zero at the beginning */
	unsigned	bits;			/* of a hash that choose its position, 6 .. 63 - skipped */
	unsigned	skipped;		/* leading bits that are the same in all hashes */
} HashMarks;

/* A suitable `bits` for a number of hashes: at most an eighth of the distinct ones are candidates. */
extern unsigned filter_mark_bits(size_t count);

static inline size_t
filter_mark_words(unsigned bits)
{
	return (size_t) 2 << (bits - 6);
}

extern void filter_mark(const HashMarks *marks, const uint64_t *hashes, size_t count);

/* Copy the candidates among hashes, all of which have been marked; returns their number. There must be room for all. */
extern size_t filter_marked_again(const HashMarks *marks, const uint64_t *hashes, size_t count, uint64_t *candidates);

#endif
