/*
 * The kinds of value a filter can hold. Values of one kind are equal in SQL exactly when their canonical bytes are
 * equal; values of two kinds are never comparable, so a filter remembers its kind and refuses any other.
 *
 * The codes are part of the image format (docs/format.md): never renumber one.
 */
#ifndef FILTER_VALUE_KIND_H
#define FILTER_VALUE_KIND_H

typedef enum ValueKind
{
	VALUE_KIND_NONE = 0,		/* no value was added yet: the first one decides */
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
	VALUE_KIND_NAMED = 13		/* the kind's name stands in the image: arrays, rows, every other type */
} ValueKind;

#define VALUE_KIND_LAST VALUE_KIND_NAMED

/* The longest name of a VALUE_KIND_NAMED, in bytes of printable ASCII. */
#define VALUE_KIND_NAME_MAX 255

#endif
