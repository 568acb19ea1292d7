/* cuckoo_filter--1.0.sql */

-- complain if the script is sourced in psql, rather than by CREATE EXTENSION
\echo Use "CREATE EXTENSION cuckoo_filter" to load this file. \quit

--
-- Types
--

CREATE TYPE bloomfilter;

CREATE FUNCTION bloomfilter_in(cstring)
RETURNS bloomfilter
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT COST 10000
AS 'MODULE_PATHNAME', 'sql_bloom_in';
COMMENT ON FUNCTION bloomfilter_in(cstring) IS
'reads an image in base64, or as \x and hexadecimal digits';

CREATE FUNCTION bloomfilter_out(bloomfilter)
RETURNS cstring
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_out';
COMMENT ON FUNCTION bloomfilter_out(bloomfilter) IS
'writes the base64 of the image';

CREATE FUNCTION bloomfilter_recv(internal)
RETURNS bloomfilter
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_bloom_recv';
COMMENT ON FUNCTION bloomfilter_recv(internal) IS
'reads an image';

CREATE FUNCTION bloomfilter_send(bloomfilter)
RETURNS bytea
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_send';
COMMENT ON FUNCTION bloomfilter_send(bloomfilter) IS
'writes the image';

CREATE TYPE bloomfilter (
	INPUT = bloomfilter_in,
	OUTPUT = bloomfilter_out,
	RECEIVE = bloomfilter_recv,
	SEND = bloomfilter_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = double,
	STORAGE = external
);
COMMENT ON TYPE bloomfilter IS
'Bloom filter, an approximate set: it contains every value that was added, and a few others by mistake';

CREATE TYPE cuckoofilter;

CREATE FUNCTION cuckoofilter_in(cstring)
RETURNS cuckoofilter
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT COST 10000
AS 'MODULE_PATHNAME', 'sql_cuckoo_in';
COMMENT ON FUNCTION cuckoofilter_in(cstring) IS
'reads an image in base64, or as \x and hexadecimal digits';

CREATE FUNCTION cuckoofilter_out(cuckoofilter)
RETURNS cstring
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_out';
COMMENT ON FUNCTION cuckoofilter_out(cuckoofilter) IS
'writes the base64 of the image';

CREATE FUNCTION cuckoofilter_recv(internal)
RETURNS cuckoofilter
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_cuckoo_recv';
COMMENT ON FUNCTION cuckoofilter_recv(internal) IS
'reads an image';

CREATE FUNCTION cuckoofilter_send(cuckoofilter)
RETURNS bytea
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_send';
COMMENT ON FUNCTION cuckoofilter_send(cuckoofilter) IS
'writes the image';

CREATE TYPE cuckoofilter (
	INPUT = cuckoofilter_in,
	OUTPUT = cuckoofilter_out,
	RECEIVE = cuckoofilter_recv,
	SEND = cuckoofilter_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = double,
	STORAGE = external
);
COMMENT ON TYPE cuckoofilter IS
'cuckoo filter, an approximate set that counts copies and can delete: it contains every value that was added, and a few others by mistake';

-- An untyped literal or parameter. Because it is in the string category and has no implicit casts from other types,
-- only untyped literals and parameters resolve to it. Functions then read it as a value of the filter's kind.

CREATE TYPE filter_literal;

CREATE FUNCTION filter_literal_in(cstring)
RETURNS filter_literal
LANGUAGE C STABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_literal_in';
COMMENT ON FUNCTION filter_literal_in(cstring) IS
'reads an untyped literal, unchanged; rejects values of types whose text may mean another value';

CREATE FUNCTION filter_literal_out(filter_literal)
RETURNS cstring
LANGUAGE internal IMMUTABLE PARALLEL SAFE STRICT
AS 'textout';
COMMENT ON FUNCTION filter_literal_out(filter_literal) IS
'writes the literal, unchanged';

CREATE FUNCTION filter_literal_recv(internal)
RETURNS filter_literal
LANGUAGE C STABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_literal_recv';
COMMENT ON FUNCTION filter_literal_recv(internal) IS
'rejects an untyped parameter in binary format';

CREATE FUNCTION filter_literal_send(filter_literal)
RETURNS bytea
LANGUAGE internal STABLE PARALLEL SAFE STRICT
AS 'textsend';
COMMENT ON FUNCTION filter_literal_send(filter_literal) IS
'writes the literal';

CREATE TYPE filter_literal (
	INPUT = filter_literal_in,
	OUTPUT = filter_literal_out,
	RECEIVE = filter_literal_recv,
	SEND = filter_literal_send,
	INTERNALLENGTH = VARIABLE,
	STORAGE = extended,
	CATEGORY = 'S',
	COLLATABLE = true
);
COMMENT ON TYPE filter_literal IS
'type of untyped literals and parameters, which are read as values of the filter''s kind; you never need to name it';

-- PostgreSQL converts a value of any type to a string if it is assigned to a type of the string category, as EXECUTE does
-- with the parameters of PREPARE. That is refused unless there is one of these casts: for other types, the string
-- depends on the session, is not exactly the value, or is not what a cast to text returns. Arrays of these types are
-- converted, too, and so are enums and their arrays.

CREATE FUNCTION filter_literal_from(value anyelement)
RETURNS filter_literal
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_literal_from';
COMMENT ON FUNCTION filter_literal_from(anyelement) IS
'implementation of the casts to filter_literal';

CREATE CAST (smallint AS filter_literal) WITH FUNCTION filter_literal_from(anyelement) AS ASSIGNMENT;
COMMENT ON CAST (smallint AS filter_literal) IS 'an argument of EXECUTE for an untyped parameter';
CREATE CAST (integer AS filter_literal) WITH FUNCTION filter_literal_from(anyelement) AS ASSIGNMENT;
COMMENT ON CAST (integer AS filter_literal) IS 'an argument of EXECUTE for an untyped parameter';
CREATE CAST (bigint AS filter_literal) WITH FUNCTION filter_literal_from(anyelement) AS ASSIGNMENT;
COMMENT ON CAST (bigint AS filter_literal) IS 'an argument of EXECUTE for an untyped parameter';
CREATE CAST (numeric AS filter_literal) WITH FUNCTION filter_literal_from(anyelement) AS ASSIGNMENT;
COMMENT ON CAST (numeric AS filter_literal) IS 'an argument of EXECUTE for an untyped parameter';
CREATE CAST (text AS filter_literal) WITH FUNCTION filter_literal_from(anyelement) AS ASSIGNMENT;
COMMENT ON CAST (text AS filter_literal) IS 'an argument of EXECUTE for an untyped parameter';
CREATE CAST (varchar AS filter_literal) WITH FUNCTION filter_literal_from(anyelement) AS ASSIGNMENT;
COMMENT ON CAST (varchar AS filter_literal) IS 'an argument of EXECUTE for an untyped parameter';
CREATE CAST (name AS filter_literal) WITH FUNCTION filter_literal_from(anyelement) AS ASSIGNMENT;
COMMENT ON CAST (name AS filter_literal) IS 'an argument of EXECUTE for an untyped parameter';
CREATE CAST (uuid AS filter_literal) WITH FUNCTION filter_literal_from(anyelement) AS ASSIGNMENT;
COMMENT ON CAST (uuid AS filter_literal) IS 'an argument of EXECUTE for an untyped parameter';

-- A parameter has the type of its first use. With these operators bf_contains(filter, $1) AND id = $1 has the same
-- meaning as id = $1 AND bf_contains(filter, $1): an untyped literal is compared as a value of the other argument's
-- type.

CREATE FUNCTION filter_literal_equal_support(internal)
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_literal_equal_support';
COMMENT ON FUNCTION filter_literal_equal_support(internal) IS
'transforms a comparison with an untyped literal into one between two values of the same type';

CREATE FUNCTION filter_literal_equal(smallint, filter_literal)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(smallint, filter_literal) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = smallint, RIGHTARG = filter_literal, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (smallint, filter_literal) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(filter_literal, smallint)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(filter_literal, smallint) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = filter_literal, RIGHTARG = smallint, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (filter_literal, smallint) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(integer, filter_literal)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(integer, filter_literal) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = integer, RIGHTARG = filter_literal, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (integer, filter_literal) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(filter_literal, integer)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(filter_literal, integer) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = filter_literal, RIGHTARG = integer, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (filter_literal, integer) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(bigint, filter_literal)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(bigint, filter_literal) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = bigint, RIGHTARG = filter_literal, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (bigint, filter_literal) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(filter_literal, bigint)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(filter_literal, bigint) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = filter_literal, RIGHTARG = bigint, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (filter_literal, bigint) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(numeric, filter_literal)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(numeric, filter_literal) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = numeric, RIGHTARG = filter_literal, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (numeric, filter_literal) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(filter_literal, numeric)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(filter_literal, numeric) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = filter_literal, RIGHTARG = numeric, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (filter_literal, numeric) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(real, filter_literal)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(real, filter_literal) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = real, RIGHTARG = filter_literal, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (real, filter_literal) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(filter_literal, real)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(filter_literal, real) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = filter_literal, RIGHTARG = real, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (filter_literal, real) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(double precision, filter_literal)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(double precision, filter_literal) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = double precision, RIGHTARG = filter_literal, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (double precision, filter_literal) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(filter_literal, double precision)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(filter_literal, double precision) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = filter_literal, RIGHTARG = double precision, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (filter_literal, double precision) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(text, filter_literal)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(text, filter_literal) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = text, RIGHTARG = filter_literal, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (text, filter_literal) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(filter_literal, text)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(filter_literal, text) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = filter_literal, RIGHTARG = text, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (filter_literal, text) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(character, filter_literal)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(character, filter_literal) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = character, RIGHTARG = filter_literal, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (character, filter_literal) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(filter_literal, character)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(filter_literal, character) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = filter_literal, RIGHTARG = character, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (filter_literal, character) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(name, filter_literal)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(name, filter_literal) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = name, RIGHTARG = filter_literal, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (name, filter_literal) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(filter_literal, name)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(filter_literal, name) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = filter_literal, RIGHTARG = name, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (filter_literal, name) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(bytea, filter_literal)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(bytea, filter_literal) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = bytea, RIGHTARG = filter_literal, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (bytea, filter_literal) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(filter_literal, bytea)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(filter_literal, bytea) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = filter_literal, RIGHTARG = bytea, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (filter_literal, bytea) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(uuid, filter_literal)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(uuid, filter_literal) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = uuid, RIGHTARG = filter_literal, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (uuid, filter_literal) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(filter_literal, uuid)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(filter_literal, uuid) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = filter_literal, RIGHTARG = uuid, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (filter_literal, uuid) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(boolean, filter_literal)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(boolean, filter_literal) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = boolean, RIGHTARG = filter_literal, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (boolean, filter_literal) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(filter_literal, boolean)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(filter_literal, boolean) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = filter_literal, RIGHTARG = boolean, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (filter_literal, boolean) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(date, filter_literal)
RETURNS boolean
LANGUAGE C STABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(date, filter_literal) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = date, RIGHTARG = filter_literal, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (date, filter_literal) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(filter_literal, date)
RETURNS boolean
LANGUAGE C STABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(filter_literal, date) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = filter_literal, RIGHTARG = date, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (filter_literal, date) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(time, filter_literal)
RETURNS boolean
LANGUAGE C STABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(time, filter_literal) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = time, RIGHTARG = filter_literal, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (time, filter_literal) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(filter_literal, time)
RETURNS boolean
LANGUAGE C STABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(filter_literal, time) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = filter_literal, RIGHTARG = time, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (filter_literal, time) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(timestamp, filter_literal)
RETURNS boolean
LANGUAGE C STABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(timestamp, filter_literal) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = timestamp, RIGHTARG = filter_literal, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (timestamp, filter_literal) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(filter_literal, timestamp)
RETURNS boolean
LANGUAGE C STABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(filter_literal, timestamp) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = filter_literal, RIGHTARG = timestamp, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (filter_literal, timestamp) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(timestamptz, filter_literal)
RETURNS boolean
LANGUAGE C STABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(timestamptz, filter_literal) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = timestamptz, RIGHTARG = filter_literal, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (timestamptz, filter_literal) IS
'equal to an untyped parameter, read as a value of this type';

CREATE FUNCTION filter_literal_equal(filter_literal, timestamptz)
RETURNS boolean
LANGUAGE C STABLE PARALLEL SAFE STRICT SUPPORT filter_literal_equal_support
AS 'MODULE_PATHNAME', 'sql_literal_equal';
COMMENT ON FUNCTION filter_literal_equal(filter_literal, timestamptz) IS
'implementation of = operator';
CREATE OPERATOR = (LEFTARG = filter_literal, RIGHTARG = timestamptz, FUNCTION = filter_literal_equal, COMMUTATOR = =,
	RESTRICT = eqsel, JOIN = eqjoinsel);
COMMENT ON OPERATOR = (filter_literal, timestamptz) IS
'equal to an untyped parameter, read as a value of this type';

--
-- Casts from and to bytea, and from text
--

-- Planner support. Not meant to be called.

CREATE FUNCTION filter_conversion_support(internal)
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_conversion_support';
COMMENT ON FUNCTION filter_conversion_support(internal) IS
'planner support for conversions to a filter: cost';

CREATE FUNCTION bloomfilter(bytea)
RETURNS bloomfilter
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT COST 100 SUPPORT filter_conversion_support
AS 'MODULE_PATHNAME', 'sql_bloom_from_bytea';
COMMENT ON FUNCTION bloomfilter(bytea) IS
'checks the bytes of an image and converts them to a Bloom filter';

CREATE FUNCTION bytea(bloomfilter)
RETURNS bytea
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_to_bytea';
COMMENT ON FUNCTION bytea(bloomfilter) IS
'returns the bytes of the image';

CREATE CAST (bytea AS bloomfilter) WITH FUNCTION bloomfilter(bytea) AS ASSIGNMENT;
COMMENT ON CAST (bytea AS bloomfilter) IS 'checks the bytes of an image';
CREATE CAST (bloomfilter AS bytea) WITH FUNCTION bytea(bloomfilter);
COMMENT ON CAST (bloomfilter AS bytea) IS 'returns the bytes of the image';

CREATE FUNCTION bloomfilter(text)
RETURNS bloomfilter
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT COST 10000 SUPPORT filter_conversion_support
AS 'MODULE_PATHNAME', 'sql_bloom_from_text';
COMMENT ON FUNCTION bloomfilter(text) IS
'reads an image in base64, or as \x and hexadecimal digits';

CREATE CAST (text AS bloomfilter) WITH FUNCTION bloomfilter(text);
COMMENT ON CAST (text AS bloomfilter) IS 'reads an image in base64, or as \x and hexadecimal digits';

CREATE FUNCTION cuckoofilter(bytea)
RETURNS cuckoofilter
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT COST 10000 SUPPORT filter_conversion_support
AS 'MODULE_PATHNAME', 'sql_cuckoo_from_bytea';
COMMENT ON FUNCTION cuckoofilter(bytea) IS
'checks the bytes of an image and converts them to a cuckoo filter';

CREATE FUNCTION bytea(cuckoofilter)
RETURNS bytea
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_to_bytea';
COMMENT ON FUNCTION bytea(cuckoofilter) IS
'returns the bytes of the image';

CREATE CAST (bytea AS cuckoofilter) WITH FUNCTION cuckoofilter(bytea) AS ASSIGNMENT;
COMMENT ON CAST (bytea AS cuckoofilter) IS 'checks the bytes of an image';
CREATE CAST (cuckoofilter AS bytea) WITH FUNCTION bytea(cuckoofilter);
COMMENT ON CAST (cuckoofilter AS bytea) IS 'returns the bytes of the image';

CREATE FUNCTION cuckoofilter(text)
RETURNS cuckoofilter
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT COST 10000 SUPPORT filter_conversion_support
AS 'MODULE_PATHNAME', 'sql_cuckoo_from_text';
COMMENT ON FUNCTION cuckoofilter(text) IS
'reads an image in base64, or as \x and hexadecimal digits';

CREATE CAST (text AS cuckoofilter) WITH FUNCTION cuckoofilter(text);
COMMENT ON CAST (text AS cuckoofilter) IS 'reads an image in base64, or as \x and hexadecimal digits';

--
-- Making filters
--

CREATE FUNCTION bf_create(capacity float8, fpr float8 DEFAULT 0.01, of regtype DEFAULT NULL, grow boolean DEFAULT true)
RETURNS bloomfilter
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_bloom_create';
COMMENT ON FUNCTION bf_create(float8, float8, regtype, boolean) IS
'creates an empty Bloom filter for a number of distinct values at a false positive rate; capacity NULL: sized when the first value is added. of is the type of the values; without it, the first value determines the kind. grow false: beyond its capacity the filter keeps its size, and its false positive rate rises';

CREATE FUNCTION cf_create(capacity float8, fpr float8 DEFAULT 0.01, of regtype DEFAULT NULL, grow boolean DEFAULT true)
RETURNS cuckoofilter
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_cuckoo_create';
COMMENT ON FUNCTION cf_create(float8, float8, regtype, boolean) IS
'creates an empty cuckoo filter for a number of distinct values at a false positive rate; capacity NULL: sized when the first value is added. of is the type of the values; without it, the first value determines the kind. grow false: the filter keeps its size, and adding to a full filter is an error';

--
-- Adding
--

-- Allows PL/pgSQL to change variables in place. Not meant to be called.

CREATE FUNCTION filter_change_support(internal)
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_change_support';
COMMENT ON FUNCTION filter_change_support(internal) IS
'allows bf_add, cf_add, cf_delete and similar functions to change PL/pgSQL variables in place';

CREATE FUNCTION bf_add(filter bloomfilter, value anyelement)
RETURNS bloomfilter
LANGUAGE C IMMUTABLE PARALLEL SAFE SUPPORT filter_change_support
AS 'MODULE_PATHNAME', 'sql_add';
COMMENT ON FUNCTION bf_add(bloomfilter, anyelement) IS
'adds a value; beyond its capacity the filter grows. A NULL value leaves the filter unchanged';

CREATE FUNCTION bf_add(filter bloomfilter, value filter_literal)
RETURNS bloomfilter
LANGUAGE C IMMUTABLE PARALLEL SAFE SUPPORT filter_change_support
AS 'MODULE_PATHNAME', 'sql_add';
COMMENT ON FUNCTION bf_add(bloomfilter, filter_literal) IS
'adds a value; beyond its capacity the filter grows. A NULL value leaves the filter unchanged (untyped literal)';

CREATE FUNCTION bf_add_all(filter bloomfilter, "values" anyarray)
RETURNS bloomfilter
LANGUAGE C IMMUTABLE PARALLEL SAFE SUPPORT filter_change_support
AS 'MODULE_PATHNAME', 'sql_add_all';
COMMENT ON FUNCTION bf_add_all(bloomfilter, anyarray) IS
'adds all elements of an array except NULLs';

CREATE FUNCTION bf_add_all(filter bloomfilter, "values" filter_literal)
RETURNS bloomfilter
LANGUAGE C IMMUTABLE PARALLEL SAFE SUPPORT filter_change_support
AS 'MODULE_PATHNAME', 'sql_add_all';
COMMENT ON FUNCTION bf_add_all(bloomfilter, filter_literal) IS
'adds all elements of an array except NULLs (untyped literal)';

CREATE FUNCTION cf_add(filter cuckoofilter, value anyelement)
RETURNS cuckoofilter
LANGUAGE C IMMUTABLE PARALLEL SAFE SUPPORT filter_change_support
AS 'MODULE_PATHNAME', 'sql_add';
COMMENT ON FUNCTION cf_add(cuckoofilter, anyelement) IS
'adds one copy of a value: up to three are counted, the fourth is permanent. A NULL value leaves the filter unchanged';

CREATE FUNCTION cf_add(filter cuckoofilter, value filter_literal)
RETURNS cuckoofilter
LANGUAGE C IMMUTABLE PARALLEL SAFE SUPPORT filter_change_support
AS 'MODULE_PATHNAME', 'sql_add';
COMMENT ON FUNCTION cf_add(cuckoofilter, filter_literal) IS
'adds one copy of a value: up to three are counted, the fourth is permanent. A NULL value leaves the filter unchanged (untyped literal)';

CREATE FUNCTION cf_add_unique(filter cuckoofilter, value anyelement)
RETURNS cuckoofilter
LANGUAGE C IMMUTABLE PARALLEL SAFE SUPPORT filter_change_support
AS 'MODULE_PATHNAME', 'sql_cuckoo_add_unique';
COMMENT ON FUNCTION cf_add_unique(cuckoofilter, anyelement) IS
'adds a value unless the filter seems to contain it. If values are deleted from the filter, use cf_add: deleting the value mistaken for this one would lose both';

CREATE FUNCTION cf_add_unique(filter cuckoofilter, value filter_literal)
RETURNS cuckoofilter
LANGUAGE C IMMUTABLE PARALLEL SAFE SUPPORT filter_change_support
AS 'MODULE_PATHNAME', 'sql_cuckoo_add_unique';
COMMENT ON FUNCTION cf_add_unique(cuckoofilter, filter_literal) IS
'adds a value unless the filter seems to contain it. If values are deleted from the filter, use cf_add: deleting the value mistaken for this one would lose both (untyped literal)';

CREATE FUNCTION cf_add_all(filter cuckoofilter, "values" anyarray)
RETURNS cuckoofilter
LANGUAGE C IMMUTABLE PARALLEL SAFE SUPPORT filter_change_support
AS 'MODULE_PATHNAME', 'sql_add_all';
COMMENT ON FUNCTION cf_add_all(cuckoofilter, anyarray) IS
'adds one copy of each element of an array except NULLs';

CREATE FUNCTION cf_add_all(filter cuckoofilter, "values" filter_literal)
RETURNS cuckoofilter
LANGUAGE C IMMUTABLE PARALLEL SAFE SUPPORT filter_change_support
AS 'MODULE_PATHNAME', 'sql_add_all';
COMMENT ON FUNCTION cf_add_all(cuckoofilter, filter_literal) IS
'adds one copy of each element of an array except NULLs (untyped literal)';

--
-- Probing
--

-- Planner support for contains: selectivity and cost. Not meant to be called.

CREATE FUNCTION filter_contains_support(internal)
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_contains_support';
COMMENT ON FUNCTION filter_contains_support(internal) IS
'planner support for bf_contains and cf_contains: selectivity and cost';

CREATE FUNCTION filter_contained_support(internal)
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_contained_support';
COMMENT ON FUNCTION filter_contained_support(internal) IS
'planner support for <@: selectivity and cost';

CREATE FUNCTION filter_contains_estimate(internal, oid, internal, integer)
RETURNS double precision
LANGUAGE C STABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_contains_estimate';
COMMENT ON FUNCTION filter_contains_estimate(internal, oid, internal, integer) IS
'estimator of @> as a restriction';

CREATE FUNCTION filter_contains_estimate(internal, oid, internal, smallint, internal)
RETURNS double precision
LANGUAGE C STABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_contains_estimate';
COMMENT ON FUNCTION filter_contains_estimate(internal, oid, internal, smallint, internal) IS
'estimator of @> as a join condition';

CREATE FUNCTION filter_contained_estimate(internal, oid, internal, integer)
RETURNS double precision
LANGUAGE C STABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_contained_estimate';
COMMENT ON FUNCTION filter_contained_estimate(internal, oid, internal, integer) IS
'estimator of <@ as a restriction';

CREATE FUNCTION filter_contained_estimate(internal, oid, internal, smallint, internal)
RETURNS double precision
LANGUAGE C STABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_contained_estimate';
COMMENT ON FUNCTION filter_contained_estimate(internal, oid, internal, smallint, internal) IS
'estimator of <@ as a join condition';

CREATE FUNCTION bf_contains(filter bloomfilter, value anyelement)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_contains_support
AS 'MODULE_PATHNAME', 'sql_contains';
COMMENT ON FUNCTION bf_contains(bloomfilter, anyelement) IS
'false: the value was never added; true: it was, or it is a false positive';

CREATE FUNCTION bf_contains(filter bloomfilter, value filter_literal)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_contains_support
AS 'MODULE_PATHNAME', 'sql_contains';
COMMENT ON FUNCTION bf_contains(bloomfilter, filter_literal) IS
'false: the value was never added; true: it was, or it is a false positive (untyped literal)';

CREATE FUNCTION bf_contains_any(filter bloomfilter, "values" anyarray)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_contains_any';
COMMENT ON FUNCTION bf_contains_any(bloomfilter, anyarray) IS
'whether the filter contains any element of an array; a NULL element is an unknown answer, as with ANY';

CREATE FUNCTION bf_contains_any(filter bloomfilter, "values" filter_literal)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_contains_any';
COMMENT ON FUNCTION bf_contains_any(bloomfilter, filter_literal) IS
'whether the filter contains any element of an array; a NULL element is an unknown answer, as with ANY (untyped literal)';

CREATE FUNCTION bf_contains_all(filter bloomfilter, "values" anyarray)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_contains_all';
COMMENT ON FUNCTION bf_contains_all(bloomfilter, anyarray) IS
'whether the filter contains every element of an array; a NULL element is an unknown answer, as with ALL';

CREATE FUNCTION bf_contains_all(filter bloomfilter, "values" filter_literal)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_contains_all';
COMMENT ON FUNCTION bf_contains_all(bloomfilter, filter_literal) IS
'whether the filter contains every element of an array; a NULL element is an unknown answer, as with ALL (untyped literal)';

CREATE FUNCTION cf_contains(filter cuckoofilter, value anyelement)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_contains_support
AS 'MODULE_PATHNAME', 'sql_contains';
COMMENT ON FUNCTION cf_contains(cuckoofilter, anyelement) IS
'false: the value was never added; true: it was, or it is a false positive';

CREATE FUNCTION cf_contains(filter cuckoofilter, value filter_literal)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_contains_support
AS 'MODULE_PATHNAME', 'sql_contains';
COMMENT ON FUNCTION cf_contains(cuckoofilter, filter_literal) IS
'false: the value was never added; true: it was, or it is a false positive (untyped literal)';

CREATE FUNCTION cf_contains_any(filter cuckoofilter, "values" anyarray)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_contains_any';
COMMENT ON FUNCTION cf_contains_any(cuckoofilter, anyarray) IS
'whether the filter contains any element of an array; a NULL element is an unknown answer, as with ANY';

CREATE FUNCTION cf_contains_any(filter cuckoofilter, "values" filter_literal)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_contains_any';
COMMENT ON FUNCTION cf_contains_any(cuckoofilter, filter_literal) IS
'whether the filter contains any element of an array; a NULL element is an unknown answer, as with ANY (untyped literal)';

CREATE FUNCTION cf_contains_all(filter cuckoofilter, "values" anyarray)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_contains_all';
COMMENT ON FUNCTION cf_contains_all(cuckoofilter, anyarray) IS
'whether the filter contains every element of an array; a NULL element is an unknown answer, as with ALL';

CREATE FUNCTION cf_contains_all(filter cuckoofilter, "values" filter_literal)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_contains_all';
COMMENT ON FUNCTION cf_contains_all(cuckoofilter, filter_literal) IS
'whether the filter contains every element of an array; a NULL element is an unknown answer, as with ALL (untyped literal)';

CREATE FUNCTION cf_count(filter cuckoofilter, value anyelement)
RETURNS integer
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_cuckoo_count';
COMMENT ON FUNCTION cf_count(cuckoofilter, anyelement) IS
'number of copies of a value that the filter holds; 4 or more means at least that number, and the value can no longer be deleted';

CREATE FUNCTION cf_count(filter cuckoofilter, value filter_literal)
RETURNS integer
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_cuckoo_count';
COMMENT ON FUNCTION cf_count(cuckoofilter, filter_literal) IS
'number of copies of a value that the filter holds; 4 or more means at least that number, and the value can no longer be deleted (untyped literal)';

--
-- Deleting, only from cuckoo filters
--

CREATE FUNCTION cf_delete(filter cuckoofilter, value anyelement)
RETURNS cuckoofilter
LANGUAGE C IMMUTABLE PARALLEL SAFE SUPPORT filter_change_support
AS 'MODULE_PATHNAME', 'sql_cuckoo_delete';
COMMENT ON FUNCTION cf_delete(cuckoofilter, anyelement) IS
'removes one copy of a value. Delete only values that were added: deleting a false positive may remove another value. A NULL value leaves the filter unchanged';

CREATE FUNCTION cf_delete(filter cuckoofilter, value filter_literal)
RETURNS cuckoofilter
LANGUAGE C IMMUTABLE PARALLEL SAFE SUPPORT filter_change_support
AS 'MODULE_PATHNAME', 'sql_cuckoo_delete';
COMMENT ON FUNCTION cf_delete(cuckoofilter, filter_literal) IS
'removes one copy of a value. Delete only values that were added: deleting a false positive may remove another value. A NULL value leaves the filter unchanged (untyped literal)';

CREATE FUNCTION cf_delete_all(filter cuckoofilter, "values" anyarray)
RETURNS cuckoofilter
LANGUAGE C IMMUTABLE PARALLEL SAFE SUPPORT filter_change_support
AS 'MODULE_PATHNAME', 'sql_cuckoo_delete_all';
COMMENT ON FUNCTION cf_delete_all(cuckoofilter, anyarray) IS
'removes one copy of each element of an array except NULLs; delete only values that were added';

CREATE FUNCTION cf_delete_all(filter cuckoofilter, "values" filter_literal)
RETURNS cuckoofilter
LANGUAGE C IMMUTABLE PARALLEL SAFE SUPPORT filter_change_support
AS 'MODULE_PATHNAME', 'sql_cuckoo_delete_all';
COMMENT ON FUNCTION cf_delete_all(cuckoofilter, filter_literal) IS
'removes one copy of each element of an array except NULLs; delete only values that were added (untyped literal)';

--
-- Merging
--

CREATE FUNCTION bf_union(a bloomfilter, b bloomfilter)
RETURNS bloomfilter
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_union';
COMMENT ON FUNCTION bf_union(bloomfilter, bloomfilter) IS
'a filter of the values in either filter; it does not grow if one of them does not';

CREATE FUNCTION cf_union(a cuckoofilter, b cuckoofilter)
RETURNS cuckoofilter
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_union';
COMMENT ON FUNCTION cf_union(cuckoofilter, cuckoofilter) IS
'a filter of the copies in both filters together; it does not grow if one of them does not';

CREATE FUNCTION bf_intersection(a bloomfilter, b bloomfilter)
RETURNS bloomfilter
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_bloom_intersection';
COMMENT ON FUNCTION bf_intersection(bloomfilter, bloomfilter) IS
'a filter of the values that both filters contain; both must have been created with the same capacity and rate';

CREATE FUNCTION cf_compact(filter cuckoofilter)
RETURNS cuckoofilter
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_cuckoo_compact';
COMMENT ON FUNCTION cf_compact(cuckoofilter) IS
'the same filter in fewer layers, if its entries fit';

--
-- Describing
--

CREATE FUNCTION bf_cardinality(filter bloomfilter)
RETURNS bigint
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_cardinality';
COMMENT ON FUNCTION bf_cardinality(bloomfilter) IS
'estimate of the number of distinct values added. Number of values common to two filters of the same capacity and rate: bf_cardinality(a) + bf_cardinality(b) - bf_cardinality(a | b)';

CREATE FUNCTION bf_info(filter bloomfilter,
	OUT value_kind text,
	OUT capacity bigint,
	OUT cardinality bigint,
	OUT requested_fpr float8,
	OUT expected_fpr float8,
	OUT layers integer,
	OUT grows boolean,
	OUT bits_per_value float8,
	OUT fill float8,
	OUT bytes bigint)
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_info';
COMMENT ON FUNCTION bf_info(bloomfilter) IS
'kind of value, capacity, cardinality, rates, layers and size of a filter, in one row';

CREATE FUNCTION bf_size(capacity float8, fpr float8 DEFAULT 0.01)
RETURNS bigint
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_bloom_size';
COMMENT ON FUNCTION bf_size(float8, float8) IS
'size in bytes of a Bloom filter for a number of distinct values at a false positive rate';

CREATE FUNCTION cf_cardinality(filter cuckoofilter)
RETURNS bigint
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_cardinality';
COMMENT ON FUNCTION cf_cardinality(cuckoofilter) IS
'number of entries, that is, of copies of values';

CREATE FUNCTION cf_info(filter cuckoofilter,
	OUT value_kind text,
	OUT capacity bigint,
	OUT cardinality bigint,
	OUT requested_fpr float8,
	OUT expected_fpr float8,
	OUT layers integer,
	OUT grows boolean,
	OUT bits_per_value float8,
	OUT load_factor float8,
	OUT bytes bigint)
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_info';
COMMENT ON FUNCTION cf_info(cuckoofilter) IS
'kind of value, capacity, cardinality, rates, layers and size of a filter, in one row';

CREATE FUNCTION cf_size(capacity float8, fpr float8 DEFAULT 0.01)
RETURNS bigint
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_cuckoo_size';
COMMENT ON FUNCTION cf_size(float8, float8) IS
'size in bytes of a cuckoo filter for a number of distinct values at a false positive rate';

--
-- The hash
--

CREATE FUNCTION filter_hash(value anyelement)
RETURNS bigint
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_hash';
COMMENT ON FUNCTION filter_hash(anyelement) IS
'64-bit hash of a value, on which both types of filter are based; filter_hash(value) & 255 assigns it to one of 256 shards';

CREATE FUNCTION filter_hash(value filter_literal)
RETURNS bigint
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_hash';
COMMENT ON FUNCTION filter_hash(filter_literal) IS
'error: the value needs a type, since its hash depends on it (untyped literal)';

--
-- By hash, for applications that hash values themselves
--

CREATE FUNCTION filter_contains_hash_support(internal)
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_contains_hash_support';
COMMENT ON FUNCTION filter_contains_hash_support(internal) IS
'planner support for bf_contains_hash and cf_contains_hash: cost';

CREATE FUNCTION bf_contains_hash(filter bloomfilter, hash bigint, of regtype DEFAULT NULL)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE SUPPORT filter_contains_hash_support
AS 'MODULE_PATHNAME', 'sql_contains_hash';
COMMENT ON FUNCTION bf_contains_hash(bloomfilter, bigint, regtype) IS
'as bf_contains, for the hash that filter_hash returns for a value. of is the type of the hashed value; error if it is given and is not of the filter''s kind';

CREATE FUNCTION bf_add_hash(filter bloomfilter, hash bigint, of regtype DEFAULT NULL)
RETURNS bloomfilter
LANGUAGE C IMMUTABLE PARALLEL SAFE SUPPORT filter_change_support
AS 'MODULE_PATHNAME', 'sql_add_hash';
COMMENT ON FUNCTION bf_add_hash(bloomfilter, bigint, regtype) IS
'as bf_add, for the hash that filter_hash returns for a value. of is the type of the hashed value, from which a filter without a kind takes its kind; error if there is neither a type nor a kind';

CREATE FUNCTION cf_contains_hash(filter cuckoofilter, hash bigint, of regtype DEFAULT NULL)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE SUPPORT filter_contains_hash_support
AS 'MODULE_PATHNAME', 'sql_contains_hash';
COMMENT ON FUNCTION cf_contains_hash(cuckoofilter, bigint, regtype) IS
'as cf_contains, for the hash that filter_hash returns for a value. of is the type of the hashed value; error if it is given and is not of the filter''s kind';

CREATE FUNCTION cf_add_hash(filter cuckoofilter, hash bigint, of regtype DEFAULT NULL)
RETURNS cuckoofilter
LANGUAGE C IMMUTABLE PARALLEL SAFE SUPPORT filter_change_support
AS 'MODULE_PATHNAME', 'sql_add_hash';
COMMENT ON FUNCTION cf_add_hash(cuckoofilter, bigint, regtype) IS
'as cf_add, for the hash that filter_hash returns for a value. of is the type of the hashed value, from which a filter without a kind takes its kind; error if there is neither a type nor a kind';

CREATE FUNCTION cf_delete_hash(filter cuckoofilter, hash bigint, of regtype DEFAULT NULL)
RETURNS cuckoofilter
LANGUAGE C IMMUTABLE PARALLEL SAFE SUPPORT filter_change_support
AS 'MODULE_PATHNAME', 'sql_cuckoo_delete_hash';
COMMENT ON FUNCTION cf_delete_hash(cuckoofilter, bigint, regtype) IS
'as cf_delete, for the hash that filter_hash returns for a value. Delete only values that were added';

--
-- For readers of filters in other languages
--

CREATE FUNCTION bf_layers(filter bloomfilter,
	OUT layer integer,
	OUT capacity bigint,
	OUT blocks bigint,
	OUT block_bits integer,
	OUT probes integer,
	OUT byte_offset bigint,
	OUT bytes bigint,
	OUT fill float8)
RETURNS SETOF record
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT ROWS 1
AS 'MODULE_PATHNAME', 'sql_layers';
COMMENT ON FUNCTION bf_layers(bloomfilter) IS
'the layers of a Bloom filter, the oldest first: their fields in the image, and the fraction of bits that are set';

CREATE FUNCTION cf_layers(filter cuckoofilter,
	OUT layer integer,
	OUT capacity bigint,
	OUT pages bigint,
	OUT windows integer,
	OUT slot_bits integer,
	OUT byte_offset bigint,
	OUT bytes bigint,
	OUT load_factor float8)
RETURNS SETOF record
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT ROWS 1
AS 'MODULE_PATHNAME', 'sql_layers';
COMMENT ON FUNCTION cf_layers(cuckoofilter) IS
'the layers of a cuckoo filter, the oldest first: their fields in the image, and the fraction of slots that are taken';

CREATE FUNCTION filter_value_bytes(value anyelement)
RETURNS bytea
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_value_bytes';
COMMENT ON FUNCTION filter_value_bytes(anyelement) IS
'canonical bytes of a value, from which filter_hash computes the hash';

CREATE FUNCTION filter_value_kind(value anyelement)
RETURNS text
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_filter_value_kind';
COMMENT ON FUNCTION filter_value_kind(anyelement) IS
'name of the kind of a value, as bf_info and cf_info show it for a filter';

CREATE FUNCTION filter_value_bytes(value filter_literal)
RETURNS bytea
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_value_bytes';
COMMENT ON FUNCTION filter_value_bytes(filter_literal) IS
'error: the value needs a type, since its hash depends on it (untyped literal)';

CREATE FUNCTION filter_value_kind(value filter_literal)
RETURNS text
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_filter_value_kind';
COMMENT ON FUNCTION filter_value_kind(filter_literal) IS
'error: the value needs a type, since its hash depends on it (untyped literal)';

--
-- Operators
--

CREATE FUNCTION bloomfilter_contained(value anyelement, filter bloomfilter)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_contained_support
AS 'MODULE_PATHNAME', 'sql_contained';
COMMENT ON FUNCTION bloomfilter_contained(anyelement, bloomfilter) IS
'false: the value was never added; true: it was, or it is a false positive';

CREATE OPERATOR @> (
	LEFTARG = bloomfilter,
	RIGHTARG = anyelement,
	FUNCTION = bf_contains,
	COMMUTATOR = <@,
	RESTRICT = filter_contains_estimate,
	JOIN = filter_contains_estimate
);
COMMENT ON OPERATOR @> (bloomfilter, anyelement) IS 'contains: false is certain, true may be a false positive';
CREATE OPERATOR <@ (
	LEFTARG = anyelement,
	RIGHTARG = bloomfilter,
	FUNCTION = bloomfilter_contained,
	COMMUTATOR = @>,
	RESTRICT = filter_contained_estimate,
	JOIN = filter_contained_estimate
);
COMMENT ON OPERATOR <@ (anyelement, bloomfilter) IS 'is contained by: false is certain, true may be a false positive';

CREATE FUNCTION bloomfilter_contained(value filter_literal, filter bloomfilter)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_contained_support
AS 'MODULE_PATHNAME', 'sql_contained';
COMMENT ON FUNCTION bloomfilter_contained(filter_literal, bloomfilter) IS
'false: the value was never added; true: it was, or it is a false positive';

CREATE OPERATOR @> (
	LEFTARG = bloomfilter,
	RIGHTARG = filter_literal,
	FUNCTION = bf_contains,
	COMMUTATOR = <@,
	RESTRICT = filter_contains_estimate,
	JOIN = filter_contains_estimate
);
COMMENT ON OPERATOR @> (bloomfilter, filter_literal) IS 'contains: false is certain, true may be a false positive';
CREATE OPERATOR <@ (
	LEFTARG = filter_literal,
	RIGHTARG = bloomfilter,
	FUNCTION = bloomfilter_contained,
	COMMUTATOR = @>,
	RESTRICT = filter_contained_estimate,
	JOIN = filter_contained_estimate
);
COMMENT ON OPERATOR <@ (filter_literal, bloomfilter) IS 'is contained by: false is certain, true may be a false positive';

CREATE OPERATOR | (
	LEFTARG = bloomfilter,
	RIGHTARG = bloomfilter,
	FUNCTION = bf_union,
	COMMUTATOR = |
);
COMMENT ON OPERATOR | (bloomfilter, bloomfilter) IS 'union: the values in either filter';

CREATE FUNCTION cuckoofilter_contained(value anyelement, filter cuckoofilter)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_contained_support
AS 'MODULE_PATHNAME', 'sql_contained';
COMMENT ON FUNCTION cuckoofilter_contained(anyelement, cuckoofilter) IS
'false: the value was never added; true: it was, or it is a false positive';

CREATE OPERATOR @> (
	LEFTARG = cuckoofilter,
	RIGHTARG = anyelement,
	FUNCTION = cf_contains,
	COMMUTATOR = <@,
	RESTRICT = filter_contains_estimate,
	JOIN = filter_contains_estimate
);
COMMENT ON OPERATOR @> (cuckoofilter, anyelement) IS 'contains: false is certain, true may be a false positive';
CREATE OPERATOR <@ (
	LEFTARG = anyelement,
	RIGHTARG = cuckoofilter,
	FUNCTION = cuckoofilter_contained,
	COMMUTATOR = @>,
	RESTRICT = filter_contained_estimate,
	JOIN = filter_contained_estimate
);
COMMENT ON OPERATOR <@ (anyelement, cuckoofilter) IS 'is contained by: false is certain, true may be a false positive';

CREATE FUNCTION cuckoofilter_contained(value filter_literal, filter cuckoofilter)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT SUPPORT filter_contained_support
AS 'MODULE_PATHNAME', 'sql_contained';
COMMENT ON FUNCTION cuckoofilter_contained(filter_literal, cuckoofilter) IS
'false: the value was never added; true: it was, or it is a false positive';

CREATE OPERATOR @> (
	LEFTARG = cuckoofilter,
	RIGHTARG = filter_literal,
	FUNCTION = cf_contains,
	COMMUTATOR = <@,
	RESTRICT = filter_contains_estimate,
	JOIN = filter_contains_estimate
);
COMMENT ON OPERATOR @> (cuckoofilter, filter_literal) IS 'contains: false is certain, true may be a false positive';
CREATE OPERATOR <@ (
	LEFTARG = filter_literal,
	RIGHTARG = cuckoofilter,
	FUNCTION = cuckoofilter_contained,
	COMMUTATOR = @>,
	RESTRICT = filter_contained_estimate,
	JOIN = filter_contained_estimate
);
COMMENT ON OPERATOR <@ (filter_literal, cuckoofilter) IS 'is contained by: false is certain, true may be a false positive';

CREATE OPERATOR | (
	LEFTARG = cuckoofilter,
	RIGHTARG = cuckoofilter,
	FUNCTION = cf_union,
	COMMUTATOR = |
);
COMMENT ON OPERATOR | (cuckoofilter, cuckoofilter) IS 'union: the copies in both filters together';

CREATE OPERATOR & (
	LEFTARG = bloomfilter,
	RIGHTARG = bloomfilter,
	FUNCTION = bf_intersection,
	COMMUTATOR = &
);
COMMENT ON OPERATOR & (bloomfilter, bloomfilter) IS 'intersection: the values in both filters';

--
-- Comparing: images, not sets
--

CREATE FUNCTION bloomfilter_eq(bloomfilter, bloomfilter)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_equal';
COMMENT ON FUNCTION bloomfilter_eq(bloomfilter, bloomfilter) IS
'whether the images of two filters are the same';

CREATE FUNCTION bloomfilter_ne(bloomfilter, bloomfilter)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_not_equal';
COMMENT ON FUNCTION bloomfilter_ne(bloomfilter, bloomfilter) IS
'whether the images of two filters differ';

CREATE FUNCTION bloomfilter_lt(bloomfilter, bloomfilter)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_less';
COMMENT ON FUNCTION bloomfilter_lt(bloomfilter, bloomfilter) IS
'whether the image of a filter comes before that of another';

CREATE FUNCTION bloomfilter_le(bloomfilter, bloomfilter)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_at_most';
COMMENT ON FUNCTION bloomfilter_le(bloomfilter, bloomfilter) IS
'whether the image of a filter comes before that of another or is the same';

CREATE FUNCTION bloomfilter_gt(bloomfilter, bloomfilter)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_greater';
COMMENT ON FUNCTION bloomfilter_gt(bloomfilter, bloomfilter) IS
'whether the image of a filter comes after that of another';

CREATE FUNCTION bloomfilter_ge(bloomfilter, bloomfilter)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_at_least';
COMMENT ON FUNCTION bloomfilter_ge(bloomfilter, bloomfilter) IS
'whether the image of a filter comes after that of another or is the same';

CREATE FUNCTION bloomfilter_cmp(bloomfilter, bloomfilter)
RETURNS integer
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_compare';
COMMENT ON FUNCTION bloomfilter_cmp(bloomfilter, bloomfilter) IS
'order of the images of two filters: less than, equal to, or greater than 0';

CREATE FUNCTION bloomfilter_hash(bloomfilter)
RETURNS integer
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_image_hash';
COMMENT ON FUNCTION bloomfilter_hash(bloomfilter) IS
'hash of the image';

CREATE FUNCTION bloomfilter_hash_extended(bloomfilter, bigint)
RETURNS bigint
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_image_hash_extended';
COMMENT ON FUNCTION bloomfilter_hash_extended(bloomfilter, bigint) IS
'hash of the image for a seed';

CREATE OPERATOR = (
	LEFTARG = bloomfilter,
	RIGHTARG = bloomfilter,
	FUNCTION = bloomfilter_eq,
	COMMUTATOR = =,
	NEGATOR = <>,
	RESTRICT = eqsel,
	JOIN = eqjoinsel,
	HASHES,
	MERGES
);
COMMENT ON OPERATOR = (bloomfilter, bloomfilter) IS 'equal images';
CREATE OPERATOR <> (
	LEFTARG = bloomfilter,
	RIGHTARG = bloomfilter,
	FUNCTION = bloomfilter_ne,
	COMMUTATOR = <>,
	NEGATOR = =,
	RESTRICT = neqsel,
	JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (bloomfilter, bloomfilter) IS 'different images';
CREATE OPERATOR < (
	LEFTARG = bloomfilter,
	RIGHTARG = bloomfilter,
	FUNCTION = bloomfilter_lt,
	COMMUTATOR = >,
	NEGATOR = >=,
	RESTRICT = scalarltsel,
	JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (bloomfilter, bloomfilter) IS 'image sorts before';
CREATE OPERATOR <= (
	LEFTARG = bloomfilter,
	RIGHTARG = bloomfilter,
	FUNCTION = bloomfilter_le,
	COMMUTATOR = >=,
	NEGATOR = >,
	RESTRICT = scalarlesel,
	JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (bloomfilter, bloomfilter) IS 'image sorts before or is equal';
CREATE OPERATOR > (
	LEFTARG = bloomfilter,
	RIGHTARG = bloomfilter,
	FUNCTION = bloomfilter_gt,
	COMMUTATOR = <,
	NEGATOR = <=,
	RESTRICT = scalargtsel,
	JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (bloomfilter, bloomfilter) IS 'image sorts after';
CREATE OPERATOR >= (
	LEFTARG = bloomfilter,
	RIGHTARG = bloomfilter,
	FUNCTION = bloomfilter_ge,
	COMMUTATOR = <=,
	NEGATOR = <,
	RESTRICT = scalargesel,
	JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (bloomfilter, bloomfilter) IS 'image sorts after or is equal';

CREATE OPERATOR CLASS bloomfilter_ops
DEFAULT FOR TYPE bloomfilter USING btree AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >,
	FUNCTION 1 bloomfilter_cmp(bloomfilter, bloomfilter);
COMMENT ON OPERATOR FAMILY bloomfilter_ops USING btree IS 'order of images, byte by byte';
COMMENT ON OPERATOR CLASS bloomfilter_ops USING btree IS 'order of images, byte by byte';
CREATE OPERATOR CLASS bloomfilter_ops
DEFAULT FOR TYPE bloomfilter USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 bloomfilter_hash(bloomfilter),
	FUNCTION 2 bloomfilter_hash_extended(bloomfilter, bigint);
COMMENT ON OPERATOR FAMILY bloomfilter_ops USING hash IS 'equality of images';
COMMENT ON OPERATOR CLASS bloomfilter_ops USING hash IS 'equality of images';

CREATE FUNCTION cuckoofilter_eq(cuckoofilter, cuckoofilter)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_equal';
COMMENT ON FUNCTION cuckoofilter_eq(cuckoofilter, cuckoofilter) IS
'whether the images of two filters are the same';

CREATE FUNCTION cuckoofilter_ne(cuckoofilter, cuckoofilter)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_not_equal';
COMMENT ON FUNCTION cuckoofilter_ne(cuckoofilter, cuckoofilter) IS
'whether the images of two filters differ';

CREATE FUNCTION cuckoofilter_lt(cuckoofilter, cuckoofilter)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_less';
COMMENT ON FUNCTION cuckoofilter_lt(cuckoofilter, cuckoofilter) IS
'whether the image of a filter comes before that of another';

CREATE FUNCTION cuckoofilter_le(cuckoofilter, cuckoofilter)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_at_most';
COMMENT ON FUNCTION cuckoofilter_le(cuckoofilter, cuckoofilter) IS
'whether the image of a filter comes before that of another or is the same';

CREATE FUNCTION cuckoofilter_gt(cuckoofilter, cuckoofilter)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_greater';
COMMENT ON FUNCTION cuckoofilter_gt(cuckoofilter, cuckoofilter) IS
'whether the image of a filter comes after that of another';

CREATE FUNCTION cuckoofilter_ge(cuckoofilter, cuckoofilter)
RETURNS boolean
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_at_least';
COMMENT ON FUNCTION cuckoofilter_ge(cuckoofilter, cuckoofilter) IS
'whether the image of a filter comes after that of another or is the same';

CREATE FUNCTION cuckoofilter_cmp(cuckoofilter, cuckoofilter)
RETURNS integer
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_compare';
COMMENT ON FUNCTION cuckoofilter_cmp(cuckoofilter, cuckoofilter) IS
'order of the images of two filters: less than, equal to, or greater than 0';

CREATE FUNCTION cuckoofilter_hash(cuckoofilter)
RETURNS integer
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_image_hash';
COMMENT ON FUNCTION cuckoofilter_hash(cuckoofilter) IS
'hash of the image';

CREATE FUNCTION cuckoofilter_hash_extended(cuckoofilter, bigint)
RETURNS bigint
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_filter_image_hash_extended';
COMMENT ON FUNCTION cuckoofilter_hash_extended(cuckoofilter, bigint) IS
'hash of the image for a seed';

CREATE OPERATOR = (
	LEFTARG = cuckoofilter,
	RIGHTARG = cuckoofilter,
	FUNCTION = cuckoofilter_eq,
	COMMUTATOR = =,
	NEGATOR = <>,
	RESTRICT = eqsel,
	JOIN = eqjoinsel,
	HASHES,
	MERGES
);
COMMENT ON OPERATOR = (cuckoofilter, cuckoofilter) IS 'equal images';
CREATE OPERATOR <> (
	LEFTARG = cuckoofilter,
	RIGHTARG = cuckoofilter,
	FUNCTION = cuckoofilter_ne,
	COMMUTATOR = <>,
	NEGATOR = =,
	RESTRICT = neqsel,
	JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (cuckoofilter, cuckoofilter) IS 'different images';
CREATE OPERATOR < (
	LEFTARG = cuckoofilter,
	RIGHTARG = cuckoofilter,
	FUNCTION = cuckoofilter_lt,
	COMMUTATOR = >,
	NEGATOR = >=,
	RESTRICT = scalarltsel,
	JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (cuckoofilter, cuckoofilter) IS 'image sorts before';
CREATE OPERATOR <= (
	LEFTARG = cuckoofilter,
	RIGHTARG = cuckoofilter,
	FUNCTION = cuckoofilter_le,
	COMMUTATOR = >=,
	NEGATOR = >,
	RESTRICT = scalarlesel,
	JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (cuckoofilter, cuckoofilter) IS 'image sorts before or is equal';
CREATE OPERATOR > (
	LEFTARG = cuckoofilter,
	RIGHTARG = cuckoofilter,
	FUNCTION = cuckoofilter_gt,
	COMMUTATOR = <,
	NEGATOR = <=,
	RESTRICT = scalargtsel,
	JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (cuckoofilter, cuckoofilter) IS 'image sorts after';
CREATE OPERATOR >= (
	LEFTARG = cuckoofilter,
	RIGHTARG = cuckoofilter,
	FUNCTION = cuckoofilter_ge,
	COMMUTATOR = <=,
	NEGATOR = <,
	RESTRICT = scalargesel,
	JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (cuckoofilter, cuckoofilter) IS 'image sorts after or is equal';

CREATE OPERATOR CLASS cuckoofilter_ops
DEFAULT FOR TYPE cuckoofilter USING btree AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >,
	FUNCTION 1 cuckoofilter_cmp(cuckoofilter, cuckoofilter);
COMMENT ON OPERATOR FAMILY cuckoofilter_ops USING btree IS 'order of images, byte by byte';
COMMENT ON OPERATOR CLASS cuckoofilter_ops USING btree IS 'order of images, byte by byte';
CREATE OPERATOR CLASS cuckoofilter_ops
DEFAULT FOR TYPE cuckoofilter USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 cuckoofilter_hash(cuckoofilter),
	FUNCTION 2 cuckoofilter_hash_extended(cuckoofilter, bigint);
COMMENT ON OPERATOR FAMILY cuckoofilter_ops USING hash IS 'equality of images';
COMMENT ON OPERATOR CLASS cuckoofilter_ops USING hash IS 'equality of images';

--
-- Aggregates
--

CREATE FUNCTION filter_agg_combine(internal, internal)
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_agg_combine';
COMMENT ON FUNCTION filter_agg_combine(internal, internal) IS
'combine function of bf_agg and cf_agg';

CREATE FUNCTION filter_agg_serialize(internal)
RETURNS bytea
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_agg_serialize';
COMMENT ON FUNCTION filter_agg_serialize(internal) IS
'serialize function of bf_agg and cf_agg';

CREATE FUNCTION filter_agg_deserialize(bytea, internal)
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_agg_deserialize';
COMMENT ON FUNCTION filter_agg_deserialize(bytea, internal) IS
'deserialize function of bf_agg and cf_agg';

CREATE FUNCTION filter_union_agg_combine(internal, internal)
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_union_agg_combine';
COMMENT ON FUNCTION filter_union_agg_combine(internal, internal) IS
'combine function of the union aggregates';

CREATE FUNCTION filter_merge_agg_serialize(internal)
RETURNS bytea
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_merge_agg_serialize';
COMMENT ON FUNCTION filter_merge_agg_serialize(internal) IS
'serialize function of the union and intersection aggregates';

CREATE FUNCTION filter_merge_agg_deserialize(bytea, internal)
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_merge_agg_deserialize';
COMMENT ON FUNCTION filter_merge_agg_deserialize(bytea, internal) IS
'deserialize function of the union and intersection aggregates';

CREATE FUNCTION bloomfilter_agg_transition(internal, anyelement)
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_bloom_agg_transition';
COMMENT ON FUNCTION bloomfilter_agg_transition(internal, anyelement) IS
'transition function of bf_agg';

CREATE FUNCTION bloomfilter_agg_transition(internal, anyelement, float8)
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_bloom_agg_transition';
COMMENT ON FUNCTION bloomfilter_agg_transition(internal, anyelement, float8) IS
'transition function of bf_agg';

CREATE FUNCTION bloomfilter_agg_transition(internal, anyelement, float8, float8)
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_bloom_agg_transition';
COMMENT ON FUNCTION bloomfilter_agg_transition(internal, anyelement, float8, float8) IS
'transition function of bf_agg';

CREATE FUNCTION bloomfilter_agg_final(internal, anyelement)
RETURNS bloomfilter
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_bloom_agg_final';
COMMENT ON FUNCTION bloomfilter_agg_final(internal, anyelement) IS
'final function of bf_agg';

CREATE FUNCTION bloomfilter_agg_final(internal, anyelement, float8)
RETURNS bloomfilter
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_bloom_agg_final';
COMMENT ON FUNCTION bloomfilter_agg_final(internal, anyelement, float8) IS
'final function of bf_agg';

CREATE FUNCTION bloomfilter_agg_final(internal, anyelement, float8, float8)
RETURNS bloomfilter
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_bloom_agg_final';
COMMENT ON FUNCTION bloomfilter_agg_final(internal, anyelement, float8, float8) IS
'final function of bf_agg';

CREATE FUNCTION bloomfilter_union_agg_final(internal)
RETURNS bloomfilter
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_bloom_union_agg_final';
COMMENT ON FUNCTION bloomfilter_union_agg_final(internal) IS
'final function of the aggregates that merge Bloom filters';

CREATE FUNCTION bloomfilter_union_agg_transition(internal, bloomfilter)
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_union_agg_transition';
COMMENT ON FUNCTION bloomfilter_union_agg_transition(internal, bloomfilter) IS
'transition function of bf_union_agg';

CREATE AGGREGATE bf_agg(value anyelement) (
	SFUNC = bloomfilter_agg_transition,
	STYPE = internal,
	SSPACE = 512,
	FINALFUNC = bloomfilter_agg_final,
	FINALFUNC_EXTRA,
	COMBINEFUNC = filter_agg_combine,
	SERIALFUNC = filter_agg_serialize,
	DESERIALFUNC = filter_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE bf_agg(anyelement) IS
'a Bloom filter of all values, sized for the number of distinct values';

CREATE AGGREGATE bf_agg(value anyelement, capacity float8) (
	SFUNC = bloomfilter_agg_transition,
	STYPE = internal,
	SSPACE = 512,
	FINALFUNC = bloomfilter_agg_final,
	FINALFUNC_EXTRA,
	COMBINEFUNC = filter_agg_combine,
	SERIALFUNC = filter_agg_serialize,
	DESERIALFUNC = filter_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE bf_agg(anyelement, float8) IS
'a Bloom filter of all values, sized for a capacity; larger if there are more distinct values';

CREATE AGGREGATE bf_agg(value anyelement, capacity float8, fpr float8) (
	SFUNC = bloomfilter_agg_transition,
	STYPE = internal,
	SSPACE = 512,
	FINALFUNC = bloomfilter_agg_final,
	FINALFUNC_EXTRA,
	COMBINEFUNC = filter_agg_combine,
	SERIALFUNC = filter_agg_serialize,
	DESERIALFUNC = filter_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE bf_agg(anyelement, float8, float8) IS
'a Bloom filter of all values, sized for a capacity (NULL: the number of distinct values) at a false positive rate; larger if there are more distinct values';

CREATE AGGREGATE bf_union_agg(filter bloomfilter) (
	SFUNC = bloomfilter_union_agg_transition,
	STYPE = internal,
	SSPACE = 16384,
	FINALFUNC = bloomfilter_union_agg_final,
	COMBINEFUNC = filter_union_agg_combine,
	SERIALFUNC = filter_merge_agg_serialize,
	DESERIALFUNC = filter_merge_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE bf_union_agg(bloomfilter) IS
'the union of all Bloom filters';

CREATE FUNCTION cuckoofilter_agg_transition(internal, anyelement)
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_cuckoo_agg_transition';
COMMENT ON FUNCTION cuckoofilter_agg_transition(internal, anyelement) IS
'transition function of cf_agg';

CREATE FUNCTION cuckoofilter_agg_transition(internal, anyelement, float8)
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_cuckoo_agg_transition';
COMMENT ON FUNCTION cuckoofilter_agg_transition(internal, anyelement, float8) IS
'transition function of cf_agg';

CREATE FUNCTION cuckoofilter_agg_transition(internal, anyelement, float8, float8)
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_cuckoo_agg_transition';
COMMENT ON FUNCTION cuckoofilter_agg_transition(internal, anyelement, float8, float8) IS
'transition function of cf_agg';

CREATE FUNCTION cuckoofilter_agg_final(internal, anyelement)
RETURNS cuckoofilter
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_cuckoo_agg_final';
COMMENT ON FUNCTION cuckoofilter_agg_final(internal, anyelement) IS
'final function of cf_agg';

CREATE FUNCTION cuckoofilter_agg_final(internal, anyelement, float8)
RETURNS cuckoofilter
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_cuckoo_agg_final';
COMMENT ON FUNCTION cuckoofilter_agg_final(internal, anyelement, float8) IS
'final function of cf_agg';

CREATE FUNCTION cuckoofilter_agg_final(internal, anyelement, float8, float8)
RETURNS cuckoofilter
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_cuckoo_agg_final';
COMMENT ON FUNCTION cuckoofilter_agg_final(internal, anyelement, float8, float8) IS
'final function of cf_agg';

CREATE FUNCTION cuckoofilter_union_agg_final(internal)
RETURNS cuckoofilter
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_cuckoo_union_agg_final';
COMMENT ON FUNCTION cuckoofilter_union_agg_final(internal) IS
'final function of the aggregates that merge cuckoo filters';

CREATE FUNCTION cuckoofilter_union_agg_transition(internal, cuckoofilter)
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_union_agg_transition';
COMMENT ON FUNCTION cuckoofilter_union_agg_transition(internal, cuckoofilter) IS
'transition function of cf_union_agg';

CREATE AGGREGATE cf_agg(value anyelement) (
	SFUNC = cuckoofilter_agg_transition,
	STYPE = internal,
	SSPACE = 512,
	FINALFUNC = cuckoofilter_agg_final,
	FINALFUNC_EXTRA,
	COMBINEFUNC = filter_agg_combine,
	SERIALFUNC = filter_agg_serialize,
	DESERIALFUNC = filter_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE cf_agg(anyelement) IS
'a cuckoo filter of all values, sized for the number of distinct values';

CREATE AGGREGATE cf_agg(value anyelement, capacity float8) (
	SFUNC = cuckoofilter_agg_transition,
	STYPE = internal,
	SSPACE = 512,
	FINALFUNC = cuckoofilter_agg_final,
	FINALFUNC_EXTRA,
	COMBINEFUNC = filter_agg_combine,
	SERIALFUNC = filter_agg_serialize,
	DESERIALFUNC = filter_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE cf_agg(anyelement, float8) IS
'a cuckoo filter of all values, with room for at least a capacity';

CREATE AGGREGATE cf_agg(value anyelement, capacity float8, fpr float8) (
	SFUNC = cuckoofilter_agg_transition,
	STYPE = internal,
	SSPACE = 512,
	FINALFUNC = cuckoofilter_agg_final,
	FINALFUNC_EXTRA,
	COMBINEFUNC = filter_agg_combine,
	SERIALFUNC = filter_agg_serialize,
	DESERIALFUNC = filter_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE cf_agg(anyelement, float8, float8) IS
'a cuckoo filter of all values, with room for at least a capacity (NULL: the number of distinct values), at a false positive rate';

CREATE AGGREGATE cf_union_agg(filter cuckoofilter) (
	SFUNC = cuckoofilter_union_agg_transition,
	STYPE = internal,
	SSPACE = 16384,
	FINALFUNC = cuckoofilter_union_agg_final,
	COMBINEFUNC = filter_union_agg_combine,
	SERIALFUNC = filter_merge_agg_serialize,
	DESERIALFUNC = filter_merge_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE cf_union_agg(cuckoofilter) IS
'the union of all cuckoo filters';

CREATE FUNCTION bloomfilter_intersection_agg_transition(internal, bloomfilter)
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_intersection_agg_transition';
COMMENT ON FUNCTION bloomfilter_intersection_agg_transition(internal, bloomfilter) IS
'transition function of bf_intersection_agg';

CREATE FUNCTION bloomfilter_intersection_agg_combine(internal, internal)
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_intersection_agg_combine';
COMMENT ON FUNCTION bloomfilter_intersection_agg_combine(internal, internal) IS
'combine function of bf_intersection_agg';

CREATE FUNCTION bloomfilter_intersection_agg_final(internal)
RETURNS bloomfilter
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_intersection_agg_final';
COMMENT ON FUNCTION bloomfilter_intersection_agg_final(internal) IS
'final function of bf_intersection_agg';

CREATE AGGREGATE bf_intersection_agg(filter bloomfilter) (
	SFUNC = bloomfilter_intersection_agg_transition,
	STYPE = internal,
	SSPACE = 16384,
	FINALFUNC = bloomfilter_intersection_agg_final,
	COMBINEFUNC = bloomfilter_intersection_agg_combine,
	SERIALFUNC = filter_merge_agg_serialize,
	DESERIALFUNC = filter_merge_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE bf_intersection_agg(bloomfilter) IS
'the intersection of all Bloom filters';

-- Untyped values: these aggregates raise an error that names the missing cast.

CREATE FUNCTION filter_agg_refuse(internal, filter_literal)
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_agg_refuse';
COMMENT ON FUNCTION filter_agg_refuse(internal, filter_literal) IS
'transition function of bf_agg and cf_agg for untyped values: raises their error';

CREATE FUNCTION filter_agg_refuse(internal, filter_literal, float8)
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_agg_refuse';
COMMENT ON FUNCTION filter_agg_refuse(internal, filter_literal, float8) IS
'transition function of bf_agg and cf_agg for untyped values: raises their error';

CREATE FUNCTION filter_agg_refuse(internal, filter_literal, float8, float8)
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_agg_refuse';
COMMENT ON FUNCTION filter_agg_refuse(internal, filter_literal, float8, float8) IS
'transition function of bf_agg and cf_agg for untyped values: raises their error';

CREATE FUNCTION bloomfilter_agg_refuse(internal)
RETURNS bloomfilter
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_agg_refuse';
COMMENT ON FUNCTION bloomfilter_agg_refuse(internal) IS
'final function of bf_agg for untyped values';

CREATE FUNCTION cuckoofilter_agg_refuse(internal)
RETURNS cuckoofilter
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_agg_refuse';
COMMENT ON FUNCTION cuckoofilter_agg_refuse(internal) IS
'final function of cf_agg for untyped values';

CREATE AGGREGATE bf_agg(value filter_literal) (
	SFUNC = filter_agg_refuse,
	STYPE = internal,
	FINALFUNC = bloomfilter_agg_refuse,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE bf_agg(filter_literal) IS
'error: the value needs a type (untyped literal)';

CREATE AGGREGATE bf_agg(value filter_literal, capacity float8) (
	SFUNC = filter_agg_refuse,
	STYPE = internal,
	FINALFUNC = bloomfilter_agg_refuse,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE bf_agg(filter_literal, float8) IS
'error: the value needs a type (untyped literal)';

CREATE AGGREGATE bf_agg(value filter_literal, capacity float8, fpr float8) (
	SFUNC = filter_agg_refuse,
	STYPE = internal,
	FINALFUNC = bloomfilter_agg_refuse,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE bf_agg(filter_literal, float8, float8) IS
'error: the value needs a type (untyped literal)';

CREATE AGGREGATE cf_agg(value filter_literal) (
	SFUNC = filter_agg_refuse,
	STYPE = internal,
	FINALFUNC = cuckoofilter_agg_refuse,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE cf_agg(filter_literal) IS
'error: the value needs a type (untyped literal)';

CREATE AGGREGATE cf_agg(value filter_literal, capacity float8) (
	SFUNC = filter_agg_refuse,
	STYPE = internal,
	FINALFUNC = cuckoofilter_agg_refuse,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE cf_agg(filter_literal, float8) IS
'error: the value needs a type (untyped literal)';

CREATE AGGREGATE cf_agg(value filter_literal, capacity float8, fpr float8) (
	SFUNC = filter_agg_refuse,
	STYPE = internal,
	FINALFUNC = cuckoofilter_agg_refuse,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE cf_agg(filter_literal, float8, float8) IS
'error: the value needs a type (untyped literal)';
