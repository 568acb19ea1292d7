"""The geometry of a layer, as docs/format.md of cuckoo_filter specifies it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Layer:
    """One layer. The meaning of ``count``, ``size`` and ``width`` depends on the type of the filter.

    Bloom filter: blocks, bits per block, probes per value.
    Cuckoo filter: pages, windows per half page, bits per slot.
    """

    capacity: int
    count: int
    size: int
    width: int
    offset: int


def page_slots(layer: Layer) -> int:
    return 2 * (layer.size + 1)
