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
from measure import APPLICATIONS, CORES, PARTS, PRIMITIVES, ROUNDS, Measured


def measured(software: float) -> Measured:
    """The engine takes ten cycles for everything."""
    names = (*PRIMITIVES, *PARTS, *ROUNDS, *APPLICATIONS)
    cycles = {("hwse", cores, name): 10.0 for cores in CORES for name in names}
    cycles |= {("software", cores, name): software for cores in CORES for name in names}
    return Measured(cycles, {key: number / 2 for key, number in cycles.items()})


def areas(gated: float) -> area.Found:
    """In a cluster of 16 cores of ten thousand gates and forty thousand around them."""
    engines = {name: area.Gates(gated, 2 * gated) for name in area.ENGINES}
    return area.Found(engines, dict.fromkeys(page.WHAT, 2.0), area.Cluster(10, 40))


class Page(unittest.TestCase):
    def test_costs(self) -> None:
        """Of which several programs print some."""
        names = (*PRIMITIVES, *PARTS, "sync")
        lines = [f"{name} cycles 30\n{name} waiting 6\n{name} count 4" for name in names]
        lines += ["sync cycles 90", *(f"{name} 70" for name in ROUNDS)]
        found = Measured()
        found.add_costs("hwse", 2, "\n".join(lines))
        self.assertEqual(found.cycles["hwse", 2, "tasks init"], 7.5)
        self.assertEqual(found.waiting["hwse", 2, "tasks init"], 1.5)
        self.assertEqual(found.cycles["hwse", 2, "sync"], 150 / 8)
        self.assertEqual(found.cycles["hwse", 2, "tasks whole"], 70)

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
        self.assertIn(", 25.00 % of the cluster here,", next(page.gates(areas(50))).here)

    def test_all_is_on_the_page(self) -> None:
        text = page.text(measured(20), areas(20))
        for name in (*APPLICATIONS, *PRIMITIVES, *PARTS, *area.ENGINES, *page.WHAT):
            self.assertIn(f"| {name} |", text)

    def test_transistors(self) -> None:
        """A register of two bits with one enable, and a gate."""
        kinds = [("$_DFFE_PP_", {"E": [7]}), ("$_DFFE_PP_", {"E": [7]}), ("$_NAND_", {})]
        cells = [{"type": kind, "connections": connections} for kind, connections in kinds]
        found = area.count(cells)
        self.assertAlmostEqual(found.gated, (2 * 16 + 22 + 4) / 4000)
        self.assertAlmostEqual(found.plain, (2 * (16 + 12) + 4) / 4000)
        cells[0]["type"] = "$_DLATCH_P_"
        with self.assertRaises(SystemExit):
            area.count(cells)

    def test_parts(self) -> None:
        """An engine with an inverter and two queues of one inverter each."""
        inverter = {"type": "$_NOT_", "connections": {}}
        queue = {"type": "$paramod$12ab\\fifo", "connections": {}}
        top = {"0": inverter, "1": queue, "2": queue}
        modules = {"hwse_engine": {"cells": top}, queue["type"]: {"cells": {"0": inverter}}}
        found = area.count_parts({"modules": modules})
        self.assertEqual(found, {"hwse_engine": 2 / 4000, "fifo": 4 / 4000})

    def test_parts_but_one(self) -> None:
        """Of a fabric with a memory and an engine."""
        inverter = {"type": "$_NOT_", "connections": {}}
        top = {"0": inverter, "1": {"type": "$mem_v2"}, "2": {"type": "hwse_engine"}}
        modules = {"cluster_fabric": {"cells": top}, "hwse_engine": {"cells": {"0": inverter}}}
        found = area.count_parts({"modules": modules}, "cluster_fabric", without="hwse_engine")
        self.assertEqual(found, {"cluster_fabric": 2 / 4000})


if __name__ == "__main__":
    unittest.main()
