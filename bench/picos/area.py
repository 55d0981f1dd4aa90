# SPDX-License-Identifier: Apache-2.0
"""Table II: the area of the system by block, as Yosys makes it of the Verilog.

It counts cells of one bit (gates, multiplexers, flip-flops) before any optimisation for a target,
and the bits of memories beside them. That is no count of an FPGA's cells, so only the shares can be
compared with the paper's.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import paper

import build

CORES = 8
# Blocks of the table: the paper's name, and the module. The rest of the system is the bus.
TILE_BLOCKS = {
    "floating-point unit": "FPU",
    "data cache": "DCache",
    "instruction cache": "ICache",
}
SCHEDULER_BLOCKS = ("picos_delegate", "picos_manager", "manager_hub", "tracker")


@dataclass(frozen=True)
class Area:
    cells: int
    memory_bits: int

    def __add__(self, other: Area) -> Area:
        return Area(self.cells + other.cells, self.memory_bits + other.memory_bits)

    def times(self, count: int) -> Area:
        return Area(self.cells * count, self.memory_bits * count)


@dataclass(frozen=True)
class Table:
    blocks: dict[str, Area]  # how large one of each is

    def share(self, block: str) -> float:
        """Of the whole system's cells, in per cent."""
        return 100 * self.blocks[block].cells / self.blocks["whole system"].cells


def synthesize(name: str, top: str, sources: Iterable[Path], boxes: Iterable[str] = ()) -> Path:
    """A folder with two statistics: memories, then cells. `boxes` are left out."""
    files = " ".join(str(source) for source in sources)
    out = "".join(f"blackbox {box}; " for box in boxes)
    key = build.hash_of(top, out, Path(__file__), *sources)

    def make(folder: Path) -> None:
        build.say(f"synthesizing {top} (minutes)")
        script = (
            f"read_verilog -sv -noassert -I{build.HW / 'rtl'} {files}; {out}hierarchy -top {top}; "
            f"proc; opt_clean; tee -q -o {folder}/memories.json stat -json; memory -nomap; "
            f"opt -fast; techmap; opt -fast; tee -q -o {folder}/cells.json stat -json"
        )
        build.run(["yosys", "-q", "-p", script])

    return build.cached(f"area-{name}", key, make)


def modules_of(statistics: Path) -> dict[str, Any]:
    """By name. What Yosys 0.23 writes behind the modules, the hierarchy, is not JSON."""
    text = statistics.read_text()
    return json.loads(text[: text.index("\n   },\n")] + "}}")["modules"]


def plain(module: str) -> str:
    """\\fifo and $paramod$1234\\fifo\\Depth=... are a fifo."""
    if module.startswith("$paramod"):
        return module.split("\\")[1]
    return module.removeprefix("\\")


def area_of(module: str, cells: dict[str, Any], memories: dict[str, Any]) -> Area:
    """With all that is inside of it."""
    total = Area(0, memories[module]["num_memory_bits"])
    for kind, count in cells[module]["num_cells_by_type"].items():
        inner = kind if kind in cells else "\\" + kind
        if inner in cells:
            total += area_of(inner, cells, memories).times(count)
        elif kind.startswith("$_"):  # others are memories, counted above, and assertions
            total += Area(count, 0)
    return total


def areas(folder: Path, wanted: Iterable[str]) -> dict[str, Area]:
    """Of modules by their plain names; the largest where there are several."""
    cells = modules_of(folder / "cells.json")
    memories = modules_of(folder / "memories.json")
    found: dict[str, Area] = {}
    for module in cells:
        name = plain(module)
        if name in wanted:
            area = area_of(module, cells, memories)
            if name not in found or area.cells > found[name].cells:
                found[name] = area
    return found


def table() -> Table:
    verilog = build.verilog(CORES)
    sources = sorted(verilog.glob("*.v"))
    tile = areas(synthesize("tile", "RocketTile", sources), ("RocketTile", *TILE_BLOCKS.values()))
    boxes = ("RocketTile",)
    bus = areas(synthesize("bus", "PicosSoc", sources, boxes), ("PicosSoc",))["PicosSoc"]
    rtl = [build.HW / "rtl" / name for name in (build.HW / "rtl/picos.f").read_text().split()]
    ours = areas(synthesize("scheduler", "picos_system", rtl), ("picos_system", *SCHEDULER_BLOCKS))
    scheduler = ours["picos_system"]
    blocks = {
        "whole system": tile["RocketTile"].times(CORES) + bus + scheduler,
        "core with FPU and caches": tile["RocketTile"],
        **{name: tile[module] for name, module in TILE_BLOCKS.items()},
        "scheduler": scheduler,
        "all delegates": ours["picos_delegate"].times(CORES),
        "manager": ours["picos_manager"] + ours["manager_hub"],
        "tracker": ours["tracker"],
    }
    return Table(blocks)


def rows(all_blocks: Table) -> list[list[Any]]:
    head = ["block", "cells", "memory bits", "share of cells %", "paper %"]
    return [head] + [
        [name, area.cells, area.memory_bits, f"{all_blocks.share(name):.2f}",
         paper.AREA[name][1] if name in paper.AREA else ""]
        for name, area in all_blocks.blocks.items()
    ]  # fmt: skip
