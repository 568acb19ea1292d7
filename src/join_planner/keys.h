/*
 * The keys of a join: what its equality operators compare, and how it is hashed. What is asked here of an expression is asked
 * in the same way of paths, when the planner chooses a join, and of the finished plan.
 */
#ifndef FILTER_JOIN_KEYS_H
#define FILTER_JOIN_KEYS_H

#include "postgres.h"

#include "nodes/plannodes.h"

#include "plan_nodes/join_key.h"

/* The keys of a hash join on both sides, as many on each. */
typedef struct BothKeys
{
	List	   *build;			/* of join_key.h: expressions over the output of its plan, which is OUTER_VAR */
	List	   *probe;			/* Vars of the output of its plan */
	List	   *clauses;		/* the index of each among the clauses of the join */
} BothKeys;

/*
 * The keys of an operator that compares an expression of the build side with one of the probe side. False if no filter can be
 * made of it: values that it calls equal may have different hashes, the build side's expression is expensive, or that of the
 * probe side is not a column.
 */
extern bool join_keys_of_operator(Oid operator, Oid collation, Expr *build, Expr *probe, bool probes_left, JoinKey **build_key,
								  JoinKey **probe_key);

/*
 * Whether a filter may evaluate the build side's key of a clause of the join, given the number of keys that it has before. An
 * expression can fail, and a join evaluates it only for rows in which no key before it is null. So a filter that has no
 * other keys than the join before it evaluates it for the same rows; one that leaves out some takes columns only.
 */
extern bool join_key_is_evaluated(const Node *build, int clause, int keys_before);

/*
 * The keys of a finished hash join of which a filter can be made. If probes_outer, the outer side of the join is probed, and
 * otherwise the inner one, which is the plan below the Hash node. Those of the build side depend on no executor parameters
 * but `constants`.
 */
extern BothKeys join_keys_of(const HashJoin *join, bool probes_outer, const Bitmapset *constants);

/* Those of some of the clauses, given by their indexes, without those that no filter, or none of these alone, can be made of. */
extern BothKeys join_keys_of_clauses(const BothKeys *keys, const List *clauses);

/* Whether values that are equal when they are grouped by an operator have the same hash. */
extern bool join_key_is_grouped(const JoinKey *key, Oid equality, Oid collation);

/*
 * The column of which the expression in a key's place, but for casts, consists: a key with the same hash. Null if there is none.
 * The casts are those between integers, and from these to numeric: a scan may evaluate them for any row.
 */
extern JoinKey *join_key_of_column(Node *expression, const JoinKey *key);

/*
 * The columns that a join compares with the keys, which are columns of one of its inputs: rows that it joins have the same hash.
 * NIL if there is not one for each key.
 */
extern List *join_keys_compared(const List *equalities, const List *keys);

#endif
