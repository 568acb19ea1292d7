/*
 * The choice of the hasher for a type, which determines the kind of its values and their canonical bytes.
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
 * A hasher for a type that a user named, under the type's default collation. Also error 42704 for a type that does not exist,
 * and 0A000 for a pseudo-type.
 */
extern ValueHasher *value_hasher_create_for_type(Oid type, MemoryContext context);

/*
 * Whether hashing values of a type, or of a domain over it, never raises an error: it calls no function of others, and
 * converts no text, which fails for characters that UTF-8 does not have.
 */
extern bool value_scalar_never_fails(Oid type, Oid collation);

/* Whether values of a type, or of a domain over it, are hashed many at once (text only in deterministic collations). */
extern bool value_scalar_hashes_many(Oid type);

#endif
