/*
 * Hashing values that contain no other values.
 */
#ifndef FILTER_VALUE_SCALAR_H
#define FILTER_VALUE_SCALAR_H

#include "postgres.h"

#include "value/hashing.h"

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
