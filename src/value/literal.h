/*
 * Values without a type: literals and parameters whose type nobody gave. They are read as values of the kind that a filter
 * holds, as each of the types that its values came from.
 */
#ifndef FILTER_VALUE_LITERAL_H
#define FILTER_VALUE_LITERAL_H

#include "postgres.h"

#include "core/value_kind.h"

typedef struct LiteralReader LiteralReader;

/* The most values that a literal can be read as. */
#define LITERAL_MOST_READINGS 3

/*
 * The elements of the literal of an array, each a literal of its own, and their number; palloc'd. Error 22P02 if it is not one.
 */
extern int	literal_elements(Datum literal, Datum **elements, bool **nulls);

/* A reader for text under a collation; it lives in the context. */
extern LiteralReader *literal_reader_create(Oid collation, MemoryContext context);

/*
 * The hashes of the values of a kind that a literal (a datum like text) can be, without repeats, and their number: 0 for
 * VALUE_KIND_NONE. Error 42804 for a kind whose values an untyped literal cannot stand for, because its text form depends on
 * the session or on more than the kind says; and the errors of the type's input function.
 */
extern int	literal_reader_read(LiteralReader *reader, const ValueKind *kind, Datum literal,
								uint64 hashes[LITERAL_MOST_READINGS]);

/* The same where there has to be one. Error 42P18 where there are several, or the kind is VALUE_KIND_NONE. */
extern uint64 literal_reader_read_one(LiteralReader *reader, const ValueKind *kind, Datum literal);

#endif
