/*
 * Witnesses: second hashes that distinguish different values with the same hash when a cuckoo filter is built.
 *
 * A cuckoo filter stores values with equal hashes once, and deleting one of them would lose the others: anybody can
 * compute a value with the hash of another's, have it added, and have it deleted by a user who follows all rules for
 * deletes. That would be a false negative, which docs/promise.md and docs/chosen_keys.md rule out.
 *
 * So witnesses are collected along with the hashes, in a separate set, each after the leading bits of its hash. If there
 * are more witnesses than hashes with the same leading bits, one of these hashes belongs to several values. It is not
 * known which one, so each of them gets as many additional copies as there are witnesses in excess. A few of these copies
 * remain when their values are deleted.
 *
 * Two values with the same hash are mistaken for one if their witnesses are equal (for the probability see
 * filter_witness). A collision also goes unnoticed if two other values, with the same leading bits but different
 * hashes, have equal witnesses: for n values with a probability of about n^2 / 2^65.
 */
#ifndef FILTER_COLLECT_WITNESS_H
#define FILTER_COLLECT_WITNESS_H

#include "postgres.h"

#include "collect/hash_set.h"

/* The entry to collect for a witness and its hash. */
extern uint64 witness_entry(uint64 hash, uint64 witness);

/*
 * Add the copies that different values with the same hash need to a filter that has one entry for each hash;
 * witnesses has more entries than hashes. Takes ownership of the filter and returns it, or a larger one, in the
 * current context. Uses 8 bytes of memory for every two values with the same leading bits.
 */
extern struct varlena *witness_copy_collisions(HashSet *witnesses, HashSet *hashes, struct varlena *datum);

#endif
