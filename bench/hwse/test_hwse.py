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
import where
from measure import APPLICATIONS, CORES, PARTS, PRIMITIVES, ROUNDS, Measured

import cluster
import simulation

OMP = "/main" + where.LIBRARY
PLACES: dict[int, where.Place] = {
    0x80: [("score", "/main/kernels/fast.c:7")],
    0x90: [("memset", "??:0")],
    0xA0: [("read_word", "/main/platform.h:1"), ("task_add", OMP + "hwse.c:5")],
    0xA4: [("run", OMP + "tasks.c:3"), ("task_run", OMP + "tasks.c:9")],
    0xB0: [("task_add_after", OMP + "depend.c:20")],
    0xC0: [("lock_take", "/main/platform.h:2"), ("task_add_after", OMP + "depend.c:20")],
    0xD0: [("task_pop", OMP + "hwse.c:8"), ("task_run", OMP + "tasks.c:9")],
}
KINDS = ("own", "own", "library", "library", "dependences", "locks", "waiting")


def places_of_cycles() -> where.Where:
    """Core 1 makes the tasks, and has a quarter of its cycles without an instruction."""
    other = [where.Row(0, 0x80, 10, 0), where.Row(0, 0xD0, 86, 4)]
    maker = [where.Row(1, 0xA0, 30, 10), where.Row(1, 0xB0, 20, 10), where.Row(1, 0xC0, 20, 5)]
    return where.Where([*other, *maker, where.Row(1, 0x90, 5, 0)], PLACES, 101)


def measured(software: float) -> Measured:
    """The engine takes ten cycles for everything."""
    names = (*PRIMITIVES, *PARTS, *ROUNDS, *APPLICATIONS)
    cycles = {("hwse", cores, name): 10.0 for cores in CORES for name in names}
    cycles |= {("software", cores, name): software for cores in CORES for name in names}
    spent = {
        (library, name): places_of_cycles()
        for library in cluster.LIBRARIES
        for name in APPLICATIONS
    }
    return Measured(cycles, {key: number / 2 for key, number in cycles.items()}, spent)


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
        self.assertEqual({jpeg.why, found["fast with tasks takes 48 % less."].why}, {""})

    def test_why_not(self) -> None:
        found = {one.paper: one for one in page.applications(measured(11))}
        strassen = found["strassen with loops takes 28 % less."]
        self.assertEqual([strassen.here, strassen.verdict], ["9 %", "not"])
        self.assertIn("of its second step. With software 32 % of all cores' cycles", strassen.why)
        fast = found["fast with tasks takes 48 % less."]
        self.assertIn("In 29 % of these 0 it has no instruction", fast.why)
        self.assertIn("The other cores wait in 90 % of their cycles.", fast.why)
        self.assertIn("it has 26.8 %", found["Loops take 42 % less on average."].why)

    def test_slower(self) -> None:
        found = [one for one in page.applications(measured(9)) if "slower" in one.paper]
        self.assertEqual([one.verdict for one in found], ["not", "not"])
        self.assertIn("fast tasks on 16 (0.90)", found[0].here)
        self.assertIn("sync on 1 (0.90)", found[1].here)
        found = [one for one in page.applications(measured(10.5)) if "slower" in one.paper]
        self.assertEqual([one.verdict for one in found], ["matched", "matched"])
        self.assertIn("none; the least gain is 4.8 % (jpeg loops on 1)", found[0].here)

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


class Where(unittest.TestCase):
    def test_kinds(self) -> None:
        self.assertEqual(tuple(map(where.kind_of, PLACES.values())), KINDS)

    def test_shares(self) -> None:
        found = places_of_cycles()
        self.assertEqual([found.maker, found.others], [[1], [0]])
        self.assertEqual(found.maker_bytes, 32)
        self.assertEqual(found.share(found.cores, "own"), 7.5)
        self.assertEqual(found.share(found.cores, "waiting", "locks"), 57.5)
        self.assertEqual(found.share(found.maker, *where.MAKING), 70)
        self.assertEqual(found.share(found.others, "waiting"), 90)
        self.assertAlmostEqual(found.missing_share(found.maker, *where.MAKING), 100 * 20 / 70)
        self.assertEqual(found.missing_share(found.cores), 14.5)

    def test_wrong_sum(self) -> None:
        with self.assertRaisesRegex(simulation.Wrong, "core 0 has 10 cycles in a profile of 30"):
            where.Where([where.Row(0, 0x80, 8, 2)], PLACES, 30)


if __name__ == "__main__":
    unittest.main()
