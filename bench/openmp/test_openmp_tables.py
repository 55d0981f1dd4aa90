# SPDX-License-Identifier: Apache-2.0
"""Tests of the OpenMP benchmark's tables, with results made up."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import openmp_tables


def one(case: str, runtime: str, value: float, threads: int = 2, busy: int = 0) -> dict:
    unit = "s" if case == "par2" else "ns"
    record = {"case": case, "runtime": runtime, "threads": threads, "busy": busy, "unit": unit}
    return record | {"runs": [value], "cpu": [value]}


class Tables(unittest.TestCase):
    def test_a_goal_is_reached_or_missed(self) -> None:
        records = [one("task_chain", "myrmidon", 200), one("task_chain", "libgomp", 900)]
        records += [one("single", "myrmidon", 300), one("single", "libgomp-active", 250)]
        rows = openmp_tables.goal_rows(openmp_tables.by_key(records))
        self.assertEqual([row[1:] for row in rows], [["4.50", "reached"], ["0.83", "missed"]])

    def test_programs_are_judged_by_the_worst(self) -> None:
        records = [one("par2", "myrmidon", 1.0), one("par2", "libgomp", 1.1)]
        records += [one("par2", "libomp", 0.8), one("par2", "myrmidon", 1.2, threads=64)]
        rows = openmp_tables.goal_rows(openmp_tables.by_key(records))
        self.assertEqual(rows[0][1:], ["0 of 1, worst 1.25 (par2)", "missed"])
        self.assertEqual(rows[1][1:], ["1 of 1, worst 1.20 (par2)", "reached"])

    def test_a_fair_share(self) -> None:
        self.assertEqual(openmp_tables.share_of_cores(2, 0, 2), 2)
        self.assertAlmostEqual(openmp_tables.share_of_cores(2, 1, 2), 4 / 3)
        self.assertEqual(openmp_tables.share_of_cores(2, 2, 2), 1)
        self.assertEqual(openmp_tables.share_of_cores(1, 1, 2), 1)

    def test_every_case_has_its_row(self) -> None:
        records = [one("parallel", "myrmidon", 12.34), one("par2", "libomp", 0.5)]
        places = openmp_tables.places(records)
        self.assertIn("| region | 12.3 ± 0.0 | - |", places["openmp constructs"])
        self.assertIn("| par2 | - | 0.50 ± 0.00 (0.50) | - |", places["openmp programs"][-1])


if __name__ == "__main__":
    unittest.main()
