-- Literals of every type that can be compared, among them different spellings of equal values, and values whose
-- equality is easy to get wrong. What a version of PostgreSQL does not read is left out there. Types are named as in
-- pg_type.
SET client_encoding = 'UTF8';

CREATE TABLE equality.literals (type text, literal text);

INSERT INTO equality.literals
SELECT type, literal
FROM (VALUES
    ('int2 int4 int8', ARRAY['0', '-0', '1', '+1', ' 1 ', '01', '-1', '127', '128', '1000', '32767', '-32768',
        '2147483647', '-2147483648', '9223372036854775807', '-9223372036854775808', '0x10', '1_000']),
    ('oid xid cid xid8 oid8', ARRAY['0', '1', '01', '-1', '1259', '4294967295', '18446744073709551615']),
    ('regclass', ARRAY['pg_class', 'pg_catalog.pg_class', 'pg_type']),
    ('regtype', ARRAY['integer', 'int4', '23', 'pg_catalog.int4', 'text']),
    ('regproc', ARRAY['textin', 'pg_catalog.textin', '0', 'boolin']),
    ('regprocedure', ARRAY['textin(cstring)', 'pg_catalog.textin(cstring)', '0']),
    ('regoper', ARRAY['0', '-', '~~~', '||/']),
    ('regoperator', ARRAY['0', '=(int4,int4)', '=(integer, integer)']),
    ('regrole', ARRAY['-', 'pg_monitor', '0', 'pg_signal_backend']),
    ('regnamespace', ARRAY['pg_catalog', '11', '-', 'public']),
    ('regconfig', ARRAY['english', 'pg_catalog.english', 'simple']),
    ('regdictionary', ARRAY['simple', 'pg_catalog.simple', 'english_stem']),
    ('regcollation', ARRAY['"C"', 'pg_catalog."C"', '950', '"POSIX"']),
    ('regdatabase', ARRAY['template1', '1', '-']),
    ('float4 float8', ARRAY['0', '-0', '0.0', '1', '1.0', '1e0', '0.1', '0.10', '.1', '0.3', '1e-1', 'NaN', 'nan',
        '-NaN',
        'Infinity', 'inf', '-inf', '16777216', '16777217', '3.4028235e38', '1.17549435e-38', '1e-45', '1e308',
            '5e-324',
        '1e22', '123456.789', '-1.5', '0x1p0']),
    ('numeric', ARRAY['0', '-0', '0.000', '1', '1.0', '1.00000', '1e0', '10', '1e1', '10.00', '100', '1e2', '10000',
        '1e4',
        '10000.0000', '1e20', '100000000000000000000', '100000000000000000000.000', '0.1', '0.10', '.1', '0.0001',
            '1e-4',
        '1e-20', '0.00000000000000000001', 'NaN', 'nan', 'Infinity', 'inf', '-Infinity', '-1.50', '-1.5', '1000',
            '0x3e8',
        '12345678901234567890.1234567890', '12345678901234567890.123456789', '9223372036854775807']),
    ('money', ARRAY['0', '$0.00', '1', '$1.00', '1.00', '(1.00)', '-1', '1000', '1,000', '$1,000.00', '0.001']),
    ('bool', ARRAY['t', 'true', 'yes', 'on', '1', 'TRUE', 'f', 'no', '0', 'off']),
    -- All of these, and of the next ones some.
    ('text varchar bpchar name citext', ARRAY['', ' ', 'a', 'A', 'a ', 'a  ', ' a', 'ab', 'AB', 'aB  ', 'a-b', '1',
        '01', 'é', U&'e\0301', 'É', 'e',
        'ß', 'ss', 'i', 'I', 'İ', repeat('x', 63), repeat('x', 64)]),
    ('some text', ARRAY['a b', '1.0', 'file10', 'FILE10', 'file010', 'null', '{}', '(1)', E'tab\there',
        E'line\nfeed', E'back\\slash', 'quote''s', '"',
        U&'E\0301', 'SS', 'ẞ', 'straße', 'STRASSE', 'ı', U&'i\0307', 'ﬁ', 'fi', 'Å', U&'\212B', U&'A\030A', 'Ω',
            U&'\2126', 'ω', 'σ', 'ς', 'Ж', 'ж',
        'łódź', 'ŁÓDŹ', '日本', 'にほん', 'ニホン', 'ﾆﾎﾝ', 'Ａ', '한국', U&'\1112\1161\11AB\1100\116E\11A8', '中文', '中國', '€',
            '½', 'ǆ', 'Ǆ',
        U&'\200B', U&'a\200Bb', U&'\00A0', U&'a\00A0', '𝒳', '😀', repeat('x', 63) || 'y', repeat('é', 31) || 'xé',
            repeat('long ', 700)]),
    ('char', ARRAY['', 'a', 'A', 'ab', 'b', ' ', '0', '\000', '\141', '\351']),
    ('bytea', ARRAY['', '\x', '\x00', E'\\000', '\x61', 'a', E'\\141', '\x 61 62', '\x6162', 'ab', '\xff', '\xFF',
        '\xe9', '\xc3a9', 'é',
        repeat('z', 3000)]),
    ('bit varbit', ARRAY['', '0', '1', '00', '01', 'B01', 'x5', 'b0101', '0101', '00000001', 'X01',
        '0000000100000000']),
    ('uuid', ARRAY['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11',
        '{a0eebc999c0b4ef8bb6d6bb9bd380a11}', 'a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11',
            '00000000-0000-0000-0000-000000000000']),
    ('date timestamp timestamptz', ARRAY['2020-01-02', 'January 2, 2020', '20200102', '1/2/2020', '2/1/2020',
        '2020-01-02 00:00', 'epoch',
        '1970-01-01', 'infinity', '-infinity', '4713-01-01 BC', '0001-01-01 BC', '2020-02-29', '5874897-12-31',
            '294276-12-31',
        '1582-10-15', '1900-01-01']),
    ('timestamp timestamptz', ARRAY['2020-01-02 00:00:00.000000', '2020-01-02T12:00:00', '2020-01-02 12:00:00.5',
        '2020-01-02 12:00:00.500', '2020-01-02 12:00:00.4999999', '2020-01-02 01:00+01',
            '2020-01-01 19:00 America/New_York',
        '2020-03-29 02:30', '2020-10-25 02:30', '2020-10-25 02:30 Europe/Berlin', '2020-10-25 01:30+00',
            '1883-11-18 12:00']),
    ('time', ARRAY['00:00', '00:00:00', '24:00', '12:00', '12:00 PM', '04:05:06', '040506', '04:05:06.0000001',
        '23:59:60']),
    ('timetz', ARRAY['12:00+00', '12:00Z', '13:00+01', '07:00-05', '00:00+00', '24:00+00', '12:00:30+00:00:30',
        '040506+00', '04:05:06+00']),
    ('interval', ARRAY['0', '1 month', '1 mon', '30 days', '720 hours', 'P1M', 'P30D', '1 month -30 days', '1 day',
        '24:00', '24 hours',
        '-1 day 24:00', '2 days -24:00', '1 year', '12 months', '360 days', '365 days', '-1 month', '-30 days',
            '1.5 days',
        '1 day 12:00', '0.0000001 seconds', '178000000 years', 'infinity', '-infinity', '1-2', '14 months']),
    ('inet cidr', ARRAY['10.0.0.1', '10.0.0.1/32', '10.0.0.1/8', '10.0.0.0/8', '10/8', '10', '10.0.0.0/32', '::1',
        '::1/128', '0::1', '0:0:0:0:0:0:0:1',
        '::', '::/0', '0.0.0.0/0', '::ffff:10.0.0.1', '::10.0.0.1', '192.168.0.0/24', '192.168.0/24', '192.168',
            '2001:DB8::/32', '2001:db8::/32']),
    ('macaddr macaddr8', ARRAY['08:00:2b:01:02:03', '08-00-2B-01-02-03', '08002b:010203', '0800.2b01.0203',
        '08002b010203', '00:00:00:00:00:00']),
    ('macaddr8', ARRAY['08:00:2b:ff:fe:01:02:03', '08002bfffe010203', '08:00:2b:01:02:03:04:05',
        '0800.2b01.0203.0405']),
    ('jsonb', ARRAY['1', '1.0', '1.00', '1e0', '100', '1e2', '0', '-0', '0.0', 'null', 'true', '""', '"a"', '"A"',
        ' "a" ', '"\u0061"', '"é"', '"\u00e9"', '"日本"',
        '[]', '[1]', '[1.0]', '[[1]]', '{}', '{"a":1}', '{"a": 1.0}', '{"a":2,"a":1.00}', '{"b":1,"a":[1,2]}',
            '{"a":[1.0,2.00],"b":1e0}',
        '{"é":"ß"}', '{"ключ":[null,{"a":1}]}']),
    ('tsvector', ARRAY['', 'a b', 'b a', 'a a b', 'a:1 b:2', 'b:2 a:1', '''a'':1']),
    ('tsquery', ARRAY['a', '''a''', 'a & b', 'a&b', 'b & a', 'a | b', '!a', 'a <-> b', 'a:*']),
    ('point', ARRAY['(1,2)', '1,2', '(1.0,2.0)', '(0,0)', '(-0,0)', '(1.0000001,2)']),
    ('box', ARRAY['(1,1),(0,0)', '(0,0),(1,1)', '(2,2),(1,1)', '(0,0),(0,0)', '(2,1),(0,0)', '(1,2),(0,0)']),
    ('circle', ARRAY['<(0,0),1>', '<(5,5),1>', '0,0,1', '<(0,0),2>']),
    ('lseg', ARRAY['[(0,0),(1,1)]', '(0,0),(1,1)', '0,0,1,1', '[(1,1),(0,0)]']),
    ('path', ARRAY['[(0,0),(1,1)]', '((0,0),(1,1))', '(5,5),(6,6)']),
    ('polygon', ARRAY['((0,0),(1,1),(1,0))', '((1,1),(1,0),(0,0))']),
    ('line', ARRAY['{1,2,3}', '{2,4,6}', '{-1,-2,-3}', '{1,0,0}']),
    ('pg_lsn', ARRAY['0/0', '0/00000000', '16/B374D848', '16/b374d848', 'FFFFFFFF/FFFFFFFF']),
    ('txid_snapshot pg_snapshot', ARRAY['10:20:10,14,15', '10:20:10,10,14,15', '10:10:', '10:20:']),
    ('tid', ARRAY['(0,1)', '(0,01)', '(1,1)', '(4294967295,65535)']),
    ('oidvector int2vector', ARRAY['', '1', '01', '1 2', '1  2', '2 1']),
    ('aclitem', ARRAY['pg_monitor=r/pg_monitor', 'pg_monitor=rr/pg_monitor', 'pg_monitor=rw/pg_monitor',
        'pg_monitor=wr/pg_monitor', '=r/pg_monitor']),
    ('int4range int8range numrange', ARRAY['empty', '[3,3)', '(3,3)', '[1,5)', '[1,4]', '(0,4]', '(0,5)', '(,)',
        '[,5)', '(,5)', '(,4]', '[1,)', '[01,05)', ' [ 1, 5 ) ']),
    ('numrange', ARRAY['[1.0,2.0]', '[1.00,2.00]', '[1,2]', '[1e0,2]', '[1.0,1.00]', '[1,1]', '[NaN,NaN]', '(,2.0]',
        '(,2]']),
    ('daterange tsrange tstzrange', ARRAY['empty', '[2020-01-01,2020-01-31]', '[2020-01-01,2020-02-01)',
        '(2019-12-31,2020-01-31]', '[2020-01-01,infinity)',
        '[2020-01-01,infinity]', '[2020-01-01,)', '["January 1, 2020",2020-01-31]', '[-infinity,2020-01-01)']),
    ('tstzrange tsrange', ARRAY['["2020-01-01 00:00+00","2020-01-02 00:00+00")',
        '["2020-01-01 01:00+01","2020-01-02 05:00+05")']),
    ('int4multirange int8multirange nummultirange', ARRAY['{}', '{[1,5)}', '{[1,2),[2,5)}', '{[1,3],[2,4]}',
        '{(0,4]}', '{[7,8),[1,2)}', '{[1,2),[7,8)}', '{(,)}', '{[3,3)}']),
    ('nummultirange', ARRAY['{[1.0,2.00]}', '{[1,2]}', '{[1.0,1.5],[1.5,2]}']),
    ('datemultirange tsmultirange tstzmultirange', ARRAY['{}', '{[2020-01-01,2020-01-31]}',
        '{[2020-01-01,2020-02-01)}', '{[2020-01-01,2020-01-15),[2020-01-15,2020-02-01)}',
        '{[2020-01-01,infinity]}']),
    ('hstore', ARRAY['', 'a=>1', '"a"=>"1"', 'a=>1,b=>2', 'b=>2, a=>1', 'a=>1,a=>2', 'a=>NULL', 'a=>"NULL"', 'é=>ß',
        'é=>1, a=>2', 'ж=>日本']),
    ('ltree', ARRAY['', 'a', 'A', 'a.b', 'a.B', 'b.a']),
    ('ean13', ARRAY['9780393040029', '978-0-393-04002-9', '978-039304002-9', '979-0-3452-4680-5',
        '977-1436-45200-8']),
    ('isbn13 isbn', ARRAY['9780393040029', '978-0-393-04002-9', '0-393-04002-X', '039304002X', '0-11-000533-3',
        '978-0-11-000533-1']),
    ('ismn13 ismn', ARRAY['979-0-3452-4680-5', 'M-3452-4680-5', '9790345246805', 'M-060-11561-5',
        '979-0-060-11561-5']),
    ('issn13 issn', ARRAY['977-1436-45200-8', '1436-4522', '14364522', '0317-8471', '977-0317-84700-1']),
    ('upc', ARRAY['220356483481', '0220356483481']),
    ('cube', ARRAY['1', '(1)', '(1),(1)', '(1.0)', '(1,2)', '(1,2),(1,2)', '(3,4),(1,2)', '(1,2),(3,4)', '(0)',
        '(-0)', '(1,0)']),
    ('seg', ARRAY['1', '1.0', '1.00', '1 .. 2', '1..2', '1.0..2.00', '1.5(+-)0.5', '~1', '<1', '1..']),
    ('lo', ARRAY['0', '1', '01', '4294967295'])
) AS lists (types, list), unnest(CASE types WHEN 'some text' THEN ARRAY[types] ELSE string_to_array(types,
    ' ') END) AS type, unnest(list) AS literal;

-- Nothing can be written as one of these, or they are no types of values.
CREATE TABLE equality.unwritable AS
SELECT unnest(ARRAY['pg_node_tree', 'pg_ndistinct', 'pg_dependencies', 'pg_mcv_list', 'pg_brin_bloom_summary',
    'pg_brin_minmax_multi_summary',
    'bloomfilter', 'cuckoofilter', 'filter_literal']) AS type;

-- Two random literals, mostly of one value, of a type of a category that random values can be made of.
CREATE FUNCTION equality.random_literals(type text, category "char") RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    letters constant text := 'aAbBeEzZ019 -éÉßäÄñÑøØåÅłŁšŠжЖяЯбБ日本語中文字國漢あア한글';
    n bigint := ((random() - 0.5) * 10 ^ (random() * 18))::bigint;
    moment timestamptz := '2000-01-01 UTC'::timestamptz + (random() - 0.5) * interval '200 years';
    word text := '';
BEGIN
    CASE category
        WHEN 'N' THEN
            IF type ~ '^(numeric|float|money)' THEN
                RETURN ARRAY[n || '.25', CASE type WHEN 'money' THEN n || '.250' ELSE n || '25.00e-2' END];
            ELSIF type ~ '^int2' THEN
                RETURN ARRAY[n % 32768, n % 32768]::text[];
            ELSIF type ~ '^(int|oid|xid)' THEN
                RETURN ARRAY[(n % 2147483648)::text, ' 0' || abs(n % 2147483648)];
            END IF;
        WHEN 'S' THEN
            FOR i IN 1 .. 1 + random() * 12 LOOP
                word := word || substr(letters, 1 + (random() * (length(letters) - 1))::integer, 1);
            END LOOP;
            RETURN ARRAY[word, CASE floor(random() * 4) WHEN 0 THEN upper(word) WHEN 1 THEN word || '  ' ELSE word END];
        WHEN 'D' THEN
            IF type = 'timetz' THEN
                RETURN ARRAY[moment::timetz, moment::timetz]::text[];
            END IF;
            RETURN ARRAY[moment::text, CASE WHEN type = 'timestamptz' THEN to_char(moment AT TIME ZONE 'Asia/Tokyo',
                'YYYY-MM-DD HH24:MI:SS.US') || '+09'
                ELSE to_char(moment, 'YYYYMMDD HH24MISS.US') END];
        WHEN 'V' THEN
            IF type IN ('bit', 'varbit') THEN
                RETURN ARRAY[(n % 256)::int::bit(16)::text, (n % 256)::int::bit(16)::text];
            END IF;
        WHEN 'U' THEN
            word := md5(random()::text);
            IF type = 'uuid' THEN
                RETURN ARRAY[word, upper(word)];
            ELSIF type = 'bytea' THEN
                RETURN ARRAY[decode(word, 'hex')::text, encode(decode(word, 'hex'), 'escape')];
            ELSIF type = 'jsonb' THEN
                RETURN ARRAY[format('{"%s":%s,"b":[%s]}', left(word, 2), n, n), format('{"b":[%s.0], "%s":%s.00}',
                    n, left(word, 2), n)];
            END IF;
        WHEN 'T' THEN
            RETURN ARRAY[n % 1000 || ' days', n % 1000 * 24 || ' hours'];
        WHEN 'I' THEN
            word := abs(n % 256) || '.' || abs(n / 256 % 256) || '.7.1';
            RETURN ARRAY[word, word || '/32'];
        ELSE NULL;
    END CASE;
    RETURN '{}';
END $$;
