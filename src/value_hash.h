/*
 * From SQL values to the 64-bit hashes the filters store: which kind of value a type is, and its canonical bytes.
 */
#ifndef FILTER_VALUE_HASH_H
#define FILTER_VALUE_HASH_H

#include "postgres.h"

#include "fmgr.h"

#include "core/image.h"

typedef struct ValueHasher ValueHasher;

/*
 * How values of one type, under one collation, are hashed. Made once per call site; lives in the memory context it was
 * made in.
 *
 * kind and its name are valid once a value was hashed: for anonymous rows they follow from the value.
 */
struct ValueHasher
{
	uint64		(*hash) (ValueHasher *hasher, Datum value);
	ValueKind	kind;
	const char *kind_name;		/* empty but for VALUE_KIND_NAMED */
	uint32		kind_name_length;

	Oid			type;			/* base type, not a domain */
	Oid			collation;
	MemoryContext context;
	struct TypeCacheEntry *type_entry;	/* types hashed by their operator class */
	ValueHasher *element;		/* arrays */
	struct RowHasher *row;		/* composite values */
	bool		is_part;		/* of an array or row, whose kind is named after this one's */
};

/*
 * An error for a type that cannot be hashed: 42883 without a hash operator class, 0A000 for the aliases of oid, whose
 * values do not survive dump and restore.
 */
extern ValueHasher *value_hasher_create(Oid type, Oid collation, MemoryContext context);

/* Whether equality under a collation can hold between different bytes. */
extern bool collation_is_nondeterministic(Oid collation);

static inline uint64
value_hash(ValueHasher *hasher, Datum value)
{
	return hasher->hash(hasher, value);
}

/*
 * Hash an untyped literal as a value of the filter's kind, or as text where it has none. as_text hashes text under the
 * literal's collation. Error 42804 for a kind whose values depend on the session, such as dates.
 */
extern uint64 value_hash_literal(const Filter *filter, ValueHasher *as_text, Datum literal);

#endif
