"""The types that docs/applications.md defines for SQLAlchemy, as a module."""
from sqlalchemy import Column, MetaData, Table, Text
from sqlalchemy.dialects.postgresql.base import ischema_names
from sqlalchemy.types import UserDefinedType

# Lines of the documentation: sqlalchemy types


class CuckooFilter(UserDefinedType):
    cache_ok = True

    def get_col_spec(self, **options):
        return "cuckoofilter"


ischema_names["cuckoofilter"] = CuckooFilter


def declare(readers=BloomFilter, *more):
    """The tables of schema.sql."""
    metadata = MetaData()
    Table("news", metadata, Column("name", Text, primary_key=True), Column("readers", readers, nullable=False), *more)
    Table("news_copy", metadata, Column("name", Text, nullable=False), Column("readers", BloomFilter, nullable=False))
    Table("tickets", metadata, Column("name", Text, primary_key=True), Column("open", CuckooFilter, nullable=False))
    return metadata


# The tables that autogenerate compares with the database.
metadata = declare()
