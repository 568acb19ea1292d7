/*
 * The keys of joins, in a form that plans can carry.
 */
#include "plan_nodes/join_key.h"

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

/* For each key its value, and six oids, of which the last one is 0 or 1. */

List *
join_keys_to_node(const List *keys)
{
	List	   *node = NIL;
	ListCell   *cell;

	foreach(cell, keys)
	{
		const JoinKey *key = lfirst(cell);
		List	   *oids = list_make5_oid(key->function, key->collation, key->type, key->order, key->cast);

		node = lappend(node, list_make2(copyObject(key->value), lappend_oid(oids, (Oid) key->by_integer)));
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
		const List *oids = lsecond(lfirst(cell));
		JoinKey    *key = join_key_create(linitial(lfirst(cell)), linitial_oid(oids), lsecond_oid(oids), llast_oid(oids) != 0);

		key->type = lthird_oid(oids);
		key->order = lfourth_oid(oids);
		key->cast = list_nth_oid(oids, 4);
		keys = lappend(keys, key);
	}
	return keys;
}
