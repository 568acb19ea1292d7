/*
 * A filter knows the kind of its values, but not the type in which they came. The text of an untyped value is therefore read
 * as each type that the kind can have come from, and the filter contains the value if it contains one of these readings. Text
 * that could mean something else to the user than to the filter, such as a list where one value is expected, is an error.
 */
#include "value/literal.h"

#include "catalog/pg_type.h"
#include "parser/parse_coerce.h"
#include "parser/scansup.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include <math.h>

#include "core/hash.h"
#include "value/hasher.h"
#include "value/kind_name.h"
#include "value/known_function.h"

/* How to read a literal as a type of value_scalars. hasher is null until first used. */
typedef struct Reading
{
	ValueKind	kind;			/* of the filters; a named one of text under some collations and in some encodings */
	ValueHasher *hasher;
	FmgrInfo	input;
	Oid			input_parameter;
} Reading;

struct LiteralReader
{
	Oid			collation;
	bool		is_element;
	MemoryContext context;
	Reading		reading[VALUE_SCALARS];
};

static Reading *
get_reading(LiteralReader *reader, int number)
{
	Reading    *reading = &reader->reading[number];
	bool		is_label = value_scalars[number].code == VALUE_KIND_ENUM;
	Oid			type = is_label ? TEXTOID : value_scalars[number].type;
	bool		is_collated;
	ValueHasher *hasher;
	Oid			input;

	if (reading->hasher != NULL)
		return reading;
	/* Labels are compared by their bytes. */
	is_collated = !is_label && OidIsValid(get_typcollation(type));
	hasher = value_hasher_create(type, is_collated ? reader->collation : InvalidOid, reader->context);
	reading->kind = is_label ? value_kind_of_characters(VALUE_KIND_ENUM, reader->context) : hasher->kind;
	getTypeInputInfo(type, &input, &reading->input_parameter);
	fmgr_info_cxt(input, &reading->input, reader->context);
	reading->hasher = hasher;
	return reading;
}

LiteralReader *
literal_reader_create(Oid collation, bool is_element, MemoryContext context)
{
	LiteralReader *reader = MemoryContextAllocZero(context, sizeof(LiteralReader));

	reader->collation = collation;
	reader->is_element = is_element;
	reader->context = context;
	return reader;
}

/* The first type, from a number on, that a filter's kind can have come from; VALUE_SCALARS if there is none. */
static int
next_reading(LiteralReader *reader, const ValueKind *kind, int number)
{
	while (number < VALUE_SCALARS &&
		   (!value_scalars[number].can_be_untyped ||
			(kind->code != value_scalars[number].code && kind->code != VALUE_KIND_NAMED) ||
			!value_kinds_equal(kind, &get_reading(reader, number)->kind)))
		number++;
	return number;
}

static const ValueKind *
kind_of_text(LiteralReader *reader, Oid type)
{
	return &get_reading(reader, (int) (value_scalar_of_type(type) - value_scalars))->kind;
}

/* Report that a cast is missing; or, if the cast would be to text or bpchar, how the kinds of text differ. */
static void
report_unreadable(LiteralReader *reader, const ValueKind *kind)
{
	const char *cast = value_kind_cast(kind);

	cast = pnstrdup(cast, strcspn(cast, " "));
	if (strcmp(cast, "text") == 0)
		value_kind_check_in_full(kind, kind_of_text(reader, TEXTOID));
	if (strcmp(cast, "bpchar") == 0 || strcmp(cast, "character") == 0)
		value_kind_check_in_full(kind, kind_of_text(reader, BPCHAROID));
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("filter holds values of kind %s, which cannot be given untyped", value_kind_display(kind)),
			 errhint("Cast the value to its type, as in '...'::%s.", cast)));
}

static const char *
skip_space(const char *at)
{
	while (scanner_isspace(*at))
		at++;
	return at;
}

/* Whether a text begins and ends as an array literal does, such as {a,"b c"} or [0:1]={a,b}. JSON objects do, too. */
static bool
looks_like_list(const char *characters)
{
	const char *first = skip_space(characters);
	const char *end = first + strlen(first);

	while (end > first && scanner_isspace(end[-1]))
		end--;
	return end > first && (*first == '{' || *first == '[') && end[-1] == '}';
}

static bool
is_uuid_in_braces(const char *characters)
{
	return strlen(characters) >= 34 && strspn(characters, "{}-0123456789abcdefABCDEF") == strlen(characters);
}

/* Raise an error if a literal for one value is a list. */
static void
refuse_list(ValueKindCode code, const char *characters)
{
	if ((code == VALUE_KIND_UUID && is_uuid_in_braces(characters)) || !looks_like_list(characters))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("an untyped value looks like a list: \"%s\"", characters),
			 errdetail("The function takes one value."),
			 errhint("%s If this is one value, cast it in the query, as in '...'::text or $1::text.", VALUE_LIST_HINT)));
}

/* Whether a number is within the range of real. If not, the input function of real raises an error. */
static bool
fits_real(const char *characters)
{
	double		number = DatumGetFloat8(DirectFunctionCall1(float8in, CStringGetDatum(characters)));

	return isinf(number) || (!isinf((float) number) && ((float) number != 0.0f || number == 0.0));
}

int
literal_reader_read(LiteralReader *reader, const ValueKind *kind, Datum literal, uint64 hashes[LITERAL_MAX_READINGS])
{
	int			first = next_reading(reader, kind, 0);
	char	   *characters = TextDatumGetCString(literal);
	int			count = 0;

	/* The text of an array, a row, or a value of another named kind may look like a list, and gets the error of such kinds. */
	if (!reader->is_element && (first < VALUE_SCALARS || kind->code != VALUE_KIND_NAMED))
		refuse_list(kind->code, characters);
	if (kind->code == VALUE_KIND_NONE)
		return 0;
	if (first == VALUE_SCALARS)
		report_unreadable(reader, kind);
	for (int i = first; i < VALUE_SCALARS; i = next_reading(reader, kind, i + 1))
	{
		Reading    *reading = get_reading(reader, i);
		uint64		hash;
		bool		is_new = true;

		if (kind->sources != 0 && (kind->sources & reading->hasher->kind.sources) == 0)
			continue;
		if (value_scalars[i].type == FLOAT4OID && kind->sources != VALUE_FROM_FLOAT4 && !fits_real(characters))
			continue;
		hash = filter_mix(value_hash(reading->hasher, InputFunctionCall(&reading->input, characters,
																		reading->input_parameter, -1)));
		for (int j = 0; j < count; j++)
			is_new = is_new && hashes[j] != hash;
		if (is_new)
			hashes[count++] = hash;
	}
	pfree(characters);
	return count;
}

uint64
literal_reader_read_one(LiteralReader *reader, const ValueKind *kind, Datum literal)
{
	uint64		hashes[LITERAL_MAX_READINGS];
	int			count = literal_reader_read(reader, kind, literal, hashes);

	if (count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_DATATYPE),
				 errmsg("could not determine the type of an untyped value"),
				 errdetail("The filter does not hold values of any kind yet."),
				 errhint("Cast the value, as in '...'::text or '{...}'::text[], or create the filter for a type, as in bf_create(1000, of => 'text').")));
	if (count > 1)
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_DATATYPE),
				 errmsg("could not determine the type of an untyped value"),
				 errdetail("The filter holds values of several types, which read it as different values."),
				 kind->code == VALUE_KIND_FLOAT ? errhint("Cast the value, as in '...'::double precision or '...'::real.") :
				 errhint("Cast the value, as in '...'::text or '...'::name.")));
	return hashes[0];
}

void
literal_check_source(Oid type, Oid literal_type)
{
	Oid			base = getBaseType(type);
	Oid			element = get_element_type(base);
	Oid			function;

	/* int2vector and oidvector have elements, but are not written as arrays. */
	if (OidIsValid(element) && get_array_type(element) == base)
		base = getBaseType(element);
	if (type_is_enum(base) ||
		(find_coercion_pathway(literal_type, base, COERCION_ASSIGNMENT, &function) == COERCION_PATH_FUNC &&
		 is_known_function(function, sql_filter_literal_from)))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
	/* The planner may have converted a constant to cstring already. */
			 type == CSTRINGOID ? errmsg("the value cannot be given to an untyped parameter") :
			 errmsg("a value of type %s cannot be given to an untyped parameter", format_type_be(type)),
			 errdetail("Its text can depend on settings, or mean another value to the filter."),
			 errhint("Specify the type of the parameter in the query, as in $1::%s.",
					 type == CSTRINGOID ? "real" : format_type_be(type))));
}

int
literal_elements(Datum literal, Datum **elements, bool **nulls)
{
	char	   *characters = TextDatumGetCString(literal);
	const char *start = skip_space(characters);
	Oid			input;
	Oid			element_type;
	Datum		array;
	int			count;

	if (*start != '{' && *start != '[')
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("malformed array literal: \"%s\"", characters),
				 errdetail("Array value must start with \"{\" or dimension information."),
				 errhint("Write an array as '{a,b}' or ARRAY['a', 'b'], or call the function for a single value, such as bf_add or cf_contains.")));
	getTypeInputInfo(TEXTARRAYOID, &input, &element_type);
	array = OidInputFunctionCall(input, characters, element_type, -1);
	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false, TYPALIGN_INT, elements, nulls, &count);
	pfree(characters);
	return count;
}
