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
 * inner one, which is the plan below the Hash node.
 */
extern BothKeys join_keys_of(const HashJoin *join, bool probes_outer);

/* One of several keys. */
extern BothKeys join_keys_single(const BothKeys *keys, int index);

/* Whether values of either side of an operator can be hashed as integers. */
extern bool join_keys_by_integer(Oid operator, Oid left_function, Oid right_function);

/* A key of a probed side: the column that has the hash of an expression. Null if there is none. */
extern JoinKey *join_key_of_column(Node *expression, Oid function, Oid collation, bool by_integer);

/*
 * The columns of the other input of a join that are equal to the keys in all rows that it joins. The keys are Vars of
 * one of its inputs. NIL if there is not one for each of them.
 */
extern List *join_keys_of_other_input(const Join *join, const List *keys);

#endif
