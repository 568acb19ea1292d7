# The vectors in test/golden/vectors.json, and the examples in docs/format_examples.md, are correct: their scripts write the
# same again; the server agrees with the vectors on every value and image, and rejects the invalid ones for the given reason;
# so does the reader of docs/format.md.
use strict;
use warnings;
no warnings 'portable';

use FindBin;
use Encode qw(encode_utf8);
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $golden = "$FindBin::Bin/../golden";
require "$FindBin::Bin/../reader/read_filter.pl";

my $content = slurp_file("$golden/vectors.json");
my $vectors = decode_json($content);

# All golden images are part of it, unchanged.

my $folder = PostgreSQL::Test::Utils::tempdir();
command_ok([ $^X, "$golden/make_vectors.pl", $folder ], 'the vectors are written');
is(slurp_file("$folder/vectors.json"), $content, 'vectors.json is what the script writes');
is(slurp_file("$folder/verdicts.tsv"), slurp_file("$golden/verdicts.tsv"), 'verdicts.tsv is what the script writes');
is(`$^X $golden/make_examples.pl -`, slurp_file("$golden/../../docs/format_examples.md"), 'the page of examples is what its script writes');
is( join(' ', sort map { $_->{name} } @{ $vectors->{images} }),
	join(' ', map { m{([^/]*)\.hex$} } sort glob("$golden/*.hex")),
	'every golden image is among the vectors');

# Every rule of the document, and every reason of the validator, has an image that violates it.

my ($validity) = slurp_file("$FindBin::Bin/../../docs/format.md") =~ /^## Validity\n(.*?)^## /ms;
my %rules = map { $_ => 1 } $validity =~ /^\| ([0-9]+) \|/mg;
my %reasons = map { $_ => 1 }
  slurp_file("$FindBin::Bin/../../src/core/image.c") =~ /return (?:bad_image\()?"([^"]+)"/g;
delete $rules{ $_->{rule} } for @{ $vectors->{invalid} };
delete $reasons{ $_->{reason} } for @{ $vectors->{invalid} };
is(join(' ', sort keys %rules), '', 'every rule has an image that violates it');
is(join('; ', sort keys %reasons), '', 'every reason has an image');

# The reader

my @wrong;
for my $vector (@{ $vectors->{invalid} })
{
	next if !eval { open_image(pack 'H*', $vector->{image}) };
	push @wrong, "$vector->{name} is accepted";
}
continue
{
	# A reason ends in a line break, an error of the program in a source position.
	push @wrong, "$vector->{name}: $@" if $@ =~ / at .* line /;
}
for my $vector (@{ $vectors->{valid} })
{
	push @wrong, "$vector->{name}: $@" if !eval { open_image(pack 'H*', $vector->{image}) };
}
for my $vector (@{ $vectors->{texts} })
{
	my $is_accepted = eval { open_image(decode_image(encode_utf8($vector->{text}))) } ? 1 : 0;

	push @wrong, "text $vector->{text}" if $is_accepted != $vector->{valid};
}
for my $image (@{ $vectors->{images} })
{
	my $filter = open_image(decode_image($image->{text}));

	for my $answer (@{ $image->{answers} })
	{
		my $hash = hash_bytes(pack 'H*', $answer->{canonical_bytes});

		push @wrong, "$image->{name}: $answer->{sql}"
		  if sprintf('%016x', $hash) ne $answer->{hash} || contains($filter, $hash) != $answer->{contains} ||
		  defined $answer->{count} && count($filter, $hash) != $answer->{count};
	}
}
is(join("\n", @wrong), '', 'the reader rejects the invalid ones, accepts the valid ones, and gives the expected answers');

# The server

my $node = PostgreSQL::Test::Cluster->new('vectors');
$node->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
$node->start;
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION cuckoo_filter;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE pair AS (number integer, label text);
CREATE TABLE vectors (content jsonb);

-- What differs from the vectors. The hash of a bytea is that of its bytes.
CREATE FUNCTION wrong_hash(vector jsonb) RETURNS jsonb LANGUAGE sql AS $$
	SELECT vector WHERE filter_hash(decode(vector->>'canonical_bytes', 'hex'))::text <> vector->>'filter_hash'
		OR lpad(to_hex((vector->>'filter_hash')::bigint), 16, '0') <> vector->>'hash'
$$;

CREATE FUNCTION wrong_value(vector jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	expected jsonb := vector - 'contains' - 'count';
	found jsonb;
BEGIN
	EXECUTE format($sql$
		SELECT jsonb_build_object('filter_hash', filter_hash(v)::text, 'hash', lpad(to_hex(filter_hash(v)), 16, '0'),
			'kind', (bf_info(bf_add(bf_create(1), v))).value_kind)
		FROM (SELECT %s AS v) AS t$sql$, vector->>'sql') INTO found;
	-- The answers of an image have its kind, not theirs.
	IF NOT vector ? 'kind' THEN
		found := found - 'kind';
	END IF;
	RETURN CASE WHEN found <> expected - 'sql' - 'canonical_bytes' OR wrong_hash(vector) IS NOT NULL
		THEN vector || jsonb_build_object('found', found) END;
END$$;

CREATE FUNCTION described(f bloomfilter) RETURNS jsonb LANGUAGE sql AS $$
	SELECT jsonb_build_object('type', 'bloomfilter', 'kind', coalesce(value_kind, 'none'), 'requested_fpr', requested_fpr,
		'layers', (SELECT coalesce(jsonb_agg(to_jsonb(l) - 'layer' - 'fill' ||
			jsonb_build_object('bits_set', round(fill * bytes * 8)) ORDER BY layer), '[]') FROM bf_layers(f) AS l))
	FROM bf_info(f) WHERE bytes = 4 + length(f::bytea)
$$;
-- What cf_layers and cf_info do not tell follows from the length of a layer and the flags of its descriptor.
CREATE FUNCTION described(f cuckoofilter) RETURNS jsonb LANGUAGE sql AS $$
	SELECT jsonb_build_object('type', 'cuckoofilter', 'kind', coalesce(value_kind, 'none'), 'requested_fpr', requested_fpr,
		'copies', cardinality, 'layers', (SELECT coalesce(jsonb_agg(to_jsonb(l) - 'layer' - 'load_factor' || jsonb_build_object(
				'flags', flags, 'entries', round(load_factor * slots)) ||
				CASE WHEN flags & 2 > 0 THEN jsonb_build_object('stash_room', (bytes - counted) / 8 - 1) ELSE '{}' END ORDER BY layer), '[]')
			FROM cf_layers(f) AS l,
				LATERAL (SELECT pages * 2 * (windows + 1)) AS s (slots),
				LATERAL (SELECT get_byte(f::bytea, (SELECT min(byte_offset)::integer FROM cf_layers(f)) - 24 * (layers - layer) + 15)) AS d (flags),
				LATERAL (SELECT (slots * slot_bits + 7) / 8 + 7 + (flags & 1) * slots / 2) AS c (counted)))
	FROM cf_info(f) WHERE bytes = 4 + length(f::bytea)
$$;

-- The same of a vector.
CREATE FUNCTION to_compare(vector jsonb) RETURNS jsonb LANGUAGE sql AS $$
	SELECT CASE WHEN vector->>'type' = 'bloomfilter' THEN vector - 'answers' - 'name' ELSE
		vector - 'answers' - 'name' || (SELECT jsonb_build_object('copies', coalesce(sum((l->>'copies')::bigint), 0),
				'layers', coalesce(jsonb_agg(l - 'copies' - 'slots_taken' - 'stash_used' || jsonb_build_object('entries',
					(l->>'slots_taken')::bigint + coalesce((l->>'stash_used')::bigint, 0)) ORDER BY n), '[]'))
			FROM jsonb_array_elements(vector->'layers') WITH ORDINALITY AS layers (l, n)) END
$$;

CREATE FUNCTION wrong_image(vector jsonb) RETURNS SETOF jsonb LANGUAGE plpgsql AS $$
DECLARE
	is_cuckoo boolean := vector->>'type' = 'cuckoofilter';
	found jsonb;
	answer jsonb;
	answers jsonb;
BEGIN
	EXECUTE format($sql$
		SELECT described(f) || jsonb_build_object('image', encode(f::bytea, 'hex'), 'text', f::text,
			'flags', get_byte(f::bytea, 17))
		FROM (SELECT %L::bytea::%s) AS t(f)
		WHERE f::text = %L::%2$s::text$sql$, '\x' || (vector->>'image'), vector->>'type', vector->>'text') INTO found;
	IF found IS DISTINCT FROM to_compare(vector) THEN
		RETURN NEXT vector - 'answers' || jsonb_build_object('found', found);
	END IF;
	FOR answer IN SELECT jsonb_array_elements(vector->'answers') LOOP
		RETURN NEXT wrong_value(answer);
		EXECUTE format($sql$
			SELECT jsonb_build_object('contains', %1$s_contains(f, %2$s), 'by_hash', %1$s_contains_hash(f, %3$s), 'count', %4$s)
			FROM (SELECT %5$L::%6$s) AS t(f)$sql$, CASE WHEN is_cuckoo THEN 'cf' ELSE 'bf' END, answer->>'sql',
			answer->>'filter_hash', CASE WHEN is_cuckoo THEN format('cf_count(f, %s)', answer->>'sql') ELSE 'NULL' END,
			vector->>'text', vector->>'type') INTO answers;
		IF answers IS DISTINCT FROM jsonb_build_object('contains', answer->'contains', 'by_hash', answer->'contains', 'count',
				CASE WHEN is_cuckoo THEN answer->'count' ELSE 'null' END) THEN
			RETURN NEXT answer || answers || jsonb_build_object('image', vector->'name');
		END IF;
	END LOOP;
END$$;

-- The reason that the extension gives is in the detail of its error.
CREATE FUNCTION wrong_refusal(vector jsonb) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	reason text;
	type text;
BEGIN
	FOREACH type IN ARRAY CASE substr(vector->>'image', 11, 2) WHEN '01' THEN '{bloomfilter}' WHEN '02' THEN '{cuckoofilter}'
			ELSE '{bloomfilter,cuckoofilter}'::text[] END LOOP
		BEGIN
			EXECUTE format('SELECT %L::bytea::%s', '\x' || (vector->>'image'), type);
			RETURN NEXT (vector->>'name') || ' is accepted';
		EXCEPTION WHEN invalid_binary_representation THEN
			GET STACKED DIAGNOSTICS reason = PG_EXCEPTION_DETAIL;
			IF right(reason, length(vector->>'reason') + 3) <> ': ' || (vector->>'reason') || '.' THEN
				RETURN NEXT format('%s as %s: %s', vector->>'name', type, reason);
			END IF;
		END;
	END LOOP;
END$$;

CREATE FUNCTION wrong_acceptance(vector jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	image bytea := decode(vector->>'image', 'hex');
	same boolean;
BEGIN
	EXECUTE format('SELECT $1::%s::bytea = $1', CASE get_byte(image, 5) WHEN 1 THEN 'bloomfilter' ELSE 'cuckoofilter' END)
		INTO same USING image;
	RETURN CASE WHEN NOT same THEN (vector->>'name') || ' is changed' END;
EXCEPTION WHEN OTHERS THEN
	RETURN format('%s: %s', vector->>'name', SQLERRM);
END$$;

CREATE FUNCTION wrong_text(vector jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
	PERFORM (vector->>'text')::bloomfilter;
	RETURN CASE WHEN NOT (vector->'valid')::boolean THEN vector END;
EXCEPTION WHEN invalid_text_representation THEN
	RETURN CASE WHEN (vector->'valid')::boolean THEN vector END;
END$$;
SQL
$node->safe_psql('postgres', "INSERT INTO vectors VALUES (\$vectors\$$content\$vectors\$)");

# [name, the function that returns the errors, the minimum number of cases]
for my $check ([ 'values', 'wrong_value', 50 ], [ 'hashes', 'wrong_hash', 20 ], [ 'images', 'wrong_image', 25 ],
	[ 'invalid', 'wrong_refusal', 100 ], [ 'valid', 'wrong_acceptance', 30 ], [ 'texts', 'wrong_text', 30 ])
{
	my ($what, $function, $least) = @$check;

	is( $node->safe_psql('postgres', "SELECT found FROM vectors, jsonb_array_elements(content->'$what') AS vector,
			LATERAL (SELECT $function(vector)::text) AS t(found) WHERE found IS NOT NULL"),
		'', "the server agrees: $what");
	cmp_ok(scalar @{ $vectors->{$what} }, '>=', $least, "there are $what");
}

$node->stop;
done_testing();
