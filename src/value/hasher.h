/*
 * From SQL values to the 64-bit hashes the filters store: which kind of value a type is, and its canonical bytes.
 */
#ifndef FILTER_VALUE_HASHER_H
#define FILTER_VALUE_HASHER_H

#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"

#include "core/hash.h"
#include "core/value_kind.h"

/* How the hash of a type tells its values apart. */
typedef enum HashQuality
{
	HASH_EXACT,					/* different values have different hashes */
	HASH_WITNESSED,				/* different values may have the same hash; a witness tells them apart */
	HASH_SHORT					/* the type's hash function returns 32 bits, and has no witness */
} HashQuality;

typedef struct ValueHasher ValueHasher;

/*
 * How values of one type, under one collation, are hashed. Made once per call site; lives in the memory context it was
 * made in.
 *
 * For anonymous rows kind and quality follow from the value: they are valid once a value was hashed, until the next one.
 */
struct ValueHasher
{
	uint64		(*hash) (ValueHasher *hasher, Datum value);
	ValueKind	kind;			/* VALUE_KIND_NONE for anonymous rows before the first */
	HashQuality quality;

	/* Set by hashing while there is a key. Values with equal hashes and equal witnesses are taken for equal. */
	uint64		witness;
	uint64		witness_key;	/* 0: no witnesses */

	StringInfo	canonical;		/* where canonical bytes are kept, or null; see value_canonical_bytes */

	Oid			type;			/* base type, not a domain */
	Oid			collation;
	MemoryContext context;
	struct TypeCacheEntry *type_entry;	/* types hashed by their operator class, and ranges */
	ValueHasher *part;			/* elements of arrays, bounds of ranges */
	struct RowHasher *row;		/* composite values */
	MemoryContext row_context;	/* of what depends on the type of the last row */
	bool		is_bigint;		/* whether the last value, a numeric, equals a bigint and has its hash */
	bool		is_part;		/* of an array, row or range, whose kind is named after this one's */
};

/*
 * An error for a type that cannot be hashed: 42883 without a hash operator class; 0A000 for types whose values contain
 * oids, which do not survive dump and restore.
 */
extern ValueHasher *value_hasher_create(Oid type, Oid collation, MemoryContext context);

/*
 * The same for a type that a user gave by name, which says nothing of a collation: text is that under the database's own.
 * Also error 42704 for a type that does not exist, and 0A000 for a pseudo-type.
 */
extern ValueHasher *value_hasher_create_for_type(Oid type, MemoryContext context);

/*
 * Have witnesses made along with the hashes, under a key that nobody outside of this cluster knows: keys chosen to have
 * the same hash have the same witness with a probability of next to nothing. Workers of one query share the key.
 */
extern void value_hasher_add_witness(ValueHasher *hasher);

static inline uint64
value_hash(ValueHasher *hasher, Datum value)
{
	return hasher->hash(hasher, value);
}

/* Append to the string what value_hash hashes. */
extern void value_canonical_bytes(ValueHasher *hasher, Datum value, StringInfo bytes);

/* The same while hashing, where the hasher has a string. Error 54000 for more than that can hold. */
extern void value_keep_canonical(ValueHasher *hasher, const void *bytes, Size length);

/* The hash of canonical bytes, and their witness where there is a key. */
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
