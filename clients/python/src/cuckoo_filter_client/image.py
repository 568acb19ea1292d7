"""The image of a filter: its header and layers, and the rules by which an image is valid.

docs/format.md of cuckoo_filter specifies all of this, and numbers the rules.
"""

from __future__ import annotations

import base64
import binascii
import struct
from dataclasses import dataclass, replace
from typing import List, Optional, Tuple, Union

from . import batch
from .batch import COUNTED, IMPOSSIBLE
from .errors import InvalidImage
from .layer import Layer, page_slots
from .lookup import COPIES_BITS, COPIES_MASK

BLOOM = 1
CUCKOO = 2

# Flags of a filter.
SET = 1
FIXED = 2

# Flags of a layer.
COUNTERS = 1
STASH = 2

KIND_NAMES = (
    "none", "integer", "text", "bytea", "uuid", "boolean", "date", "time", "timestamp", "timestamptz", "float",
    "numeric", "enum", "named", "character",
)
NONE, TEXT, FLOAT, NAMED = (KIND_NAMES.index(name) for name in ("none", "text", "float", "named"))

HEADER = struct.Struct("<4sBBBBQBBHB3s")
DESCRIPTOR = struct.Struct("<QIHBBQ")

# The bit patterns of the rates 1e-7 and 0.5.
LOWEST_RATE = 0x3E7AD7F29ABCAF48
HIGHEST_RATE = 0x3FE0000000000000

MAX_LAYERS = 32
MAX_CAPACITY = 2**63 - 1
MAX_IMAGE_BYTES = 524288000

# Zero bytes after the slots of a cuckoo layer, so that every slot can be read with one 8-byte read.
TAIL_BYTES = 7

# The words of a stash, and the smallest stash: the number of used words, and room for one.
WORD_BYTES = 8
SMALLEST_STASH = 2 * WORD_BYTES


@dataclass(frozen=True)
class Image:
    """A valid image and the fields of its header."""

    data: bytes
    type: int
    rate: float
    kind: int
    flags: int
    sources: int
    name: str
    layers: Tuple[Layer, ...]

    @property
    def kind_name(self) -> str:
        return self.name if self.kind == NAMED else KIND_NAMES[self.kind]


def bloom_bytes(count: int, size: int) -> int:
    return count * size // 8


# What PostgreSQL skips in base64: fewer characters than str.split().
_WHITE_SPACE = dict.fromkeys(map(ord, " \t\n\r"))


def decode_text(text: str) -> bytes:
    """The image whose text form (base64, or ``\\x`` and hexadecimal digits) this is."""
    try:
        if text.startswith("\\x"):
            return binascii.unhexlify(text[2:])
        digits = text.translate(_WHITE_SPACE)
        # Python ignores surplus padding.
        if len(digits) % 4 != 0:
            raise ValueError("wrong padding")
        return base64.b64decode(digits, validate=True)
    except ValueError as error:
        raise InvalidImage(f"the text is neither base64 nor hexadecimal digits: {error}") from None


def parse(data: bytes) -> Image:
    """The filter with this image. Raises InvalidImage if the image violates a rule."""
    if len(data) < HEADER.size:
        raise InvalidImage("the image is shorter than a header", 1)
    magic, version, type_, hash_, layer_count, rate_bits, kind, flags, name_length, sources, reserved = (
        HEADER.unpack_from(data)
    )
    if magic != b"ckfl":
        raise InvalidImage("the image does not begin with the magic number of a filter", 2)
    if version != 1:
        raise InvalidImage(f"the version of the format is {version}, which this package does not know", 2)
    if hash_ != 1:
        raise InvalidImage(f"the hash function is {hash_}, which this package does not know", 2)
    if type_ not in (BLOOM, CUCKOO):
        raise InvalidImage(f"the filter type is {type_}, which this package does not know", 3)
    if layer_count > MAX_LAYERS:
        raise InvalidImage(f"the filter has {layer_count} layers", 4)
    if not LOWEST_RATE <= rate_bits <= HIGHEST_RATE:
        raise InvalidImage("the rate is out of range", 5)
    if flags > (SET | FIXED) or (flags & SET and type_ != CUCKOO):
        raise InvalidImage(f"the flags are {flags}", 6)
    if flags & FIXED and layer_count != 1:
        raise InvalidImage(f"the filter does not grow, but has {layer_count} layers", 6)
    if reserved != bytes(3):
        raise InvalidImage("a reserved byte is not zero", 7)
    if kind >= len(KIND_NAMES):
        raise InvalidImage(f"the kind of values is {kind}, which this package does not know", 8)
    if not (1 <= name_length <= 255 if kind == NAMED else name_length == 0):
        raise InvalidImage(f"the name of the kind has {name_length} bytes", 9)

    descriptors = HEADER.size + (name_length + 7) // 8 * 8
    end = descriptors + layer_count * DESCRIPTOR.size
    if len(data) < end:
        raise InvalidImage("the image ends before the layers", 10)
    name = data[HEADER.size:HEADER.size + name_length]
    if any(not 0x20 <= byte <= 0x7E for byte in name):
        raise InvalidImage("the name of the kind is not printable", 11)
    has_sources = kind in (TEXT, FLOAT) or name.startswith(b"text ")
    if sources > (3 if has_sources else 0):
        raise InvalidImage(f"the sources of the values are {sources}", 7)
    if any(data[HEADER.size + name_length:descriptors]):
        raise InvalidImage("the padding after the name is not zero", 12)

    descriptors_end = end
    layers: List[Layer] = []
    has_stash = False
    for number in range(layer_count):
        at = descriptors + number * DESCRIPTOR.size
        capacity, count, size, width, layer_flags, offset = DESCRIPTOR.unpack_from(data, at)
        if not 1 <= capacity <= MAX_CAPACITY:
            raise InvalidImage(f"the capacity of layer {number} is out of range", 13)
        if layer_flags > (COUNTERS | STASH if type_ == CUCKOO else 0):
            raise InvalidImage(f"the flags of layer {number} are {layer_flags}", 14)
        if flags & SET and layer_flags & COUNTERS:
            raise InvalidImage(f"the filter is a set, but layer {number} has counters", 14)
        if not _geometry_is_valid(type_, count, size, width):
            raise InvalidImage(f"the geometry of layer {number} is impossible", 15)
        if not _is_end(offset, end, has_stash):
            raise InvalidImage(f"layer {number} is not where the previous one ends", 16)
        layer = _lay_out(type_, Layer(capacity, count, size, width, offset), layer_flags)
        has_stash = layer.stash is not None
        end = _least_end(type_, layer)
        if end > MAX_IMAGE_BYTES:
            raise InvalidImage("the filter is too large", 17)
        layers.append(layer)
    if not _is_end(len(data), end, has_stash):
        raise InvalidImage(f"the image has {len(data)} bytes instead of {end}{' or more' if has_stash else ''}", 18)
    if len(data) > MAX_IMAGE_BYTES:
        raise InvalidImage("the filter is too large", 17)

    if kind == NONE and data.count(0, descriptors_end) != len(data) - descriptors_end:
        raise InvalidImage("the filter has values, but no kind", 19)
    if type_ == CUCKOO:
        for layer, layer_end in zip(layers, [*(layer.offset for layer in layers[1:]), len(data)]):
            _check_slots(data, layer)
            if layer.stash is not None:
                _check_stash(data, layer, layer.stash, layer_end, bool(flags & SET))
    (rate,) = struct.unpack_from("<d", data, 8)
    return Image(data, type_, rate, kind, flags, sources, name.decode("ascii"), tuple(layers))


def _geometry_is_valid(type_: int, count: int, size: int, width: int) -> bool:
    if count < 1:
        return False
    if type_ == BLOOM:
        if not 1 <= width <= 32:
            return False
        if count > 1:
            return size == 512
        return 64 <= size <= 8192 and size % 64 == 0
    return 1 <= size <= 32767 and (6 <= width <= 28 or width == 32)


def _lay_out(type_: int, layer: Layer, flags: int) -> Layer:
    """The layer with the offsets of its counters and its stash, if it has them."""
    if type_ == BLOOM or flags == 0:
        return layer
    slots = layer.count * page_slots(layer)
    counters = layer.offset + _slot_bytes(layer)
    stash = counters + (slots // 2 if flags & COUNTERS else 0)
    return replace(layer, counters=counters if flags & COUNTERS else None, stash=stash if flags & STASH else None)


def _slot_bytes(layer: Layer) -> int:
    return (layer.count * page_slots(layer) * layer.width + 7) // 8 + TAIL_BYTES


def _least_end(type_: int, layer: Layer) -> int:
    """Where the layer ends if its stash, if it has one, has room for one word."""
    if type_ == BLOOM:
        return layer.offset + bloom_bytes(layer.count, layer.size)
    if layer.stash is not None:
        return layer.stash + SMALLEST_STASH
    if layer.counters is not None:
        return layer.counters + layer.count * page_slots(layer) // 2
    return layer.offset + _slot_bytes(layer)


def _is_end(at: int, least_end: int, has_stash: bool) -> bool:
    if has_stash:
        return at >= least_end and (at - least_end) % WORD_BYTES == 0
    return at == least_end


def _check_slots(data: bytes, layer: Layer) -> None:
    slots = layer.count * page_slots(layer)
    bits = slots * layer.width
    used = layer.offset + (bits + 7) // 8
    if (bits % 8 and data[used - 1] >> bits % 8) or any(data[used:used + TAIL_BYTES]):
        raise InvalidImage("bytes after the last slot are not zero", 21)
    if batch.available:
        wrong = batch.wrong_slot(data, layer, slots, page_slots(layer))
    else:
        wrong = _wrong_slot(data, layer, slots)
    if wrong is not None:
        slot, rule = wrong
        problem = "has an impossible entry" if rule == IMPOSSIBLE else "is empty, but its counter is not zero"
        raise InvalidImage(f"slot {slot} {problem}", rule)


def _wrong_slot(data: bytes, layer: Layer, slots: int) -> Optional[Tuple[int, int]]:
    """The first slot with an impossible entry, or empty with a counter; and the rule that it violates."""
    windows, width = layer.size, layer.width
    mask = (1 << width) - 1
    page = page_slots(layer)
    start, counters = layer.offset, layer.counters
    for slot in range(slots):
        bit = slot * width
        entry = int.from_bytes(data[start + (bit >> 3):start + (bit >> 3) + 5], "little") >> (bit & 7) & mask
        if entry == 0:
            if counters is not None and data[counters + (slot >> 1)] >> 4 * (slot & 1) & COPIES_MASK:
                return slot, COUNTED
            continue
        position = slot % page
        half = position > windows
        window = position - half * (windows + 1) - (entry & 1)
        if entry == 1 or not 0 <= window < windows:
            return slot, IMPOSSIBLE
    return None


def _check_stash(data: bytes, layer: Layer, stash: int, end: int, is_set: bool) -> None:
    (used,) = struct.unpack_from("<Q", data, stash)
    words = stash + WORD_BYTES
    room = (end - words) // WORD_BYTES
    if used > room:
        raise InvalidImage(f"the stash uses {used} words, but has room for {room}", 23)
    unused = words + used * WORD_BYTES
    if data.count(0, unused, end) != end - unused:
        raise InvalidImage("an unused word of the stash is not zero", 25)
    fingerprints = (1 << layer.width - 1) - 1
    limit = layer.count * layer.size << layer.width - 1
    previous = -1
    for number, (word,) in enumerate(struct.iter_unpack("<Q", memoryview(data)[words:unused])):
        class_ = word >> COPIES_BITS
        if not class_ & fingerprints or class_ >= limit:
            raise InvalidImage(f"word {number} of the stash has an impossible class", 24)
        if class_ <= previous:
            raise InvalidImage(f"word {number} of the stash is not in ascending order", 24)
        if is_set and word & COPIES_MASK:
            raise InvalidImage(f"the filter is a set, but word {number} of the stash counts copies", 26)
        previous = class_
