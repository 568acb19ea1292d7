/*
 * Untyped values: literals and parameters without a declared type. Each is read as a value of the filter's kind, once for
 * every type that the filter's values came from.
 */
#ifndef FILTER_VALUE_LITERAL_H
#define FILTER_VALUE_LITERAL_H

#include "postgres.h"

#include "core/value_kind.h"

typedef struct LiteralReader LiteralReader;

/* The maximum number of values that one literal can be read as. */
#define LITERAL_MAX_READINGS 3

/*
 * Error 42804 unless values of a type may become literals: if it has a cast to the literal type that the extension created, is
 * an enum, or an array of such a type. The text of other values depends on the session, is not exact, or is not what a cast to
 * text returns.
 */
extern void literal_check_source(Oid type, Oid literal_type);

/*
 * Get the elements of an array literal, each a literal itself, palloc'd; returns their number. Error 22P02 for any other text.
 */
extern int	literal_elements(Datum literal, Datum **elements, bool **nulls);

/*
 * A reader for text under a collation; it lives in the context. With is_element, it reads elements of lists. Other literals
 * must not be lists themselves: error 42804.
 */
extern LiteralReader *literal_reader_create(Oid collation, bool is_element, MemoryContext context);

/*
 * Get the distinct hashes of all values of a kind that a literal (a datum like text) can be read as, after filter_mix;
 * returns their number, 0 for VALUE_KIND_NONE. Error 42804 for a kind whose values cannot be written as untyped literals,
 * because their text form depends on the session or on more than the kind; also the errors of the type's input function.
 */
extern int	literal_reader_read(LiteralReader *reader, const ValueKind *kind, Datum literal,
								uint64 hashes[LITERAL_MAX_READINGS]);

/* Get the only hash of a literal. Error 42P18 if there are several, or the kind is VALUE_KIND_NONE. */
extern uint64 literal_reader_read_one(LiteralReader *reader, const ValueKind *kind, Datum literal);

#endif
