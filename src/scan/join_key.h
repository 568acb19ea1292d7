/*
 * The key of a join, on one of its sides: what is hashed, and how.
 */
#ifndef FILTER_SCAN_JOIN_KEY_H
#define FILTER_SCAN_JOIN_KEY_H

#include "postgres.h"

#include "nodes/primnodes.h"

typedef struct JoinKey
{
	Expr	   *value;			/* a Var if a filter is to be probed with it */
	Oid			function;		/* the hash function of the operator for this side */
	Oid			collation;
	bool		by_integer;		/* see key_hash_init; the same for both sides */
} JoinKey;

/* palloc'd */
extern JoinKey *join_key_create(Expr *value, Oid function, Oid collation, bool by_integer);

/* The values of a list of pointers to keys, in the order in which they are hashed. */
extern List *join_key_values(const List *keys);

/* Such a list of keys as a node that can be copied and sent to workers, and back. */
extern List *join_keys_to_node(const List *keys);
extern List *join_keys_from_node(const List *node);

#endif
