"""psycopg 2."""
import io

import psycopg2

import applications

connection = psycopg2.connect("")
connection.autocommit = True
cursor = connection.cursor()
file = io.StringIO()

# Lines of the documentation: psycopg2

applications.compare(known, True, "the value is known")
applications.compare(bytes(image[:4]), b"ckfl", "the bytes are those of an image")


def ask(query, parameters):
    cursor.execute(*applications.positional(query, parameters))
    return cursor.fetchone()[0]


applications.compare(ask("SELECT count(*) FROM news_copy JOIN news USING (name, readers)", []), 2, "COPY copied")
applications.ask_cases("psycopg2", ask)

cursor.execute("CREATE TABLE filters AS SELECT bf_add(bf_create(100000, of => 'text'), 'user42@example.com') AS known")

# Lines of the documentation: psycopg readme

cursor.execute("SELECT bf_contains(known, 'd@e.f'), bf_contains(known, 'user42@example.com'), (bf_info(known)).layers FROM filters")
applications.compare(cursor.fetchone(), (True, True, 1), "the filter that the client built merges into the stored one")
cursor.execute("SELECT bf_agg(key, 100000) FROM unnest('{a@b.c,d@e.f,g@h.i}'::text[]) AS key")
applications.compare(cursor.fetchone()[0], builder.text(), "it is that of the aggregate")

applications.finish()
