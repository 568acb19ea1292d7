/*
 * Hashing values that have no other values inside.
 */
#ifndef FILTER_VALUE_SCALAR_H
#define FILTER_VALUE_SCALAR_H

#include "postgres.h"

#include "value/hashing.h"

/*
 * Make a new hasher one of such values. The hasher's type, collation and context are set. The first returns whether the type is
 * one of those whose canonical bytes are the extension's own; the last is for every other type, error 42883 if it has no hash
 * operator class.
 */
extern bool value_scalar_use(ValueHasher *hasher);
extern void value_scalar_use_enum(ValueHasher *hasher);
extern void value_scalar_use_operator_class(ValueHasher *hasher);

/* Append the canonical bytes of a value of a kind whose hash is exact. */
extern void value_scalar_canonical_bytes(const ValueHasher *hasher, Datum value, StringInfo bytes);

#endif
