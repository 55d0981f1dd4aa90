# SPDX-License-Identifier: Apache-2.0
"""Table II: the engine's area, by Yosys, in gates: the transistors that it estimates for static
CMOS, four of which are a NAND gate of two inputs. Flip-flops are the plain ones, enables and resets
are gates in front. No library of a process is needed, and none is followed: the paper's gates are
those of a 28 nm process."""

from __future__ import annotations

import re
from pathlib import Path

import build
import cluster

TRANSISTORS_PER_GATE = 4

# How the cluster has the engine; see cluster_fabric.sv.
CLUSTER_OF = {
    depth: {
        "Teams": 2,
        "QueueDepth": depth,
        "Counters": 64 if depth <= 32 else 128,
        "CounterWidth": depth.bit_length(),
        "WordWidth": 20,
        "WordLow": 2,
    }
    for depth in (32, 64, 128)
}
# What the paper's has, as far as it tells: one queue, one work-share at a time, nothing counted.
LIKE_PAPER = {
    "Teams": 1,
    "Queues": 1,
    "QueueDepth": 32,
    "Counters": 2,
    "CounterWidth": 4,
    "WordWidth": 32,
    "WordLow": 0,
}


SYNTHESIZE = (
    "hierarchy -top hwse_engine; delete t:$assert; synth -flatten -top hwse_engine; "
    "dfflegalize -cell $_DFF_P_ 0; opt_clean; delete t:$assert; abc -g cmos; opt_clean; "
)


def gates(parameters: dict[str, int]) -> float:
    """Of an engine for 16 cores, in thousands."""
    rtl = cluster.listed(cluster.HWSE / "rtl/hwse.f")
    words = " ".join(f"-set {name} {value}" for name, value in parameters.items())
    files = " ".join(str(path) for path in rtl)

    def make(folder: Path) -> None:
        build.say(f"synthesizing the engine: {words} (minutes)")
        read = f"read_verilog -sv -I{build.HW / 'rtl'} {files}; chparam {words} hwse_engine; "
        statistics = f"tee -q -o {folder}/statistics stat -tech cmos"
        build.run(["yosys", "-q", "-p", read + SYNTHESIZE + statistics])

    key = build.hash_of(words, SYNTHESIZE, *rtl)
    statistics = (build.cached("area-hwse", key, make) / "statistics").read_text()
    return transistors(statistics) / TRANSISTORS_PER_GATE / 1000


def transistors(statistics: str) -> int:
    """The estimate; without a plus sign behind it, which says that cells are missing in it."""
    found = re.search(r"Estimated number of transistors:\s+(\d+)\n", statistics)
    if found is None:
        raise SystemExit(f"hwse: no number of transistors in:\n{statistics[-500:]}")
    return int(found[1])
