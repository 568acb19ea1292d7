/*
 * The names of value kinds, for users and for the image, and the errors about kinds that differ.
 */
#ifndef FILTER_VALUE_KIND_NAME_H
#define FILTER_VALUE_KIND_NAME_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "core/image.h"
#include "value_hash.h"

/* The kind's name for a user, palloc'd or constant. */
extern const char *value_kind_display(ValueKind kind, const char *name, uint32 name_length);

/* A type to cast to for the filter's kind, for hints. */
extern const char *value_kind_cast(const Filter *filter);

/*
 * Building the name of a VALUE_KIND_NAMED: the qualified name of a type (without pg_catalog); behind it whatever else the
 * hash functions of PostgreSQL go by, so that where they give other hashes it is another kind; the kind of an element or
 * column; then make it the hasher's, cut to VALUE_KIND_NAME_MAX with a hash of the whole.
 */
extern void value_kind_append_type(StringInfo to, Oid type);
extern void value_kind_append_hash_environment(StringInfo to, Oid type, Oid collation);
extern void value_kind_append(StringInfo to, const ValueHasher *hasher);
extern void value_kind_set_name(ValueHasher *hasher, StringInfo name);

/* Error 42804 unless the filter holds values of the kind last hashed, or none yet. */
extern void value_kind_check_in_full(const Filter *filter, const ValueHasher *hasher);

static inline void
value_kind_check(const Filter *filter, const ValueHasher *hasher)
{
	if (unlikely(filter->kind != hasher->kind || filter->kind == VALUE_KIND_NAMED))
		value_kind_check_in_full(filter, hasher);
}

/* Error 42804 unless two filters hold values of one kind. */
extern void value_kinds_check(const Filter *a, const Filter *b);

#endif
