"""Bloom filters that an application builds and sends to the database."""

from __future__ import annotations

import base64
import struct
from typing import Any, Iterable, NoReturn, Union

import xxhash

from . import batch, bloom_sizing, values
from .errors import CapacityError, KindError
from .filter import Bytes, hash_many
from .image import (
    BLOOM, DESCRIPTOR, FIXED, HEADER, HIGHEST_RATE, KIND_NAMES, LOWEST_RATE, MAX_CAPACITY, MAX_IMAGE_BYTES, NAMED,
    bloom_bytes, decode_text, parse,
)
from .layer import Layer
from .lookup import bloom_add, bloom_contains, mix

# The source of values of kind text: the SQL types text and varchar.
SOURCE_TEXT = 1
SOURCES_AT = 20

# How many values update() adds at a time.
_CHUNK = 65536


class BloomFilterBuilder:
    """Builds a Bloom filter of one kind of values, byte for byte as the extension does with ``bf_agg``.

    ``kind`` is the type of the values: a kind that ``bf_info()`` reports, such as ``integer`` or ``text``, or a usual
    name of it in SQL or Python, such as ``bigint``, ``varchar`` or ``str``. With ``grows=False`` the filter is like that of ``bf_create(..., grow => false)``: it takes any number
    of values, at the cost of its rate. Otherwise adding more than ``capacity`` distinct values raises CapacityError.
    """

    def __init__(self, capacity: int, rate: float = 0.01, *, kind: str, grows: bool = True) -> None:
        if not 1 <= capacity <= MAX_CAPACITY:
            raise ValueError("the capacity must be positive")
        (rate_bits,) = struct.unpack("<Q", struct.pack("<d", rate))
        if not LOWEST_RATE <= rate_bits <= HIGHEST_RATE:
            raise ValueError("the rate must be between 1e-7 and 0.5")
        kind = values.OTHER_NAMES.get(kind, kind)
        if kind not in values.ADD:
            raise KindError(f"this package cannot build filters of kind {kind}; it supports {', '.join(values.ADD)}")

        count, size, width = bloom_sizing.choose(capacity, rate)
        layer = Layer(capacity, count, size, width, HEADER.size + DESCRIPTOR.size)
        length = layer.offset + bloom_bytes(count, size)
        if length > MAX_IMAGE_BYTES:
            raise ValueError("the filter would be too large")
        data = bytearray(length)
        flags = 0 if grows else FIXED
        HEADER.pack_into(data, 0, b"ckfl", 1, BLOOM, 1, 1, rate_bits, KIND_NAMES.index(kind), flags, 0, 0, bytes(3))
        DESCRIPTOR.pack_into(data, HEADER.size, capacity, count, size, width, 0, layer.offset)
        self._start(data, layer, kind, grows)

    @classmethod
    def from_template(cls, template: Union[str, Bytes]) -> "BloomFilterBuilder":
        """A builder that fills an empty filter, which ``bf_create(capacity, fpr, of => 'type')`` made."""
        image = parse(decode_text(template) if isinstance(template, str) else bytes(template))
        if image.type != BLOOM:
            raise KindError("the template is a cuckoofilter")
        if image.kind == NAMED or image.kind_name not in values.ADD:
            raise KindError(f"this package cannot build filters of kind {image.kind_name}")
        if len(image.layers) != 1 or any(image.data[image.layers[0].offset:]):
            raise ValueError("the template must have one layer and no values")
        builder = cls.__new__(cls)
        builder._start(bytearray(image.data), image.layers[0], image.kind_name, not image.flags & FIXED)
        return builder

    def _start(self, data: bytearray, layer: Layer, kind: str, grows: bool) -> None:
        self._data = data
        self._layer = layer
        self._kind = KIND_NAMES.index(kind)
        self._grows = grows
        self._encode = values.encoder(kind, False, values.ADD)
        # How many values changed the filter: at most the number of distinct values.
        self._changes = 0
        if kind == "text":
            data[SOURCES_AT] |= SOURCE_TEXT

    def add(self, value: Any) -> None:
        """Add one value."""
        place = mix(xxhash.xxh3_64_intdigest(self._encode(value)))
        if self._grows and self._changes >= self._layer.capacity:
            if bloom_contains(self._data, self._layer, place):
                return
            self._refuse()
        self._changes += bloom_add(self._data, self._layer, place)

    def update(self, many: Iterable[Any]) -> None:
        """Add every value of a list, another iterable, or a numpy array of one dimension.

        After an exception, some of the values have been added.
        """
        if not batch.available:
            for value in many:
                self.add(value)
            return
        if not isinstance(many, (list, batch.numpy.ndarray)):
            many = list(many)
        for start in range(0, len(many), _CHUNK):
            self._add_batch(many[start:start + _CHUNK])

    def image(self) -> bytes:
        """The filter's bytes, to send as a parameter of type bytea or in binary format."""
        return bytes(self._data)

    def text(self) -> str:
        """The filter's text, to send as a parameter without a type or to write to a file for COPY."""
        return base64.b64encode(self._data).decode("ascii")

    def __repr__(self) -> str:
        kind, capacity = KIND_NAMES[self._kind], self._layer.capacity
        return f"<builder of a bloomfilter of {kind}, capacity {capacity}, {len(self._data)} bytes>"

    def _add_batch(self, many: Any) -> None:
        places = batch.mix(batch.numpy.unique(hash_many(many, self._kind, self._encode)))
        if self._grows:
            places = places[~batch.contains(self._data, self._layer, places, True)]
            if self._changes + len(places) > self._layer.capacity:
                self._refuse()
            self._changes += len(places)
        batch.bloom_add(self._data, self._layer, places)

    def _refuse(self) -> NoReturn:
        raise CapacityError(f"the filter has room for {self._layer.capacity} values")
