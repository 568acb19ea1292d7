/*
 * The probe of a runtime filter in a scan, as a node that can be copied and sent to workers.
 */
#include "plan_nodes/runtime_probe_plan.h"

#include "access/nbtree.h"
#include "utils/lsyscache.h"

#include "plan_nodes/field_list.h"

#define BOUND_FIELDS(F) F(key) F(parent) F(partition)
#define PROBE_FIELDS(F) F(number) F(param) F(feeds_join) F(all_or_nothing) F(late)

FIELD_LIST(bound, RuntimeProbeBound, BOUND_FIELDS)
FIELD_LIST(probe, RuntimeProbePlan, PROBE_FIELDS)

static List *
bounds_to_list(const List *bounds)
{
	List	   *list = NIL;
	ListCell   *cell;

	foreach(cell, bounds)
		list = lappend(list, bound_to_list(lfirst(cell)));
	return list;
}

static List *
bounds_from_list(const List *list)
{
	List	   *bounds = NIL;
	ListCell   *cell;

	foreach(cell, list)
	{
		RuntimeProbeBound *bound = palloc(sizeof(RuntimeProbeBound));

		bound_from_list(bound, lfirst(cell));
		bounds = lappend(bounds, bound);
	}
	return bounds;
}

List *
runtime_probe_to_list(const RuntimeProbePlan *plan)
{
	return list_make3(probe_to_list(plan), join_keys_to_node(plan->keys), bounds_to_list(plan->bounds));
}

void
runtime_probe_from_list(RuntimeProbePlan *plan, List *list)
{
	probe_from_list(plan, linitial(list));
	plan->keys = join_keys_from_node(lsecond(list));
	plan->bounds = bounds_from_list(lthird(list));
}

Oid
runtime_probe_bound_comparison(PartitionKey partitions, Oid type)
{
	return get_opfamily_proc(partitions->partopfamily[0], partitions->partopcintype[0], type, BTORDER_PROC);
}
