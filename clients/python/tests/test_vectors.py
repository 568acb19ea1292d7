"""The package agrees with the golden vectors of the extension, in test/golden of its repository."""

import json
import os
import pathlib
import re
import unittest

import sql_values
import xxhash

import cuckoo_filter_client.batch as batch
from cuckoo_filter_client import Filter, InvalidImage, values

GOLDEN = pathlib.Path(
    os.environ.get("CUCKOO_FILTER_GOLDEN", pathlib.Path(__file__).resolve().parent / "../../../test/golden")
)
if not GOLDEN.is_dir():
    raise unittest.SkipTest("the golden vectors are in the repository of the extension")
VECTORS = json.loads((GOLDEN / "vectors.json").read_text(encoding="utf-8"))

def value_of(kind, sql):
    """The value of an expression such as 'apple'::text, 42::smallint, or true."""
    spelled = re.sub(r"::[a-z\"() 0-9]+$", "", sql)
    spelled = re.sub(r"^\((.*)\)$", r"\1", spelled)
    spelled = re.sub(r"^'(.*)'$", r"\1", spelled)
    if kind == "timestamptz":
        spelled += ":00"
    return sql_values.read(kind, spelled)


class Vectors(unittest.TestCase):
    def test_values(self):
        tested = 0
        for vector in VECTORS["values"]:
            kind = vector["kind"]
            canonical = bytes.fromhex(vector["canonical_bytes"])
            self.assertEqual(f"{xxhash.xxh3_64_intdigest(canonical):016x}", vector["hash"])
            if kind not in values.LOOKUP:
                continue
            value = value_of(kind, vector["sql"])
            if value is None:
                continue
            with self.subTest(vector["sql"]):
                self.assertEqual(values.LOOKUP[kind](value), canonical)
                tested += 1
        self.assertGreaterEqual(tested, 35)

    def test_hashes(self):
        self.assertGreater(len(VECTORS["hashes"]), 20)
        for vector in VECTORS["hashes"]:
            canonical = bytes.fromhex(vector["canonical_bytes"])
            self.assertEqual(xxhash.xxh3_64_intdigest(canonical), int(vector["hash"], 16))

    @unittest.skipUnless(batch.available, "numpy is not installed")
    def test_hashes_of_integers(self):
        integers = [-(2**63), -1, 0, 1, 42, 2**63 - 1, *(x * 0x123456789ABCDF for x in range(-40, 40))]
        hashes = batch.hash_integers(batch.numpy.array(integers, dtype=batch.numpy.int64))
        self.assertEqual(hashes.tolist(), [xxhash.xxh3_64_intdigest(values.integer(x)) for x in integers])

    def test_images(self):
        for vector in VECTORS["images"]:
            with self.subTest(vector["name"]):
                image = bytes.fromhex(vector["image"])
                filter_ = Filter(vector["text"])
                self.assertEqual(bytes(filter_), image)
                self.assertEqual(filter_.text(), vector["text"])
                for form in (image, bytearray(image), memoryview(image), "\\x" + vector["image"]):
                    self.assertEqual(bytes(Filter(form)), image)
                self.assertEqual(filter_.type, vector["type"])
                self.assertEqual(filter_.kind, vector["kind"])
                self.assertEqual(filter_.rate, vector["requested_fpr"])
                self.assertEqual(filter_.grows, not vector["flags"] & 2)
                self.assertEqual(filter_.capacity, sum(layer["capacity"] for layer in vector["layers"]))
                self.check_answers(filter_, vector)

    def check_answers(self, filter_, vector):
        self.assertGreater(len(vector["answers"]), 2)
        for answer in vector["answers"]:
            value_hash = int(answer["filter_hash"])
            self.assertEqual(filter_.contains_hash(value_hash), answer["contains"], answer["sql"])
            self.assertEqual(filter_.contains_hash(int(answer["hash"], 16)), answer["contains"], answer["sql"])
            if filter_.kind in sql_values.KINDS or filter_.kind == "none":
                value = value_of("integer" if filter_.kind == "none" else filter_.kind, answer["sql"])
                self.assertEqual(filter_.contains(value), answer["contains"], answer["sql"])
                self.assertEqual(value in filter_, answer["contains"], answer["sql"])
                self.assertEqual(filter_.contains_many([value] * 40), [answer["contains"]] * 40, answer["sql"])
                if filter_.type == "cuckoofilter":
                    self.assertEqual(filter_.count(value), answer["count"], answer["sql"])

    def check_invalid(self):
        for vector in VECTORS["invalid"]:
            with self.subTest(vector["name"]):
                with self.assertRaises(InvalidImage) as caught:
                    Filter(bytes.fromhex(vector["image"]))
                self.assertEqual(caught.exception.rule, vector["rule"], vector["reason"])

    def test_invalid(self):
        self.assertGreater(len(VECTORS["invalid"]), 60)
        self.check_invalid()

    def check_valid(self):
        for vector in VECTORS["valid"]:
            with self.subTest(vector["name"]):
                image = bytes.fromhex(vector["image"])
                self.assertEqual(bytes(Filter(image)), image)

    def test_valid(self):
        self.assertGreater(len(VECTORS["valid"]), 20)
        self.check_valid()

    def test_texts(self):
        self.assertGreater(len(VECTORS["texts"]), 30)
        for vector in VECTORS["texts"]:
            with self.subTest(vector["text"]):
                if vector["valid"]:
                    Filter(vector["text"])
                else:
                    with self.assertRaises(InvalidImage):
                        Filter(vector["text"])

    def test_verdicts_without_numpy(self):
        available = batch.available
        batch.available = False
        try:
            self.check_invalid()
            self.check_valid()
        finally:
            batch.available = available


if __name__ == "__main__":
    unittest.main()
