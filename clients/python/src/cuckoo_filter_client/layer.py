"""The geometry of a layer, as docs/format.md of cuckoo_filter specifies it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class Layer:
    """One layer. The meaning of ``count``, ``size`` and ``width`` depends on the type of the filter.

    Bloom filter: blocks, bits per block, probes per value.
    Cuckoo filter: pages, windows per half page, bits per slot.
    ``offset`` is that of the layer's first byte in the image, ``counters`` and ``stash`` those of the parts of a cuckoo
    layer that nearly all layers are without.
    """

    capacity: int
    count: int
    size: int
    width: int
    offset: int
    counters: Optional[int] = None
    stash: Optional[int] = None


def page_slots(layer: Layer) -> int:
    return 2 * (layer.size + 1)
