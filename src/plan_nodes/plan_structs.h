/*
 * What plans carry from the planner to the executor.
 *
 * A plan is copied, cached, and sent to workers as text, so each of these structs is an extensible node of PostgreSQL. Its
 * last fields are nodes, or lists of nodes; the fields before them are plain values.
 */
#ifndef FILTER_PLAN_STRUCTS_H
#define FILTER_PLAN_STRUCTS_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/primnodes.h"

/* The key of a join, on one of its sides: what is hashed, and how. Its functions are looked up where the plan is executed. */
typedef struct JoinKey
{
	ExtensibleNode node;
	Oid			cast;			/* a function to be called with the value before it is hashed; InvalidOid: none */
	Oid			function;		/* the hash function of the operator for this side */
	Oid			collation;
	bool		by_integer;		/* the functions of both sides are those of integers, and so is the operator */
	Oid			type;			/* the type that the operator takes on this side, perhaps before a cast */
	Oid			order;			/* the btree operator family in which the operator is equality; InvalidOid: not known */
	Expr	   *value;			/* a Var if a filter is to be probed with it */
} JoinKey;

/* The bounds of a partitioned table by which a scan may skip its table. */
typedef struct RuntimeProbeBound
{
	ExtensibleNode node;
	int			key;			/* the index of the key by which the table is partitioned */
	Oid			parent;			/* the partitioned table */
	Oid			partition;		/* its partition that is, or contains, the scanned table */
} RuntimeProbeBound;

/* The probe of a runtime filter in a scan. */
typedef struct RuntimeProbePlan
{
	ExtensibleNode node;
	int			number;			/* the filter's number in EXPLAIN */
	int			param;			/* the executor parameter with the filter */
	bool		feeds_join;		/* whether the join that made it looks up the rows as soon as the scan returns them */
	bool		all_or_nothing; /* whether a node between them computes something from several rows */
	bool		below_gather;	/* whether the join is above the Gather that the scan is below: workers get a copy of the filter */
	List	   *keys;			/* of JoinKey: columns of the scanned table, not system columns */
	List	   *bounds;			/* of RuntimeProbeBound */
} RuntimeProbePlan;

/*
 * The filter scan is a sequential scan of a table with conditions such as bf_contains(filter, column). custom_exprs has the
 * conditions that it evaluates a page at a time, in the order of a sequential scan, its qual has the others, and
 * custom_private has this struct.
 */
typedef struct FilterScanPlan
{
	ExtensibleNode node;
	int			rows_until_limit;	/* the rows that the scan is expected to read until a LIMIT ends it; 0: not known */
	List	   *probes;			/* of RuntimeProbePlan */
	List	   *late_probes;	/* probes that come after the scan's own conditions */
} FilterScanPlan;

/* The executor defines these. */
extern const CustomScanMethods filter_scan_methods;

/* EXPLAIN shows this name, and parallel workers find the node by it. */
#define FILTER_SCAN_NAME "CuckooFilterScan"

/* Whether a node returns all of its rows, once it is executed. */
typedef enum ReadWhole
{
	READ_IN_PART,
	READ_WHOLE_IF_RESULT_IS,	/* if the client fetches all rows of the statement's result */
	READ_WHOLE
} ReadWhole;

/* At most this many rows are kept, whatever the plan says, since a list has room for no more. */
#define READ_AHEAD_ROWS		(1 << 25)

/* The node that makes the filter of a join. */
typedef struct RuntimeFilterPlan
{
	ExtensibleNode node;
	int			number;			/* shown in EXPLAIN */
	int			param;			/* the executor parameter in which the scans find the filter */
	ReadWhole	reads_ahead;	/* on the outer side of the join; below its Hash, READ_IN_PART */
	int			rows;			/* the most that are read ahead */
	List	   *keys;			/* of JoinKey, of the rows */
} RuntimeFilterPlan;

/* The filter that the planner has chosen for a join, on the side that it is made of, until the plan is finished. */
typedef struct ChosenFilterPlan
{
	ExtensibleNode node;
	double		passing;		/* the fraction of rows that pass, as estimated */
	List	   *clauses;		/* the indexes of the hash clauses whose keys it has */
} ChosenFilterPlan;

/* Allocate one of these structs, all zero. */
#define PLAN_STRUCT_NAME(type) "Cuckoo" #type
#define plan_struct_create(type) ((type *) plan_struct_create_named(PLAN_STRUCT_NAME(type)))

extern ExtensibleNode *plan_struct_create_named(const char *name);

/* Create a key without a cast and an order. */
extern JoinKey *join_key_create(Expr *value, Oid function, Oid collation, bool by_integer);

/* The values of a list of keys, in the order in which they are hashed. */
extern List *join_key_values(const List *keys);

/* Register the structs. Workers raise error 55000 for those that were written by a library of another version. */
extern void plan_structs_init(const char *version);

#endif
