"""The geometry that the extension gives a Bloom layer, by the formulas of docs/format.md of cuckoo_filter."""

from __future__ import annotations

import functools
import math
from typing import Optional, Tuple

LN_2 = 0.69314718055994530942
BLOCK_BITS = 512
WORD_BITS = 64
SMALL_BITS = 8192
MOST_PROBES = 32
LOAD_STEPS = 256

# (count, size, width), as in a layer's descriptor.
Geometry = Tuple[int, int, int]


def choose(capacity: int, rate: float) -> Geometry:
    """The geometry of a layer of this capacity at this rate. Raises ValueError if it would be too large."""
    values = capacity + max(0, math.ceil(capacity + 0.5 * math.sqrt(capacity) + 1.0 - 1.005 * capacity))
    if values <= SMALL_BITS:
        small = _one_block(values, rate)
        if small is not None:
            return small
    load, probes = _largest_load(rate)
    blocks = max(2, math.ceil(values * LOAD_STEPS / load))
    if blocks >= 2**32:
        raise ValueError("the filter would be too large")
    return blocks, BLOCK_BITS, probes


def _power(base: float, exponent: int) -> float:
    # Not `**`: the order of the multiplications determines the last bits.
    result = 1.0
    while exponent:
        if exponent & 1:
            result *= base
        exponent >>= 1
        base *= base
    return result


def _block_rate(bits: float, probes: int, one_clear: float, two_clear: float) -> float:
    fraction = 1.0 - one_clear
    if fraction <= 0.0:
        return 0.0
    variance = max(0.0, (two_clear * (bits - 1.0) + one_clear) / bits - one_clear * one_clear)
    return _power(fraction, probes) * (1.0 + 0.5 * probes * (probes - 1.0) * variance / (fraction * fraction))


def _one_block(values: int, rate: float) -> Optional[Geometry]:
    textbook = -math.log(rate) / (LN_2 * LN_2) * values / WORD_BITS
    most = SMALL_BITS // WORD_BITS
    for words in range(int(textbook) + 1 if textbook < most else most, most + 1):
        bits = words * WORD_BITS
        lowest, probes = _best_rate(float(bits), values, rate)
        if lowest <= rate:
            return 1, bits, probes
    return None


def _best_rate(bits: float, values: int, wanted: float) -> Tuple[float, int]:
    ideal = min(bits / values * LN_2, math.ceil(-math.log(wanted) / LN_2))
    one_clear = _power(1.0 - 1.0 / bits, values)
    two_clear = _power(1.0 - 2.0 / bits, values)
    first = MOST_PROBES - 1 if ideal >= MOST_PROBES else int(ideal)
    best, best_probes = 2.0, 0
    for probes in range(max(1, first - 1), min(first + 1, MOST_PROBES) + 1):
        rate = min(1.0, _block_rate(bits, probes, _power(one_clear, probes), _power(two_clear, probes)))
        if rate < best:
            best, best_probes = rate, probes
    return best, best_probes


def _rate_at_load(probes: int, load: float) -> float:
    """The false positive rate of many blocks with `load` values each on average."""
    if load > 600.0:
        return 1.0
    bits = float(BLOCK_BITS)
    one_clear = _power(1.0 - 1.0 / bits, probes)
    two_clear = _power(1.0 - 2.0 / bits, probes)
    chance, one, two, total = math.exp(-load), 1.0, 1.0, 0.0
    in_block, last = 0.0, load + 16.0 * math.sqrt(load) + 40.0
    while in_block <= last:
        total += chance * _block_rate(bits, probes, one, two)
        in_block += 1.0
        chance *= load / in_block
        one *= one_clear
        two *= two_clear
    return min(1.0, total)


@functools.lru_cache(maxsize=64)
def _largest_load(rate: float) -> Tuple[int, int]:
    """The largest load of blocks that keeps within the rate, in steps, and its number of probes."""
    textbook = -math.log(rate) / LN_2
    best, best_probes = 0, 1
    probes = 1 if textbook < 4.0 else int(textbook * 0.4)
    while probes <= MOST_PROBES and probes <= textbook + 2.0:
        if _rate_at_load(probes, (best + 1) / LOAD_STEPS) <= rate:
            low, high = best, BLOCK_BITS * LOAD_STEPS
            while high - low > 1:
                middle = (low + high) // 2
                if _rate_at_load(probes, middle / LOAD_STEPS) > rate:
                    high = middle
                else:
                    low = middle
            best, best_probes = low, probes
        probes += 1
    return max(1, best), best_probes
