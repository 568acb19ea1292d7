/*
 * Witnesses: second hashes, by which different values of one hash are kept apart when a cuckoo filter is built.
 *
 * A cuckoo filter stores values of equal hashes once, and deleting one of them would lose the others. So witnesses are collected
 * along with the hashes, in a set of their own, each behind the leading bits of its hash. Where the hashes with some leading
 * bits have more witnesses than there are hashes, one of these is the hash of several values. Which one is not known, so each
 * of them gets as many more copies. Some of these copies stay when their values are deleted, a few for each collision.
 *
 * Two values of one hash are taken for one with the probability that their witnesses agree (filter_witness); and with that of
 * another pair of witnesses agreeing, behind the same leading bits but of different hashes, which hides one collision: for n
 * values about n^2 / 2^65.
 */
#ifndef FILTER_BUILD_WITNESS_H
#define FILTER_BUILD_WITNESS_H

#include "postgres.h"

#include "build/hash_collector.h"

/* What is collected for a witness and its hash. */
extern uint64 witness_entry(uint64 hash, uint64 witness);

/*
 * Add the copies that different values of one hash need to a filter that has one entry of each hash; witnesses has more
 * entries than hashes. Takes over the filter and returns it, or a larger one, in the current context. Takes 8 bytes for every
 * two values that share leading bits.
 */
extern struct varlena *witness_copy_collisions(HashCollector *witnesses, HashCollector *hashes, struct varlena *datum);

#endif
