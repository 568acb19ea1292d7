/*
 * The keys of a join are what its equality operators compare. They are found alike for paths, when the planner chooses a join,
 * and for the finished plan.
 */
#ifndef FILTER_JOIN_KEYS_H
#define FILTER_JOIN_KEYS_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

#include "plan_nodes/plan_structs.h"

/* The keys of a hash join that a filter can have: as many on each side. */
typedef struct BothKeys
{
	List	   *build;			/* of JoinKey: expressions over the output of the side's plan, which is OUTER_VAR */
	List	   *probe;			/* of JoinKey: Vars of the output of the side's plan */
	List	   *clauses;		/* the index of each among the clauses of the join */
} BothKeys;

/*
 * The keys that a filter of a path's hash join can have. `clauses` are its hash clauses (RestrictInfo, with outer_is_left set),
 * and `known` caches the keys of each clause, since the same clause joins many relations.
 */
extern BothKeys join_keys_of_path(PlannerInfo *root, List **known, const List *clauses, bool probes_outer);

/*
 * The keys that a filter of a finished hash join can have. If probes_outer, the outer side of the join is probed, and otherwise
 * the inner one, which is the plan below the Hash node. Keys of the build side depend on no executor parameters but `constants`.
 */
extern BothKeys join_keys_of(const HashJoin *join, bool probes_outer, const Bitmapset *constants);

/*
 * Select the keys of the clauses with the given indexes. An expression after a clause that is left out is left out as well: see
 * add_key.
 */
extern BothKeys join_keys_of_clauses(const BothKeys *keys, const List *clauses);

/*
 * List the sets of keys (BothKeys) for which a filter is tried, the better ones first: all keys, and then each alone, since they
 * may come from different tables.
 */
extern List *join_keys_tried(const BothKeys *keys);

/* Whether values that are equal when they are grouped by an operator have the same hash. */
extern bool join_key_is_grouped(const JoinKey *key, Oid equality, Oid collation);

/*
 * If an expression in place of a key's value is a column, but for casts, return a key of that column with the same hash;
 * otherwise null. The casts are those between integers, and from integers to numeric: a scan may evaluate them for any row.
 */
extern JoinKey *join_key_of_column(Node *expression, const JoinKey *key);

/*
 * Call join_key_of_column for several keys. Each key's Var has the number of one of the `columns`, which are expressions or the
 * entries of a target list. NIL if one of them is no key.
 */
extern List *join_keys_of_columns(const List *keys, const List *columns);

/* The varno of all keys, which are columns of one table, or OUTER_VAR or INNER_VAR; 0: they have none in common. */
extern int	join_keys_varno(const List *keys);

#endif
