/*
 * Hashing a value with a hasher: canonical bytes, their hash and their witness. And the hashers of values that contain no
 * other values.
 */
#ifndef FILTER_VALUE_SCALAR_H
#define FILTER_VALUE_SCALAR_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/memutils.h"

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
 * Hashes values of one type, under one collation. Created once per call site, in the memory context `context`.
 *
 * For anonymous rows, kind and quality depend on the value: they are those of the value hashed last.
 */
struct ValueHasher
{
	uint64		(*hash) (ValueHasher *hasher, Datum value);
	/*
	 * The same for the first of many values, up to one that takes memory or time, such as a compressed one. Returns for
	 * how many; null if that is no faster. Without witnesses or canonical bytes.
	 */
	int			(*hash_many) (const Datum *values, int count, uint64 *hashes);
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
	bool		is_bigint;		/* for type numeric: whether the last value equals a bigint, and so has its hash */
	bool		is_part;		/* whether it hashes parts of an array, row or range, whose kind is named after them */
};

static inline uint64
value_hash(ValueHasher *hasher, Datum value)
{
	return hasher->hash(hasher, value);
}

/* appendBinaryStringInfo that can be cancelled. */
extern void append_bytes(StringInfo to, const void *from, Size bytes);

/* Append canonical bytes to the hasher's string, if it has one. Error 54000 for more than a string can hold. */
static inline void
value_keep_canonical(ValueHasher *hasher, const void *bytes, Size length)
{
	if (unlikely(hasher->canonical != NULL))
		append_bytes(hasher->canonical, bytes, Min(length, MaxAllocSize));
}

/* The hash of canonical bytes; sets their witness if there is a key. */
static inline uint64
value_hash_bytes(ValueHasher *hasher, const void *bytes, Size length)
{
	if (unlikely(hasher->witness_key != 0))
		hasher->witness = filter_witness(bytes, length, hasher->witness_key);
	value_keep_canonical(hasher, bytes, length);
	return filter_hash_bytes(bytes, length);
}

/*
 * Set up a new hasher for such values. Its type, collation and context are set already. value_scalar_use returns false
 * unless the extension defines the canonical bytes of the type. value_scalar_use_operator_class is for any other type;
 * error 42883 if it has no hash operator class.
 */
extern bool value_scalar_use(ValueHasher *hasher);
extern void value_scalar_use_enum(ValueHasher *hasher);
extern void value_scalar_use_operator_class(ValueHasher *hasher);

/* Append the canonical bytes of a value to a string. The hasher's quality must be HASH_EXACT. */
extern void value_scalar_canonical_bytes(const ValueHasher *hasher, Datum value, StringInfo bytes);

/* Whether values of a type, or of a domain over it, are hashed many at once (in deterministic collations, if text). */
extern bool value_scalar_hashes_many(Oid type);

#endif
