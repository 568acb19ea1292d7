/*
 * A state as bytes, which a worker passes on: the parameters, the kind of the values, and the distinct hashes. The bytes
 * may come from anywhere, since a user can pass any to Citus, so they are checked like a filter from a user.
 */
#include "citus/transfer.h"

#include "libpq/pqformat.h"

#include "core/pause.h"
#include "functions/sql_function.h"
#include "value/kind_name.h"

/* Everything but the hashes takes less: 30 bytes of numbers, and a name of VALUE_KIND_MAX_NAME_BYTES. */
#define OTHER_BYTES 1024

/* More hashes do not fit into one datum. */
#define MAX_HASHES ((MaxAllocSize - OTHER_BYTES) / sizeof(uint64))

HashSet *
transfer_hashes(FilterBuilder *state)
{
	if (state->stream != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("state of an aggregate cannot be handed over, since it has become a filter"),
				 errhint("Call the aggregate without a capacity.")));
	return &state->hashes;
}

/* Append the number of hashes, and the hashes, in steps between which the query can be cancelled. */
static void
append_set(StringInfo to, HashSet *set)
{
	Size		number_at = to->len;
	uint64		appended = 0;
	HashScan	scan;

	pq_sendint64(to, 0);
	hash_scan_begin(&scan, set, HASHES_SORTED);
	while (hash_scan_next(&scan))
	{
		Size		bytes = scan.count * sizeof(uint64);

		appended += scan.count;
		if (appended > MAX_HASHES)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("a process cannot hand over more than %zu distinct values", MAX_HASHES),
					 errhint("Build a filter for each part of the data, and their union, as bf_agg_distributed does.")));
		enlargeStringInfo(to, (int) bytes);
		filter_copy_bytes(to->data + to->len, scan.hashes, bytes);
		to->len += (int) bytes;
	}
	to->data[to->len] = '\0';
	appended = pg_hton64(appended);
	memcpy(to->data + number_at, &appended, sizeof(appended));
}

static bytea *
serialize(FunctionCallInfo fcinfo)
{
	FilterBuilder *builder = (FilterBuilder *) PG_GETARG_POINTER(0);
	StringInfoData to;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate serialize function called in non-aggregate context");
	pq_begintypsend(&to);
	pq_sendbyte(&to, (uint8) builder->type);
	pq_sendfloat8(&to, builder->rate);
	pq_sendint64(&to, builder->capacity);
	pq_sendbyte(&to, (uint8) builder->kind.code);
	pq_sendbyte(&to, builder->kind.sources);
	pq_sendint16(&to, builder->kind.name_length);
	pq_sendbytes(&to, builder->kind.name, builder->kind.name_length);
	append_set(&to, transfer_hashes(builder));
	return pq_endtypsend(&to);
}

pg_noreturn static void
report_state(const char *reason)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("invalid state of an aggregate: %s", reason)));
}

/* Check the parameters by checking an empty filter with them like any filter from a user. */
static void
check_builder(const FilterBuilder *builder)
{
	FilterView	empty;
	struct varlena *datum;
	const char *reason;

	(void) filter_plan(&empty.header, builder->type, builder->rate, 0);
	empty.header.kind = builder->kind;
	datum = filter_allocate(&empty);
	reason = filter_invalid_reason(builder->type, datum);
	if (reason != NULL)
		report_state(reason);
	pfree(datum);
	if (builder->capacity > FILTER_MAX_CAPACITY)
		report_state("its capacity is too large");
}

static FilterBuilder *
deserialize(FunctionCallInfo fcinfo)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	StringInfoData from;
	FilterBuilder *builder;
	int			type;
	double		rate;
	uint64		capacity,
				count;
	ValueKind	kind;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate deserialize function called in non-aggregate context");
	from.data = VARDATA_ANY(bytes);
	from.len = from.maxlen = VARSIZE_ANY_EXHDR(bytes);
	from.cursor = 0;

	type = pq_getmsgbyte(&from);
	if (type != FILTER_BLOOM && type != FILTER_CUCKOO)
		report_state("it has an unknown type");
	rate = pq_getmsgfloat8(&from);
	capacity = (uint64) pq_getmsgint64(&from);
	builder = filter_builder_create(CurrentMemoryContext, (FilterType) type, capacity, rate, NULL);
	kind.code = (ValueKindCode) pq_getmsgbyte(&from);
	kind.sources = (uint8) pq_getmsgbyte(&from);
	kind.name_length = (uint16) pq_getmsgint(&from, 2);
	kind.name = pq_getmsgbytes(&from, kind.name_length);
	filter_builder_set_kind(builder, &kind);
	check_builder(builder);
	count = (uint64) pq_getmsgint64(&from);
	if (count > (uint64) (from.len - from.cursor) / sizeof(uint64))
		report_state("it ends early");
	hash_set_add_all(&builder->hashes, pq_getmsgbytes(&from, (int) (count * sizeof(uint64))), (Size) count);
	pq_getmsgend(&from);
	return builder;
}

SQL_FUNCTION(sql_citus_agg_serialize, PointerGetDatum(serialize(fcinfo)))

SQL_FUNCTION(sql_citus_agg_deserialize, PointerGetDatum(deserialize(fcinfo)))
