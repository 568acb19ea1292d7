/*
 * A scan probes with the keys of all rows of a page in steps: recognizing a call, opening the filter, hashing keys, looking up
 * hashes. Each step does what contains does, with the same errors, so a scan may take other rows, or rows in another order,
 * but never gets another answer.
 */
#include "functions/page_probe.h"

#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"

#include "core/hash.h"
#include "estimate/probe_call.h"
#include "expression.h"
#include "probe_api.h"
#include "stored/cache.h"
#include "stored/datum.h"
#include "value/hasher.h"
#include "value/kind_name.h"

struct ProbeState
{
	Oid			type;
	Oid			collation;
	MemoryContext context;
	ValueHasher *hasher;		/* null until there is a key that is not null */
	FilterCache cache;

	/* These describe the open filter. */
	Datum		datum;
	SeenFilter *seen;
	bool		checked;		/* whether the filter is known to be of the keys' kind */
};

static bool
probe_find(ProbeCondition *condition, Node *clause)
{
	Oid			function = IsA(clause, OpExpr) ? get_opcode(((OpExpr *) clause)->opno) :
		IsA(clause, FuncExpr) ? ((FuncExpr *) clause)->funcid : InvalidOid;
	List	   *args = node_arguments(clause);
	ProbeCall	probe;
	Node	   *filter;
	Var		   *column;

	condition->collation = exprInputCollation(clause);
	if (!probe_call_init(&probe, NULL, function, condition->collation, args, 0))
		return false;
	column = (Var *) probe.value;
	/* By a cast, a column may have become an untyped literal, which is read in a different way. */
	if (!IsA(column, Var) || column->varlevelsup != 0 || column->varattno <= 0 || !probe_call_value_is_typed(&probe))
		return false;
	filter = list_nth(args, probe.filter_argument);
	condition->filter = (Expr *) filter;
	condition->table = column->varno;
	condition->column = column->varattno;
	condition->type = exprType(list_nth(args, 1 - probe.filter_argument));
	condition->hashes_many = value_scalar_hashes_many(condition->type);
	/* Rows that another condition discards, or that a LIMIT never reaches, are hashed, too, so hashing must not fail. */
	if (value_text_is_converted() && !value_scalar_never_fails(condition->type, condition->collation))
		return false;
	/* The filter must have one value during the scan. */
	return !bms_is_member(column->varno, pull_varnos(NULL, filter)) && !contain_volatile_functions(filter) &&
		!contain_subplans(filter);
}

static ProbeState *
probe_create(const ProbeCondition *condition)
{
	ProbeState *state = palloc0(sizeof(ProbeState));

	state->type = condition->type;
	state->collation = condition->collation;
	state->context = CurrentMemoryContext;
	filter_cache_init(&state->cache, CurrentMemoryContext);
	return state;
}

static void
probe_open(ProbeState *state, Datum filter)
{
	struct varlena *stored = (struct varlena *) DatumGetPointer(filter);

	/* The cache uses any other filter in place. */
	if (!VARATT_IS_EXTERNAL_ONDISK(stored))
		filter = PointerGetDatum(filter_detoast(filter));
	state->datum = filter;
	state->seen = filter_cache_find(&state->cache, filter);
	state->checked = false;
}

/* Create the hasher, and compare its kind with the filter's. */
static void
probe_check_kinds(ProbeState *state)
{
	const ValueKind *kind = &state->seen->filter.header.kind;

	if (state->hasher == NULL)
		state->hasher = value_hasher_create(state->type, state->collation, state->context);
	if (!value_kinds_exact_numbers(kind, &state->hasher->kind))
		value_kind_check(kind, &state->hasher->kind);
	state->checked = true;
}

static void
probe_hash(ProbeState *state, const Datum *keys, int count, uint64 *hashes)
{
	if (unlikely(!state->checked) && count > 0)
		probe_check_kinds(state);
	for (int i = 0; i < count; i++)
	{
		if (state->hasher->hash_many != NULL)
			i += state->hasher->hash_many(keys + i, count - i, hashes + i);
		if (i == count)
			break;
		hashes[i] = value_hash(state->hasher, keys[i]);
		/* Hashing this key took memory, for example to decompress it. It may be large, and take long. */
		if (unlikely(!CurrentMemoryContext->isReset))
		{
			MemoryContextReset(CurrentMemoryContext);
			CHECK_FOR_INTERRUPTS();
		}
	}
	for (int i = 0; i < count; i++)
		hashes[i] = filter_mix(hashes[i]);
}

static int
probe_contained(ProbeState *state, const uint64 *hashes, int count, uint64 expected, uint32 *index)
{
	int			found = 0;

	filter_cache_expect(&state->cache, state->seen, state->datum, (double) expected, false);
	if (state->seen->filter.image != NULL)
		return (int) filter_contained(&state->seen->filter, hashes, (size_t) count, index);
	/* Only the header of a stored filter has been fetched so far. */
	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		index[found] = (uint32) i;
		found += filter_cache_contains(&state->cache, state->seen, state->datum, hashes[i]);
	}
	MemoryContextReset(CurrentMemoryContext);
	return found;
}

static const ProbeApi page_probe = {
	.version = PROBE_API_VERSION,
	.find = probe_find,
	.create = probe_create,
	.open = probe_open,
	.hash = probe_hash,
	.contained = probe_contained,
};

void
page_probe_init(void)
{
	*find_rendezvous_variable(PROBE_API_VARIABLE) = unconstify(ProbeApi *, &page_probe);
}
