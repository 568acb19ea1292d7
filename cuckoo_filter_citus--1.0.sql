/* cuckoo_filter_citus--1.0.sql */

-- complain if the script is sourced in psql, rather than by CREATE EXTENSION
\echo Use "CREATE EXTENSION cuckoo_filter_citus" to load this file. \quit

--
-- Aggregates of some types by name
--
-- Citus runs an aggregate on the workers by calling its functions itself. A function declared for any type then does not
-- know the actual one, so Citus needs bf_agg and cf_agg of each type by name. They are in the schema of cuckoo_filter,
-- beside those of any type, and share their final functions. The functions for which it matters that Citus calls them are
-- in the schema of this extension. Since these aggregates are parallel restricted, only Citus divides them among processes:
-- dividing them on one node saves no time.

CREATE FUNCTION _citus_agg_combine(internal, internal)
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_citus_agg_combine';

CREATE FUNCTION _citus_agg_serialize(internal)
RETURNS bytea
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_citus_agg_serialize';

CREATE FUNCTION _citus_agg_deserialize(bytea, internal)
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', 'sql_citus_agg_deserialize';

CREATE FUNCTION filter_agg_for_type(type regtype)
RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	filters name;
	filter text[];
	parameters text[];
BEGIN
	SELECT n.nspname INTO STRICT filters
	FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'cuckoo_filter';
	FOREACH filter SLICE 1 IN ARRAY ARRAY[['bf', 'bloom', 'Bloom', 'sql_citus_bloom_agg_transition'],
		['cf', 'cuckoo', 'cuckoo', 'sql_citus_cuckoo_agg_transition']] LOOP
		FOREACH parameters SLICE 1 IN ARRAY ARRAY[
			['', '', 'sized for the number of distinct values'],
			[', float8', ', capacity float8', 'sized for a capacity; larger if there are more distinct values'],
			[', float8, float8', ', capacity float8, fpr float8', 'sized for a capacity (NULL: the number of distinct values) at a false positive rate; larger if there are more distinct values']]
		LOOP
			EXECUTE format($sql$
				CREATE FUNCTION %9$s._citus_%3$s_agg_transition(internal, %5$s%6$s)
				RETURNS internal
				LANGUAGE C IMMUTABLE PARALLEL SAFE
				AS 'MODULE_PATHNAME', %10$L;
				CREATE AGGREGATE %1$I.%2$s_agg(value %5$s%7$s) (
					SFUNC = %9$s._citus_%3$s_agg_transition,
					STYPE = internal,
					SSPACE = 512,
					FINALFUNC = %1$I._%3$sfilter_agg_final,
					FINALFUNC_EXTRA,
					COMBINEFUNC = %9$s._citus_agg_combine,
					SERIALFUNC = %9$s._citus_agg_serialize,
					DESERIALFUNC = %9$s._citus_agg_deserialize,
					PARALLEL = RESTRICTED
				);
				COMMENT ON AGGREGATE %1$I.%2$s_agg(%5$s%6$s) IS 'a %4$s filter of all values, %8$s'$sql$,
				filters, filter[1], filter[2], filter[3], type, parameters[1], parameters[2], parameters[3], '@extschema@',
				filter[4]);
		END LOOP;
	END LOOP;
END$$;
COMMENT ON FUNCTION filter_agg_for_type(regtype) IS
'creates bf_agg and cf_agg for a type by name, so that Citus can run them on the workers';
REVOKE EXECUTE ON FUNCTION filter_agg_for_type(regtype) FROM PUBLIC;

-- The types of most keys, and the types that PostgreSQL would otherwise cast to one of them. If citext is installed
-- later, call the function for it.

DO $do$
DECLARE
	type pg_catalog.text;
BEGIN
	FOREACH type IN ARRAY ARRAY['smallint', 'integer', 'bigint', 'text', 'varchar', 'bpchar', 'name', '"char"', 'uuid', 'numeric', 'date',
		'timestamp', 'timestamptz', 'bytea'] LOOP
		PERFORM @extschema@.filter_agg_for_type(type::pg_catalog.regtype);
	END LOOP;
	PERFORM @extschema@.filter_agg_for_type(t.oid)
	FROM pg_catalog.pg_extension AS e JOIN pg_catalog.pg_depend AS d ON d.refobjid OPERATOR(pg_catalog.=) e.oid
		JOIN pg_catalog.pg_type AS t ON t.oid OPERATOR(pg_catalog.=) d.objid
	WHERE e.extname OPERATOR(pg_catalog.=) 'citext' AND d.deptype OPERATOR(pg_catalog.=) 'e' AND t.typname OPERATOR(pg_catalog.=) 'citext';
END$do$;

-- Untyped values: these aggregates raise an error that names the missing cast. PostgreSQL would read such a value as text,
-- so their arguments have exactly the types of a call with an untyped value.

CREATE FUNCTION _citus_agg_refuse(internal, "any")
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_citus_agg_refuse';

CREATE FUNCTION _citus_agg_refuse(internal, "any", "any")
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_citus_agg_refuse';

CREATE FUNCTION _citus_agg_refuse(internal, "any", "any", "any")
RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sql_citus_agg_refuse';

DO $do$
DECLARE
	filters pg_catalog.name;
	capacity pg_catalog.text;
	rate pg_catalog.text;
	filter pg_catalog.text[];
BEGIN
	SELECT n.nspname INTO STRICT filters
	FROM pg_catalog.pg_extension AS e JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace
	WHERE e.extname OPERATOR(pg_catalog.=) 'cuckoo_filter';
	FOREACH filter SLICE 1 IN ARRAY ARRAY[['bloom'], ['cuckoo']] LOOP
		EXECUTE pg_catalog.format($$
			CREATE FUNCTION %3$s._citus_%2$s_agg_refuse(internal)
			RETURNS %1$I.%2$sfilter
			LANGUAGE C IMMUTABLE PARALLEL SAFE
			AS 'MODULE_PATHNAME', 'sql_citus_agg_refuse'$$, filters, filter[1], '@extschema@');
	END LOOP;
	FOREACH capacity IN ARRAY ARRAY[NULL, 'unknown', 'integer', 'bigint', 'numeric', 'float8'] LOOP
		FOREACH rate IN ARRAY ARRAY[NULL, 'unknown', 'numeric', 'float8'] LOOP
			CONTINUE WHEN capacity IS NULL AND rate IS NOT NULL;
			FOREACH filter SLICE 1 IN ARRAY ARRAY[['bf', 'bloom'], ['cf', 'cuckoo']] LOOP
				EXECUTE pg_catalog.format($$
					CREATE AGGREGATE %1$I.%2$s_agg(%4$s) (
						SFUNC = %6$s._citus_agg_refuse,
						STYPE = internal,
						FINALFUNC = %6$s._citus_%3$s_agg_refuse,
						PARALLEL = SAFE
					);
					COMMENT ON AGGREGATE %1$I.%2$s_agg(%5$s) IS
					'error: the value needs a type (untyped literal)'$$,
					filters, filter[1], filter[2],
					pg_catalog.concat_ws(', ', 'value unknown', 'capacity ' OPERATOR(pg_catalog.||) capacity, 'fpr ' OPERATOR(pg_catalog.||) rate),
					pg_catalog.concat_ws(', ', 'unknown', capacity, rate), '@extschema@');
			END LOOP;
		END LOOP;
	END LOOP;
END$do$;

-- ALTER EXTENSION cuckoo_filter SET SCHEMA would leave these aggregates behind, since they are not of that extension. PostgreSQL
-- has no_relocate for this since 16, and 15 accepts no such line in a control file.

CREATE FUNCTION _filter_agg_stays()
RETURNS event_trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF EXISTS (SELECT FROM pg_event_trigger_ddl_commands() AS c JOIN pg_extension AS e ON c.classid = 'pg_extension'::regclass AND c.objid = e.oid
		WHERE e.extname = 'cuckoo_filter' AND EXISTS (SELECT FROM pg_aggregate AS a
			JOIN pg_proc AS p ON p.oid = a.aggfnoid JOIN pg_proc AS t ON t.oid = a.aggtransfn
			WHERE t.prosrc ~ '^sql_citus_' AND p.pronamespace <> e.extnamespace)) THEN
		RAISE EXCEPTION USING ERRCODE = 'feature_not_supported',
			MESSAGE = 'cannot SET SCHEMA of extension "cuckoo_filter" because extension "cuckoo_filter_citus" prevents it',
			DETAIL = 'The aggregates of cuckoo_filter_citus are in the schema of cuckoo_filter.',
			HINT = 'Drop the extension cuckoo_filter_citus first, and create it again afterwards.';
	END IF;
END$$;

CREATE EVENT TRIGGER cuckoo_filter_citus_stays ON ddl_command_end WHEN TAG IN ('ALTER EXTENSION')
EXECUTE FUNCTION @extschema@._filter_agg_stays();

--
-- One filter per node
--

-- Everything below runs with the rights of its caller. bf_agg_distributed and cf_agg_distributed are for users. They call the
-- functions whose names begin with an underscore, which therefore must be open to the same users. So none of them takes any
-- SQL but the condition, and none can do more than these two.
--
-- In all of them, letter is b or c. settings are those of the coordinator's session that a condition depends on: search_path,
-- TimeZone, DateStyle, IntervalStyle.

-- Builds a filter of a column of all rows in some tables of this node, and returns it, or only its capacity, as text.

CREATE FUNCTION _filter_agg_tables(letter text, tables regclass[], alias name, value name, capacity float8, fpr float8,
	condition text, settings text[], only_capacity boolean)
RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	filters name;
	query text;
	result text;
BEGIN
	IF cardinality(tables) > 0 IS NOT TRUE THEN
		RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = 'there must be at least one table';
	END IF;
	SELECT n.nspname INTO filters
	FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'cuckoo_filter';
	SELECT format(CASE WHEN only_capacity THEN 'SELECT (%1$I.%2$I(%1$I.%3$I(value, %4$L::float8, %5$L::float8))).capacity FROM (%6$s) AS tables'
			ELSE 'SELECT %1$I.%3$I(value, %4$L::float8, %5$L::float8) FROM (%6$s) AS tables' END,
		filters, letter || 'f_info', letter || 'f_agg', capacity, fpr,
		string_agg(concat(format('SELECT %I AS value FROM %s', value, t), ' AS ' || quote_ident(alias), E' WHERE (\n' || condition || E'\n)'),
			' UNION ALL '))
	INTO query FROM unnest(tables) AS t;
	PERFORM set_config(s.name, s.setting, true)
	FROM unnest(ARRAY['search_path', 'TimeZone', 'DateStyle', 'IntervalStyle'], settings) AS s (name, setting)
	WHERE s.name IS NOT NULL AND s.setting IS NOT NULL;
	EXECUTE query INTO result;
	RETURN result;
END$$;

-- The active placements of a distributed table's shards, one for each shard.

CREATE FUNCTION _filter_placements(source regclass)
RETURNS TABLE (shardid bigint, placementid bigint, nodename text, nodeport integer)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY SELECT DISTINCT ON (s.shardid) s.shardid, p.placementid, n.nodename, n.nodeport
	FROM pg_dist_shard AS s
	LEFT JOIN (pg_dist_placement AS p JOIN pg_dist_node AS n ON n.groupid = p.groupid AND n.noderole = 'primary' AND n.isactive)
		ON p.shardid = s.shardid AND p.shardstate = 1
	WHERE s.logicalrelid = source
	ORDER BY s.shardid, p.placementid;
END$$;

-- Calls _filter_agg_tables once on each node that has shards of the table, for these shards, and returns the results. A shard can
-- be moved to another node meanwhile, and its old placement then misses later rows. So all results are discarded unless every
-- placement is the same afterwards.

CREATE FUNCTION _filter_agg_on_nodes(letter text, source regclass, value name, capacity float8, fpr float8, condition text,
	settings text[], only_capacity boolean)
RETURNS SETOF text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	alias name;
	prefix text;
	placements bigint[];
	homeless bigint;
	nodes text[];
	ports integer[];
	commands text[];
	results text[];
	answer record;
BEGIN
	-- shard_name qualifies the name, except in schema public.
	SELECT c.relname, CASE n.nspname WHEN 'public' THEN 'public.' ELSE '' END INTO alias, prefix
	FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = source;

	FOR attempt IN 1 .. 5 LOOP
		SELECT array_agg(p.placementid ORDER BY p.shardid), min(p.shardid) FILTER (WHERE p.placementid IS NULL)
		INTO placements, homeless FROM @extschema@._filter_placements(source) AS p;
		IF homeless IS NOT NULL THEN
			RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
				MESSAGE = format('shard %s of table %s has no active placement', homeless, source);
		END IF;
		IF placements IS NULL THEN
			RETURN;
		END IF;

		SELECT array_agg(q.nodename), array_agg(q.nodeport),
			array_agg(format('SELECT %s._filter_agg_tables(%L, %L::regclass[], %L, %L, %L::float8, %L::float8, %L, %L::text[], %L::boolean)',
					'@extschema@', letter, q.shards, alias, value, capacity, fpr, condition, settings, only_capacity))
		INTO nodes, ports, commands
		FROM (SELECT p.nodename, p.nodeport, array_agg(prefix || shard_name(source, p.shardid) ORDER BY p.shardid) AS shards
			FROM @extschema@._filter_placements(source) AS p
			WHERE p.placementid = ANY (placements) GROUP BY 1, 2) AS q;

		results := ARRAY[]::text[];
		FOR answer IN SELECT * FROM master_run_on_worker(nodes, ports, commands, true) LOOP
			EXIT WHEN NOT answer.success;
			results := results || answer.result;
		END LOOP;

		IF placements = (SELECT array_agg(p.placementid ORDER BY p.shardid) FROM @extschema@._filter_placements(source) AS p) THEN
			IF NOT answer.success THEN
				RAISE EXCEPTION USING ERRCODE = 'external_routine_exception',
					MESSAGE = format('could not read table %s on node %s:%s', source, answer.node_name, answer.node_port),
					DETAIL = answer.result;
			END IF;
			RETURN QUERY SELECT unnest(results);
			RETURN;
		END IF;
	END LOOP;
	RAISE EXCEPTION USING ERRCODE = 'serialization_failure',
		MESSAGE = format('shards of table %s kept moving while the filter was built', source),
		HINT = 'Repeat the query, or wait until the shards have been moved.';
END$$;

-- Builds the filter. path is the search_path for names in the condition.

CREATE FUNCTION _filter_agg_distributed(letter text, source regclass, value name, capacity float8, fpr float8,
	condition text, path text)
RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	settings CONSTANT text[] := ARRAY[path, current_setting('TimeZone'), current_setting('DateStyle'),
		current_setting('IntervalStyle')];
	filters name;
	is_divided boolean := false;
	result text;
BEGIN
	IF source IS NULL OR value IS NULL OR fpr IS NULL THEN
		RAISE EXCEPTION USING ERRCODE = 'null_value_not_allowed',
			MESSAGE = 'table, column and false positive rate must not be null';
	END IF;
	IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = source AND attname = value AND attnum > 0 AND NOT attisdropped) THEN
		RAISE EXCEPTION USING ERRCODE = 'undefined_column',
			MESSAGE = format('column %I of table %s does not exist', value, source);
	END IF;
	IF NOT has_column_privilege(source, value, 'SELECT') THEN
		RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = format('permission denied for table %s', source);
	END IF;
	-- A table without a distribution column is not divided, so Citus runs an ordinary query of it on one node.
	IF to_regclass('pg_dist_partition') IS NOT NULL THEN
		is_divided := EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = source AND partmethod <> 'n');
	END IF;
	IF NOT is_divided THEN
		RETURN @extschema@._filter_agg_tables(letter, ARRAY[source], NULL, value, capacity, fpr, condition, settings, false);
	END IF;

	-- The nodes read the table in transactions of their own.
	IF EXISTS (SELECT FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation' AND granted
			AND mode IN ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
			AND relation IN (SELECT source UNION SELECT relid FROM pg_partition_tree(source)
				UNION SELECT relid FROM pg_partition_ancestors(source))) THEN
		RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
			MESSAGE = format('table %s has been changed in this transaction', source),
			DETAIL = 'The nodes read the table in transactions of their own, which do not see these changes.',
			HINT = format('Commit the changes first, or use %sf_agg.', letter);
	END IF;

	-- Filters with the same capacity unite into one.
	IF capacity IS NULL THEN
		SELECT nullif(sum(r::float8), 0) INTO capacity
		FROM @extschema@._filter_agg_on_nodes(letter, source, value, NULL, fpr, condition, settings, true) AS r;
	END IF;
	SELECT n.nspname INTO filters
	FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'cuckoo_filter';
	EXECUTE format('SELECT %1$I.%2$I(r::%1$I.%3$I) FROM %4$s._filter_agg_on_nodes($1, $2, $3, $4, $5, $6, $7, false) AS r',
			filters, letter || 'f_union_agg', CASE letter WHEN 'b' THEN 'bloomfilter' ELSE 'cuckoofilter' END, '@extschema@')
		INTO result
		USING letter, source, value, capacity, fpr, condition, settings;
	RETURN result;
END$$;

CREATE FUNCTION bf_agg_distributed(source regclass, value name, capacity float8 DEFAULT NULL, fpr float8 DEFAULT 0.01,
	condition text DEFAULT NULL)
RETURNS bloomfilter
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
AS $$
BEGIN
	RETURN @extschema@._filter_agg_distributed('b', source, value, capacity, fpr, condition, pg_catalog.current_setting('search_path'));
END$$;
COMMENT ON FUNCTION bf_agg_distributed(regclass, name, float8, float8, text) IS
'a Bloom filter of a column of a distributed table, of the rows that meet a condition: the union of one filter for each node. The condition is SQL that runs with the caller''s rights: never pass user input';

CREATE FUNCTION cf_agg_distributed(source regclass, value name, capacity float8 DEFAULT NULL, fpr float8 DEFAULT 0.01,
	condition text DEFAULT NULL)
RETURNS cuckoofilter
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
AS $$
BEGIN
	RETURN @extschema@._filter_agg_distributed('c', source, value, capacity, fpr, condition, pg_catalog.current_setting('search_path'));
END$$;
COMMENT ON FUNCTION cf_agg_distributed(regclass, name, float8, float8, text) IS
'a cuckoo filter of a column of a distributed table, of the rows that meet a condition: the union of one filter for each node. The condition is SQL that runs with the caller''s rights: never pass user input';
