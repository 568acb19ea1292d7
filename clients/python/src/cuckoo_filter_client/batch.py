"""The loops over many values or slots, with numpy if it is installed. The formulas are those of lookup.py.

Products of two numbers of 32 bits fit in the 64 bits of numpy's unsigned integers, which wrap around.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Callable, Iterator, Optional, Tuple, Union

from . import lookup
from .layer import Layer

numpy: Any
try:
    numpy = import_module("numpy")
except ImportError:
    numpy = None

available = numpy is not None

# The temporary arrays of so many values fit in a CPU's cache.
CHUNK = 16384

# The rules of docs/format.md that a slot can violate: its entry is impossible, or it is empty with a counter.
IMPOSSIBLE = 20
COUNTED = 22


def _slices(length: int) -> Iterator[slice]:
    for start in range(0, length, CHUNK):
        yield slice(start, min(start + CHUNK, length))


def hash_integers(values: Any) -> Any:
    """The hashes of an array of int64: XXH3-64 of 8 bytes, which have a short formula in docs/format.md."""
    number = values.astype("<i8", copy=False).view("<u8")
    h = (number << _u64(32) | number >> _u64(32)) ^ _u64(0xC73AB174C5ECD5A2)
    h = h ^ (h << _u64(49) | h >> _u64(15)) ^ (h << _u64(24) | h >> _u64(40))
    h = h * _u64(0x9FB21C651E98DF25)
    h = h ^ ((h >> _u64(35)) + _u64(8))
    h = h * _u64(0x9FB21C651E98DF25)
    return h ^ (h >> _u64(28))


def mix(hashes: Any) -> Any:
    """The hashes that place values, from the hashes of their canonical bytes."""
    shift = _u64(32)
    hashes = hashes ^ hashes >> shift
    hashes = hashes * _u64(lookup.MIX)
    return hashes ^ hashes >> shift


def _u64(number: int) -> Any:
    return numpy.uint64(number)


def contains(data: Union[bytes, bytearray], layer: Layer, places: Any, is_bloom: bool) -> Any:
    """An array that has, for each of the mixed hashes, whether the layer contains it."""
    result = numpy.empty(len(places), dtype=bool)
    for part in _slices(len(places)):
        if is_bloom:
            result[part] = _bloom_contains(data, layer, places[part])
        else:
            result[part] = _cuckoo_contains(data, layer, places[part])
    return result


def _probes(layer: Layer, places: Any, visit: Callable[[Any], Optional[Any]]) -> None:
    """Call `visit` with each probe's bits of the places, as bit numbers in the image.

    `visit` may return an array of those indexes with which to continue.
    """
    size = _u64(layer.size)
    shift, mask = _u64(32), _u64(lookup.MASK_32)
    first_bit = _u64(layer.offset * 8) + ((places >> shift) * _u64(layer.count) >> shift) * size
    for probe in range(layer.width):
        if probe % 8 == 0:
            places = places * _u64(lookup.NEXT_WORD)
            word = places >> shift
        kept = visit(first_bit + (word * size >> shift))
        if kept is not None:
            first_bit, word, places = first_bit[kept], word[kept], places[kept]
        word = word * _u64(lookup.NEXT_PROBE) & mask


def _bloom_contains(data: Union[bytes, bytearray], layer: Layer, places: Any) -> Any:
    image = numpy.frombuffer(data, dtype=numpy.uint8)
    candidates = numpy.arange(len(places))

    def visit(bits: Any) -> Optional[Any]:
        nonlocal candidates
        is_set = image[bits >> _u64(3)] >> (bits & _u64(7)).astype(numpy.uint8) & 1
        kept = numpy.flatnonzero(is_set)
        if len(kept) == len(candidates):
            return None
        candidates = candidates[kept]
        return kept

    _probes(layer, places, visit)
    result = numpy.zeros(len(places), dtype=bool)
    result[candidates] = True
    return result


def bloom_add(data: bytearray, layer: Layer, places: Any) -> None:
    """Set the bits of all places."""
    image = numpy.frombuffer(data, dtype=numpy.uint8)

    def visit(bits: Any) -> None:
        byte, bit = bits >> _u64(3), bits & _u64(7)
        # Several values may set bits of one byte. Where they set the same one, they write the same byte.
        for number in range(8):
            of_bit = byte[bit == number]
            image[of_bit] |= 1 << number

    for part in _slices(len(places)):
        _probes(layer, places[part], visit)


def _entries(data: Union[bytes, bytearray], layer: Layer, slots: Any) -> Any:
    # An array of the 8 bytes at every position of the layer.
    words = numpy.ndarray((len(data) - layer.offset - 7,), dtype="<u8", buffer=data, offset=layer.offset, strides=(1,))
    bits = slots * _u64(layer.width)
    return words[bits >> _u64(3)] >> (bits & _u64(7)) & _u64((1 << layer.width) - 1)


def _cuckoo_contains(data: Union[bytes, bytearray], layer: Layer, places: Any) -> Any:
    shift, mask, one = _u64(32), _u64(lookup.MASK_32), _u64(1)
    windows = _u64(layer.size)
    pages = _u64(layer.count)
    half = _u64(layer.size + 1)

    page = ((places >> shift) * pages + ((places & mask) * pages >> shift)) >> shift
    product = places * pages
    window = ((product >> shift) * windows + ((product & mask) * windows >> shift)) >> shift
    fingerprint = numpy.maximum((places & mask) >> _u64(33 - layer.width), one)

    mixed = fingerprint * _u64(lookup.ALTERNATE) & mask
    mixed = mixed ^ mixed << _u64(15) & mask
    total = mixed * windows >> shift
    other = numpy.where(total >= window, total - window, total + windows - window)

    lower = page * (half + half) + window
    upper = page * (half + half) + half + other
    result = numpy.zeros(len(places), dtype=bool)
    for first_slot in (lower, upper):
        for offset in (0, 1):
            entry = _entries(data, layer, first_slot + _u64(offset))
            result |= entry == fingerprint * _u64(2) + _u64(offset)
    if layer.stash is not None:
        class_ = (page * windows + window << _u64(layer.width - 1)) | fingerprint
        result |= _stash_contains(data, layer.stash, class_)
    return result


def _stash_contains(data: Union[bytes, bytearray], stash: int, classes: Any) -> Any:
    used = int.from_bytes(data[stash:stash + 8], "little")
    if used == 0:
        return numpy.zeros(len(classes), dtype=bool)
    bits = _u64(lookup.COPIES_BITS)
    words = numpy.frombuffer(data, dtype="<u8", count=used, offset=stash + 8)
    found = words[numpy.minimum(numpy.searchsorted(words, classes << bits), used - 1)]
    return found >> bits == classes


def wrong_slot(data: bytes, layer: Layer, slots: int, page_slots: int) -> Optional[Tuple[int, int]]:
    """The first slot with an impossible entry, or empty with a counter; and the rule that it violates."""
    windows = layer.size
    for part in _slices(slots):
        slot = numpy.arange(part.start, part.stop, dtype=numpy.uint64)
        entry = _entries(data, layer, slot)
        position = (slot % _u64(page_slots)).astype(numpy.int64)
        half = position > windows
        window = position - half * (windows + 1) - (entry & _u64(1)).astype(numpy.int64)
        is_empty = entry == _u64(0)
        wrong = ~is_empty & ((window < 0) | (window >= windows) | (entry == _u64(1)))
        if layer.counters is not None:
            wrong |= is_empty & (_counters(data, layer.counters, slot) != 0)
        found = numpy.flatnonzero(wrong)
        if len(found) > 0:
            first = int(found[0])
            return part.start + first, COUNTED if is_empty[first] else IMPOSSIBLE
    return None


def _counters(data: bytes, counters: int, slots: Any) -> Any:
    both = numpy.frombuffer(data, dtype=numpy.uint8, offset=counters)[slots >> _u64(1)]
    return both >> (slots & _u64(1)).astype(numpy.uint8) * numpy.uint8(4) & numpy.uint8(lookup.COPIES_MASK)
