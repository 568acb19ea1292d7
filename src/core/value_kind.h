/*
 * The kinds of value that a filter can hold. Values of one kind are equal in SQL exactly when their canonical bytes are equal.
 * Values of different kinds are not comparable, except integers and numeric, so a filter rejects any kind but its own.
 *
 * The codes and the sources are part of the image format (docs/format.md): never renumber one.
 */
#ifndef FILTER_VALUE_KIND_H
#define FILTER_VALUE_KIND_H

#include <stdbool.h>
#include <stdint.h>

typedef enum ValueKindCode
{
	VALUE_KIND_NONE = 0,		/* no value has been added yet: the first one determines the kind */
	VALUE_KIND_INTEGER = 1,
	VALUE_KIND_TEXT = 2,		/* under a deterministic collation */
	VALUE_KIND_BYTEA = 3,
	VALUE_KIND_UUID = 4,
	VALUE_KIND_BOOLEAN = 5,
	VALUE_KIND_DATE = 6,
	VALUE_KIND_TIME = 7,
	VALUE_KIND_TIMESTAMP = 8,
	VALUE_KIND_TIMESTAMPTZ = 9,
	VALUE_KIND_FLOAT = 10,
	VALUE_KIND_NUMERIC = 11,
	VALUE_KIND_ENUM = 12,		/* by label */
	VALUE_KIND_NAMED = 13,		/* the kind's name is in the image: arrays, rows, every other type */
	VALUE_KIND_CHARACTER = 14	/* char(n) under a deterministic collation */
} ValueKindCode;

#define VALUE_KIND_LAST VALUE_KIND_CHARACTER

/* The longest name of a VALUE_KIND_NAMED, in bytes of printable ASCII. */
#define VALUE_KIND_MAX_NAME_BYTES 255

/*
 * The SQL types that the values of a filter came from, for kinds whose types read the same characters as different
 * values: '0.1' is a different number as real than as double precision, and name truncates to 63 bytes. An untyped
 * value is read as each of these types. No bit set means any of them.
 */
#define VALUE_FROM_TEXT		1	/* text, varchar */
#define VALUE_FROM_NAME		2

#define VALUE_FROM_FLOAT8	1
#define VALUE_FROM_FLOAT4	2

typedef struct ValueKind
{
	ValueKindCode code;
	uint8_t		sources;		/* VALUE_FROM_*; not part of what makes two kinds equal */
	uint16_t	name_length;	/* 0 except for VALUE_KIND_NAMED */
	const char *name;			/* not terminated, not owned */
} ValueKind;

/* Whether values of two kinds are comparable. */
extern bool value_kinds_equal(const ValueKind *a, const ValueKind *b);

/*
 * Whether values of two different kinds are nevertheless comparable: integers and numeric. Equal values have equal
 * hashes.
 */
extern bool value_kinds_exact_numbers(const ValueKind *a, const ValueKind *b);

/* Whether filters of these kinds hold, or will hold, comparable values: VALUE_KIND_NONE fits any kind. */
extern bool value_kinds_fit(const ValueKind *a, const ValueKind *b);

/* The sources that a kind can have; 0 for a kind whose types all read characters the same way. */
extern uint8_t value_kind_possible_sources(const ValueKind *kind);

/* The sources of two kinds that fit, combined. If one is VALUE_KIND_NONE, the result is the sources of the other. */
extern uint8_t value_kinds_united_sources(const ValueKind *a, const ValueKind *b);

#endif
