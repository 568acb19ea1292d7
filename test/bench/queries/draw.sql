-- Random numbers that are the same in every run, for a row and a column. Included by skewed.sql and chains.sql.
CREATE FUNCTION uniform(n bigint, salt int) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (hashint8extended(n, salt) & ((1::bigint << 53) - 1)) / 2.0 ^ 53;
-- The lower a number up to `count` is, the more frequent.
CREATE FUNCTION skewed(n bigint, salt int, count float8, power float8) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 1 + floor(count * uniform(n, salt) ^ power);
