"""psycopg 3."""
import psycopg

import applications

connection = psycopg.connect(autocommit=True)
cursor = connection.cursor()

cursor.execute("CREATE TABLE seen AS SELECT bf_create(1000000, 0.001, of => 'text') AS keys")

# Lines of the documentation: psycopg

applications.compare((known, binary_filter[:4]), (True, b"ckfl"), "README.md: the value is known, and the bytes are returned")

# Lines of the documentation: psycopg news

applications.compare(known, True, "the value is known")
applications.compare(image[:4], b"ckfl", "the bytes are those of an image")

# Lines of the documentation: psycopg copy

# Lines of the documentation: psycopg client

applications.compare((ann, answers), (True, [True, True, False]), "the client reads the text of a filter")
binary = connection.cursor(binary=True).execute("SELECT readers FROM news WHERE name = 'cats'").fetchone()[0]
applications.compare((bytes(Filter(binary)), bytes(Filter(image))), (binary, image), "it reads the bytes of a filter")
query = """SELECT bf_contains(readers, 'carol'), readers = bf_agg(key, 10000)
    FROM news, unnest('{carol,dave}'::text[]) AS key WHERE name = 'dogs' GROUP BY readers"""
built = cursor.execute(query).fetchone()
applications.compare(built, (True, True), "the filter that it built is that of the aggregate")


def ask(query, parameters):
    return cursor.execute(*applications.positional(query, parameters)).fetchone()[0]


applications.compare(ask("SELECT count(*) FROM news_copy JOIN news USING (name, readers)", []), 2, "COPY copied")
applications.ask_cases("psycopg", ask)

cursor.execute("CREATE TABLE filters AS SELECT bf_add(bf_create(100000, of => 'text'), 'user42@example.com') AS known")

# Lines of the documentation: psycopg readme

cursor.execute("SELECT bf_contains(known, 'd@e.f'), bf_contains(known, 'user42@example.com'), (bf_info(known)).layers FROM filters")
applications.compare(cursor.fetchone(), (True, True, 1), "the filter that the client built merges into the stored one")
cursor.execute("SELECT bf_agg(key, 100000) FROM unnest('{a@b.c,d@e.f,g@h.i}'::text[]) AS key")
applications.compare(cursor.fetchone()[0], builder.text(), "it is that of the aggregate")

applications.finish()
