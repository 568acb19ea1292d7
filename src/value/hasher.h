/*
 * How values of a type are hashed: which kind they are, and their canonical bytes.
 */
#ifndef FILTER_VALUE_HASHER_H
#define FILTER_VALUE_HASHER_H

#include "value/scalar.h"

/*
 * Raises an error for a type that cannot be hashed: 42883 without a hash operator class; 0A000 for types whose values
 * contain oids, which do not survive dump and restore, and for ranges whose hashes may differ although they are equal.
 */
extern ValueHasher *value_hasher_create(Oid type, Oid collation, MemoryContext context);

/*
 * The same for a type that a user named, under the type's default collation. Also error 42704 for a type that does not
 * exist, and 0A000 for a pseudo-type.
 */
extern ValueHasher *value_hasher_create_for_type(Oid type, MemoryContext context);

#endif
