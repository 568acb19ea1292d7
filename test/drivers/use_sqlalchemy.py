"""SQLAlchemy, and the scripts that Alembic's autogenerate writes for columns of filters."""
import os
import re
import warnings

import alembic.command
import alembic.config
import sqlalchemy
from alembic.autogenerate import compare_metadata, produce_migrations, render_python_code
from alembic.migration import MigrationContext
from sqlalchemy import ARRAY, Column, LargeBinary, MetaData, Text, cast, func, select
from sqlalchemy.dialects.postgresql.base import ischema_names

import applications

url = "postgresql+psycopg2://"
engine = sqlalchemy.create_engine(url, isolation_level="AUTOCOMMIT")
connection = engine.connect()

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    MetaData().reflect(engine)
applications.point(any("Did not recognize type 'bloomfilter'" in str(warning.message) for warning in caught),
                   "without the types reflection warns", caught)

import use_sqlalchemy_types as application

news = application.metadata.tables["news"]

# Lines of the documentation: sqlalchemy

applications.compare(known, True, "the value is known")
applications.compare(image[:4], b"ckfl", "the bytes are those of an image")


def ask(query, parameters):
    """text() takes no :name before ::, hence CAST."""
    query = re.sub(r"\$(\d)::([a-z]+(\[\])?)", r"CAST($\1 AS \2)", query)
    query = re.sub(r"\$(\d)", r":p\1", query)
    values = {f"p{number}": value for number, value in enumerate(parameters, 1)}
    return connection.execute(sqlalchemy.text(query), values).scalar()


applications.ask_cases("sqlalchemy", ask)

reflected = MetaData()
reflected.reflect(engine)
applications.compare(type(reflected.tables["tickets"].c.open.type), application.CuckooFilter, "reflection gives the type")

# What Alembic detects, and what it does not without the types.
context = MigrationContext.configure(connection, opts={"compare_type": True})
changed = application.declare(application.CuckooFilter)


def differences():
    return [difference[0][0] for difference in compare_metadata(context, changed)]


applications.compare(differences(), ["modify_type"], "autogenerate detects a type that changed")
registered = {name: ischema_names.pop(name) for name in ("bloomfilter", "cuckoofilter")}
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    applications.compare(differences(), [], "without the types it does not")
    script = render_python_code(produce_migrations(context, MetaData()).downgrade_ops)
applications.point("sa.NullType()" in script, "and a downgrade has a column that cannot be created", script)
ischema_names.update(registered)

# Alembic, as set up by "alembic init", with the imports that the documentation gives.
folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "alembic")
config = alembic.config.Config(os.path.join(folder, "alembic.ini"), stdout=open(os.devnull, "w"))
alembic.command.init(config, folder)
config.set_main_option("sqlalchemy.url", url)


def edit(name, old, new):
    path = os.path.join(folder, name)
    with open(path) as file:
        text = file.read()
    assert old in text, f"{name} has no {old}"
    with open(path, "w") as file:
        file.write(text.replace(old, new))


edit("env.py", "target_metadata = None",
     "import use_sqlalchemy_types\ntarget_metadata = use_sqlalchemy_types.metadata")
edit("env.py", "target_metadata=target_metadata\n", "target_metadata=target_metadata, compare_type=True\n")
edit("script.py.mako", "import sqlalchemy as sa", "import sqlalchemy as sa\nimport use_sqlalchemy_types")


def migrate(metadata):
    """Have autogenerate write a script for the application's current tables, and run it. Returns the script."""
    application.metadata = metadata
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        script = alembic.command.revision(config, autogenerate=True)
        alembic.command.upgrade(config, "head")
    with open(script.path) as file:
        text = file.read()
    return text[text.index("def upgrade"):] + "".join(f"warning: {warning.message}\n" for warning in caught
                                                      if "recognize" in str(warning.message))


def column_type(table, column):
    return ask("SELECT format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = $1::regclass AND attname = $2 "
               "AND NOT attisdropped", [table, column])


text = migrate(application.declare())
applications.point("op." not in text and "warning" not in text, "autogenerate finds nothing to do, and does not warn", text)
migrate(application.declare(application.BloomFilter, Column("bounced", application.CuckooFilter)))
applications.compare(column_type("news", "bounced"), "cuckoofilter", "it adds a column")
migrate(application.declare())
applications.compare(column_type("news", "bounced"), None, "it drops the column")
migrate(MetaData())
applications.compare(ask("SELECT count(*) FROM pg_class WHERE relname = 'tickets'", []), 0, "it drops tables")
alembic.command.downgrade(config, "-1")
applications.compare((column_type("tickets", "open"), column_type("news", "readers")), ("cuckoofilter", "bloomfilter"),
                     "and a downgrade makes them again")
applications.finish()
