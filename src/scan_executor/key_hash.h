/*
 * The hash of a join's keys.
 *
 * It is the same for values that the join's operator calls equal, even if their types differ. It is not the hash of filters
 * that users store: it lives as long as the query, and relies on nothing but the hash functions of the operator, which the
 * hash join itself uses.
 */
#ifndef FILTER_SCAN_KEY_HASH_H
#define FILTER_SCAN_KEY_HASH_H

#include "postgres.h"

#include "fmgr.h"

#include "compat.h"
#include "plan_nodes/plan_structs.h"

typedef enum KeyHashMethod
{
	KEY_HASH_BY_FUNCTION,
	KEY_HASH_OF_CAST,			/* by the function, after a cast */
	KEY_HASH_SMALLINT,			/* both sides are integers, hashed as bigint */
	KEY_HASH_INTEGER,
	KEY_HASH_BIGINT
} KeyHashMethod;

/* Whether a method may leave something in the current memory context, such as a value that was decompressed. */
static inline bool
key_hash_allocates(KeyHashMethod method)
{
	return method == KEY_HASH_BY_FUNCTION || method == KEY_HASH_OF_CAST;
}

typedef struct KeyHash
{
	KeyHashMethod method;
	FmgrInfo	function;
	FmgrInfo	cast;			/* only for KEY_HASH_OF_CAST */
	Oid			collation;
} KeyHash;

/* Prepare to hash a key. */
extern void key_hash_init(KeyHash *hash, const JoinKey *key);

/* The method is a separate argument, so that it can be a constant where this is inlined. */
static pg_always_inline uint64
key_hash_value(KeyHash *key, KeyHashMethod method, Datum value)
{
	switch (method)
	{
		case KEY_HASH_SMALLINT:
			return (uint64) (int64) DatumGetInt16(value);
		case KEY_HASH_INTEGER:
			return (uint64) (int64) DatumGetInt32(value);
		case KEY_HASH_BIGINT:
			return (uint64) DatumGetInt64(value);
		case KEY_HASH_OF_CAST:
			value = FunctionCall1Coll(&key->cast, key->collation, value);
			break;
		case KEY_HASH_BY_FUNCTION:
			break;
	}
	return DatumGetUInt32(FunctionCall1Coll(&key->function, key->collation, value));
}

/* Combine the hashes of several values, one after the other, beginning with 0. The finalizer is that of MurmurHash3. */
static inline uint64
key_hash_combine(uint64 hash, uint64 value)
{
	hash ^= value;
	hash ^= hash >> 33;
	hash *= UINT64CONST(0xff51afd7ed558ccd);
	hash ^= hash >> 33;
	hash *= UINT64CONST(0xc4ceb9fe1a85ec53);
	return hash ^ hash >> 33;
}

#endif
