/*
 * Hashing values that have others inside, part by part: arrays, rows, ranges and multiranges. So what one of them is hashed
 * to depends on its type and its parts' types alone, whatever PostgreSQL's own hash function for it would take into account.
 */
#ifndef FILTER_VALUE_NESTED_H
#define FILTER_VALUE_NESTED_H

#include "postgres.h"

#include "value/hashing.h"

/* Make a new hasher one of such values. The hasher's type, collation and context are set. Errors as value_hasher_create. */
extern void value_nested_use_array(ValueHasher *hasher, Oid element_type);
extern void value_nested_use_row(ValueHasher *hasher);
extern void value_nested_use_range(ValueHasher *hasher);
extern void value_nested_use_multirange(ValueHasher *hasher);

/* Have witnesses made of the parts, too, under the key of the hasher. */
extern void value_nested_add_witness(ValueHasher *hasher);

#endif
