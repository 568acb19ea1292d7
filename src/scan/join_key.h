/*
 * The key of a join, on one of its sides: what is hashed, and how.
 *
 * The hash is the same for the values that the join's operator calls equal, also if their types differ. It is not the hash
 * of filters that users store: it lives as long as the query, and relies on nothing but the hash functions of the
 * operator, which the hash join itself uses.
 */
#ifndef FILTER_SCAN_JOIN_KEY_H
#define FILTER_SCAN_JOIN_KEY_H

#include "postgres.h"

#include "nodes/primnodes.h"

#include "compat.h"

typedef struct JoinKey
{
	Expr	   *value;			/* a Var if a filter is to be probed with it */
	Oid			cast;			/* a function to be called with the value before it is hashed; InvalidOid: none */
	Oid			function;		/* the hash function of the operator for this side */
	Oid			collation;
	bool		by_integer;		/* the functions of both sides are those of integers, and so is the operator */
	Oid			type;			/* that the operator takes on this side: that of the value, perhaps before a cast */
	Oid			order;			/* the btree operator family in which the operator is equality; InvalidOid: not known */
} JoinKey;

/* palloc'd, without a cast and an order */
extern JoinKey *join_key_create(Expr *value, Oid function, Oid collation, bool by_integer);

/*
 * What hashing a value takes, in operators, that the planner does not reckon with: a value of any size, or one that is cast.
 * A numeric key takes several times as long as a row that fails a cheap condition.
 */
#define HASH_OPERATORS	15.0

extern double join_keys_hash_operators(const List *keys);

/* The values of a list of pointers to keys, in the order in which they are hashed. */
extern List *join_key_values(const List *keys);

/* Such a list of keys as a node that can be copied and sent to workers, and back. */
extern List *join_keys_to_node(const List *keys);
extern List *join_keys_from_node(const List *node);

typedef enum KeyHashMethod
{
	KEY_HASH_BY_FUNCTION,
	KEY_HASH_OF_CAST,			/* the same, after a cast */
	KEY_HASH_SMALLINT,			/* integers of both sides are hashed as bigint */
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
	FmgrInfo	cast;			/* of KEY_HASH_OF_CAST */
	Oid			collation;
} KeyHash;

/* Prepare to hash a key. */
extern void key_hash_init(KeyHash *hash, const JoinKey *key);

/* The method is an argument of its own, so that it can be a constant where this is inlined. */
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

/* The hash of several values, one after the other; of the first, with 0. Its finalizer is that of MurmurHash3. */
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
