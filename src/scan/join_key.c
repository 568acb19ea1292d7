#include "scan/join_key.h"

#include "nodes/pg_list.h"

JoinKey *
join_key_create(Expr *value, Oid function, Oid collation, bool by_integer)
{
	JoinKey    *key = palloc(sizeof(JoinKey));

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

/* The values, and for each of them three oids, of which the last one is 0 or 1. */
List *
join_keys_to_node(const List *keys)
{
	List	   *oids = NIL;
	ListCell   *cell;

	foreach(cell, keys)
	{
		const JoinKey *key = lfirst(cell);

		oids = lappend_oid(oids, key->function);
		oids = lappend_oid(oids, key->collation);
		oids = lappend_oid(oids, (Oid) key->by_integer);
	}
	return list_make2(copyObject(join_key_values(keys)), oids);
}

List *
join_keys_from_node(const List *node)
{
	const List *oids = lsecond(node);
	List	   *keys = NIL;
	ListCell   *cell;
	int			i = 0;

	foreach(cell, (List *) linitial(node))
	{
		keys = lappend(keys, join_key_create(lfirst(cell), list_nth_oid(oids, i), list_nth_oid(oids, i + 1),
											 list_nth_oid(oids, i + 2) != 0));
		i += 3;
	}
	return keys;
}
