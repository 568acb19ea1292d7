"""asyncpg."""
import asyncio
import os

import asyncpg

import applications


async def lines(connection):
    # Lines of the documentation: asyncpg
    return known, image


async def copy(connection, file):
    await connection.copy_from_query("SELECT * FROM news", output=file, format="binary")
    await connection.copy_to_table("news_copy", source=file, format="binary")


loop = asyncio.new_event_loop()
connection = loop.run_until_complete(asyncpg.connect())
known, image = loop.run_until_complete(lines(connection))
applications.compare(known, True, "the value is known")
applications.compare(image[:4], b"ckfl", "the bytes are those of an image")


def ask(query, parameters):
    return loop.run_until_complete(connection.fetchval(query, *parameters))


applications.compare(ask("SELECT count(*) FROM news_copy JOIN news USING (name, readers)", []), 2, "rows were copied")
ask("DELETE FROM news_copy", [])
file = os.path.join(os.path.dirname(__file__), "asyncpg.copy")
loop.run_until_complete(copy(connection, file))
applications.compare(ask("SELECT count(*) FROM news_copy JOIN news USING (name, readers)", []), 2, "COPY copied")
applications.ask_cases("asyncpg", ask)

# A connection without the codec.
connection = loop.run_until_complete(asyncpg.connect())
text = ask("SELECT readers FROM news LIMIT 1", [])
applications.compare(type(text), str, "without the codec a filter is text")
applications.expect_error("expected str, got bytes", lambda: ask("UPDATE news SET readers = $1", [image]),
                          "and bytes are refused")
applications.compare(ask("UPDATE news SET readers = $1::bytea WHERE name = 'copy' RETURNING readers", [image]), text,
                     "unless the parameter is bytea")
applications.expect_error("no binary format encoder", lambda: loop.run_until_complete(
    connection.copy_records_to_table("news_copy", records=[("new", text)])), "rows with filters cannot be copied")
applications.finish()
