/*
 * Filter scans in the planner: paths, costs and plans, and the probes that joins add to a finished plan.
 */
#include "scan_planner/path.h"

#include <float.h>
#include <limits.h>
#include <math.h>

#include "access/table.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "prices.h"
#include "probe_api.h"
#include "plan_nodes/settings.h"
#include "scan_planner/shown_plan.h"

#define SCAN_FLAGS	(CUSTOMPATH_SUPPORT_BACKWARD_SCAN | CUSTOMPATH_SUPPORT_PROJECTION)

/* A query has a filter to reject rows, so a larger fraction of rows is not expected to pass. */
#define USUAL_PASSING	0.5

/*
 * Whether a filter scan may evaluate a condition for all rows of a page, before any other condition. Hashing a key may raise
 * an error, and EXPLAIN shows how many rows pass, so it never comes before a condition of a lower security level.
 */
static bool
is_page_condition(const RelOptInfo *rel, const RestrictInfo *restriction, ProbeCondition *condition)
{
	return !restriction->pseudoconstant && restriction->security_level <= rel->baserestrict_min_security &&
		probe_condition_find(condition, (Node *) restriction->clause) && condition->table == (int) rel->relid;
}

typedef struct PageCondition
{
	RestrictInfo *restriction;
	ProbeCondition probe;
} PageCondition;

List *
filter_scan_conditions(RelOptInfo *rel)
{
	List	   *conditions = NIL;
	ListCell   *cell;

	foreach(cell, list_concat_copy(rel->baserestrictinfo, rel->joininfo))
	{
		PageCondition condition = {.restriction = lfirst_node(RestrictInfo, cell)};

		/* The scan may not evaluate a condition of a join below an outer join if it belongs above. */
		if (is_page_condition(rel, condition.restriction, &condition.probe) &&
			(list_member_ptr(rel->baserestrictinfo, condition.restriction) || join_clause_is_movable_to(condition.restriction, rel)))
			conditions = lappend(conditions, memcpy(palloc(sizeof(PageCondition)), &condition, sizeof(PageCondition)));
	}
	return conditions;
}

typedef struct ScanCosts
{
	double		probes;			/* per row: of all probes, and of the other conditions */
	double		others;
	double		filters;		/* the costs of computing filters, once per scan by pages */
	double		probes_by_pages;	/* per row: of the probes, and of hashing keys one by one */
	double		hashing;
	double		passing;		/* the fraction of rows that pass the probes */
	int			count;			/* the number of probes */

	double		before;			/* per row: of the conditions that a sequential scan evaluates before a probe */
	double		reaching;		/* the fraction of rows that pass those conditions */
} ScanCosts;

/*
 * The costs of a sequential scan's conditions: those of the table and, if other tables have its parameters, of joins with
 * these. `conditions` are the page conditions of the table.
 */
static ScanCosts
scan_costs(PlannerInfo *root, const Path *sequential, const List *conditions)
{
	RelOptInfo *rel = sequential->parent;
	List	   *others = list_concat_copy(rel->baserestrictinfo,
										  sequential->param_info == NULL ? NIL : sequential->param_info->ppi_clauses);
	ScanCosts	costs = {.passing = 1.0, .reaching = 1.0};
	double		cheapest_probe = DBL_MAX;
	QualCost	cost;
	ListCell   *cell;

	foreach(cell, conditions)
	{
		const PageCondition *condition = lfirst(cell);
		QualCost	of_filter;

		if (!list_member_ptr(others, condition->restriction))
			continue;
		others = list_delete_ptr(others, condition->restriction);
		cost_qual_eval_node(&cost, (Node *) condition->restriction, root);
		cost_qual_eval_node(&of_filter, (Node *) condition->probe.filter, root);
		costs.filters += of_filter.per_tuple;
		costs.probes += cost.per_tuple;
		costs.probes_by_pages += PRICE_PROBE * cpu_operator_cost;
		if (!condition->probe.hashes_many)
			costs.hashing += PRICE_HASH * cpu_operator_cost;
		costs.passing *= clause_selectivity(root, (Node *) condition->restriction, (int) rel->relid, JOIN_INNER, NULL);
		costs.count++;
		cheapest_probe = Min(cheapest_probe, cost.per_tuple);
	}
	foreach(cell, others)
	{
		RestrictInfo *restriction = lfirst_node(RestrictInfo, cell);

		cost_qual_eval_node(&cost, (Node *) restriction, root);
		costs.others += cost.per_tuple;
		if (restriction->pseudoconstant || cost.per_tuple >= cheapest_probe)
			continue;
		costs.before += cost.per_tuple;
		costs.reaching *= clause_selectivity(root, (Node *) restriction, (int) rel->relid, JOIN_INNER, NULL);
	}
	return costs;
}

/* The cost per row if a fraction passes, without hashing, which is not part of the cost of a sequential scan either. */
static double
cost_by_pages(const ScanCosts *costs, double passing)
{
	return PRICE_REJECTED_ROW * cpu_tuple_cost + costs->probes_by_pages +
		passing * ((1.0 - PRICE_REJECTED_ROW) * cpu_tuple_cost + costs->others);
}

/*
 * In a sequential scan, a row that fails a cheap condition is not probed. The planner does not charge less for it, but if few
 * other rows are left, the sequential scan is faster.
 *
 * The fraction of rows that pass a filter is often estimated as 1, below a join that removes the same rows, although the
 * filter rejects them.
 */
static bool
filter_scan_pays(const ScanCosts *costs)
{
	return costs->count > 0 && cost_by_pages(costs, Min(costs->passing, USUAL_PASSING)) + costs->hashing <
		cpu_tuple_cost + costs->before + costs->reaching * (costs->probes + costs->hashing);
}

/* The number of processes among which the planner divides the rows of a parallel scan (as in costsize.c). */
static double
scan_participants(const Path *path)
{
	double		leader = 1.0 - 0.3 * path->parallel_workers;

	if (path->parallel_workers == 0)
		return 1.0;
	return path->parallel_workers + (parallel_leader_participation && leader > 0.0 ? leader : 0.0);
}

/*
 * The number of rows that a scan is expected to read until a LIMIT ends it, at most INT_MAX; 0: not known. A limit applies to
 * the rows of the scan only if no other table, and no sorting, is in between.
 */
static int
rows_until_limit(const PlannerInfo *root, const RelOptInfo *rel)
{
	if (root->limit_tuples < 0.0 || root->parse->sortClause != NIL || rel->rows <= 0.0 ||
		bms_membership(root->all_baserels) != BMS_SINGLETON)
		return 0;
	return (int) Min(ceil(root->limit_tuples * rel->tuples / rel->rows), (double) INT_MAX);
}

static Plan *
plan_filter_scan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *output, List *restrictions,
				 List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);
	FilterScanPlan *private = plan_struct_create(FilterScanPlan);
	ProbeCondition condition;
	ListCell   *cell;

	(void) custom_plans;
	foreach(cell, restrictions)
	{
		RestrictInfo *restriction = lfirst_node(RestrictInfo, cell);

		if (restriction->pseudoconstant)
			continue;
		/* A partitionwise join replaces the conditions that the path was costed with, so they are recognized again. */
		if (is_page_condition(rel, restriction, &condition))
			scan->custom_exprs = lappend(scan->custom_exprs, restriction->clause);
		else
			scan->scan.plan.qual = lappend(scan->scan.plan.qual, restriction->clause);
	}
	private->rows_until_limit = rows_until_limit(root, rel);
	scan->custom_private = list_make1(private);
	scan->scan.plan.targetlist = output;
	scan->scan.scanrelid = rel->relid;
	scan->flags = path->flags;
	scan->methods = &filter_scan_methods;
	shown_plan_add_scan(root, scan);
	return &scan->scan.plan;
}

static const CustomPathMethods path_methods = {
	.CustomName = FILTER_SCAN_NAME,
	.PlanCustomPath = plan_filter_scan,
};

bool
filter_scan_is_path(const Path *path)
{
	return IsA(path, CustomPath) && ((const CustomPath *) path)->methods == &path_methods;
}

/* A filter scan in place of a sequential scan, whose path is as the planner creates it. */
static CustomPath *
filter_scan_path(const Path *sequential, const ScanCosts *costs)
{
	CustomPath *path = makeNode(CustomPath);
	double		rows = sequential->parent->tuples / scan_participants(sequential);

	path->path = *sequential;
	path->path.type = T_CustomPath;
	path->path.pathtype = T_CustomScan;
	path->path.total_cost -= rows * (cpu_tuple_cost + costs->probes + costs->others - cost_by_pages(costs, costs->passing));
	path->path.total_cost += costs->filters;
	path->path.total_cost = Max(path->path.total_cost, path->path.startup_cost);
	path->flags = SCAN_FLAGS;
	path->methods = &path_methods;
	return path;
}

bool
filter_scan_is_plan(const Plan *plan)
{
	return IsA(plan, CustomScan) && ((const CustomScan *) plan)->methods == &filter_scan_methods;
}

/* The number follows from the present size of the table, which the query has locked. */
double
scanned_table_rows(const Plan *scan, List *tables)
{
	Relation	table = table_open(rt_fetch(((const Scan *) scan)->scanrelid, tables)->relid, NoLock);
	BlockNumber pages;
	double		rows;
	double		fraction_visible;

	estimate_rel_size(table, NULL, &pages, &rows, &fraction_visible);
	table_close(table, NoLock);
	return rows;
}

static CustomScan *
filter_scan_of(const Scan *sequential)
{
	CustomScan *scan = makeNode(CustomScan);

	scan->scan = *sequential;
	scan->scan.plan.type = T_CustomScan;
	scan->custom_private = list_make1(plan_struct_create(FilterScanPlan));
	scan->custom_relids = bms_make_singleton((int) sequential->scanrelid);
	scan->flags = SCAN_FLAGS;
	scan->methods = &filter_scan_methods;
	return scan;
}

/*
 * Whether the scan's own conditions come first. They do if they cost less than hashing the keys, and leave so few rows that it
 * pays not to hash all rows of a page at a time.
 */
static bool
conditions_come_first(const Plan *scan, double rows, const List *keys)
{
	Cost		hashing = join_keys_hash_operators(keys) * cpu_operator_cost;
	QualCost	conditions;

	cost_qual_eval(&conditions, scan->qual, NULL);
	return scan->qual != NIL && hashing * (1 - Min(scan->plan_rows / Max(rows, 1), 1)) > conditions.per_tuple;
}

void
filter_scan_add_probe(Plan **scan, double rows, RuntimeProbePlan *probe)
{
	FilterScanPlan *private;

	if (!filter_scan_is_plan(*scan))
		*scan = (Plan *) filter_scan_of((const Scan *) *scan);
	private = linitial(((CustomScan *) *scan)->custom_private);
	if (conditions_come_first(*scan, rows, probe->keys))
		private->late_probes = lappend(private->late_probes, copyObject(probe));
	else
		private->probes = lappend(private->probes, copyObject(probe));
}

double
join_keys_hash_operators(const List *keys)
{
	double		operators = 0;
	ListCell   *cell;

	foreach(cell, keys)
	{
		const JoinKey *key = lfirst(cell);

		if (OidIsValid(key->cast) || get_typlen(exprType((Node *) key->value)) < 0)
			operators += PRICE_HASH;
	}
	return operators;
}

static void
add_scan(PlannerInfo *root, const Path *sequential, const List *conditions, void (*add) (RelOptInfo *rel, Path *path))
{
	ScanCosts	costs = scan_costs(root, sequential, conditions);

	if (filter_scan_pays(&costs))
		add(sequential->parent, &filter_scan_path(sequential, &costs)->path);
}

/*
 * Offer a scan that is repeated for each row of outer tables. The sequential scan in its place is copied from the one without
 * them. If that is disabled, by whoever, the copy is, too.
 */
static void
add_repeated_scan(PlannerInfo *root, const Path *whole, const List *conditions, Relids outer)
{
	Path		path = *whole;
	QualCost	cost,
				cost_of_whole;

	path.param_info = get_baserel_parampathinfo(root, path.parent, outer);
	path.rows = path.param_info->ppi_rows;
	cost_qual_eval(&cost, path.param_info->ppi_clauses, root);
	cost_qual_eval(&cost_of_whole, whole->param_info == NULL ? NIL : whole->param_info->ppi_clauses, root);
	path.startup_cost += cost.startup - cost_of_whole.startup;
	path.total_cost += cost.startup - cost_of_whole.startup + path.parent->tuples * (cost.per_tuple - cost_of_whole.per_tuple);
	add_scan(root, &path, conditions, add_path);
}

/* Offer repeated scans for the tables that have the filter of one condition, and for those that have any. */
static void
add_repeated_scans(PlannerInfo *root, const Path *whole, const List *conditions)
{
	RelOptInfo *rel = whole->parent;
	Relids		outer = NULL;
	Relids		all = NULL;
	ListCell   *cell;

	foreach(cell, conditions)
	{
		const RestrictInfo *restriction = ((const PageCondition *) lfirst(cell))->restriction;

		if (list_member_ptr(rel->baserestrictinfo, restriction))
			continue;
		outer = bms_del_member(bms_union(restriction->required_relids, rel->lateral_relids), (int) rel->relid);
		add_repeated_scan(root, whole, conditions, outer);
		all = bms_union(all, outer);
	}
	if (!bms_equal(all, outer))
		add_repeated_scan(root, whole, conditions, all);
}

void
filter_scan_add_paths(PlannerInfo *root, const List *conditions, const Path *whole, const Path *partial)
{
	if (whole != NULL)
	{
		/* add_path frees the path of the list that costs more than a new one, which may be this. */
		Path		copy = *whole;

		add_scan(root, &copy, conditions, add_path);
		add_repeated_scans(root, &copy, conditions);
	}
	if (partial != NULL)
		add_scan(root, partial, conditions, add_partial_path);
}
