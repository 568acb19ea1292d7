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
applications.finish()
