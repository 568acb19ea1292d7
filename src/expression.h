/*
 * What several folders ask of the expressions of a query.
 */
#ifndef FILTER_EXPRESSION_H
#define FILTER_EXPRESSION_H

#include "postgres.h"

#include "nodes/primnodes.h"

/* The node below any casts that change no bytes. */
static inline Node *
node_without_relabel(Node *node)
{
	while (node != NULL && IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return node;
}

/* Whether it is a parameter of the query, as PL/pgSQL variables are, too. */
static inline bool
node_is_parameter(Node *node)
{
	node = node_without_relabel(node);
	return IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN;
}

/* The arguments of a function or operator; NIL for any other node, or none. */
static inline List *
node_arguments(Node *node)
{
	if (node != NULL && IsA(node, FuncExpr))
		return ((FuncExpr *) node)->args;
	return node != NULL && IsA(node, OpExpr) ? ((OpExpr *) node)->args : NIL;
}

#endif
