# SPDX-License-Identifier: Apache-2.0
"""Tests of what is computed from the times, and of the tables of sizes and columns."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from columns import SERIAL, Column, columns_of
from results import Results
from run import Job, is_beaten
from sizes import SIZES
from speed import Case, Ratio, Times, break_even, curve, speed_up_at
from tables import break_even_table, efficiency_table, process_count

KERNELS = Path(__file__).resolve().parents[2] / "kernels"
PAPER_4 = {"black_scholes": 12, "poisson": 3, "sparse_lu": 10, "stream_barr": 6, "stream_deps": 6}


def case(serial: float, tasks: int = 1000, **columns: float) -> Case:
    times = {name: Times((s,)) for name, s in columns.items()}
    return Case("sample", "--task 1", None, tasks, 2, {SERIAL: Times((serial,)), **times})


def with_columns(serial: float, **seconds: float) -> Case:
    names = {"own": "myrmidon:2 tasks", "gomp": "libgomp:2 static", "omp": "libomp:2 tasks"}
    found = case(serial)
    found.times |= {names[name]: Times((value,)) for name, value in seconds.items()}
    return found


class SpeedTest(unittest.TestCase):
    def test_a_ratio_is_of_medians_and_spans_the_quartiles(self) -> None:
        ratio = Ratio.of(Times((1.0, 2.0, 3.0)), Times((0.5, 1.0, 1.5)))
        self.assertEqual(ratio.value, 2)
        self.assertEqual((ratio.low, ratio.high), (1.5 / 1.25, 2.5 / 0.75))

    def test_the_best_of_each_side_are_compared(self) -> None:
        sample = with_columns(3.0, own=1.0, gomp=2.0, omp=1.5)
        self.assertEqual(sample.best("libgomp", "libomp"), "libomp:2 tasks")
        self.assertAlmostEqual(sample.against_openmp.value, 1.5)
        self.assertTrue(sample.pays)
        self.assertFalse(with_columns(0.9, own=1.0, omp=1.5).pays)
        self.assertIsNone(with_columns(1.0, own=1.0).against_openmp)

    def test_work_is_shared_out_among_the_tasks(self) -> None:
        self.assertAlmostEqual(case(0.002).us_per_task, 2)
        self.assertEqual(curve([with_columns(0.002, own=0.001)], "myrmidon")[0][1], 2)

    def test_break_even(self) -> None:
        points = [(1.0, 0.5), (10.0, 1.0), (100.0, 2.0)]
        mark, size = break_even(points)
        self.assertEqual(mark, "")
        self.assertAlmostEqual(size, 10 * 10**0.5)
        self.assertEqual(break_even(points, 0.4), ("<", 1.0))
        self.assertEqual(break_even(points, 3), (">", 100.0))
        self.assertIsNone(break_even([]))
        # A coarser size that falls short again counts.
        self.assertEqual(break_even([(1, 1.6), (10, 1.4)]), (">", 10))

    def test_speed_up_at_a_size_between_and_beside_the_measured(self) -> None:
        points = [(1.0, 1.0), (100.0, 2.0)]
        self.assertIsNone(speed_up_at(points, 1000))
        self.assertAlmostEqual(speed_up_at([(5.0, 1.0), (20.0, 2.0)], 10), 1.5)
        self.assertEqual(speed_up_at([(400.0, 1.9)], 1000), 1.9)


class RoundsTest(unittest.TestCase):
    def test_only_a_version_that_was_slower_every_time_is_left_out(self) -> None:
        columns = [Column("libgomp", name, 2, "") for name in ("tasks", "static", "dynamic")]
        jobs = [Job("sample", "--task 1", None, column) for column in columns]
        with tempfile.TemporaryDirectory() as folder:
            results = Results(Path(folder) / "x.json", {"commit": "", "threads": 2}, fresh=True)
        for job, times in zip(jobs, ((1.0, 1.1, 1.2), (1.1, 1.3, 1.4), (1.3, 1.4, 1.5))):
            self.assertFalse(is_beaten(job, jobs, results))
            results.seconds[job.key] = dict(enumerate(times))
        self.assertEqual([is_beaten(job, jobs, results) for job in jobs], [False, False, True])


class TablesTest(unittest.TestCase):
    def test_break_even_and_efficiency_show_their_spread(self) -> None:
        fine, coarse = with_columns(0.01, own=0.01), with_columns(1.0, own=0.5)
        fine.times["myrmidon:2 tasks"] = Times((0.009, 0.010, 0.011))
        (_, _, row) = break_even_table([fine, coarse])
        self.assertRegex(row, r"^\| sample \| 1\d\d \(\d+ to \d+\) \| - \| - \|$")
        self.assertIn("| 50 ±3 |", efficiency_table([fine, coarse])[2])

    def test_runs_are_counted_of_what_tables_show(self) -> None:
        sample = with_columns(3.0, own=1.0, gomp=2.0)
        sample.times["libgomp:2 static"] = Times((2.0, 2.0, 2.0))
        self.assertEqual(process_count([sample]), 1)
        sample.times = {name: Times((1.0,) * 3) for name in sample.times}
        sample.times["libgomp:2 tasks"] = Times((5.0,))
        self.assertEqual(process_count([sample]), 3)

    def test_every_kernel_with_a_serial_twin_has_sizes(self) -> None:
        texts = [path.read_text() for path in KERNELS.glob("*/*/CMakeLists.txt")]
        found = {name for text in texts for name in re.findall(r"^myr_kernel\((\w+)", text, re.M)}
        self.assertEqual(found - {"tree_c"}, set(SIZES))  # that one tests the C interface

    def test_all_37_inputs_of_paper_4_are_measured(self) -> None:
        for kernel, count in PAPER_4.items():
            named = {
                size.arguments[1]
                for size in SIZES[kernel]
                if size.paper == 4 and size.arguments[0] == "--named"
            }
            self.assertEqual(len(named), count, kernel)

    def test_no_size_stands_twice_and_each_kernel_has_a_quick_one(self) -> None:
        for kernel, sizes in SIZES.items():
            self.assertEqual(len({size.options for size in sizes}), len(sizes), kernel)
            self.assertTrue(any(size.quick for size in sizes), kernel)

    def test_columns_are_those_whose_programs_are_there(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for program in ("kernel_a", "kernel_a_libgomp", "kernel_a_libomp_static"):
                (folder / program).touch()
            names = [column.name for column in columns_of("a", folder, 2)]
        own = ["myrmidon:1 tasks", "myrmidon:2 tasks"]
        self.assertEqual(names, [SERIAL, *own, "libgomp:2 tasks", "libomp:2 static"])


if __name__ == "__main__":
    unittest.main()
