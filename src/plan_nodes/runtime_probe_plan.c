/*
 * The probe of a runtime filter in a scan, as a node that can be copied and sent to workers.
 */
#include "plan_nodes/runtime_probe_plan.h"

#include "access/nbtree.h"
#include "utils/lsyscache.h"

static List *
bounds_to_list(const List *bounds)
{
	List	   *list = NIL;
	ListCell   *cell;

	foreach(cell, bounds)
	{
		const RuntimeProbeBound *bound = lfirst(cell);

		list = lappend(list, list_make3_oid((Oid) bound->key, bound->parent, bound->partition));
	}
	return list;
}

static List *
bounds_from_list(const List *list)
{
	List	   *bounds = NIL;
	ListCell   *cell;

	foreach(cell, list)
	{
		const List *oids = lfirst(cell);
		RuntimeProbeBound *bound = palloc(sizeof(RuntimeProbeBound));

		*bound = (RuntimeProbeBound) {(int) linitial_oid(oids), lsecond_oid(oids), lthird_oid(oids)};
		bounds = lappend(bounds, bound);
	}
	return bounds;
}

List *
runtime_probe_to_list(const RuntimeProbePlan *plan)
{
	return list_make3(list_make5_int(plan->number, plan->param, plan->feeds_join, plan->all_or_nothing, plan->late),
					  join_keys_to_node(plan->keys), bounds_to_list(plan->bounds));
}

void
runtime_probe_from_list(RuntimeProbePlan *plan, List *list)
{
	plan->number = linitial_int(linitial(list));
	plan->param = lsecond_int(linitial(list));
	plan->feeds_join = lthird_int(linitial(list)) != 0;
	plan->all_or_nothing = lfourth_int(linitial(list)) != 0;
	plan->late = list_nth_int(linitial(list), 4) != 0;
	plan->keys = join_keys_from_node(lsecond(list));
	plan->bounds = bounds_from_list(lthird(list));
}

Oid
runtime_probe_bound_comparison(PartitionKey partitions, Oid type)
{
	return get_opfamily_proc(partitions->partopfamily[0], partitions->partopcintype[0], type, BTORDER_PROC);
}
