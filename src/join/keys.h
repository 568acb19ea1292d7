/*
 * The keys of a join: what its equality operators compare, and how it is hashed.
 */
#ifndef FILTER_JOIN_KEYS_H
#define FILTER_JOIN_KEYS_H

#include "postgres.h"

#include "nodes/plannodes.h"

#include "scan/join_key.h"

/* The sides of a hash join: of `made`, the filter is made, and with `probed`, it is probed. */
typedef struct BothKeys
{
	List	   *made;			/* of join_key.h: expressions over the output of its plan, which is OUTER_VAR */
	List	   *probed;			/* Vars of the output of its plan; as many */
} BothKeys;

/*
 * The keys whose operators can be relied on. If probes_outer, the outer side of the join is probed, and otherwise the
 * inner one, which is the plan below the Hash node. Those that are made depend on no executor parameters but `constants`.
 */
extern BothKeys join_keys_of(const HashJoin *join, bool probes_outer, const Bitmapset *constants);

/* One of several keys. */
extern BothKeys join_keys_single(const BothKeys *keys, int index);

/* How the values of either side of an operator are hashed; false if equal ones may differ in that, or null is equal. */
extern bool join_keys_hash_functions(Oid operator, Oid *left, Oid *right, bool *by_integer);

/* Whether an operator is equality in the key's order. */
extern bool join_key_is_equal_in_order(const JoinKey *key, Oid operator);

/* The column of which the expression in a key's place, but for casts, consists: a key with the same hash. Null if there is none. */
extern JoinKey *join_key_of_column(Node *expression, const JoinKey *key);

/*
 * The columns of the other input of a join that are equal to the keys in all rows that it joins. The keys are Vars of
 * one of its inputs. NIL if there is not one for each of them.
 */
extern List *join_keys_of_other_input(const Join *join, const List *keys);

#endif
