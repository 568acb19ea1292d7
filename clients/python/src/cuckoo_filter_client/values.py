"""The canonical bytes of values, by the kind of the filter. docs/format.md of cuckoo_filter specifies them.

Every function is strict: a value of another type raises KindError, because a lookup of it would mean nothing.
"""

from __future__ import annotations

import datetime
import struct
import uuid
from decimal import Decimal
from numbers import Integral
from typing import Any, Callable, Dict, NoReturn

from .errors import KindError

_INT64 = struct.Struct("<q")
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1

# Of numeric: digits before and after the decimal point.
_MOST_DIGITS = 131072
_MOST_FRACTION_DIGITS = 16383

_FIRST_DAY = datetime.date(2000, 1, 1).toordinal()
_EPOCH = datetime.datetime(2000, 1, 1)
_EPOCH_UTC = _EPOCH.replace(tzinfo=datetime.timezone.utc)

Encoder = Callable[[Any], bytes]


def _refuse(value: object, kind: str, wanted: str) -> NoReturn:
    found = type(value).__name__
    raise KindError(f"the filter holds values of kind {kind}, so the value must be {wanted}, not {found}")


def _decimal_bytes(value: Decimal) -> bytes:
    if not value.is_finite():
        text = "NaN" if value.is_nan() else "-Infinity" if value < 0 else "Infinity"
        return text.encode("ascii") + bytes(8)

    negative, tuple_of_digits, exponent = value.as_tuple()
    all_digits = "".join(map(str, tuple_of_digits))
    digits = all_digits.rstrip("0")
    if not digits:
        return bytes(8)
    power = int(exponent) + len(all_digits) - len(digits)
    if len(digits) + power > _MOST_DIGITS or -power > _MOST_FRACTION_DIGITS:
        raise ValueError("the number is out of the range of numeric")

    if power >= 0:
        whole, fraction = digits + "0" * power, ""
        if len(whole) <= 19 and _SMALLEST <= int(value) <= _LARGEST:
            return _INT64.pack(int(value))
    else:
        digits = digits.rjust(1 - power, "0")
        whole, fraction = digits[:power], "." + digits[power:]
    return (("-" if negative else "") + whole + fraction).encode("ascii") + bytes(8)


def _number(value: Any, kind: str) -> bytes:
    """SQL compares integers and numeric exactly, so both kinds accept both."""
    if type(value) is not int:
        if isinstance(value, Decimal):
            return _decimal_bytes(value)
        if isinstance(value, bool) or not isinstance(value, Integral):
            _refuse(value, kind, "an int or a Decimal")
        value = int(value)
    if _SMALLEST <= value <= _LARGEST:
        return _INT64.pack(value)
    return _decimal_bytes(Decimal(value))


def integer(value: Any) -> bytes:
    """For a lookup. A number that is no 64-bit integer has the bytes of kind numeric, which no integer has."""
    return _number(value, "integer")


def added_integer(value: Any) -> bytes:
    if isinstance(value, (bool, Decimal)) or not isinstance(value, Integral):
        _refuse(value, "integer", "an int")
    number = int(value)
    if not _SMALLEST <= number <= _LARGEST:
        raise ValueError("the number is out of the range of bigint")
    return _INT64.pack(number)


def numeric(value: Any) -> bytes:
    return _number(value, "numeric")


def text(value: Any) -> bytes:
    if not isinstance(value, str):
        _refuse(value, "text", "a str")
    return value.encode("utf-8")


def character(value: Any) -> bytes:
    if not isinstance(value, str):
        _refuse(value, "character", "a str")
    return value.rstrip(" ").encode("utf-8")


def enum(value: Any) -> bytes:
    if not isinstance(value, str):
        _refuse(value, "enum", "a str with the label")
    return value.encode("utf-8")


def bytea(value: Any) -> bytes:
    if not isinstance(value, (bytes, bytearray, memoryview)):
        _refuse(value, "bytea", "bytes")
    return bytes(value)


def uuid_(value: Any) -> bytes:
    if not isinstance(value, uuid.UUID):
        _refuse(value, "uuid", "a uuid.UUID")
    return value.bytes


def boolean(value: Any) -> bytes:
    if not isinstance(value, bool):
        _refuse(value, "boolean", "a bool")
    return _INT64.pack(value)


def date(value: Any) -> bytes:
    if not isinstance(value, datetime.date) or isinstance(value, datetime.datetime):
        _refuse(value, "date", "a datetime.date")
    return _INT64.pack(value.toordinal() - _FIRST_DAY)


def time(value: Any) -> bytes:
    if not isinstance(value, datetime.time) or value.tzinfo is not None:
        _refuse(value, "time", "a datetime.time without a time zone")
    return _INT64.pack(((value.hour * 60 + value.minute) * 60 + value.second) * 1000000 + value.microsecond)


def _microseconds(since: datetime.timedelta) -> bytes:
    return _INT64.pack((since.days * 86400 + since.seconds) * 1000000 + since.microseconds)


def timestamp(value: Any) -> bytes:
    if not isinstance(value, datetime.datetime) or value.utcoffset() is not None:
        _refuse(value, "timestamp", "a datetime.datetime without a time zone")
    return _microseconds(value.replace(tzinfo=None) - _EPOCH)


def timestamptz(value: Any) -> bytes:
    if not isinstance(value, datetime.datetime) or value.utcoffset() is None:
        _refuse(value, "timestamptz", "a datetime.datetime with a time zone")
    return _microseconds(value - _EPOCH_UTC)


# By the name of the kind. Other kinds are hashed by functions of PostgreSQL, or are combinations of kinds. The numbers
# of Python do not show whether a float was a real or a double precision, which are different values.
LOOKUP: Dict[str, Encoder] = {
    "integer": integer,
    "text": text,
    "bytea": bytea,
    "uuid": uuid_,
    "boolean": boolean,
    "date": date,
    "time": time,
    "timestamp": timestamp,
    "timestamptz": timestamptz,
    "numeric": numeric,
    "enum": enum,
    "character": character,
}
ADD: Dict[str, Encoder] = {**LOOKUP, "integer": added_integer}

# Names of types in SQL and Python, by which users call the kinds, too.
OTHER_NAMES: Dict[str, str] = {
    "smallint": "integer", "int": "integer", "bigint": "integer", "int2": "integer", "int4": "integer", "int8": "integer",
    "varchar": "text", "character varying": "text", "str": "text", "string": "text",
    "char": "character", "bpchar": "character",
    "bytes": "bytea",
    "bool": "boolean",
    "decimal": "numeric", "Decimal": "numeric",
    "UUID": "uuid",
    "time without time zone": "time",
    "timestamp without time zone": "timestamp",
    "timestamp with time zone": "timestamptz",
}


def encoder(kind: str, is_named: bool, encoders: Dict[str, Encoder]) -> Encoder:
    """The function for a kind; for a kind without one, a function that raises KindError.

    A named kind is none of ours, whatever its name.
    """

    def unsupported(value: Any) -> bytes:
        raise KindError(
            f"this package cannot hash values of kind {kind}; "
            "hash them in the database, by filter_hash(value), and pass the result to contains_hash()"
        )

    return unsupported if is_named else encoders.get(kind, unsupported)
