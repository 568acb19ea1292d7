"""Counters, stashes and sets of cuckoo filters, in images made here; and the rules that such images can violate."""

import struct
import unittest

import xxhash

import cuckoo_filter_client.batch as batch
from cuckoo_filter_client import Filter, InvalidImage

SET = 1
FIXED = 2
MASK_64 = 2**64 - 1


class Layer:
    """A cuckoo layer whose parts a test fills: ``counters`` by slot, and the words of ``stash``, or None without them."""

    def __init__(self, pages=1, windows=6, slot_bits=9, counters=None, stash=None, room=None):
        self.pages, self.windows, self.slot_bits = pages, windows, slot_bits
        self.slots = {}
        self.counters, self.stash = counters, stash
        self.room = max(1, len(stash or [])) if room is None else room
        self.used = len(stash or [])
        self.flags = (counters is not None) + 2 * (stash is not None)

    def place(self, value):
        """The four slots of an integer with the entries that it has there, and its class."""
        place = xxhash.xxh3_64_intdigest(struct.pack("<q", value))
        place ^= place >> 32
        place = place * 0xD6E8FEB86659FD93 & MASK_64
        place ^= place >> 32
        page = place * self.pages >> 64
        window = (place * self.pages & MASK_64) * self.windows >> 64
        fingerprint = (place & 0xFFFFFFFF) >> (33 - self.slot_bits) or 1
        m = fingerprint * 0xC2B2AE35 & 0xFFFFFFFF
        m ^= m << 15 & 0xFFFFFFFF
        other = ((m * self.windows >> 32) - window) % self.windows
        lower = page * 2 * (self.windows + 1) + window
        upper = (page * 2 + 1) * (self.windows + 1) + other
        entries = [(slot + offset, fingerprint * 2 + offset) for slot in (lower, upper) for offset in (0, 1)]
        return entries, (page * self.windows + window) << (self.slot_bits - 1) | fingerprint

    def put(self, value, number, counter=0):
        """An entry of the value in one of its four slots."""
        slot, entry = self.place(value)[0][number]
        assert slot not in self.slots
        self.slots[slot] = entry
        if counter:
            self.counters[slot] = counter
        return self

    def put_stash(self, value, counter=0):
        self.stash = sorted([*self.stash, self.place(value)[1] << 4 | counter])
        self.used = len(self.stash)
        self.room = max(self.room, self.used)
        return self

    def slot_bytes(self):
        slots = self.pages * 2 * (self.windows + 1)
        packed = sum(entry << slot * self.slot_bits for slot, entry in self.slots.items())
        return packed.to_bytes((slots * self.slot_bits + 7) // 8 + 7, "little")

    def counter_bytes(self):
        if self.counters is None:
            return b""
        packed = sum(counter << slot * 4 for slot, counter in self.counters.items())
        return packed.to_bytes(self.pages * (self.windows + 1), "little")

    def stash_bytes(self):
        if self.stash is None:
            return b""
        words = [*self.stash, *[0] * (self.room - len(self.stash))]
        return struct.pack(f"<{1 + len(words)}Q", self.used, *words)

    def __bytes__(self):
        return self.slot_bytes() + self.counter_bytes() + self.stash_bytes()


def image(*layers, flags=0, kind=1):
    offset = 24 + 24 * len(layers)
    descriptors = contents = b""
    for layer in layers:
        descriptors += struct.pack(
            "<QIHBBQ", 10, layer.pages, layer.windows, layer.slot_bits, layer.flags, offset + len(contents)
        )
        contents += bytes(layer)
    return struct.pack("<4s4Bd2BHI", b"ckfl", 1, 2, 1, len(layers), 0.01, kind, flags, 0, 0) + descriptors + contents


class Counts(unittest.TestCase):
    def check(self, data, counts):
        """Those of all other values are 0 or, for a few, a false positive."""
        filter_ = Filter(data)
        for value, count in counts.items():
            self.assertEqual(filter_.count(value), count, value)
            self.assertEqual(filter_.contains(value), count > 0, value)
        many = list(range(-500, 500))
        answers = [filter_.contains(value) for value in many]
        self.assertEqual([filter_.count(value) > 0 for value in many], answers)
        self.assertEqual(filter_.contains_many(many), answers)
        self.assertLess(sum(answers), 100)

    def test_entries(self):
        self.check(image(Layer().put(1, 0).put(2, 3).put(2, 2).put(2, 1)), {1: 1, 2: 3, 4: 0})
        layer = Layer()
        for number in range(4):
            layer.put(1, number)
        self.check(image(layer), {1: 4, 2: 0})

    def test_counters(self):
        for pages, windows, slot_bits in (1, 6, 9), (3, 5, 6), (1, 1, 28), (2, 7, 32), (5, 64, 11):
            layer = Layer(pages, windows, slot_bits, counters={}).put(1, 0, 6).put(1, 3).put(1, 1, 2)
            self.check(image(layer), {1: 7 + 1 + 3})
        for counter, count in (13, 14), (14, 15), (15, 16):
            for number in range(4):
                self.check(image(Layer(counters={}).put(5, number, counter)), {5: count})
        self.check(image(Layer(counters={}).put(5, 0, 9).put(5, 1, 9)), {5: 16})
        self.check(image(Layer(counters={}).put(5, 0, 15).put(5, 1, 0)), {5: 16})

    def test_stash(self):
        for pages, windows, slot_bits in (1, 6, 9), (3, 5, 6), (1, 1, 28), (2, 7, 32), (5, 64, 11):
            layer = Layer(pages, windows, slot_bits, stash=[], room=9)
            expected = {}
            for value, counter in enumerate([0, 3, 14, 15]):
                if all(layer.place(value)[1] != word >> 4 for word in layer.stash):
                    layer.put_stash(value, counter)
                    expected[value] = counter + 1
            self.assertGreater(len(expected), 2)
            filter_ = Filter(image(layer))
            self.assertEqual({value: filter_.count(value) for value in expected}, expected)
        self.check(image(Layer(stash=[])), {1: 0})
        self.check(image(Layer(stash=[], room=5)), {1: 0})
        self.check(image(Layer(stash=[], room=5).put_stash(1).put_stash(2, 7)), {1: 1, 2: 8, 3: 0})

    def test_large_stash(self):
        layer = Layer(2, 3000, 20, stash=[])
        layer.stash = sorted(layer.place(value)[1] << 4 | value % 15 for value in range(999))
        layer.used = layer.room = len(layer.stash)
        filter_ = Filter(image(layer))
        self.assertEqual([filter_.count(value) for value in range(999)], [value % 15 + 1 for value in range(999)])
        self.assertEqual(filter_.contains_many(list(range(2000))), [True] * 999 + [False] * 1001)

    def test_counters_and_stash(self):
        layer = Layer(counters={}, stash=[], room=3).put(1, 0, 2).put(2, 2).put_stash(1, 4).put_stash(3)
        self.check(image(layer), {1: 3 + 5, 2: 1, 3: 1, 4: 0})
        self.check(image(layer, flags=FIXED), {1: 3 + 5, 2: 1, 3: 1, 4: 0})
        layer = Layer(counters={}, stash=[]).put(1, 0, 14).put_stash(1)
        self.check(image(layer), {1: 16})

    def test_layers(self):
        # Stashes before the last layer, which end where the next layer begins, at any alignment.
        first = Layer(1, 4, 9, stash=[], room=4).put(1, 0).put_stash(2, 1)
        second = Layer(1, 8, 11, counters={}, stash=[]).put(1, 3, 5).put_stash(3, 14)
        third = Layer(1, 16, 11, counters={}).put(2, 1).put(3, 0)
        fourth = Layer(1, 32, 13).put(3, 1).put(2, 0)
        self.check(image(first, second, third, fourth), {1: 7, 2: 4, 3: 15})
        self.check(image(fourth, third, second, first), {1: 7, 2: 4, 3: 15})
        permanent = Layer(counters={}).put(9, 0, 15)
        self.check(image(permanent, permanent), {9: 16})
        layers = Filter(image(first, second, third, fourth)).layers
        self.assertEqual([layer.counters is None for layer in layers], [True, False, False, True])
        self.assertEqual([layer.stash is None for layer in layers], [False, False, True, True])

    def test_sets(self):
        layer = Layer(stash=[], room=2).put(1, 0).put_stash(2)
        for flags in SET, SET | FIXED:
            self.check(image(layer, flags=flags), {1: 1, 2: 1, 3: 0})
        self.check(image(layer, Layer(1, 12, 10).put(1, 2).put(3, 2), flags=SET), {1: 2, 2: 1, 3: 1})

    def test_no_kind(self):
        filter_ = Filter(image(Layer(counters={}, stash=[]), kind=0))
        self.assertEqual((filter_.count(1), filter_.contains(1)), (0, False))

    def test_without_numpy(self):
        available, batch.available = batch.available, False
        try:
            self.test_counters_and_stash()
            self.test_layers()
            self.test_large_stash()
        finally:
            batch.available = available


def valid_word(fingerprint=5, window=0, counter=0):
    return (window << 8 | fingerprint) << 4 | counter


def changed(data, at, field):
    return data[:at] + field + data[at + len(field):]


def invalid():
    """Rules with images that violate only them, and a part of the message."""
    stashed = image(Layer(stash=[valid_word()], room=2))
    counted = image(Layer(counters={}).put(1, 0, 3))
    slots = len(Layer().slot_bytes())
    two = image(Layer(stash=[], room=2), Layer(1, 12, 9))
    offset = struct.unpack_from("<Q", two, 64)[0]

    def stash(*words, windows=6, slot_bits=9, used=None, flags=0):
        layer = Layer(1, windows, slot_bits, stash=list(words))
        if used is not None:
            layer.used = used
        return image(layer, flags=flags)

    yield 6, "flags are 4", image(Layer(), flags=4)
    yield 6, "does not grow", image(Layer(), Layer(1, 12, 9), flags=SET | FIXED)
    for flags in 4, 5, 6, 8, 128, 255:
        yield 14, f"flags of layer 0 are {flags}", changed(image(Layer()), 39, bytes([flags]))
    yield 14, "layer 0 has counters", image(Layer(counters={}), flags=SET)
    yield 14, "layer 1 has counters", image(Layer(), Layer(1, 12, 9, counters={}, stash=[]), flags=SET)
    bloom = struct.pack("<4s4Bd2BHIQIHBBQ8x", b"ckfl", 1, 1, 1, 1, 0.01, 1, 0, 0, 0, 10, 1, 64, 7, 0, 48)
    Filter(bloom)
    for flags in 1, 2, 3:
        yield 14, f"flags of layer 0 are {flags}", changed(bloom, 39, bytes([flags]))

    # A stash ends some words behind its beginning, and has room for one.
    for bad in -24, -16, -12, -1, 1, 4, 7:
        longer = changed(two, 64, struct.pack("<Q", offset + bad))
        yield 16, "layer 1", longer[:offset] + bytes(max(0, bad)) + longer[offset + min(0, bad):]
    for bad in 0, 8, -8, 2**63, 2**64 - 2:
        yield 16, "layer 1", changed(two, 64, struct.pack("<Q", 96 + bad if bad < 2**63 else bad))
    yield 16, "layer 0", changed(stashed, 40, struct.pack("<Q", 56))
    yield 16, "layer 1", changed(image(Layer(counters={}), Layer()), 64, struct.pack("<Q", 96 + slots))
    for far in 2**40, 2**60, 2**64 - 2 * offset:
        yield 17, "too large", changed(two, 64, struct.pack("<Q", offset + far // 8 * 8))
    yield 17, "too large", changed(stashed, 32, struct.pack("<I", 2**32 - 1))
    yield 17, "too large", changed(two, 32, struct.pack("<I", 2**32 - 1) + two[36:64] + struct.pack("<Q", offset))
    yield 18, "instead of", image(Layer(counters={}))[:-1]
    yield 18, "instead of", image(Layer(counters={}))[:-7]
    yield 18, "instead of", image(Layer(counters={})) + bytes(8)
    yield 18, "instead of", image(Layer(stash=[]))[:-8]
    yield 18, "instead of", image(Layer(stash=[]))[:-16]
    yield 18, "or more", stashed + b"\0"
    yield 18, "or more", stashed[:-1]
    for layer in (Layer(counters={0: 1}), Layer(stash=[valid_word()]), Layer(stash=[0])):
        layer.used = len(layer.stash or [])
        yield 19, "no kind", image(layer, kind=0)

    wrong = Layer(counters={})
    wrong.slots[0] = 1
    for flags in 0, SET:
        plain = Layer()
        plain.slots[0] = 1
        yield 20, "slot 0 has", image(plain, flags=flags)
    yield 20, "slot 0 has", image(wrong)
    yield 21, "last slot", changed(counted, 48 + slots - 1, b"\1")
    for slot in 0, 1, 12, 13:
        yield 22, f"slot {slot} is empty", image(Layer(counters={slot: 1}))
        yield 22, f"slot {slot} is empty", image(Layer(counters={slot: 15}, stash=[]))
    yield 23, "uses 2 words", stash(valid_word(), used=2)
    yield 23, "room for 1", stash(0, used=2**64 - 1)
    yield 24, "impossible class", stash(valid_word(fingerprint=0))
    yield 24, "impossible class", stash(0, used=1)
    yield 24, "impossible class", stash(valid_word(window=6))
    yield 24, "impossible class", stash(2**64 - 1)
    yield 24, "word 1", stash(valid_word(), valid_word(6, window=7))
    yield 24, "ascending", stash(valid_word(6), valid_word(5))
    yield 24, "ascending", stash(valid_word(5), valid_word(5))
    yield 24, "ascending", stash(valid_word(5), valid_word(5, counter=1))
    yield 25, "unused", stash(valid_word(), valid_word(6), used=1)
    yield 25, "unused", stash(valid_word(), used=0)
    yield 25, "unused", stash(valid_word(), 0, 1, used=1)
    yield 26, "counts copies", stash(valid_word(), valid_word(6, counter=1), flags=SET)
    yield 26, "counts copies", stash(valid_word(counter=15), flags=SET)


class Rules(unittest.TestCase):
    def check(self):
        for rule, message, data in invalid():
            with self.subTest(rule=rule, message=message, data=data.hex()):
                with self.assertRaisesRegex(InvalidImage, message) as caught:
                    Filter(data)
                self.assertEqual(caught.exception.rule, rule, str(caught.exception))

    def test_invalid(self):
        self.check()

    def test_invalid_without_numpy(self):
        available, batch.available = batch.available, False
        try:
            self.check()
        finally:
            batch.available = available

    def test_valid(self):
        for words in [valid_word(255, window=5, counter=15)], [valid_word(1), valid_word(2, counter=15), valid_word(3)]:
            Filter(image(Layer(stash=words)))
            Filter(image(Layer(stash=words, room=7), Layer(1, 12, 9)))
        Filter(image(Layer(stash=[valid_word(), valid_word(6)]), flags=SET))


if __name__ == "__main__":
    unittest.main()
