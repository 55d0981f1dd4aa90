# SPDX-License-Identifier: Apache-2.0
"""The figures' arithmetic, on numbers made up for it."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "hw/soc"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import area
import inputs
import page
from measure import OVERHEAD_CASES, Measured, runtimes_of

OVERHEAD = {"phentos": 200, "nanos_rv": 2000, "nanos_sw": 4000}


def measured() -> Measured:
    """Tasks without cost on 8 cores, and the runtimes' overhead after one another."""
    result = Measured()
    for runtime, cost in OVERHEAD.items():
        result.overhead[runtime] = dict.fromkeys(OVERHEAD_CASES, cost)
    for case in inputs.CASES:
        serial = 1000 * case.tasks * (1 + len(result.cycles))
        result.cycles[case] = {"serial": serial}
        for runtime in runtimes_of(case, list(OVERHEAD)):
            cost = OVERHEAD[runtime]
            result.cycles[case][runtime] = max(serial // 8, cost * case.tasks)
    return result


class Figures(unittest.TestCase):
    def test_tasks_of_inputs(self) -> None:
        tasks = {str(case): case.tasks for case in inputs.CASES}
        self.assertEqual(tasks["blackscholes 4K B8*"], 64)
        self.assertEqual(tasks["jacobi N128 B1*"], 256)
        self.assertEqual(tasks["stream-deps 64"], 128)
        # Counted in a run of the kernel: 8 x 8 blocks in the pattern of BOTS.
        self.assertEqual(tasks["sparselu N32 M1*"], 84)

    def test_names_differ(self) -> None:
        self.assertEqual(len({str(case) for case in inputs.CASES}), len(inputs.CASES))

    def test_bound(self) -> None:
        self.assertEqual(measured().bound("phentos", 1000), 5)
        self.assertEqual(measured().bound("phentos", 100000), 8)

    def test_verdicts(self) -> None:
        self.assertEqual(page.compare(302, 320, larger_is_better=False), "matched")
        self.assertEqual(page.compare(200, 320, larger_is_better=False), "better")
        self.assertEqual(page.compare(400, 320, larger_is_better=False), "not")
        self.assertEqual(page.compare(400, 320, larger_is_better=True), "better")

    def test_page(self) -> None:
        blocks = {name: area.Area(100, 0) for name in ("whole system", "scheduler")}
        blocks["scheduler"] = area.Area(3, 10)
        sixteen = {"task_free, 1": {8: 148.4, 16: 157.0}, "speed-up of b": {8: 6.754, 16: 11.0}}
        text = page.text(measured(), area.Table(blocks), sixteen, "abc")
        self.assertIn("of commit abc", text)
        self.assertIn("| task_free, 1 | 148 | 157 |", text)
        self.assertIn("| speed-up of b | 6.75 | 11.00 |", text)
        self.assertIn("| II | The scheduler takes less than 2 %", text)
        self.assertIn("| 3.00 % of the cells | **not** |", text)
        self.assertIn("faster than it: none", text)
        for program in inputs.PROGRAMS:
            self.assertIn(f"| 9 | {program} with eight cores and Phentos", text)
        for case in inputs.CASES:
            self.assertIn(f"| {case} |", text)

    def test_names_of_modules(self) -> None:
        self.assertEqual(area.plain("\\fifo"), "fifo")
        self.assertEqual(area.plain("$paramod$12ab\\fifo"), "fifo")
        self.assertEqual(area.plain("$paramod\\fifo\\Depth=32'0"), "fifo")

    def test_area_is_that_of_all_inside(self) -> None:
        cells = {
            "\\top": {"num_cells_by_type": {"$_AND_": 2, "fifo": 3, "$assert": 7, "$mem_v2": 1}},
            "\\fifo": {"num_cells_by_type": {"$_DFF_P_": 5}},
        }
        memories = {"\\top": {"num_memory_bits": 64}, "\\fifo": {"num_memory_bits": 8}}
        self.assertEqual(area.area_of("\\top", cells, memories), area.Area(17, 88))


if __name__ == "__main__":
    unittest.main()
