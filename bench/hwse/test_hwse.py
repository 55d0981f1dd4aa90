# SPDX-License-Identifier: Apache-2.0
"""The page's arithmetic, on numbers made up for it."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "hw/hwse/cluster"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "hw/soc"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import area
import page
import paper
from measure import CORES, PRIMITIVES, ROUNDS, Measured, means


def measured(software: float) -> Measured:
    """The engine takes ten cycles for everything."""
    names = (*PRIMITIVES, *ROUNDS)
    cycles = {("hwse", cores, name): 10.0 for cores in CORES for name in names}
    cycles |= {("software", cores, name): software for cores in CORES for name in names}
    return Measured(cycles)


class Page(unittest.TestCase):
    def test_means(self) -> None:
        lines = [f"{name} cycles 30\n{name} count 4" for name in PRIMITIVES]
        lines += [f"{name} 70" for name in ROUNDS]
        found = means("\n".join(lines))
        self.assertEqual(found["tasks init"], 7.5)
        self.assertEqual(found["tasks whole"], 70)

    def test_verdicts(self) -> None:
        self.assertEqual(page.verdict(16, 16), "better")
        self.assertEqual(page.verdict(14, 16), "matched")
        self.assertEqual(page.verdict(13, 16), "not")

    def test_statements(self) -> None:
        areas = dict.fromkeys(paper.AREA, 13.0)
        found = list(page.statements(measured(100), areas, 9.0))
        self.assertEqual(found[0][2:4], ["10.0 times", "**not**"])
        self.assertIn("nothing", found[len(paper.SPEEDUP)][2])
        self.assertEqual([row[3] for row in found[-3:]], ["**better**"] * 3)
        slower = list(page.statements(measured(9), areas, 9.0))
        self.assertIn("tasks fetch on 16", slower[len(paper.SPEEDUP)][2])

    def test_transistors(self) -> None:
        self.assertEqual(area.transistors("Estimated number of transistors:   190150\n"), 190150)
        with self.assertRaises(SystemExit):  # a plus sign: Yosys did not know all cells
            area.transistors("Estimated number of transistors:   190150+\n")


if __name__ == "__main__":
    unittest.main()
