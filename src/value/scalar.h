/*
 * Value hashers, and how they hash values that contain no other values.
 */
#ifndef FILTER_VALUE_SCALAR_H
#define FILTER_VALUE_SCALAR_H

#include "postgres.h"

#include "utils/memutils.h"

#include "core/value_kind.h"

typedef struct ValueHasher ValueHasher;

/*
 * A hasher hashes values of one type, under one collation. It is created once per call site, in the memory context `context`.
 *
 * For anonymous rows, `kind` and `is_short` depend on the value: they are those of the value hashed last.
 */
struct ValueHasher
{
	uint64		(*hash) (ValueHasher *hasher, Datum value);
	/*
	 * Hash the first of many values, up to one that takes memory or time, such as a compressed one; return how many. Null if
	 * that is no faster than `hash`.
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

/* A type whose values have canonical bytes. */
typedef struct ValueScalar
{
	Oid			type;			/* invalid for enums, and for VALUE_KIND_NONE */
	ValueKindCode code;
	const char *name;			/* of the kind */
	const char *cast;			/* a type of the kind, for hints */
	uint8		sources;
	bool		can_be_untyped; /* whether literals without a type are read as this type, which no setting changes; enums, as text */
	uint64		(*hash) (ValueHasher *hasher, Datum value);
	int			(*hash_many) (const Datum *values, int count, uint64 *hashes);
} ValueScalar;

#define VALUE_SCALARS	20

extern const ValueScalar value_scalars[VALUE_SCALARS];

/* The row of a type, null if there is none; and the first row of a kind. */
extern const ValueScalar *value_scalar_of_type(Oid type);
extern const ValueScalar *value_scalar_of_kind(ValueKindCode code);

/*
 * Hash other values by the hash function of their type; hash text under a nondeterministic collation by the hash function of
 * type text.
 */
extern uint64 value_hash_by_operator_class(ValueHasher *hasher, Datum value);
extern uint64 value_hash_of_collated_text(ValueHasher *hasher, Datum value);

/* Whether this database's text is not comparable with others'; and whether it is converted to UTF-8 before it is hashed. */
extern bool value_text_is_apart(void);
extern bool value_text_is_converted(void);

#endif
