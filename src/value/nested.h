/*
 * Hashing values that contain others, part by part: arrays, rows, ranges and multiranges. So the hash of such a value
 * depends only on its type and its parts' types, whatever PostgreSQL's own hash function for it would include.
 */
#ifndef FILTER_VALUE_NESTED_H
#define FILTER_VALUE_NESTED_H

#include "postgres.h"

#include "value/hashing.h"

/* Set up a new hasher for such values. Its type, collation and context are set already. Errors as value_hasher_create. */
extern void value_nested_use_array(ValueHasher *hasher, Oid element_type);
extern void value_nested_use_row(ValueHasher *hasher);
extern void value_nested_use_range(ValueHasher *hasher);
extern void value_nested_use_multirange(ValueHasher *hasher);

/* Compute witnesses of the parts, too, under the key of the hasher. */
extern void value_nested_add_witness(ValueHasher *hasher);

#endif
