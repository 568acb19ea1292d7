/*
 * All structs have the same functions to copy, write and read them, which know where the nodes begin.
 *
 * When the library's file is replaced, workers load the new one, while the leader has the old one until its session ends. Each
 * struct is therefore written with the version of the library, and no other version reads it.
 */
#include "plan_nodes/plan_structs.h"

#include "common/hashfn.h"
#include "nodes/readfuncs.h"

/* A hash of the version. */
static uint32 version_hash;

typedef struct PlanStruct
{
	ExtensibleNodeMethods methods;
	Size		nodes;			/* the offset of the first field that is a node */
} PlanStruct;

typedef struct StructFields
{
	char	   *values;
	Size		bytes;
	Node	  **node;
	int			nodes;
} StructFields;

static StructFields
struct_fields(const ExtensibleNode *node)
{
	const PlanStruct *type = (const PlanStruct *) GetExtensibleNodeMethods(node->extnodename, false);

	return (StructFields) {
		.values = (char *) node + sizeof(ExtensibleNode),
		.bytes = type->nodes - sizeof(ExtensibleNode),
		.node = (Node **) ((char *) node + type->nodes),
		.nodes = (int) ((type->methods.node_size - type->nodes) / sizeof(Node *)),
	};
}

static void
struct_copy(ExtensibleNode *to, const ExtensibleNode *from)
{
	StructFields fields = struct_fields(from);
	StructFields copy = struct_fields(to);

	memcpy(copy.values, fields.values, fields.bytes);
	for (int i = 0; i < fields.nodes; i++)
		copy.node[i] = copyObject(fields.node[i]);
}

static void
struct_write(StringInfo text, const ExtensibleNode *node)
{
	StructFields fields = struct_fields(node);

	appendStringInfo(text, " %u ", version_hash);
	outDatum(text, PointerGetDatum(fields.values), (int) fields.bytes, false);
	for (int i = 0; i < fields.nodes; i++)
	{
		appendStringInfoChar(text, ' ');
		outNode(text, fields.node[i]);
	}
}

static void
struct_read(ExtensibleNode *node)
{
	StructFields fields = struct_fields(node);
	int			length;

	if (strtoul(pg_strtok(&length), NULL, 10) != version_hash)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("library \"cuckoo_scan\" was replaced while this session was connected"),
				 errdetail("Parallel workers have loaded another version than this session."),
				 errhint("Reconnect, or set max_parallel_workers_per_gather to 0.")));
	memcpy(fields.values, DatumGetPointer(readDatum(false)), fields.bytes);
	for (int i = 0; i < fields.nodes; i++)
		fields.node[i] = nodeRead(NULL, 0);
}

static bool
struct_equal(const ExtensibleNode *a, const ExtensibleNode *b)
{
	return strcmp(nodeToString(a), nodeToString(b)) == 0;
}

#define PLAN_STRUCT(type, nodes) \
	{{PLAN_STRUCT_NAME(type), sizeof(type), struct_copy, struct_equal, struct_write, struct_read}, nodes}

static const PlanStruct plan_structs[] = {
	PLAN_STRUCT(JoinKey, offsetof(JoinKey, value)),
	PLAN_STRUCT(RuntimeProbeBound, sizeof(RuntimeProbeBound)),
	PLAN_STRUCT(RuntimeProbePlan, offsetof(RuntimeProbePlan, keys)),
	PLAN_STRUCT(FilterScanPlan, offsetof(FilterScanPlan, probes)),
	PLAN_STRUCT(RuntimeFilterPlan, offsetof(RuntimeFilterPlan, keys)),
	PLAN_STRUCT(ChosenFilterPlan, offsetof(ChosenFilterPlan, clauses)),
};

void
plan_structs_init(const char *version)
{
	version_hash = hash_bytes((const unsigned char *) version, (int) strlen(version));
	for (int i = 0; i < (int) lengthof(plan_structs); i++)
		RegisterExtensibleNodeMethods(&plan_structs[i].methods);
}

ExtensibleNode *
plan_struct_create_named(const char *name)
{
	const ExtensibleNodeMethods *methods = GetExtensibleNodeMethods(name, false);
	ExtensibleNode *node = (ExtensibleNode *) newNode(methods->node_size, T_ExtensibleNode);

	node->extnodename = methods->extnodename;
	return node;
}

JoinKey *
join_key_create(Expr *value, Oid function, Oid collation, bool by_integer)
{
	JoinKey    *key = plan_struct_create(JoinKey);

	key->value = value;
	key->function = function;
	key->collation = collation;
	key->by_integer = by_integer;
	return key;
}

List *
join_key_values(const List *keys)
{
	List	   *values = NIL;
	ListCell   *cell;

	foreach(cell, keys)
		values = lappend(values, ((JoinKey *) lfirst(cell))->value);
	return values;
}
