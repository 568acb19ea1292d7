"""The package gives the answers and builds the images of the server.

The environment variable CUCKOO_FILTER_CASES names a file that test/clients/cases.sql of the repository made.
"""

import base64
import json
import os
import random
import unittest

import sql_values

import cuckoo_filter_client.batch as batch
from cuckoo_filter_client import BloomFilterBuilder, Filter, bloom_sizing, values

PATH = os.environ.get("CUCKOO_FILTER_CASES")
CASES = json.load(open(PATH, encoding="utf-8")) if PATH else None


def each_batch(test):
    """Run a test with numpy, if it is there, and without."""

    def run(self):
        available = batch.available
        try:
            for batch.available in {available, False}:
                with self.subTest(numpy=batch.available):
                    test(self)
        finally:
            batch.available = available

    return run


@unittest.skipUnless(PATH, "CUCKOO_FILTER_CASES is not set")
class Server(unittest.TestCase):
    @each_batch
    def test_answers(self):
        answers = 0
        for case in CASES["readings"]:
            kind = case["kind"]
            probes = [sql_values.read(kind, text) for text in case["values"]]
            known = [i for i, value in enumerate(probes) if value is not None]
            self.assertGreater(len(known), len(probes) * 0.8, kind)
            for number, expected in enumerate(case["filters"]):
                with self.subTest(kind=kind, filter=number):
                    filter_ = Filter(expected["image"])
                    self.assertEqual(filter_.kind, kind)
                    contained = [expected["contains"][i] == "1" for i in known]
                    self.assertTrue(all(contained[:sum(i < expected["members"] for i in known)]))
                    self.assertEqual(filter_.contains_many([probes[i] for i in known]), contained)
                    answers += len(known)
                    if batch.available:         # without numpy, contains_many() has called contains() for each
                        self.assertEqual([filter_.contains(probes[i]) for i in known], contained)
                    if filter_.type == "cuckoofilter":
                        counts = expected["counts"].split()
                        self.assertEqual([filter_.count(probes[i]) for i in known], [int(counts[i]) for i in known])
        self.assertGreater(answers, 100000)

    def test_case(self):
        """The recipe's function folds as the server's does, which str.lower() does only for ASCII."""
        case = CASES["folding"]
        recipe = {}
        exec(case["python"], recipe)
        folded, lower = Filter(case["filter"]), Filter(case["lower"])
        for name, by_server, lower_by_server in case["names"]:
            self.assertEqual(recipe["folded"](name), by_server)
            self.assertIn(by_server, folded)
            if name.isascii():
                self.assertEqual(name.lower(), lower_by_server)
            if name in ("ΟΔΟΣ", "İ"):
                self.assertNotEqual(name.lower(), lower_by_server)
                self.assertNotIn(name.lower(), lower)
        self.assertGreater(len(case["names"]), 130)

    @unittest.skipUnless(batch.available, "numpy is not installed")
    def test_arrays(self):
        for case in CASES["readings"]:
            if case["kind"] != "integer":
                continue
            numbers = batch.numpy.array([int(text) for text in case["values"]])
            for expected in case["filters"]:
                contained = Filter(expected["image"]).contains_many(numbers)
                self.assertIsInstance(contained, batch.numpy.ndarray)
                self.assertEqual("".join(str(int(answer)) for answer in contained), expected["contains"])

    @each_batch
    def test_builders(self):
        built = 0
        shuffle = random.Random(1).shuffle
        for case in CASES["buildings"]:
            kind = case["kind"]
            for number, expected in enumerate(case["filters"]):
                members = [sql_values.read(kind, text) for text in case["values"][:expected["count"]]]
                if any(value is None for value in members):
                    continue
                with self.subTest(kind=kind, filter=number):
                    image = expected["image"]
                    self.assertEqual(expected.get("added", image), image)
                    options = {"kind": kind, "grows": expected["grows"]}
                    builder = BloomFilterBuilder(expected["capacity"], expected["rate"], **options)
                    self.assertEqual(builder.text(), expected["template"])
                    builder.update(members)
                    self.assertEqual(builder.text(), image)
                    builder = BloomFilterBuilder.from_template(base64.b64decode(expected["template"]))
                    shuffle(members)
                    for value in members:
                        builder.add(value)
                    builder.update(members)
                    self.assertEqual(builder.image(), base64.b64decode(image))
                    built += 1
        self.assertGreater(built, 200)

    def test_geometries(self):
        self.assertGreater(len(CASES["geometries"]), 100)
        for case in CASES["geometries"]:
            with self.subTest(case):
                geometry = bloom_sizing.choose(case["capacity"], case["rate"])
                # The size of the value in SQL: 4 bytes, a header, a descriptor, and the blocks.
                self.assertEqual(4 + 24 + 24 + geometry[0] * geometry[1] // 8, case["bytes"])
                if case["layer"] is not None:
                    self.assertEqual(list(geometry), case["layer"])

    def test_every_kind(self):
        for list_ in CASES["readings"], CASES["buildings"]:
            self.assertEqual({case["kind"] for case in list_}, set(values.LOOKUP))


if __name__ == "__main__":
    unittest.main()
