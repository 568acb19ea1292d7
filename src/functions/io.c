/*
 * Input and output in text and binary format, and casts from and to text and bytea. Every input checks the whole image.
 */
#include "postgres.h"

#include <ctype.h>

#include "common/base64.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/memutils.h"

#include "core/pause.h"
#include "functions/sql_function.h"
#include "estimate/conversion.h"
#include "stored/datum.h"
#include "value/literal.h"

/* Text is converted in pieces of this many characters, between which the query can be cancelled. */
#define PIECE_CHARACTERS	(1 << 20)
#define PIECE_BYTES			(PIECE_CHARACTERS / 4 * 3)

/* A copy without white space, palloc'd. SQL's encode(..., 'base64') breaks lines, and decode(..., 'base64') accepts that. */
static char *
without_space(const char *text, int *length)
{
	char	   *copy = palloc_extended(*length, MCXT_ALLOC_HUGE);
	int			kept = 0;

	for (int i = 0; i < *length; i++)
	{
		if (i % PIECE_CHARACTERS == 0)
			CHECK_FOR_INTERRUPTS();
		copy[kept] = text[i];
		kept += text[i] != '\n' && text[i] != '\r' && text[i] != ' ' && text[i] != '\t';
	}
	*length = kept;
	return copy;
}

/*
 * Whether the end of the text is the canonical encoding of the last bytes. The unused bits of the last character must be 0, or
 * several texts would represent the same filter.
 */
static bool
ends_alike(const char *base64, int length, const char *bytes, int decoded)
{
	int			rest = (decoded + 2) % 3 + 1;
	char		again[8];

	return decoded == 0 ||
		(pg_b64_encode((const void *) (bytes + decoded - rest), rest, again, sizeof(again)) == 4 &&
		 memcmp(again, base64 + length - 4, 4) == 0);
}

/* Decode base64; returns the number of bytes, or -1 if the text is not base64. */
static int
decode_base64(const char *base64, int length, char *bytes, int size)
{
	int			decoded = 0;

	for (int i = 0; i < length; i += PIECE_CHARACTERS)
	{
		int			piece = Min(length - i, PIECE_CHARACTERS);
		int			piece_bytes = pg_b64_decode(base64 + i, piece, (void *) (bytes + decoded), size - decoded);

		/* Padding is allowed only at the end. */
		if (piece_bytes < 0 || (piece < length - i && piece_bytes != PIECE_BYTES))
			return -1;
		decoded += piece_bytes;
		CHECK_FOR_INTERRUPTS();
	}
	return ends_alike(base64, length, bytes, decoded) ? decoded : -1;
}

/*
 * Decode hexadecimal digits; returns as decode_base64. PostgreSQL's function would skip white space, and raise its own error.
 */
static int
decode_hex(const char *digits, int length, char *bytes)
{
	if (length % 2 != 0)
		return -1;
	for (int i = 0, end; i < length; i = end)
	{
		end = i + Min(length - i, PIECE_CHARACTERS);
		for (int at = i; at < end; at++)
			if (!isxdigit((unsigned char) digits[at]))
				return -1;
		(void) hex_decode(digits + i, end - i, bytes + i / 2);
		CHECK_FOR_INTERRUPTS();
	}
	return length / 2;
}

/* Decode base64, or \x and hexadecimal digits; returns the number of bytes, or -1 if the text is neither. */
static int
io_decode(const char *text, int length, char *bytes, int size)
{
	char	   *squeezed;
	int			decoded;

	if (length >= 2 && text[0] == '\\' && text[1] == 'x')
		return decode_hex(text + 2, length - 2, bytes);
	decoded = decode_base64(text, length, bytes, size);
	if (decoded >= 0)
		return decoded;
	squeezed = without_space(text, &length);
	decoded = decode_base64(squeezed, length, bytes, size);
	pfree(squeezed);
	return decoded;
}

/* The filter that a text encodes; a soft error if it encodes none. */
static Datum
read_text(FilterType type, const char *text, Size length, Node *context)
{
	Size		size = length / 4 * 3 + 3;
	struct varlena *datum = palloc(VARHDRSZ + size);
	int			bytes = io_decode(text, (int) length, VARDATA(datum), (int) size);
	const char *reason = "it is neither base64 nor \\x and hexadecimal digits";

	if (bytes >= 0)
	{
		SET_VARSIZE(datum, VARHDRSZ + bytes);
		reason = filter_invalid_reason(type, datum);
	}
	if (reason != NULL)
		ereturn(context, (Datum) 0,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s", filter_type_name(type)),
				 errdetail("The text is not a valid filter: %s.", reason),
				 errhint("In a function call, the filter comes first: %s(filter, value). The text form of a filter is base64, or \\x and hexadecimal digits.",
						 type == FILTER_BLOOM ? "bf_contains" : "cf_contains")));
	return PointerGetDatum(datum);
}

static void
check_image(FilterType type, struct varlena *datum)
{
	const char *reason = filter_invalid_reason(type, datum);

	if (reason != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("invalid binary image for type %s", filter_type_name(type)),
				 errdetail("The bytes are not a valid filter: %s.", reason),
				 errhint("Pass the bytes of a filter unchanged; docs/format.md describes them.")));
}

static Datum
io_receive(FunctionCallInfo fcinfo, FilterType type)
{
	StringInfo	message = (StringInfo) PG_GETARG_POINTER(0);
	int			length = message->len - message->cursor;
	struct varlena *datum = palloc(VARHDRSZ + (Size) length);

	SET_VARSIZE(datum, VARHDRSZ + (Size) length);
	filter_copy_bytes(VARDATA(datum), pq_getmsgbytes(message, length), length);
	check_image(type, datum);
	PG_RETURN_POINTER(datum);
}

/* The bytes are copied only if they are not aligned as a filter must be: copying takes longer than everything else. */
static Datum
convert_bytea(FilterType type, Datum bytes)
{
	struct varlena *datum = PG_DETOAST_DATUM(bytes);

	if (PointerGetDatum(datum) != MAXALIGN(datum))
		datum = filter_copy(datum);
	check_image(type, datum);
	return PointerGetDatum(datum);
}

static Datum
convert_text(FilterType type, Datum base64)
{
	text	   *characters = DatumGetTextPP(base64);
	Datum		filter = read_text(type, VARDATA_ANY(characters), VARSIZE_ANY_EXHDR(characters), NULL);

	if (PointerGetDatum(characters) != base64)
		pfree(characters);
	return filter;
}

/* Convert the argument, once per query if the planner marked it as the same for all rows. */
static Datum
io_convert(FunctionCallInfo fcinfo, FilterType type, Datum (*conversion) (FilterType, Datum))
{
	MemoryContext old;

	if (!conversion_is_of_constant(fcinfo->flinfo->fn_expr))
		return conversion(type, PG_GETARG_DATUM(0));
	if (fcinfo->flinfo->fn_extra == NULL)
	{
		old = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
		fcinfo->flinfo->fn_extra = DatumGetPointer(conversion(type, PG_GETARG_DATUM(0)));
		MemoryContextSwitchTo(old);
	}
	PG_RETURN_POINTER(fcinfo->flinfo->fn_extra);
}

SQL_FUNCTION_OF_EACH_TYPE(in, read_text(type, PG_GETARG_CSTRING(0), strlen(PG_GETARG_CSTRING(0)), fcinfo->context))
SQL_FUNCTION_OF_EACH_TYPE(recv, io_receive(fcinfo, type))
SQL_FUNCTION_OF_EACH_TYPE(from_bytea, io_convert(fcinfo, type, convert_bytea))
SQL_FUNCTION_OF_EACH_TYPE(from_text, io_convert(fcinfo, type, convert_text))

/* Output and the cast to bytea return the stored image, which was checked on input. */

PG_FUNCTION_INFO_V1(sql_filter_out);
Datum
sql_filter_out(PG_FUNCTION_ARGS)
{
	bytea	   *image = PG_GETARG_BYTEA_PP(0);
	int			length = VARSIZE_ANY_EXHDR(image);
	int			size = pg_b64_enc_len(length);
	int			written = 0;
	char	   *base64 = palloc((Size) size + 1);

	for (int i = 0; i < length; i += PIECE_BYTES)
	{
		int			piece = pg_b64_encode((const void *) (VARDATA_ANY(image) + i), Min(length - i, PIECE_BYTES),
										  base64 + written, size - written);

		if (piece < 0)
			elog(ERROR, "could not encode a filter of %d bytes", length);
		written += piece;
		CHECK_FOR_INTERRUPTS();
	}
	base64[written] = '\0';
	PG_RETURN_CSTRING(base64);
}

/*
 * A literal is its text, unchanged. PostgreSQL converts values of any type to a type of the string category, if they are
 * assigned to it, as the arguments of EXECUTE are. That conversion passes itself as the calling expression, and so tells the
 * type of the value.
 *
 * The planner does half of the conversion of a constant whose type has an immutable output function. The type is then lost,
 * and the constant is refused. All other types have casts of their own (sql_filter_literal_from). This function is not
 * immutable, or the planner would do the other half, without the expression.
 */
PG_FUNCTION_INFO_V1(sql_filter_literal_in);
Datum
sql_filter_literal_in(PG_FUNCTION_ARGS)
{
	const Node *call = fcinfo->flinfo->fn_expr;

	if (call != NULL && IsA(call, CoerceViaIO))
		literal_check_source(exprType((const Node *) ((const CoerceViaIO *) call)->arg),
							 ((const CoerceViaIO *) call)->resulttype);
	PG_RETURN_TEXT_P(cstring_to_text(PG_GETARG_CSTRING(0)));
}

/* The literal for a typed value. */
PG_FUNCTION_INFO_V1(sql_filter_literal_from);
Datum
sql_filter_literal_from(PG_FUNCTION_ARGS)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, 0);
	FmgrInfo   *output = fcinfo->flinfo->fn_extra;
	Oid			function;
	bool		is_varlena;

	if (output == NULL)
	{
		if (!OidIsValid(type))
			ereport(ERROR,
					(errcode(ERRCODE_INDETERMINATE_DATATYPE),
					 errmsg("could not determine the type of the value")));
		literal_check_source(type, get_func_rettype(fcinfo->flinfo->fn_oid));
		getTypeOutputInfo(type, &function, &is_varlena);
		output = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(FmgrInfo));
		fmgr_info_cxt(function, output, fcinfo->flinfo->fn_mcxt);
		fcinfo->flinfo->fn_extra = output;
	}
	PG_RETURN_TEXT_P(cstring_to_text(OutputFunctionCall(output, PG_GETARG_DATUM(0))));
}

/*
 * An untyped parameter arrives as text, which is then read as a value of the filter's kind. In binary format the
 * meaning of the bytes is unknown: read as text, they would be a different value.
 */
PG_FUNCTION_INFO_V1(sql_filter_literal_recv);
Datum
sql_filter_literal_recv(PG_FUNCTION_ARGS)
{
	ereport(ERROR,
			(errcode(ERRCODE_INDETERMINATE_DATATYPE),
			 errmsg("an untyped value cannot be read in binary format"),
			 errhint("Cast the parameter to a type, as in $1::bytea, or send it in text format.")));
	PG_RETURN_NULL();
}

/*
 * The result is not detoasted, so that parts of the bytes can be fetched. Only expanded filters are flattened, since functions
 * of bytea do not know them.
 */
PG_FUNCTION_INFO_V1(sql_filter_to_bytea);
Datum
sql_filter_to_bytea(PG_FUNCTION_ARGS)
{
	if (VARATT_IS_EXTERNAL_EXPANDED(PG_GETARG_POINTER(0)))
		PG_RETURN_POINTER(filter_detoast(PG_GETARG_DATUM(0)));
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}
