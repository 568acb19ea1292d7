/*
 * The key of a join, on one of its sides: what is hashed, and how.
 *
 * A plan is copied, cached, and sent to workers as text, so a key is a node and a list of oids there, and its functions are looked
 * up where it is executed.
 */
#ifndef FILTER_SCAN_JOIN_KEY_H
#define FILTER_SCAN_JOIN_KEY_H

#include "postgres.h"

#include "nodes/primnodes.h"

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

/* The values of a list of pointers to keys, in the order in which they are hashed. */
extern List *join_key_values(const List *keys);

/* Such a list of keys as a node that can be copied and sent to workers, and back. */
extern List *join_keys_to_node(const List *keys);
extern List *join_keys_from_node(const List *node);

#endif
