# SPDX-License-Identifier: Apache-2.0
"""Table II: the engine's area in gates, by Yosys: the transistors of static CMOS, four of which are
a NAND gate of two inputs. No library of a process is needed, and none is followed: the paper's
gates are those of a 28 nm process. Resets are gates in front of flip-flops. Whether a register
keeps its value is counted in two ways, see Gates."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import build
import cluster

Netlist = dict[str, Any]
TRANSISTORS_PER_GATE = 4
# As Yosys's stat -tech cmos has them.
TRANSISTORS = {
    "$_NOT_": 2,
    "$_NAND_": 4,
    "$_NOR_": 4,
    "$_AND_": 6,
    "$_OR_": 6,
    "$_ANDNOT_": 6,
    "$_ORNOT_": 6,
    "$_AOI3_": 6,
    "$_OAI3_": 6,
    "$_AOI4_": 8,
    "$_OAI4_": 8,
    "$_MUX_": 12,
    "$_NMUX_": 10,
    "$_XOR_": 12,
    "$_XNOR_": 12,
    "$_DFF_P_": 16,
    "$_DFFE_PP_": 16,
}
ENABLE = 12  # a multiplexer before a flip-flop
CLOCK_GATE = 22  # a latch and an AND gate

# How the cluster has the engine; see cluster_fabric.sv.
ENGINES = {
    f"with {depth} tasks": {
        "Teams": 2,
        "QueueDepth": depth,
        "Counters": min(depth + 17, 128),
        "CounterWidth": depth.bit_length(),
        "WordWidth": depth.bit_length() + 6,
        "WordLow": 7,
        "WordBase": 0x1001_0000,
    }
    for depth in (32, 64, 128)
}
# What the paper's has, as far as it tells: one queue of addresses, one work-share at a time (here
# two by turns), nothing counted.
ENGINES["32 addresses in one queue, one team, no counters"] = {
    "Teams": 1,
    "Queues": 1,
    "QueueDepth": 32,
    "Counters": 2,
    "CounterWidth": 4,
}

SYNTHESIZE = (
    "hierarchy -top hwse_engine; delete t:$assert; synth {flatten} -top hwse_engine; dfflegalize"
    " -cell $_DFF_P_ 0 -cell $_DFFE_PP_ 0; opt_clean; delete t:$assert; abc -g cmos; opt_clean; "
)
FLAT, IN_MODULES = SYNTHESIZE.format(flatten="-flatten"), SYNTHESIZE.format(flatten="")


@dataclass(frozen=True)
class Gates:
    """Thousands: with a clock gate for each register that keeps its value, and with a multiplexer
    before each of its flip-flops."""

    gated: float
    plain: float


def name_of(depth: int) -> str:
    return f"with {depth} tasks"


def netlist_of(parameters: dict[str, int], commands: str, read: Callable[[Netlist], Any]) -> Any:
    """What is read of the netlist of an engine for 16 cores, which Yosys makes of the RTL."""
    rtl = cluster.listed(cluster.HWSE / "rtl/hwse.f")
    words = " ".join(f"-set {name} {value}" for name, value in parameters.items())
    files = " ".join(str(path) for path in rtl)

    def make(folder: Path) -> None:
        build.say(f"synthesizing the engine: {words} (minutes)")
        files_read = f"read_verilog -sv -I{build.HW / 'rtl'} {files}; chparam {words} hwse_engine; "
        build.run(["yosys", "-q", "-p", f"{files_read}{commands}write_json {folder}/netlist"])
        found = read(json.loads((folder / "netlist").read_text()))
        (folder / "netlist").unlink()
        (folder / "gates").write_text(json.dumps(found))

    key = build.hash_of(words, commands, str(TRANSISTORS), str(CLOCK_GATE), *rtl)
    return json.loads((build.cached("area-hwse", key, make) / "gates").read_text())


def gates(parameters: dict[str, int]) -> Gates:
    """Of an engine for 16 cores."""

    def read(netlist: Netlist) -> list[float]:
        (module,) = (one for one in netlist["modules"].values() if one["cells"])
        counted = count(list(module["cells"].values()))
        return [counted.gated, counted.plain]

    return Gates(*netlist_of(parameters, FLAT, read))


def parts(parameters: dict[str, int]) -> dict[str, float]:
    """Thousands of gates, gated, by module; what Yosys saves across modules is not saved."""
    return netlist_of(parameters, IN_MODULES, count_parts)


def count_parts(netlist: Netlist) -> dict[str, float]:
    modules = netlist["modules"]
    found: dict[str, float] = defaultdict(float)

    def add(name: str) -> None:
        cells = list(modules[name]["cells"].values())
        own = [cell for cell in cells if cell["type"] not in modules]
        base = name.split("\\")[1] if name.startswith("$paramod") else name
        found[base] += count(own).gated
        for cell in cells:
            if cell["type"] in modules:
                add(cell["type"])

    add("hwse_engine")
    return found


def count(cells: list[dict[str, Any]]) -> Gates:
    """Of a module's cells as Yosys writes them."""
    kinds = Counter(cell["type"] for cell in cells)
    unknown = kinds.keys() - TRANSISTORS.keys()
    if unknown:
        raise SystemExit(f"hwse: no number of transistors for {', '.join(sorted(unknown))}")
    enables = {tuple(cell["connections"]["E"]) for cell in cells if cell["type"] == "$_DFFE_PP_"}
    common = sum(TRANSISTORS[kind] * number for kind, number in kinds.items())
    gated = common + CLOCK_GATE * len(enables)
    plain = common + ENABLE * kinds["$_DFFE_PP_"]
    return Gates(*(total / TRANSISTORS_PER_GATE / 1000 for total in (gated, plain)))
