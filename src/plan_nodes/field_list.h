/*
 * Fields of a struct as a list of integers, which plans can carry. A struct names them once, as FIELDS(F) F(a) F(b), so what is
 * written and what is read have the same order.
 */
#ifndef FILTER_PLAN_NODES_FIELD_LIST_H
#define FILTER_PLAN_NODES_FIELD_LIST_H

#include "nodes/pg_list.h"

#define APPEND_FIELD(field) list = lappend_int(list, (int) from->field);
#define TAKE_FIELD(field) to->field = list_nth_int(list, index++);

/* Define NAME_to_list and NAME_from_list, of a struct of this type. */
#define FIELD_LIST(name, type, FIELDS) \
static List *name##_to_list(const type *from) { List *list = NIL; FIELDS(APPEND_FIELD) return list; } \
static void name##_from_list(type *to, const List *list) { int index = 0; FIELDS(TAKE_FIELD) }

#endif
