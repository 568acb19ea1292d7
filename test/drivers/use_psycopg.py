"""psycopg 3."""
import psycopg

import applications

connection = psycopg.connect(autocommit=True)
cursor = connection.cursor()

# Lines of the documentation: psycopg

applications.compare(known, True, "the value is known")
applications.compare(image[:4], b"ckfl", "the bytes are those of an image")

# Lines of the documentation: psycopg copy


def ask(query, parameters):
    return cursor.execute(*applications.positional(query, parameters)).fetchone()[0]


applications.compare(ask("SELECT count(*) FROM news_copy JOIN news USING (name, readers)", []), 2, "COPY copied")
applications.ask_cases("psycopg", ask)
applications.finish()
