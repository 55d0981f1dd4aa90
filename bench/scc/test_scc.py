# SPDX-License-Identifier: Apache-2.0
"""The page's arithmetic, on numbers made up for it."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import page
from measure import (
    CHOICES,
    FINER,
    FINER_WORKERS,
    KERNELS,
    MOST,
    PAST,
    WAYS,
    WORKERS,
    Measured,
    Past,
    Run,
    read,
)

WORK = 1_000_000


def perfect(workers: int) -> Run:
    """Workers share the work evenly, and flush for as long as they work."""
    share = WORK // max(1, workers)
    return Run(cycles=2 * share, task=[share] * workers, flush=[share] * workers, master=share)


def measured() -> Measured:
    return {letter: {count: perfect(count) for count in (0, *WORKERS)} for letter in KERNELS}


def past() -> Past:
    """Twice as fast."""
    return {
        name: {
            letter: {count: perfect(2 * count) for count in PAST}
            for letter, kernel in KERNELS.items()
            if way.fits(kernel)
        }
        for name, way in WAYS.items()
    }


FINER_RUNS = {
    letter: {size: {count: perfect(4) for count in FINER_WORKERS} for size in sizes}
    for letter, sizes in FINER.items()
}
POINTS = {3: {hops: 100 + hops for hops in range(1, 10)}, 4: {1: 100, 4: 100, 8: 160, 48: 900}}


class Page(unittest.TestCase):
    def test_runs_are_read_from_what_the_program_prints(self) -> None:
        agent = {"kind": "worker", "task_cycles": 5, "runtime_cycles": 3}
        master = {"kind": "scheduler", "runtime_cycles": 7}
        run = read({"cycles": 10.0}, {"agents": [agent, agent, master]}, 2)
        other = {"kind": "scheduler", "runtime_cycles": 4}
        self.assertEqual(run, read({"cycles": 10.0}, {"agents": [agent, agent, other, master]}, 2))
        self.assertEqual(run, Run(cycles=10, task=[5, 5], flush=[3, 3], master=7))
        self.assertEqual(run.idle, [2, 2])
        self.assertEqual(run.total("flush"), 6)

    def test_numbers_are_compared_with_a_tolerance(self) -> None:
        self.assertEqual(page.compare(14, 16), "matched")
        self.assertEqual(page.compare(13, 16), "not")
        self.assertEqual(page.compare(20, 16), "better")

    def test_workers_wait_from_where_they_always_do(self) -> None:
        runs = measured()["c"]
        self.assertIsNone(page.idle_from(runs))
        for count in WORKERS:
            if count >= 10:
                runs[count] = Run(cycles=100, task=[50] * count, flush=[0] * count, master=1)
        runs[2] = Run(cycles=100, task=[50] * 2, flush=[0] * 2, master=1)
        self.assertEqual(page.idle_from(runs), 10)

    def test_best_is_the_fewest_workers_that_gain(self) -> None:
        runs = measured()["d"]
        self.assertEqual(page.best(runs), MOST)
        for count in WORKERS:
            if count > 22:
                runs[count] = runs[22]
        self.assertEqual(page.best(runs), 22)

    def test_the_page_has_a_row_for_each_figure(self) -> None:
        chosen = {name: {letter: perfect(10) for letter in KERNELS} for name in CHOICES}
        text = "\n".join(page.lines(measured(), POINTS, chosen, past(), FINER_RUNS, "0123abc"))
        for figure in ("3", "4", *(f"{number}{letter}" for number in (5, 6, 7) for letter in "ae")):
            self.assertIn(f"\n| {figure} | ", text)
        self.assertIn("from 8 cores on; 9.0 times with all | **matched**", text)
        self.assertIn("\n| Jacobi | 43.0 | 10.0 | 10.0 | 10.0 | 10.0 |", text)
        self.assertIn("Measured at commit 0123abc.", text)
        self.assertIn("\n| Cholesky | 1 KB | 4.0 | 4.0 | 50% |", text)
        # It has no larger blocks.
        self.assertIn("\n| Jacobi | 43.0 |  | 86.0 | 86.0 | 86.0 |", text)
        self.assertIn("\n| Jacobi | loops, master | 44.0 | 64.0 | 86.0 | 50% |", text)
        self.assertIn("\n| Jacobi | 1.00 | 1.00 | 50% |", text)
        # Black-Scholes is as fast with 43 workers as they are many, the paper's is not.
        self.assertIn("with 43 workers. | 43.0 | **better**", text)


if __name__ == "__main__":
    unittest.main()
