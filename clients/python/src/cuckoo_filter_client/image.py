"""The image of a filter: its header and layers, and the rules by which an image is valid.

docs/format.md of cuckoo_filter specifies all of this, and numbers the rules.
"""

from __future__ import annotations

import base64
import binascii
import struct
from dataclasses import dataclass
from typing import List, Tuple, Union

from . import batch
from .errors import InvalidImage
from .layer import Layer, page_slots

BLOOM = 1
CUCKOO = 2

WILDCARDS = 1
FIXED = 2

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


def layer_bytes(kind_of_filter: int, layer: Layer) -> int:
    if kind_of_filter == BLOOM:
        return layer.count * layer.size // 8
    return (layer.count * page_slots(layer) * layer.width + 7) // 8 + TAIL_BYTES


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
    if flags > (WILDCARDS | FIXED) or (flags & WILDCARDS and type_ != CUCKOO):
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
    for number in range(layer_count):
        at = descriptors + number * DESCRIPTOR.size
        capacity, count, size, width, zero, offset = DESCRIPTOR.unpack_from(data, at)
        layer = Layer(capacity, count, size, width, offset)
        if not 1 <= capacity <= MAX_CAPACITY:
            raise InvalidImage(f"the capacity of layer {number} is out of range", 13)
        if zero != 0:
            raise InvalidImage(f"a reserved byte of layer {number} is not zero", 14)
        if not _geometry_is_valid(type_, layer):
            raise InvalidImage(f"the geometry of layer {number} is impossible", 15)
        if offset != end:
            raise InvalidImage(f"layer {number} is not where the previous one ends", 16)
        end += layer_bytes(type_, layer)
        layers.append(layer)
    if end > MAX_IMAGE_BYTES:
        raise InvalidImage("the filter is too large", 17)
    if len(data) != end:
        raise InvalidImage(f"the image has {len(data)} bytes instead of {end}", 18)

    if kind == NONE and data.count(0, descriptors_end) != end - descriptors_end:
        raise InvalidImage("the filter has values, but no kind", 19)
    if type_ == CUCKOO:
        for layer in layers:
            _check_slots(data, layer, bool(flags & WILDCARDS))
    (rate,) = struct.unpack_from("<d", data, 8)
    return Image(data, type_, rate, kind, flags, sources, name.decode("ascii"), tuple(layers))


def _geometry_is_valid(type_: int, layer: Layer) -> bool:
    if layer.count < 1:
        return False
    if type_ == BLOOM:
        if not 1 <= layer.width <= 32:
            return False
        if layer.count > 1:
            return layer.size == 512
        return 64 <= layer.size <= 8192 and layer.size % 64 == 0
    return 1 <= layer.size <= 32767 and (6 <= layer.width <= 28 or layer.width == 32)


def _check_slots(data: bytes, layer: Layer, wildcards: bool) -> None:
    slots = layer.count * page_slots(layer)
    bits = slots * layer.width
    used = layer.offset + (bits + 7) // 8
    if (bits % 8 and data[used - 1] >> bits % 8) or any(data[used:used + TAIL_BYTES]):
        raise InvalidImage("bytes after the last slot are not zero", 21)
    if batch.available:
        impossible = batch.impossible_slot(data, layer, slots, page_slots(layer), wildcards)
    else:
        impossible = _impossible_slot(data, layer, slots, wildcards)
    if impossible is not None:
        raise InvalidImage(f"slot {impossible} has an impossible entry", 20)


def _impossible_slot(data: bytes, layer: Layer, slots: int, wildcards: bool) -> Union[int, None]:
    """The first slot with an impossible entry."""
    windows, width = layer.size, layer.width
    mask = (1 << width) - 1
    page = page_slots(layer)
    start = layer.offset
    for slot in range(slots):
        bit = slot * width
        entry = int.from_bytes(data[start + (bit >> 3):start + (bit >> 3) + 5], "little") >> (bit & 7) & mask
        if entry == 0:
            continue
        position = slot % page
        half = position > windows
        if entry == 1:
            if not wildcards or half:
                return slot
            continue
        window = position - half * (windows + 1) - (entry & 1)
        if not 0 <= window < windows:
            return slot
    return None
