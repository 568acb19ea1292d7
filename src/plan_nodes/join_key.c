/*
 * The keys of joins, in a form that plans can carry.
 */
#include "plan_nodes/join_key.h"

#include "plan_nodes/field_list.h"

JoinKey *
join_key_create(Expr *value, Oid function, Oid collation, bool by_integer)
{
	JoinKey    *key = palloc(sizeof(JoinKey));

	key->value = value;
	key->function = function;
	key->collation = collation;
	key->by_integer = by_integer;
	key->cast = key->type = key->order = InvalidOid;
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

#define FIELDS(F) F(function) F(collation) F(type) F(order) F(cast) F(by_integer)

FIELD_LIST(fields, JoinKey, FIELDS)

List *
join_keys_to_node(const List *keys)
{
	List	   *node = NIL;
	ListCell   *cell;

	foreach(cell, keys)
	{
		const JoinKey *key = lfirst(cell);

		node = lappend(node, list_make2(copyObject(key->value), fields_to_list(key)));
	}
	return node;
}

List *
join_keys_from_node(const List *node)
{
	List	   *keys = NIL;
	ListCell   *cell;

	foreach(cell, node)
	{
		JoinKey    *key = palloc(sizeof(JoinKey));

		key->value = linitial(lfirst(cell));
		fields_from_list(key, lsecond(lfirst(cell)));
		keys = lappend(keys, key);
	}
	return keys;
}
