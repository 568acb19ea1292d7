/*
 * The names of value kinds, for users and for the image, and the errors about different kinds.
 */
#ifndef FILTER_VALUE_KIND_NAME_H
#define FILTER_VALUE_KIND_NAME_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "core/value_kind.h"

/* The kind's name for users, palloc'd or constant. */
extern const char *value_kind_display(const ValueKind *kind);

/* What to do with a list in the place of one value. */
#define VALUE_LIST_HINT \
	"For a list of values, call bf_add_all, bf_contains_any, bf_contains_all, cf_add_all, cf_delete_all, cf_contains_any or cf_contains_all."

/* A type of the kind, for the cast in hints. */
extern const char *value_kind_cast(const ValueKind *kind);

/*
 * The kinds of types whose canonical bytes depend on the encoding of the database: text, and enums, whose labels are
 * text. In a database whose encoding value_kind_text_is_unicode() excludes, these are kinds with a name, which lives
 * in the context.
 */
extern ValueKind value_kind_of_text(Oid type, MemoryContext context);
extern ValueKind value_kind_of_enum(MemoryContext context);

/*
 * The kind of a type that is hashed by its hash operator class, or of text (as TEXTOID) under a nondeterministic
 * collation. Its name contains everything that PostgreSQL's hash functions depend on, so that the kind differs
 * wherever the hashes would. is_short: the type's hash function returns 32 bits.
 */
extern ValueKind value_kind_of_type(Oid type, Oid collation, bool is_short, MemoryContext context);

/*
 * Building the name of a VALUE_KIND_NAMED: append the qualified name of a type (without pg_catalog), or the name of
 * the kind of an element or column; then make it a kind. A name longer than VALUE_KIND_MAX_NAME_BYTES is truncated, and
 * ends in a hash of the whole.
 */
extern void value_kind_append_type(StringInfo to, Oid type);
extern void value_kind_append(StringInfo to, const ValueKind *kind);
extern ValueKind value_kind_named(const StringInfoData *name, MemoryContext context);

/* A copy whose name is in the context. */
extern ValueKind value_kind_copy(const ValueKind *kind, MemoryContext context);

/* Whether this database's text has the same canonical bytes in every other database for which this is true. */
extern bool value_kind_text_is_unicode(void);

/* Whether this database's text has to be converted to UTF-8 for its canonical bytes. */
extern bool value_kind_text_is_converted(void);

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
