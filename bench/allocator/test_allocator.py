# SPDX-License-Identifier: Apache-2.0
"""The page's arithmetic, on numbers made up for it."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import page
from measure import BARNES_SHAPES, LIST_SHAPES, MPIS, Exchange, Measured, Split, exchanges, split

SLABS = {
    "step": [0, 1, 2, 3],
    "requested_bytes": [1, 2, 3, 4],
    "full_slabs": [10, 100, 50, 200],
    "partial_slabs": [1, 1, 50, 2],
}
STEADY = {**SLABS, "partial_slabs": [1, 1, 1, 2]}


def measured() -> Measured:
    ways = {
        "regions": Exchange(build=1, exchange=1),
        "nodes": Exchange(build=0, exchange=12),
        "packed": Exchange(build=0, exchange=2),
    }
    return Measured(
        lists={(mpi, shape, 30_000): ways for mpi in MPIS for shape in LIST_SHAPES},
        barnes={(s, w): Split(90 - w, s * w / 3, 2, 1) for s, w in BARNES_SHAPES},
        delaunay={(1, 1): 8.0, (1, 4): 1.0, (3, 4): 1.0},
        slabs={"one_size": STEADY, "phases": SLABS, "six_sizes": STEADY},
        chip={
            name: {(1, 8): 100, (2, 8): 120, (1, 64): 900, (8, 64): 300}
            for name in ("linked_lists", "barnes_hut_parts")
        },
    )


class Page(unittest.TestCase):
    def test_ways_are_read_from_what_the_program_prints(self) -> None:
        lines = [{"way": "regions", "build_s": 2.0, "exchange_s": seconds} for seconds in (5, 1, 3)]
        self.assertEqual(exchanges(lines), {"regions": Exchange(2.0, 3)})

    def test_times_are_the_mean_of_the_workers(self) -> None:
        workers = [
            {"task_ns": 1e9, "memory_ns": 3e9, "wait_ns": 0},
            {"task_ns": 3e9, "memory_ns": 1e9, "wait_ns": 0},
        ]
        found = split({"run_s": 7}, workers)
        self.assertEqual(found, Split(2, 2, 0, 7))
        self.assertEqual(found.share, 0.5)

    def test_building_counts_where_the_paper_has_it(self) -> None:
        self.assertEqual(page.ratios(measured(), 1, 2, 30_000), [6.0] * len(MPIS))
        row = next(page.ways_rows(measured()))
        self.assertEqual(row[-2:], ["12.0", "0.50"])

    def test_a_range_is_judged_by_its_ends(self) -> None:
        self.assertEqual(page.verdict_on([4, 5], 3.8, 7), "matched")
        self.assertEqual(page.verdict_on([3, 50], 3.8, 7), "not")
        self.assertEqual(page.verdict_on([8, 9], 3.8, 7), "better")

    def test_schedulers_are_compared_with_most_workers(self) -> None:
        for one in page.chip_statements(measured()):
            self.assertIn("3.00 times as fast on the simulated chip, with 64 workers", one.here)
            self.assertEqual(one.verdict, "matched")

    def test_the_page_has_a_row_for_each_figure(self) -> None:
        text = "\n".join(page.lines(measured()))
        for letter in "abcdefgh":
            self.assertIn(f"\n| 4{letter} | ", text)
        self.assertIn("2.0% of them at most in the second half | **matched**", text)
        self.assertIn("up to 50% partial, 1.0% in the end | **matched**", text)
        # Three schedulers take three times as long as one here, other than in the paper.
        self.assertIn("8.00 s with 3, 2.67 s with 1, for 8 workers | **not**", text)


if __name__ == "__main__":
    unittest.main()
