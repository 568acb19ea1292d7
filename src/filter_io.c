/*
 * Ways in and out: text, binary, and casts from and to bytea. Every way in checks the whole image.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "core/pause.h"
#include "filter_datum.h"

/* Why an image cannot be a value of the type; null if it can. */
static const char *
reason_against(FilterType type, struct varlena *datum)
{
	Filter		filter;
	const char *reason;

	if (filter_open(&filter, (uint8 *) VARDATA(datum), VARSIZE(datum) - VARHDRSZ, &reason) != FILTER_OK)
		return reason;
	if (filter.type != type)
		return type == FILTER_BLOOM ? "it is a cuckoo filter" : "it is a Bloom filter";
	if (filter_check_content(&filter, &reason) != FILTER_OK)
		return reason;
	return NULL;
}

/* Base64 goes in pieces of so many characters, between which the query can be cancelled. */
#define PIECE_CHARACTERS	(1 << 20)
#define PIECE_BYTES			(PIECE_CHARACTERS / 4 * 3)

/* The number of bytes; -1 if it is not base64. */
static int
decode(const char *base64, int length, char *bytes, int room)
{
	int			decoded = 0;

	for (int i = 0; i < length; i += PIECE_CHARACTERS)
	{
		int			piece = Min(length - i, PIECE_CHARACTERS);
		int			piece_bytes = filter_base64_decode(base64 + i, piece, bytes + decoded, room - decoded);

		/* Padding is for the end alone. */
		if (piece_bytes < 0 || (piece < length - i && piece_bytes != PIECE_BYTES))
			return -1;
		decoded += piece_bytes;
		CHECK_FOR_INTERRUPTS();
	}
	return decoded;
}

/* Base64 of so many bytes, terminated. */
static void
encode(const char *bytes, int length, char *base64, int room)
{
	int			written = 0;

	for (int i = 0; i < length; i += PIECE_BYTES)
	{
		int			piece = filter_base64_encode(bytes + i, Min(length - i, PIECE_BYTES), base64 + written,
												 room - written);

		if (piece < 0)
			elog(ERROR, "could not encode a filter of %d bytes", length);
		written += piece;
		CHECK_FOR_INTERRUPTS();
	}
	base64[written] = '\0';
}

static Datum
text_in(FunctionCallInfo fcinfo, FilterType type)
{
	char	   *base64 = PG_GETARG_CSTRING(0);
	Size		length = strlen(base64);
	Size		room = length / 4 * 3 + 3;
	struct varlena *datum = palloc(VARHDRSZ + room);
	int			bytes = decode(base64, (int) length, VARDATA(datum), (int) room);
	const char *reason;

	if (bytes < 0)
		reason = "it is not base64";
	else
	{
		SET_VARSIZE(datum, VARHDRSZ + bytes);
		reason = reason_against(type, datum);
	}
	if (reason != NULL)
		ereturn(fcinfo->context, (Datum) 0,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s", filter_type_name(type)),
				 errdetail("The text is no filter: %s.", reason),
				 errhint("The text form of a filter is the base64 of its image, as a query or a dump prints it.")));
	PG_RETURN_POINTER(datum);
}

static Datum
binary_in(FilterType type, const char *bytes, Size length)
{
	struct varlena *datum = palloc(VARHDRSZ + length);
	const char *reason;

	SET_VARSIZE(datum, VARHDRSZ + length);
	filter_copy_bytes(VARDATA(datum), bytes, length);
	reason = reason_against(type, datum);
	if (reason != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("invalid binary image for type %s", filter_type_name(type)),
				 errdetail("The bytes are no filter: %s.", reason),
				 errhint("Pass on the bytes of a filter unchanged; docs/format.md describes them.")));
	PG_RETURN_POINTER(datum);
}

static Datum
receive(FunctionCallInfo fcinfo, FilterType type)
{
	StringInfo	message = (StringInfo) PG_GETARG_POINTER(0);
	int			length = message->len - message->cursor;

	return binary_in(type, pq_getmsgbytes(message, length), length);
}

static Datum
from_bytea(FunctionCallInfo fcinfo, FilterType type)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);

	return binary_in(type, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
}

PG_FUNCTION_INFO_V1(sql_bloom_in);
Datum
sql_bloom_in(PG_FUNCTION_ARGS)
{
	return text_in(fcinfo, FILTER_BLOOM);
}

PG_FUNCTION_INFO_V1(sql_cuckoo_in);
Datum
sql_cuckoo_in(PG_FUNCTION_ARGS)
{
	return text_in(fcinfo, FILTER_CUCKOO);
}

PG_FUNCTION_INFO_V1(sql_bloom_recv);
Datum
sql_bloom_recv(PG_FUNCTION_ARGS)
{
	return receive(fcinfo, FILTER_BLOOM);
}

PG_FUNCTION_INFO_V1(sql_cuckoo_recv);
Datum
sql_cuckoo_recv(PG_FUNCTION_ARGS)
{
	return receive(fcinfo, FILTER_CUCKOO);
}

PG_FUNCTION_INFO_V1(sql_bloom_from_bytea);
Datum
sql_bloom_from_bytea(PG_FUNCTION_ARGS)
{
	return from_bytea(fcinfo, FILTER_BLOOM);
}

PG_FUNCTION_INFO_V1(sql_cuckoo_from_bytea);
Datum
sql_cuckoo_from_bytea(PG_FUNCTION_ARGS)
{
	return from_bytea(fcinfo, FILTER_CUCKOO);
}

/* Out, send and the cast to bytea hand out the image as it is stored, which was checked on its way in. */

PG_FUNCTION_INFO_V1(sql_filter_out);
Datum
sql_filter_out(PG_FUNCTION_ARGS)
{
	bytea	   *image = PG_GETARG_BYTEA_PP(0);
	int			length = VARSIZE_ANY_EXHDR(image);
	int			room = pg_b64_enc_len(length);
	char	   *base64 = palloc((Size) room + 1);

	encode(VARDATA_ANY(image), length, base64, room);
	PG_RETURN_CSTRING(base64);
}

PG_FUNCTION_INFO_V1(sql_filter_send);
Datum
sql_filter_send(PG_FUNCTION_ARGS)
{
	PG_RETURN_BYTEA_P(filter_detoast_copy(PG_GETARG_DATUM(0)));
}

/*
 * An untyped parameter comes as text, which is then read as the type that the filter holds. In binary format nothing says
 * what the bytes are: taken for text they would be another value.
 */
PG_FUNCTION_INFO_V1(sql_filter_literal_recv);
Datum
sql_filter_literal_recv(PG_FUNCTION_ARGS)
{
	ereport(ERROR,
			(errcode(ERRCODE_INDETERMINATE_DATATYPE),
			 errmsg("an untyped value cannot be read in binary format"),
			 errhint("Give the parameter a type, as in $1::bytea, or send it as text.")));
	PG_RETURN_NULL();
}
