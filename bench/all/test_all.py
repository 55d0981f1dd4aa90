# SPDX-License-Identifier: Apache-2.0
"""Tests of what writes the tables into the documents, with results made up."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "openmp"))
import documents
import openmp_tables
import pages

HEAD = {
    "bench": "run",
    "of": "x",
    "commit": "abc",
    "command": "./dev bench x",
    "date": "2026-01-01",
}
HEAD |= {"processor": "P", "cores": 2, "runs": 3, "threads": 2, "quick": True}


def written(folder: str, *records: dict) -> Path:
    path = Path(folder) / "x.json"
    path.write_text("".join(json.dumps(one) + "\n" for one in (HEAD, *records)))
    return path


class DocumentsTest(unittest.TestCase):
    TEXT = "a\n<!-- one: made by x -->\nold\n<!-- end of one -->\nb\n"

    def test_a_place_is_filled_again_and_again(self) -> None:
        once = documents.fill(self.TEXT, "one", ["new"])
        self.assertEqual(once, "a\n<!-- one: made by x -->\n\nnew\n\n<!-- end of one -->\nb\n")
        self.assertEqual(documents.fill(once, "one", ["new"]), once)

    def test_a_missing_place_is_told(self) -> None:
        with self.assertRaises(ValueError):
            documents.fill(self.TEXT, "two", [])

    def test_each_place_that_is_made_stands_in_a_document(self) -> None:
        texts = "".join(path.read_text() for path in documents.PATHS)
        for name in PLACES:
            self.assertIn(f"<!-- {name}:", texts)


PLACES = [
    "overhead",
    "overhead in short",
    "kernels",
    "break-even",
    "efficiency",
    "lost",
    "kernels in short",
    "metg",
    "loads",
    "tree",
    "alloc",
    "reductions",
    "towns",
    *(name for name in openmp_tables.places([])),
    "waiting",
    "busy",
]


class PagesTest(unittest.TestCase):
    def test_the_short_overhead_table_has_lost_rows_too(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            records = [
                {"bench": "task_free", "deps": 0, "threads": 2, "runtime": name, "runs_cycles": [c]}
                for name, c in (("myrmidon", 138), ("libgomp", 111))
            ]
            places = pages.overhead(written(folder, *records))
        self.assertIn(
            "| independent, no dependence | 138 ± 0 | 111 ± 0 |", places["overhead in short"]
        )
        self.assertIn("libgomp, 111 to 138, 2 threads", places["overhead in short"][-1])
        self.assertIn("abc", places["overhead"][0])
        self.assertIn("quick run", places["overhead"][0])

    def test_kernels_lost_and_unpaid(self) -> None:
        times = {"serial": 1.0, "myrmidon:1 tasks": 1.1, "myrmidon:2 tasks": 0.8}
        times |= {"libgomp:2 static": 0.6, "libomp:2 tasks": 0.9}
        head = {"bench": "kernel", "kernel": "fib", "options": "--size 22 --task 0"}
        records = [
            {**head, "column": name, "round": number, "seconds": seconds, "runs": 1}
            for name, seconds in times.items()
            for number in range(3)
        ]
        count = {**head, "bench": "kernel_tasks", "tasks": 10}
        with tempfile.TemporaryDirectory() as folder:
            places = pages.kernel_cases(written(folder, count, *records))
        self.assertIn("0.75", " ".join(places["lost"]))
        self.assertIn("(static)", " ".join(places["lost"]))
        self.assertIn("slower in 1", " ".join(places["kernels in short"]))

    def test_an_unfinished_last_line_is_passed_over(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = written(folder, {"bench": "towns", "places": 3})
            path.write_text(path.read_text() + '{"bench": "tow')
            head, records = pages.record.read(path)
        self.assertEqual(head["commit"], "abc")
        self.assertEqual(len(records), 1)


if __name__ == "__main__":
    unittest.main()
