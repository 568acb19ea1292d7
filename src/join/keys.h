/*
 * The keys of a join: what its equality operators compare, and how it is hashed.
 */
#ifndef FILTER_JOIN_KEYS_H
#define FILTER_JOIN_KEYS_H

#include "postgres.h"

#include "nodes/plannodes.h"

/* Keys of rows of one plan, in the order in which they are hashed. The lists have the same length. */
typedef struct JoinKeys
{
	List	   *columns;		/* expressions; Vars if they are keys to probe a filter with */
	List	   *functions;		/* oids: the hash functions of the operators for this side */
	List	   *collations;		/* oids */
	List	   *by_integer;		/* see key_hash_init; the same for both sides */
} JoinKeys;

/* The sides of a hash join: of `made`, the filter is made, and with `probed`, it is probed. */
typedef struct BothKeys
{
	JoinKeys	made;			/* expressions over the output of its plan, which is OUTER_VAR */
	JoinKeys	probed;			/* Vars of the output of its plan */
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

/*
 * Add a key to those of a probed side. An expression is added as the column whose hash it has. False if there is none.
 */
extern bool join_keys_add_column(JoinKeys *keys, Node *expression, Oid function, Oid collation, bool by_integer);

/*
 * The columns of the other input of a join that are equal to the keys in all rows that it joins. The keys are Vars of
 * one of its inputs. False if there is not one for each of them.
 */
extern bool join_keys_of_other_input(const Join *join, const JoinKeys *keys, JoinKeys *other);

#endif
