/*
 * Hashing values that contain others: arrays, rows, ranges and multiranges. Each part is hashed as a value of its own
 * type. PostgreSQL's hash function for the whole value is not used.
 */
#ifndef FILTER_VALUE_NESTED_H
#define FILTER_VALUE_NESTED_H

#include "postgres.h"

#include "value/hashing.h"

/* Set up a new hasher for such values. Type, collation and context are set already. Errors as value_hasher_create. */
extern void value_nested_use_array(ValueHasher *hasher, Oid element_type);
extern void value_nested_use_row(ValueHasher *hasher);
extern void value_nested_use_range(ValueHasher *hasher);
extern void value_nested_use_multirange(ValueHasher *hasher);

/* Compute witnesses of the parts, too, under the key of the hasher. */
extern void value_nested_add_witness(ValueHasher *hasher);

#endif
