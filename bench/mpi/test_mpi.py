# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of the comparison, on numbers made up for it."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import page
from cases import KERNELS, Case, Shape, cases
from harness.cache import Cache
from measure import Result, Traffic, totals

TWO = Shape(2)


def result(ours: float, twin: float) -> Result:
    return Result(
        tasks=10,
        ours=[ours],
        twin=[twin],
        our_traffic=Traffic(35, 5_000_000),
        our_data=4_000_000,
        twin_traffic=Traffic(7, 2_500),
        busy=0.5,
    )


class Comparison(unittest.TestCase):
    def test_a_twin_has_a_rank_for_each_thread(self) -> None:
        self.assertEqual(Shape(2, 3).ranks, 6)
        self.assertEqual(Shape(2, 3).machine, "mpi:1+2x3")

    def test_a_twin_on_a_square_runs_on_squares_only(self) -> None:
        found = cases(["mpich"], ["jacobi", "matrix_multiply"], [Shape(2), Shape(4)])
        kernels = [one.kernel for one in found if not one.loops]
        self.assertEqual(kernels, ["jacobi", "jacobi", "matrix_multiply"])

    def test_what_has_loops_is_measured_with_them_too(self) -> None:
        found = cases(["mpich"], ["jacobi", "ray_tracing"], [TWO])
        programs = ["kernel_jacobi", "kernel_jacobi_for_each", "kernel_ray_tracing"]
        self.assertEqual([one.program for one in found], programs)

    def test_sizes_divide(self) -> None:
        for kernel in ("jacobi", "matrix_multiply", "bitonic"):
            for ranks in (1, 4, 16):
                options = KERNELS[kernel].options(ranks)
                self.assertEqual(options["size"] % (options["task"] * options["parts"]), 0)

    def test_the_goal_counts_what_has_two_ranks(self) -> None:
        results = {
            Case("mpich", "jacobi", TWO): result(1.09, 1),
            Case("mpich", "bitonic", TWO): result(1.2, 1),
            Case("mpich", "jacobi", Shape(4)): result(1, 1),
        }
        self.assertIn("1 of 2", page.goal_line(results))

    def test_rows_say_who_sends_what(self) -> None:
        results = {Case("mpich", "jacobi", TWO): result(1.5, 1)}
        self.assertEqual(next(page.overhead_rows(results))[-1], "+50%")
        row = next(page.traffic_rows(results))
        self.assertEqual(row[2:], ["10", "3.5", "1.0 MB", "4.0 MB", "7", "2.5 KB", "50%"])

    def test_totals_are_of_all_agents(self) -> None:
        agents = [
            {
                "kind": kind,
                "tasks": 1,
                "messages": 2,
                "message_bytes": 3,
                "dma_bytes": 4,
                "task_ns": 5,
            }
            for kind in ("worker", "worker", "scheduler")
        ]
        found = totals({"agents": agents})
        self.assertEqual((found["messages"], found["task_ns"]), (6, 10))


class Kept(unittest.TestCase):
    def test_a_value_is_measured_once_for_a_build(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "program"
            table = Path(folder) / "out/table"
            program.write_text("one")
            self.assertEqual(Cache(table, [program]).get("a", lambda: [1]), [1])
            self.assertEqual(Cache(table, [program]).get("a", lambda: [2]), [1])
            program.write_text("another")
            self.assertEqual(Cache(table, [program]).get("a", lambda: [2]), [2])


if __name__ == "__main__":
    unittest.main()
