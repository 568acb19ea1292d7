/*
 * From SQL values to the 64-bit hashes that filters store: the kind of value for a type, and the canonical bytes.
 */
#ifndef FILTER_VALUE_HASH_H
#define FILTER_VALUE_HASH_H

#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"

#include "core/hash.h"
#include "core/value_kind.h"

/* How well the hash of a type distinguishes its values. */
typedef enum HashQuality
{
	HASH_EXACT,					/* different values have different hashes */
	HASH_WITNESSED,				/* different values may have the same hash; a witness distinguishes them */
	HASH_SHORT					/* the type's hash function returns 32 bits, and has no witness */
} HashQuality;

typedef struct ValueHasher ValueHasher;

/*
 * Hashes values of one type, under one collation. Made once per call site; lives in the memory context in which it
 * was made.
 *
 * For anonymous rows, kind and quality depend on the value: they are those of the value hashed last.
 */
struct ValueHasher
{
	uint64		(*hash) (ValueHasher *hasher, Datum value);
	ValueKind	kind;			/* VALUE_KIND_NONE for anonymous rows before the first */
	HashQuality quality;

	/* Set by hashing if there is a key. Values with equal hashes and equal witnesses are assumed to be equal. */
	uint64		witness;
	uint64		witness_key;	/* 0: no witnesses */

	StringInfo	canonical;		/* receives the canonical bytes, or null; see value_canonical_bytes */

	Oid			type;			/* base type, not a domain */
	Oid			collation;
	MemoryContext context;
	struct TypeCacheEntry *type_entry;	/* for types hashed by their operator class, and ranges */
	ValueHasher *part;			/* elements of arrays, bounds of ranges */
	struct RowHasher *row;		/* composite values */
	MemoryContext row_context;	/* for data that depends on the type of the last row */
	bool		is_bigint;		/* whether the last value, a numeric, equals a bigint and has its hash */
	bool		is_part;		/* of an array, row or range, whose kind's name contains this one's */
};

/*
 * Raises an error for a type that cannot be hashed: 42883 without a hash operator class; 0A000 for types whose values
 * contain oids, which do not survive dump and restore.
 */
extern ValueHasher *value_hasher_create(Oid type, Oid collation, MemoryContext context);

/*
 * The same for a type that a user named. That does not include a collation: text is assumed to be under the default one.
 * Also error 42704 for a type that does not exist, and 0A000 for a pseudo-type.
 */
extern ValueHasher *value_hasher_create_for_type(Oid type, MemoryContext context);

/*
 * Compute witnesses along with the hashes, under a key that is secret to this cluster: values chosen to have the same
 * hash have the same witness only with negligible probability. Workers of one query share the key.
 */
extern void value_hasher_add_witness(ValueHasher *hasher);

static inline uint64
value_hash(ValueHasher *hasher, Datum value)
{
	return hasher->hash(hasher, value);
}

/* Append the bytes that value_hash hashes to the string. */
extern void value_canonical_bytes(ValueHasher *hasher, Datum value, StringInfo bytes);

/* The same while hashing, if the hasher has a string. Error 54000 for more than a string can hold. */
extern void value_keep_canonical(ValueHasher *hasher, const void *bytes, Size length);

/* The hash of canonical bytes; sets their witness if there is a key. */
static inline uint64
value_hash_bytes(ValueHasher *hasher, const void *bytes, Size length)
{
	if (unlikely(hasher->witness_key != 0))
		hasher->witness = filter_witness(bytes, length, hasher->witness_key);
	if (unlikely(hasher->canonical != NULL))
		value_keep_canonical(hasher, bytes, length);
	return filter_hash_bytes(bytes, length);
}

#endif
