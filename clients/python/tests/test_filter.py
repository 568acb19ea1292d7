"""What the package accepts and refuses."""

import datetime
import decimal
import unittest
import uuid

import cuckoo_filter_client.batch as batch
from cuckoo_filter_client import BloomFilterBuilder, CapacityError, Filter, InvalidImage, KindError, values

UTC = datetime.timezone.utc
ACCEPTED = {
    "integer": [0, -(2**63), 2**63 - 1],
    "numeric": [7, decimal.Decimal("1.50"), decimal.Decimal("NaN"), 2**200],
    "text": ["", "naïve"],
    "character": ["a  "],
    "enum": ["ok"],
    "bytea": [b"", bytearray(b"a"), memoryview(b"b")],
    "uuid": [uuid.UUID(int=5)],
    "boolean": [True],
    "date": [datetime.date(1, 1, 1), datetime.date(9999, 12, 31)],
    "time": [datetime.time(23, 59, 59, 999999)],
    "timestamp": [datetime.datetime(2000, 1, 1, 12)],
    "timestamptz": [datetime.datetime(2000, 1, 1, 12, tzinfo=UTC)],
}
REFUSED = {
    "integer": [True, 1.0, "1", b"1", None],
    "numeric": [True, 1.5, "1.5", None],
    "text": [b"a", 1, None, uuid.UUID(int=5)],
    "character": [b"a", 1, None],
    "enum": [b"a", 1, None],
    "bytea": ["a", 1, [1], None],
    "uuid": [str(uuid.UUID(int=5)), 5, bytes(16), None],
    "boolean": [1, 0, "true", None],
    "date": ["2000-01-01", 5, datetime.datetime(2000, 1, 1), None],
    "time": [datetime.time(1, tzinfo=UTC), datetime.timedelta(1), None],
    "timestamp": [datetime.datetime(2000, 1, 1, tzinfo=UTC), datetime.date(2000, 1, 1), None],
    "timestamptz": [datetime.datetime(2000, 1, 1), datetime.date(2000, 1, 1), None],
}


def built(kind, many, **options):
    builder = BloomFilterBuilder(100, 1e-7, kind=kind, **options)
    builder.update(many)
    return Filter(builder.image())


class Kinds(unittest.TestCase):
    def test_every_kind_is_here(self):
        self.assertEqual(set(ACCEPTED), set(values.LOOKUP))
        self.assertEqual(set(REFUSED), set(values.LOOKUP))

    def test_accepted(self):
        for kind, accepted in ACCEPTED.items():
            filter_ = built(kind, accepted)
            self.assertEqual(filter_.kind, kind)
            self.assertEqual(filter_.contains_many(accepted), [True] * len(accepted))

    def test_refused(self):
        for kind, refused in REFUSED.items():
            filter_ = built(kind, ACCEPTED[kind])
            builder = BloomFilterBuilder(100, kind=kind)
            for value in refused:
                with self.subTest(kind=kind, value=value):
                    for use in (
                        filter_.contains,
                        filter_.__contains__,
                        lambda value: filter_.contains_many([value]),
                        lambda value: filter_.contains_many(ACCEPTED[kind] * 40 + [value]),
                        builder.add,
                        lambda value: builder.update([value]),
                        lambda value: builder.update(ACCEPTED[kind] + [value]),
                    ):
                        with self.assertRaises(KindError):
                            use(value)

    def test_numbers(self):
        # As in SQL, integers and numeric are compared exactly.
        filter_ = built("integer", [5, 2**63 - 1])
        self.assertTrue(filter_.contains(decimal.Decimal("5.000")))
        self.assertFalse(filter_.contains(decimal.Decimal("5.5")))
        self.assertFalse(filter_.contains(2**64 + 5))
        self.assertFalse(filter_.contains(2**63))
        self.assertEqual(filter_.contains_many([5, 6, 2**64 + 5] * 20), [True, False, False] * 20)
        self.assertEqual(filter_.contains_many([decimal.Decimal(5), 6] * 20), [True, False] * 20)

        filter_ = built("numeric", [5, 2**70, *map(decimal.Decimal, ("1e3", "-0.0", "1e20000"))])
        for same in (5, decimal.Decimal("5.00"), 1000, decimal.Decimal(2**70), 0, decimal.Decimal("10e19999")):
            self.assertTrue(filter_.contains(same))
        for number in ("1e200000", "1e-20000", "1e999999999"):
            with self.assertRaises(ValueError):
                filter_.contains(decimal.Decimal(number))

    def test_precision_of_the_context(self):
        with decimal.localcontext() as context:
            context.prec = 3
            number = decimal.Decimal("123456789012345678901234567890.5")
            self.assertEqual(values.numeric(number), b"123456789012345678901234567890.5" + bytes(8))

    def test_out_of_range(self):
        with self.assertRaises(ValueError):
            BloomFilterBuilder(1, kind="integer").add(2**63)
        for text in ("\ud800", "a\udfffb"):
            with self.assertRaises(ValueError):
                built("text", ["a"]).contains(text)

    def test_spaces(self):
        self.assertTrue(built("character", ["a "]).contains("a    "))
        self.assertFalse(built("character", ["a "]).contains("a\t"))
        self.assertFalse(built("text", ["a "]).contains("a"))

    def test_time_zones(self):
        east = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
        filter_ = built("timestamptz", [datetime.datetime(2024, 2, 29, 12, tzinfo=UTC)])
        self.assertTrue(filter_.contains(datetime.datetime(2024, 2, 29, 17, 30, tzinfo=east)))

    def test_none(self):
        # bf_create(10): no value was added, so every answer is no.
        empty = "Y2tmbAEBAQF7FK5H4XqEPwAAAAAAAAAACgAAAAAAAAABAAAAgAAIADAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="
        filter_ = Filter(empty)
        self.assertEqual(filter_.kind, "none")
        for value in (1, "a", b"a", None):
            self.assertFalse(filter_.contains(value))
        self.assertEqual(filter_.contains_many([1, "a"] * 40), [False] * 80)
        with self.assertRaises(KindError):
            BloomFilterBuilder.from_template(empty)

    def test_unsupported(self):
        image = bytearray(built("integer", [1]).__bytes__())
        image[16] = 10      # float
        with self.assertRaisesRegex(KindError, "float"):
            Filter(image).contains(1.5)
        with self.assertRaises(KindError):
            Filter(image).contains_many([1.5] * 100)
        for kind in ("float", "named", "none", "integer[]", "double precision"):
            with self.assertRaises(KindError):
                BloomFilterBuilder(10, kind=kind)

    def test_names(self):
        # A type whose name is that of another kind.
        image = bytearray(bytes(BloomFilterBuilder(8, kind="integer").image()))
        image[16], image[18] = 13, 7
        image[24:24] = b"integer\0"
        image[48] += 8
        filter_ = Filter(image)
        self.assertEqual(filter_.kind, "integer")
        for use in filter_.contains, lambda value: filter_.contains_many([value] * 100):
            with self.assertRaises(KindError):
                use(1)
        with self.assertRaises(KindError):
            BloomFilterBuilder.from_template(image)

    @unittest.skipUnless(batch.available, "numpy is not installed")
    def test_arrays(self):
        numpy = batch.numpy
        filter_ = built("integer", numpy.array([5, -7], dtype=numpy.int16))
        for type_ in (numpy.int8, numpy.int32, numpy.int64, numpy.dtype(">i4"), numpy.uint16, numpy.uint64):
            answers = filter_.contains_many(numpy.array([5, 6], dtype=type_))
            self.assertEqual(answers.tolist(), [True, False])
        self.assertEqual(filter_.contains_many(numpy.array([2**64 - 7, 5], dtype=numpy.uint64)).tolist(), [False, True])
        self.assertTrue(filter_.contains(numpy.int64(-7)))
        for wrong in (numpy.array([5.0]), numpy.array([True]), numpy.array(["5"]), numpy.array([None])):
            with self.assertRaises(KindError):
                filter_.contains_many(wrong)
        with self.assertRaises(KindError):
            filter_.contains_many(numpy.array([5], dtype="datetime64[ns]"))
        with self.assertRaises(KindError):
            built("bytea", [b"a\0"]).contains_many(numpy.array([b"a\0"]))
        with self.assertRaises(ValueError):
            filter_.contains_many(numpy.array([[5]]))
        with self.assertRaises(KindError):
            filter_.contains(numpy.bool_(True))
        texts = built("text", ["a"])
        self.assertEqual(texts.contains_many(numpy.array(["a", "b"], dtype=object)).tolist(), [True, False])
        self.assertEqual(texts.contains_many(numpy.array(["a", "b"])).tolist(), [True, False])


class Images(unittest.TestCase):
    def test_text(self):
        text = built("text", ["a"]).text()
        self.assertEqual(Filter(text[:20] + "\n" + text[20:] + "\n").text(), text)
        for wrong in ("", "abc", text + "!", text[:-1], "\\x0", "\\xzz", "ckfl"):
            with self.assertRaises(InvalidImage):
                Filter(wrong)

    def test_short_description(self):
        builder = BloomFilterBuilder(100000, kind="text")
        filter_ = Filter(builder.image())
        for shown in (str(filter_), repr(filter_)):
            self.assertEqual(shown, "<bloomfilter of text, capacity 100000, 124080 bytes>")
        for shown in (str(builder), repr(builder)):
            self.assertEqual(shown, f"<builder of a bloomfilter of text, capacity 100000, {len(builder.image())} bytes>")
        self.assertEqual(filter_.text(), builder.text())

    def test_source_of_text(self):
        self.assertEqual(built("text", ["a"]).__bytes__()[20], 1)


class Builders(unittest.TestCase):
    def test_capacity(self):
        for many in (range(11), [*range(10), *range(10), 10]):
            builder = BloomFilterBuilder(10, 1e-7, kind="integer")
            builder.update(range(10))
            builder.update(range(10))
            with self.assertRaises(CapacityError):
                builder.update(many)
            with self.assertRaises(CapacityError):
                builder.add(10)
            builder.add(9)
            self.assertTrue(all(Filter(builder.image()).contains_many(range(10))))

    def test_fixed(self):
        builder = BloomFilterBuilder(10, kind="integer", grows=False)
        builder.update(range(1000))
        filter_ = Filter(builder.image())
        self.assertFalse(filter_.grows)
        self.assertTrue(all(filter_.contains_many(range(1000))))

    def test_arguments(self):
        for capacity in (0, -1, 2**63, 10**12):
            with self.assertRaises(ValueError):
                BloomFilterBuilder(capacity, kind="integer")
        for rate in (0.0, -0.1, 0.6, 1e-8, float("nan"), float("inf")):
            with self.assertRaises(ValueError):
                BloomFilterBuilder(10, rate, kind="integer")

    def test_other_names_of_kinds(self):
        for name, kind in values.OTHER_NAMES.items():
            self.assertNotIn(name, values.ADD)
            named = built(name, ACCEPTED[kind])
            self.assertEqual((named.kind, bytes(named)), (kind, bytes(built(kind, ACCEPTED[kind]))))

    def test_same_geometry(self):
        known = Filter(BloomFilterBuilder(12345, 0.003, kind="str").image())
        other = BloomFilterBuilder(known.capacity, known.rate, kind=known.kind)
        self.assertEqual(bytes(known), other.image())

    def test_templates(self):
        with self.assertRaises(ValueError):
            BloomFilterBuilder.from_template(bytes(built("integer", [1])))
        cuckoo = "Y2tmbAECAQF7FK5H4XqEPwEAAAAAAAAACAAAAAAAAAABAAAABAAJADAAAAAAAAAAAAAAkP3U6VMAAAAAAAAAAAAAAA=="
        with self.assertRaises(KindError):
            BloomFilterBuilder.from_template(cuckoo)


if __name__ == "__main__":
    unittest.main()
