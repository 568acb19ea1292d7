/*
 * What plans carry from the planner to the executor.
 *
 * A plan is copied, cached, and sent to workers as text. So each of these structs is an extensible node of PostgreSQL. Its last
 * fields are nodes, or lists of nodes; those before them are plain values. All have the same functions to copy, write and read
 * them: plan_structs.c knows where the nodes begin.
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
	Oid			type;			/* that the operator takes on this side: that of the value, perhaps before a cast */
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
	int			number;			/* of the filter, in EXPLAIN */
	int			param;			/* the executor parameter with the filter */
	bool		feeds_join;		/* whether the join that made it looks up the rows as soon as the scan returns them */
	bool		all_or_nothing; /* whether a node between them computes something from several rows */
	bool		below_gather;	/* whether the join is above the Gather that the scan is below: workers get a copy of the filter */
	List	   *keys;			/* of JoinKey: columns of the scanned table, not system columns */
	List	   *bounds;			/* of RuntimeProbeBound */
} RuntimeProbePlan;

/*
 * The filter scan: a sequential scan of a table that has conditions such as bf_contains(filter, column). It has those that it
 * evaluates a page at a time in custom_exprs, in the order in which a sequential scan evaluates them, the others in its qual, and
 * this in custom_private.
 */
typedef struct FilterScanPlan
{
	ExtensibleNode node;
	int			rows_until_limit;	/* that the scan is expected to read until a LIMIT ends it; 0: not known */
	List	   *probes;			/* of RuntimeProbePlan */
	List	   *late_probes;	/* those that come after the scan's own conditions */
} FilterScanPlan;

/* Of the executor. */
extern const CustomScanMethods filter_scan_methods;

/* In EXPLAIN, and where plans are sent to parallel workers. */
#define FILTER_SCAN_NAME "CuckooFilterScan"

/* Whether a node returns all of its rows, once it is executed. */
typedef enum ReadWhole
{
	READ_IN_PART,
	READ_WHOLE_IF_RESULT_IS,	/* if whoever executes the statement fetches all rows of its result */
	READ_WHOLE
} ReadWhole;

/* The number of rows that are kept at most, whatever the plan says: a list has room for them. */
#define READ_AHEAD_ROWS		(1 << 25)

/* What the node of a join's filter makes. */
typedef struct RuntimeFilterPlan
{
	ExtensibleNode node;
	int			number;			/* in EXPLAIN */
	int			param;			/* the executor parameter in which the scans find the filter */
	ReadWhole	reads_ahead;	/* on the outer side of the join; below its Hash, READ_IN_PART */
	int			rows;			/* that are read ahead at most */
	List	   *keys;			/* of JoinKey: of the rows */
} RuntimeFilterPlan;

/* The filter of a join that the planner has chosen, on the side that it is made of, until the plan is finished. */
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

/* Without a cast and an order. */
extern JoinKey *join_key_create(Expr *value, Oid function, Oid collation, bool by_integer);

/* The values of a list of keys, in the order in which they are hashed. */
extern List *join_key_values(const List *keys);

/* Called once, when the library is loaded. */
extern void plan_structs_init(void);

#endif
