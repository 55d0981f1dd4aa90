# SPDX-License-Identifier: Apache-2.0
"""What a scaling run makes of its measurements, and which threads it chooses."""

from __future__ import annotations

import unittest

import run
from curves import Curve, Sample, curves_of


def sample(subject: str, side: str, threads: int, *records: dict, run_number: int = 0) -> Sample:
    return Sample(subject, "case", side, threads, run_number, f"{side} program", tuple(records))


class Values(unittest.TestCase):
    def test_medians_of_runs(self) -> None:
        found = curves_of(
            [
                sample("overhead", "myrmidon", threads, {"ns_per_task": ns}, run_number=number)
                for threads in (2, 1)
                for number, ns in enumerate((30.0, 10.0 * threads, 90.0))
            ]
        )
        self.assertEqual(found, [Curve("overhead", "case", "myrmidon", {1: 30.0, 2: 30.0})])

    def test_allocators_share_a_program(self) -> None:
        records = [
            {"allocator": "myrmidon", "ns_per_region": 50.0},
            {"allocator": "mimalloc", "ns_per_region": 70.0},
        ]
        found = curves_of([sample("allocator", "", 4, *records)])
        self.assertEqual([(one.side, one.values[4]) for one in found],
                         [("mimalloc", 70.0), ("myrmidon", 50.0)])  # fmt: skip

    def test_kernels_by_their_fastest_version(self) -> None:
        slow = sample("kernels", "myrmidon", 2, {"runs": [9.0, 8.0, 7.0]})
        fast = Sample("kernels", "case", "myrmidon", 2, 0, "for_each", ({"runs": [2.0, 5.0, 2.5]},))
        serial = sample("kernels", "serial", 2, {"serial_runs": [5.0, 5.0, 6.0]})
        self.assertEqual(
            curves_of([slow, fast, serial]), [Curve("kernels", "case", "myrmidon", {2: 2.0})]
        )
        self.assertEqual(curves_of([slow, fast]), [])

    def test_metg_where_there_is_one(self) -> None:
        def sweep(*rates: float) -> list[dict]:
            return [
                {"iterations": 8 >> n, "ns_per_task": 800.0 / 2**n, "iterations_per_ns": rate}
                for n, rate in enumerate(rates)
            ]

        found = curves_of(
            [
                sample("metg", "myrmidon", 2, *sweep(2.0, 1.0, 0.5)),
                sample("metg", "libgomp", 2, *sweep(0.9, 0.5, 0.1)),
            ]
        )
        self.assertEqual([one.side for one in found], ["myrmidon"])
        self.assertAlmostEqual(found[0].values[2], 400.0)


class Threads(unittest.TestCase):
    def test_powers_of_two_and_the_last(self) -> None:
        self.assertEqual(run.up_to(1), [1])
        self.assertEqual(run.up_to(2), [1, 2])
        self.assertEqual(run.up_to(8), [1, 2, 4, 8])
        self.assertEqual(run.up_to(12), [1, 2, 4, 8, 12])

    def test_a_quick_run_has_a_case_of_each_subject(self) -> None:
        arguments = run.parse_arguments(["--quick", "--threads", "1,2", "--programs", "/"])
        everything = [*run.OVERHEAD_CASES, *run.PATTERNS, *run.KERNELS, *run.ALLOCATIONS]
        self.assertEqual(arguments.threads, [1, 2])
        self.assertLessEqual(set(run.QUICK), set(everything))
        self.assertEqual(len(run.QUICK), 4)


if __name__ == "__main__":
    unittest.main()
