"""The filters that applications read."""

from __future__ import annotations

import base64
from typing import Any, Iterable, Union

import xxhash

from . import batch, values
from .errors import KindError
from .image import BLOOM, FIXED, KIND_NAMES, NAMED, NONE, decode_text, parse
from .layer import Layer
from .lookup import MASK_64, MAX_COUNT, bloom_contains, cuckoo_count, mix

# The kinds of numpy's arrays whose elements tolist() returns unchanged: not dates, some of which become numbers, and
# not bytes, which lose zeroes at their end.
_EXACT_ARRAYS = frozenset("biufUO")

Bytes = Union[bytes, bytearray, memoryview]

_hash = xxhash.xxh3_64_intdigest

# Below this number of values, numpy does not pay.
_FEW = 32

# The kinds in which integers of 64 bits are hashed by numpy.
_NUMBERS = frozenset(KIND_NAMES.index(name) for name in ("integer", "numeric"))


class Filter:
    """A Bloom or cuckoo filter, from the form in which a driver returns it: its text or its bytes.

    Raises InvalidImage unless the image follows every rule of the format.

    ``contains(value)``, or ``value in filter``, is False only if the value was never added, or was deleted. It raises
    KindError if the value is not of the filter's kind.
    """

    def __init__(self, image: Union[str, Bytes]) -> None:
        self._image = parse(decode_text(image) if isinstance(image, str) else bytes(image))
        self._encode = values.encoder(self._image.kind_name, self._image.kind == NAMED, values.LOOKUP)
        self._is_bloom = self._image.type == BLOOM

    @property
    def type(self) -> str:
        """``bloomfilter`` or ``cuckoofilter``."""
        return "bloomfilter" if self._is_bloom else "cuckoofilter"

    @property
    def kind(self) -> str:
        """The kind of the values, as ``bf_info()`` and ``cf_info()`` report it; ``none`` if none was added yet."""
        return self._image.kind_name

    @property
    def rate(self) -> float:
        """The requested false positive rate."""
        return self._image.rate

    @property
    def capacity(self) -> int:
        """The number of values for which the layers were made."""
        return sum(layer.capacity for layer in self._image.layers)

    @property
    def grows(self) -> bool:
        """Whether the filter gets more layers when it outgrows its capacity."""
        return not self._image.flags & FIXED

    @property
    def layers(self) -> "tuple[Layer, ...]":
        return self._image.layers

    def __bytes__(self) -> bytes:
        return self._image.data

    def text(self) -> str:
        """The filter's text form, the base64 of its bytes, which can have megabytes."""
        return base64.b64encode(self._image.data).decode("ascii")

    def __repr__(self) -> str:
        return f"<{self.type} of {self.kind}, capacity {self.capacity}, {len(self._image.data)} bytes>"

    def contains(self, value: Any) -> bool:
        """Whether the filter contains the value: False is certain, True may be a false positive."""
        if self._image.kind == NONE:
            return False
        return self._contains_place(mix(_hash(self._encode(value))))

    __contains__ = contains

    def contains_hash(self, value_hash: int) -> bool:
        """The same for a value of the filter's kind whose hash ``filter_hash(value)`` returned."""
        return self._contains_place(mix(value_hash & MASK_64))

    def contains_many(self, many: Iterable[Any]) -> Any:
        """``contains`` for many values: a list of bool, or an array of them if ``many`` is a numpy array."""
        if batch.available and isinstance(many, batch.numpy.ndarray):
            return self._contains_batch(many)
        listed = many if isinstance(many, list) else list(many)
        if not batch.available or len(listed) < _FEW:
            return [self.contains(value) for value in listed]
        return self._contains_batch(listed).tolist()

    def count(self, value: Any) -> int:
        """The number of copies of the value in a cuckoo filter: never too low, and 16 means "16 or more".

        The union of filters that both had values counts nothing: 1 or more only means that it contains the value.
        """
        if self._is_bloom:
            raise KindError("a bloomfilter does not count its values")
        if self._image.kind == NONE:
            return 0
        place = mix(_hash(self._encode(value)))
        counts = [cuckoo_count(self._image.data, layer, place) for layer in self._image.layers]
        return MAX_COUNT if MAX_COUNT in counts else min(sum(counts), MAX_COUNT - 1)

    def _contains_place(self, place: int) -> bool:
        data = self._image.data
        # The newest layer is the largest. A loop takes half the time of any().
        for layer in reversed(self._image.layers):
            if self._is_bloom:
                if bloom_contains(data, layer, place):
                    return True
            elif cuckoo_count(data, layer, place) > 0:
                return True
        return False

    def _contains_batch(self, many: Any) -> Any:
        result = batch.numpy.zeros(len(many), dtype=bool)
        if self._image.kind == NONE:
            return result
        places = batch.mix(hash_many(many, self._image.kind, self._encode))
        for layer in reversed(self._image.layers):
            missing = batch.numpy.flatnonzero(~result)
            result[missing] = batch.contains(self._image.data, layer, places[missing], self._is_bloom)
        return result


def hash_many(many: Any, kind: int, encode: values.Encoder) -> Any:
    """The hashes of a list, or of an array of one dimension, as an array. Requires numpy."""
    numpy = batch.numpy
    if isinstance(many, numpy.ndarray):
        if many.ndim != 1:
            raise ValueError("the array must have one dimension")
        if many.dtype.kind not in _EXACT_ARRAYS:
            raise KindError(f"an array of {many.dtype} does not keep every value exactly; pass a list")
    if kind in _NUMBERS:
        integers = _as_int64(many)
        if integers is not None:
            return batch.hash_integers(integers)
    if isinstance(many, numpy.ndarray):
        many = many.tolist()
    return numpy.fromiter((_hash(encode(value)) for value in many), dtype=numpy.uint64, count=len(many))


def _as_int64(many: Any) -> Any:
    """An array of int64 if all values are integers of 64 bits, without conversions that could change a value."""
    numpy = batch.numpy
    if isinstance(many, numpy.ndarray):
        fits = many.dtype.kind == "i" or many.dtype.kind == "u" and many.dtype.itemsize < 8
        return many.astype(numpy.int64) if fits else None
    if set(map(type, many)) != {int}:
        return None
    try:
        return numpy.array(many, dtype=numpy.int64)
    except OverflowError:
        return None
