/*
 * The names of value kinds, for users and for the image, and the errors about different kinds.
 */
#ifndef FILTER_VALUE_KIND_NAME_H
#define FILTER_VALUE_KIND_NAME_H

#include "postgres.h"

#include "core/value_kind.h"

/* The kind's name for users, palloc'd or constant. */
extern const char *value_kind_display(const ValueKind *kind);

/* The hint for a list where one value is expected. */
#define VALUE_LIST_HINT \
	"For a list of values, call bf_add_all, bf_contains_any, bf_contains_all, cf_add_all, cf_delete_all, cf_contains_any or cf_contains_all."

/* A type of the kind, for the cast in hints. */
extern const char *value_kind_cast(const ValueKind *kind);

/*
 * A kind whose canonical bytes depend on the encoding of the database: text, or enums, whose labels are text. In a database
 * whose text is not comparable with others', it is named after the encoding; the name lives in the context.
 */
extern ValueKind value_kind_of_characters(ValueKindCode code, MemoryContext context);

/*
 * The kind of a type that is hashed by its hash operator class; or, if `text` is the kind of text and not VALUE_KIND_NONE, of
 * text under a nondeterministic collation. Its name contains everything that PostgreSQL's hash functions depend on, so that
 * the kind differs wherever the hashes would. is_short: the type's hash function returns 32 bits.
 */
extern ValueKind value_kind_of_type(Oid type, ValueKindCode text, Oid collation, bool is_short, MemoryContext context);

/*
 * A VALUE_KIND_NAMED. Its name consists of the qualified names of types (without pg_catalog), palloc'd, and of the names of
 * the kinds of elements and columns. A name longer than VALUE_KIND_MAX_NAME_BYTES is truncated, and ends in a hash of the
 * whole.
 */
extern char *value_kind_type_name(Oid type);
extern ValueKind value_kind_named(const char *name, MemoryContext context);

/* A copy whose name is in the context. */
extern ValueKind value_kind_copy(const ValueKind *kind, MemoryContext context);

/* Error 42804 if the filter has a kind, and the value is of a different one. */
extern void value_kind_check_in_full(const ValueKind *filter, const ValueKind *value);

static inline void
value_kind_check(const ValueKind *filter, const ValueKind *value)
{
	if (unlikely(filter->code != value->code || filter->code == VALUE_KIND_NAMED))
		value_kind_check_in_full(filter, value);
}

/* Error 42804 unless two filters hold values of the same kind. */
extern void value_kinds_check(const ValueKind *a, const ValueKind *b);

#endif
