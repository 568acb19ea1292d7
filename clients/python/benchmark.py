"""Measures lookups, beside those in a set of Python: nanoseconds of CPU time per value, the median of the rounds.
Also the memory of the set, in relation to the filter.

    PYTHONPATH=src python3 benchmark.py [values] [rounds]
"""

import statistics
import sys
import time

from cuckoo_filter_client import BloomFilterBuilder, Filter, batch


def main(count, rounds):
    for kind, make in ("integer", lambda i: i * 7919), ("text", lambda i: f"user{i}@example.com"):
        present, absent = ([make(i) for i in range(start, start + count)] for start in (0, count))
        builder = BloomFilterBuilder(count, kind=kind)
        builder.update(present)
        filter_ = Filter(builder.image())
        measured = {}

        for _ in range(rounds):
            set_ = set(present)
            for name, many in ("present", present), ("absent", absent):
                for what, run in (
                    ("set", lambda: [value in set_ for value in many]),
                    ("one by one", lambda: [filter_.contains(value) for value in many]),
                    ("contains_many", lambda: filter_.contains_many(many)),
                    ("array", lambda: filter_.contains_many(batch.numpy.array(many))),
                ):
                    if what == "array" and (kind != "integer" or not batch.available):
                        continue
                    start = time.process_time()
                    run()
                    measured.setdefault((name, what), []).append((time.process_time() - start) / count * 1e9)

        set_bytes = sys.getsizeof(set_) + sum(map(sys.getsizeof, set_))
        print(f"{kind:8} memory of the set {set_bytes / len(builder.image()):.0f} filters")
        for (name, what), times in measured.items():
            ratios = [time / base for time, base in zip(times, measured[name, "set"])]
            print(f"{kind:8} {name:8} {what:14} {statistics.median(times):6.0f} ns {statistics.median(ratios):6.1f} sets")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000000, int(sys.argv[2]) if len(sys.argv) > 2 else 5)
