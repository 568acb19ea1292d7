"""Values of Python for the texts in which the server shows them."""

import datetime
import decimal
import re
import uuid


def _date(text):
    # Python has the years 1 to 9999.
    return datetime.date.fromisoformat(text) if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text) else None


def _time(text):
    return None if text.startswith("24:") else datetime.time.fromisoformat(text)


def _timestamp(text):
    return None if "infinity" in text else datetime.datetime.fromisoformat(text)


_READ = {
    "integer": int,
    "text": str,
    "character": str,
    "enum": str,
    "bytea": lambda text: bytes.fromhex(text[2:]),
    "uuid": uuid.UUID,
    "boolean": lambda text: {"true": True, "false": False}[text],
    "date": _date,
    "time": _time,
    "timestamp": _timestamp,
    "timestamptz": _timestamp,
    "numeric": decimal.Decimal,
}

KINDS = frozenset(_READ)


def read(kind, text):
    """The value, or None if no value of Python is equal to it."""
    return _READ[kind](text)
