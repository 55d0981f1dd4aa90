# SPDX-License-Identifier: Apache-2.0
"""Tests of metg.py with sweeps whose METG is known."""

import unittest

from metg import Metg, Point, highest_rate, metg


def sweep_with_overhead(overhead_ns: float, iteration_ns: float, sizes: int) -> list[Point]:
    """A runtime on one core that adds the same time to each task."""
    points = []
    for size in reversed(range(sizes)):
        work_ns = iteration_ns * 2**size
        points.append(Point(2**size, work_ns + overhead_ns, 2**size / (work_ns + overhead_ns)))
    return points


class MetgTest(unittest.TestCase):
    def test_overhead_is_half_of_the_smallest_effective_task(self) -> None:
        sweep = sweep_with_overhead(overhead_ns=100, iteration_ns=1, sizes=20)
        found = metg(sweep, peak_rate=1.0, wanted=0.5)
        self.assertTrue(found.bounded)
        self.assertAlmostEqual(found.ns, 200, delta=4)

    def test_three_quarters_of_the_peak_take_tasks_twice_as_large(self) -> None:
        sweep = sweep_with_overhead(overhead_ns=100, iteration_ns=1, sizes=20)
        self.assertAlmostEqual(metg(sweep, peak_rate=1.0, wanted=0.75).ns, 400, delta=12)

    def test_a_point_at_the_limit_is_the_result(self) -> None:
        sweep = [Point(4, 40, 0.9), Point(2, 20, 0.5), Point(1, 18, 0.3)]
        self.assertAlmostEqual(metg(sweep, 1.0, 0.5).ns, 20)

    def test_the_finest_efficient_point_counts(self) -> None:
        sweep = [Point(8, 80, 0.4), Point(4, 40, 0.8), Point(2, 20, 0.6), Point(1, 10, 0.4)]
        self.assertAlmostEqual(metg(sweep, 1.0, 0.5).ns, (20 * 10) ** 0.5)

    def test_a_sweep_that_stays_efficient_is_not_bounded(self) -> None:
        sweep = [Point(2, 20, 1.0), Point(1, 10, 0.7)]
        self.assertEqual(metg(sweep, 1.0, 0.5), Metg(10, bounded=False))

    def test_a_sweep_that_never_is_efficient_has_none(self) -> None:
        self.assertIsNone(metg([Point(2, 20, 0.2), Point(1, 10, 0.1)], 1.0, 0.5))

    def test_the_peak_is_the_best_of_all_sweeps(self) -> None:
        self.assertEqual(
            highest_rate([[Point(1, 1, 0.5)], [Point(1, 1, 0.7), Point(1, 1, 0.2)]]), 0.7
        )


if __name__ == "__main__":
    unittest.main()
