/*
 * Hashing a value with a hasher: canonical bytes and their hash. And the hashers of values that contain no other values.
 */
#ifndef FILTER_VALUE_SCALAR_H
#define FILTER_VALUE_SCALAR_H

#include "postgres.h"

#include "utils/memutils.h"

#include "core/value_kind.h"

typedef struct ValueHasher ValueHasher;

/*
 * Hashes values of one type, under one collation. Created once per call site, in the memory context `context`.
 *
 * For anonymous rows, `kind` and `is_short` depend on the value: they are those of the value hashed last.
 */
struct ValueHasher
{
	uint64		(*hash) (ValueHasher *hasher, Datum value);
	/*
	 * The same for the first of many values, up to one that takes memory or time, such as a compressed one. Returns for
	 * how many; null if that is no faster.
	 */
	int			(*hash_many) (const Datum *values, int count, uint64 *hashes);
	ValueKind	kind;			/* VALUE_KIND_NONE for anonymous rows before the first */
	bool		is_short;		/* whether the type's hash function, or that of a part, returns 32 bits */

	Oid			type;			/* base type, not a domain */
	Oid			collation;
	MemoryContext context;
	struct TypeCacheEntry *type_entry;	/* for types hashed by their operator class */
	ValueHasher *part;			/* elements of arrays */
	struct RowHasher *row;		/* composite values */
	MemoryContext row_context;	/* for data that depends on the type of the last row */
	bool		is_bigint;		/* for type numeric: whether the last value equals a bigint, and so has its hash */
	bool		is_part;		/* whether it hashes parts of an array or row, whose kind is named after them */
};

static inline uint64
value_hash(ValueHasher *hasher, Datum value)
{
	return hasher->hash(hasher, value);
}

/*
 * Set up a new hasher for such values. Its type, collation and context are set already. value_scalar_use returns false
 * unless the extension defines the canonical bytes of the type. value_scalar_use_operator_class is for any other type,
 * and for text under a nondeterministic collation; error 42883 if it has no hash operator class.
 */
extern bool value_scalar_use(ValueHasher *hasher);
extern void value_scalar_use_enum(ValueHasher *hasher);
extern void value_scalar_use_operator_class(ValueHasher *hasher);

/*
 * Whether hashing values of a type, or of a domain over it, never raises an error: it calls no function of others, and text need
 * not be converted, which fails for characters that UTF-8 does not have.
 */
extern bool value_scalar_never_fails(Oid type, Oid collation);

/* Whether values of a type, or of a domain over it, are hashed many at once (in deterministic collations, if text). */
extern bool value_scalar_hashes_many(Oid type);

#endif
