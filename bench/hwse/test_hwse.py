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
from measure import APPLICATIONS, CORES, PRIMITIVES, ROUNDS, Measured, means


def measured(software: float) -> Measured:
    """The engine takes ten cycles for everything."""
    names = (*PRIMITIVES, *ROUNDS, *APPLICATIONS)
    cycles = {("hwse", cores, name): 10.0 for cores in CORES for name in names}
    cycles |= {("software", cores, name): software for cores in CORES for name in names}
    return Measured(cycles)


def areas(gated: float) -> dict[str, area.Gates]:
    return {name: area.Gates(gated, 2 * gated) for name in area.ENGINES}


class Page(unittest.TestCase):
    def test_means(self) -> None:
        lines = [f"{name} cycles 30\n{name} count 4" for name in PRIMITIVES]
        lines += [f"{name} 70" for name in ROUNDS]
        found = means("\n".join(lines))
        self.assertEqual(found["tasks init"], 7.5)
        self.assertEqual(found["tasks whole"], 70)

    def test_speedups(self) -> None:
        found = list(page.primitives(measured(100)))
        self.assertEqual([found[0].here, found[0].verdict], ["10.0 times", "not"])
        self.assertEqual(found[-1].verdict, "better")

    def test_applications(self) -> None:
        found = {one.paper: one for one in page.applications(measured(20))}
        jpeg = found["jpeg with loops takes 27 % less."]
        self.assertEqual([jpeg.here, jpeg.verdict], ["50 %", "better"])
        self.assertEqual({one.verdict for one in found.values()}, {"better", "matched"})

    def test_slower(self) -> None:
        found = [one for one in page.applications(measured(9)) if "slower" in one.paper]
        self.assertEqual([one.verdict for one in found], ["not", "not"])
        self.assertIn("fast tasks on 16 (0.90)", found[0].here)
        self.assertIn("sync on 1 (0.90)", found[1].here)

    def test_areas(self) -> None:
        self.assertEqual({one.verdict for one in page.gates(areas(5))}, {"better"})
        self.assertEqual({one.verdict for one in page.gates(areas(50))}, {"not"})

    def test_all_is_on_the_page(self) -> None:
        text = page.text(measured(20), areas(20))
        for name in (*APPLICATIONS, *PRIMITIVES, *area.ENGINES):
            self.assertIn(f"| {name} |", text)

    def test_transistors(self) -> None:
        """A register of two bits with one enable, and a gate."""
        cells = [("$_DFFE_PP_", {"E": [7]}), ("$_DFFE_PP_", {"E": [7]}), ("$_NAND_", {})]
        netlist = {
            "modules": {
                "top": {
                    "cells": {
                        str(i): {"type": kind, "connections": connections}
                        for i, (kind, connections) in enumerate(cells)
                    }
                }
            }
        }
        found = area.count(netlist)
        self.assertAlmostEqual(found.gated, (2 * 16 + 22 + 4) / 4000)
        self.assertAlmostEqual(found.plain, (2 * (16 + 12) + 4) / 4000)
        netlist["modules"]["top"]["cells"]["0"]["type"] = "$_DLATCH_P_"
        with self.assertRaises(SystemExit):
            area.count(netlist)


if __name__ == "__main__":
    unittest.main()
