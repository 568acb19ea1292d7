/*
 * The keys of a join: what its equality operators compare, and how it is hashed. What is asked here of an expression is asked
 * in the same way of paths, when the planner chooses a join, and of the finished plan.
 */
#ifndef FILTER_JOIN_KEYS_H
#define FILTER_JOIN_KEYS_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

#include "plan_nodes/plan_structs.h"

/* The keys of a hash join on both sides, as many on each. */
typedef struct BothKeys
{
	List	   *build;			/* of JoinKey: expressions over the output of its plan, which is OUTER_VAR */
	List	   *probe;			/* Vars of the output of its plan */
	List	   *clauses;		/* the index of each among the clauses of the join */
} BothKeys;

/*
 * The keys of which a hash join in the making can make a filter, from its clauses: of RestrictInfo, whose outer_is_left is set.
 * `known` keeps those of clauses that have been asked before: the same one joins many relations.
 */
extern BothKeys join_keys_of_path(PlannerInfo *root, List **known, const List *clauses, bool probes_outer);

/*
 * The same of a finished hash join. If probes_outer, the outer side of the join is probed, and otherwise the inner one, which is
 * the plan below the Hash node. Keys of the build side depend on no executor parameters but `constants`.
 */
extern BothKeys join_keys_of(const HashJoin *join, bool probes_outer, const Bitmapset *constants);

/* Those of some of the clauses, given by their indexes, without those that no filter, or none of these alone, can be made of. */
extern BothKeys join_keys_of_clauses(const BothKeys *keys, const List *clauses);

/*
 * The keys (of BothKeys) for which a filter is tried, the better ones first: all, and then each alone, since they may come from different
 * tables.
 */
extern List *join_keys_tried(const BothKeys *keys);

/* Whether values that are equal when they are grouped by an operator have the same hash. */
extern bool join_key_is_grouped(const JoinKey *key, Oid equality, Oid collation);

/*
 * The column of which the expression in a key's place, but for casts, consists: a key with the same hash. Null if there is none.
 * The casts are those between integers, and from these to numeric: a scan may evaluate them for any row.
 */
extern JoinKey *join_key_of_column(Node *expression, const JoinKey *key);

/*
 * The same of several keys: `columns` are expressions, or the entries of a target list, of which each key's Var has the number. NIL if
 * one of them is no key.
 */
extern List *join_keys_of_columns(const List *keys, const List *columns);

#endif
