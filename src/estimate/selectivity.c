#include "estimate/selectivity.h"

#include <math.h>

#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "core/hash.h"
#include "estimate/computed_filter.h"
#include "estimate/joined_key.h"
#include "stored/datum.h"
#include "value/hasher.h"

/* key_joined_fraction of the probed value, if the probe must be true for a row to pass. */
static double
joined_fraction(const Probe *probe, double distinct)
{
	PlannerInfo *root = probe->root;
	int			relation = key_relation(root, pull_varnos(root, probe->value));
	RelOptInfo *rel;

	if (relation == 0)
		return KEY_NOT_JOINED;
	rel = root->simple_rel_array[relation];
	if (!probe_is_required_by(rel->baserestrictinfo, probe->args) && !probe_is_required_by(rel->joininfo, probe->args))
		return KEY_NOT_JOINED;
	return key_joined_fraction(root, probe->value, distinct);
}

/*
 * A constant filter is probed with the values in the column's statistics.
 */

/* Whether hashing the values of a type can never raise an error. */
static bool
is_plain_type(Oid type)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case BYTEAOID:
		case UUIDOID:
		case BOOLOID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
			return true;
		default:
			return false;
	}
}

/* The fraction of a column's values that are in a filter, estimated from the number of distinct values of both. */
typedef struct CountEstimate
{
	double		expected;		/* if the filter's values are spread over the whole table, including all partitions */
	double		most;			/* if all of them are values of this column */
} CountEstimate;

/*
 * The bounds of a histogram, usually a hundred, are a sample of the values: too small for fractions below a percent.
 * So the sample replaces the estimate by count only if that is more than a standard deviation higher.
 */
static double
fraction_of_histogram(const Filter *filter, ValueHasher *hasher, const AttStatsSlot *histogram,
					  const CountEstimate *by_count)
{
	int			contained = 0;

	for (int i = 0; i < histogram->nvalues; i++)
		contained += filter_contains(filter, filter_spread(value_hash(hasher, histogram->values[i])));
	return Min(contained == 0 ? by_count->expected : by_count->most,
			   (contained + sqrt(contained + 1.0)) / histogram->nvalues);
}

/*
 * The fraction of a column's values in a filter, by its statistics; by_count for the values that these do not cover.
 */
static double
fraction_of_column(const Probe *probe, const Filter *filter, VariableStatData *variable, const CountEstimate *by_count)
{
	ValueHasher *hasher;
	AttStatsSlot common,
				histogram;
	double		nulls;
	double		rest;
	double		fraction = 0.0;
	double		fraction_of_rest = by_count->expected;

	if (!HeapTupleIsValid(variable->statsTuple))
		return by_count->expected;
	nulls = ((Form_pg_statistic) GETSTRUCT(variable->statsTuple))->stanullfrac;
	rest = 1.0 - nulls;
	if (!is_plain_type(getBaseType(variable->atttype)) || filter->kind.code == VALUE_KIND_NAMED ||
		!statistic_proc_security_check(variable, probe->function))
		return rest * by_count->expected;

	hasher = value_hasher_create(variable->atttype, probe->collation, CurrentMemoryContext);
	if (hasher->kind.code != filter->kind.code && !value_kinds_exact_numbers(&hasher->kind, &filter->kind))
		return rest * by_count->expected;
	if (get_attstatsslot(&common, variable->statsTuple, STATISTIC_KIND_MCV, InvalidOid,
						 ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS))
	{
		for (int i = 0; i < common.nvalues; i++)
		{
			if (filter_contains(filter, filter_spread(value_hash(hasher, common.values[i]))))
				fraction += common.numbers[i];
			rest -= common.numbers[i];
		}
		free_attstatsslot(&common);
	}
	if (rest <= 0.0)
		return fraction;
	if (get_attstatsslot(&histogram, variable->statsTuple, STATISTIC_KIND_HISTOGRAM, InvalidOid, ATTSTATSSLOT_VALUES))
	{
		fraction_of_rest = fraction_of_histogram(filter, hasher, &histogram, by_count);
		free_attstatsslot(&histogram);
	}
	return fraction + rest * fraction_of_rest;
}

/*
 * The fraction of a column's values in a filter, if all the filter's values are in the column; with false positives.
 */
static double
fraction_by_count(double values, double distinct, double rate)
{
	double		fraction;

	if (values < 0.0 || distinct <= 0.0)
		return DEFAULT_SELECTIVITY;
	fraction = Min(values / distinct, 1.0);
	return fraction + (1.0 - fraction) * rate;
}

/* Find the statistics of the value: for a partition without any, those of the whole table. */
static void
examine_value(const Probe *probe, VariableStatData *variable)
{
	Node	   *whole = key_of_table(probe->root, probe->value);

	examine_variable(probe->root, probe->value, probe->relation, variable);
	if (whole != probe->value && !HeapTupleIsValid(variable->statsTuple))
	{
		ReleaseVariableStats(*variable);
		examine_variable(probe->root, whole, 0, variable);
	}
}

/* The fraction of all rows whose value is in a constant filter. */
static double
fraction_in_constant(const Probe *probe, const Const *constant, VariableStatData *variable, double distinct)
{
	Filter		filter;
	CountEstimate by_count;
	double		values;
	bool		is_default;

	if (constant->constisnull)
		return 0.0;
	filter_view(&filter, constant->constvalue);
	if (filter.kind.code == VALUE_KIND_NONE)
		return 0.0;
	values = filter_cardinality_estimate(&filter);
	by_count.expected = fraction_by_count(values, distinct, filter.rate);
	by_count.most = fraction_by_count(values, get_variable_numdistinct(variable, &is_default), filter.rate);
	by_count.most = is_default ? by_count.expected : Max(by_count.expected, by_count.most);
	return fraction_of_column(probe, &filter, variable, &by_count);
}

static double
null_fraction(const VariableStatData *variable)
{
	return HeapTupleIsValid(variable->statsTuple) ?
		((Form_pg_statistic) GETSTRUCT(variable->statsTuple))->stanullfrac : 0.0;
}

double
probe_selectivity(const Probe *probe)
{
	ComputedFilter filter = computed_filter(probe->root, probe->filter);
	double		distinct = key_distinct(probe->root, probe->value, probe->relation);
	double		joined = joined_fraction(probe, distinct);
	VariableStatData variable;
	double		not_null;		/* the fraction of rows whose value is not null */
	double		fraction;

	examine_value(probe, &variable);
	not_null = 1.0 - null_fraction(&variable);
	if (filter.constant != NULL)
		fraction = fraction_in_constant(probe, filter.constant, &variable, distinct);
	else
		fraction = not_null * fraction_by_count(filter.values, distinct, FILTER_DEFAULT_RATE);
	ReleaseVariableStats(variable);
	if (filter.is_limit)
		fraction = Min(fraction, DEFAULT_SELECTIVITY);

	/* A join removes nulls, too; and the rows that it keeps are in the filter, if that is large enough. */
	if (joined > 0.0 && joined <= 1.0 && not_null > 0.0)
		fraction /= joined * not_null;
	else if (joined <= 0.0 && fraction > 0.0)
		fraction = 1.0;
	CLAMP_PROBABILITY(fraction);
	return fraction;
}
