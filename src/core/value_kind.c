/*
 * The name of a named kind says all that its equality depends on, so names are compared as bytes, and the core need not
 * understand them.
 */
#include "core/value_kind.h"

#include <string.h>

bool
value_kinds_equal(const ValueKind *a, const ValueKind *b)
{
	return a->code == b->code && a->name_length == b->name_length &&
		(a->name_length == 0 || memcmp(a->name, b->name, a->name_length) == 0);
}

bool
value_kinds_exact_numbers(const ValueKind *a, const ValueKind *b)
{
	return (a->code == VALUE_KIND_INTEGER && b->code == VALUE_KIND_NUMERIC) ||
		(a->code == VALUE_KIND_NUMERIC && b->code == VALUE_KIND_INTEGER);
}

bool
value_kinds_fit(const ValueKind *a, const ValueKind *b)
{
	return a->code == VALUE_KIND_NONE || b->code == VALUE_KIND_NONE || value_kinds_equal(a, b);
}

/*
 * Text under a nondeterministic collation, or in an encoding whose text is not comparable with others, has a name that begins
 * with "text".
 */
static bool
is_named_text(const ValueKind *kind)
{
	return kind->code == VALUE_KIND_NAMED && kind->name_length >= 5 && memcmp(kind->name, "text ", 5) == 0;
}

uint8_t
value_kind_possible_sources(const ValueKind *kind)
{
	if (kind->code == VALUE_KIND_TEXT || is_named_text(kind))
		return VALUE_FROM_TEXT | VALUE_FROM_NAME;
	if (kind->code == VALUE_KIND_FLOAT)
		return VALUE_FROM_FLOAT8 | VALUE_FROM_FLOAT4;
	return 0;
}

uint8_t
value_kinds_united_sources(const ValueKind *a, const ValueKind *b)
{
	if (a->code == VALUE_KIND_NONE)
		return b->sources;
	if (b->code == VALUE_KIND_NONE)
		return a->sources;
	return a->sources == 0 || b->sources == 0 ? 0 : a->sources | b->sources;
}
