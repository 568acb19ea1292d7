"""Lookups of one hash in one layer, as docs/format.md of cuckoo_filter specifies them."""

from __future__ import annotations

import struct
from typing import Union

from .layer import Layer, page_slots

MASK_32 = 0xFFFFFFFF
MASK_64 = 0xFFFFFFFFFFFFFFFF
MIX = 0xD6E8FEB86659FD93
NEXT_WORD = 0x9E3779B97F4A7C15
NEXT_PROBE = 0x9E3779B9
ALTERNATE = 0xC2B2AE35

# A count of 16 means "16 or more". It is also that of an entry whose counter is at its limit, 15.
MAX_COUNT = 16

# A word of the stash has its copies beyond the first in the low bits, and its class in the others.
COPIES_BITS = 4
COPIES_MASK = 15

_WORD = struct.Struct("<Q")


def mix(value_hash: int) -> int:
    """The hash that places a value, from the unsigned hash of its canonical bytes."""
    value_hash ^= value_hash >> 32
    value_hash = value_hash * MIX & MASK_64
    return value_hash ^ value_hash >> 32


def bloom_contains(data: Union[bytes, bytearray], layer: Layer, place: int) -> bool:
    size = layer.size
    first_bit = layer.offset * 8 + ((place >> 32) * layer.count >> 32) * size
    word = 0
    for probe in range(layer.width):
        if not probe & 7:
            place = place * NEXT_WORD & MASK_64
            word = place >> 32
        bit = first_bit + (word * size >> 32)
        if not data[bit >> 3] >> (bit & 7) & 1:
            return False
        word = word * NEXT_PROBE & MASK_32
    return True


def bloom_add(data: bytearray, layer: Layer, place: int) -> bool:
    """Set the bits that a lookup tests. Returns whether any of them was clear."""
    size = layer.size
    first_bit = layer.offset * 8 + ((place >> 32) * layer.count >> 32) * size
    word = 0
    changed = False
    for probe in range(layer.width):
        if not probe & 7:
            place = place * NEXT_WORD & MASK_64
            word = place >> 32
        bit = first_bit + (word * size >> 32)
        mask = 1 << (bit & 7)
        if not data[bit >> 3] & mask:
            data[bit >> 3] |= mask
            changed = True
        word = word * NEXT_PROBE & MASK_32
    return changed


def cuckoo_count(data: Union[bytes, bytearray], layer: Layer, place: int) -> int:
    """The copies of a value in a cuckoo layer: 16 means "16 or more"."""
    windows, width = layer.size, layer.width
    product = place * layer.count
    first_slot = (product >> 64) * page_slots(layer)
    window = (product & MASK_64) * windows >> 64
    fingerprint = (place & MASK_32) >> (33 - width) or 1

    mixed = fingerprint * ALTERNATE & MASK_32
    mixed ^= mixed << 15 & MASK_32
    other = (mixed * windows >> 32) - window
    if other < 0:
        other += windows

    mask = (1 << width) - 1
    count = 0
    for slot in (first_slot + window, first_slot + windows + 1 + other):
        # Two neighbouring slots are in the same 8 bytes: those of 32 bits begin with a byte, others have at most 28.
        bit = slot * width
        start = layer.offset + (bit >> 3)
        both = int.from_bytes(data[start:start + 8], "little") >> (bit & 7)
        if both & mask == fingerprint * 2:
            count += 1 + _counter(data, layer, slot)
        if both >> width & mask == fingerprint * 2 + 1:
            count += 1 + _counter(data, layer, slot + 1)
    if layer.stash is not None:
        class_ = ((product >> 64) * windows + window) << width - 1 | fingerprint
        count += _stashed(data, layer.stash, class_)
    return min(count, MAX_COUNT)


def _counter(data: Union[bytes, bytearray], layer: Layer, slot: int) -> int:
    """The copies that the entry in a slot represents beyond the first."""
    if layer.counters is None:
        return 0
    return data[layer.counters + (slot >> 1)] >> 4 * (slot & 1) & COPIES_MASK


def _stashed(data: Union[bytes, bytearray], stash: int, class_: int) -> int:
    """The copies of a class in the stash."""
    low = 0
    (high,) = _WORD.unpack_from(data, stash)
    while low < high:
        middle = (low + high) // 2
        (word,) = _WORD.unpack_from(data, stash + _WORD.size * (1 + middle))
        if word >> COPIES_BITS == class_:
            return 1 + int(word & COPIES_MASK)
        if word >> COPIES_BITS < class_:
            low = middle + 1
        else:
            high = middle
    return 0
