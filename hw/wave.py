#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws how a spawn travels through the scheduler, from the waveform of a simulation.

tb/wave.cpp runs it: core 0 spawns two tasks that write the same word, cores 1 and 2 have asked for
work. The waveform is build/hw/wave/spawn.vcd, for GTKWave and the like; what hw/README.md shows of
it are the cycles in which something happens.

Usage: python3 hw/wave.py          writes the drawing into hw/README.md, between its marks
       python3 hw/wave.py --check  status 1 if it is not that of the sources
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import readme

HW = Path(__file__).resolve().parent
OUT = HW.parent / "build/hw/wave"
# Nothing happens to these two tasks that larger tables would change; smaller ones compile faster.
SIZES = ("Cores=4", "Tasks=8", "Versions=16", "Sets=2")
FETCH_SW_ID = 4  # funct7
RELEASE = 3  # tracker_engine's StRelease

MANAGER = "g_manager[0].u_manager."
ENGINE = "u_tracker.u_engine."


@dataclass(frozen=True)
class Lane:
    """A line of the drawing: in which cycles all of these signals have these values."""

    text: str
    signals: dict[str, int]


def delegate(core: int, *signals: str) -> dict[str, int]:
    return {f"g_core[{core}].u_delegate.{signal}": 1 for signal in signals}


def fetch_lanes(core: int) -> Iterator[Lane]:
    yield Lane(f"core {core}'s queue has a task", delegate(core, "ready_valid_i"))
    looks = delegate(core, "cmd_valid_i") | {f"g_core[{core}].u_delegate.cmd_funct_i": FETCH_SW_ID}
    yield Lane(f"core {core}: Fetch SW ID", looks)
    yield Lane("    returns the name", looks | delegate(core, "ready_valid_i"))


SPAWN = (
    Lane("core 0: Submission Request", delegate(0, "request_valid_o", "request_ready_i")),
    Lane("core 0: Submit Three Packets", delegate(0, "triple_valid_o")),
    Lane("manager: a packet to the tracker", {"tracker_submit_write": 1}),
    Lane(
        "engine: takes the head",
        {ENGINE + "step_valid_i": 1, ENGINE + "step_ready_o": 1, ENGINE + "step_is_head_i": 1},
    ),
    Lane(
        "engine: registers the dependence",
        {ENGINE + "step_valid_i": 1, ENGINE + "step_ready_o": 1, ENGINE + "step_is_head_i": 0},
    ),
)
RELEASED = (
    Lane("core 1: Retire Task", delegate(1, "retire_valid_o", "retire_ready_i")),
    Lane(
        "engine: takes the retirement", {ENGINE + "retire_valid_i": 1, ENGINE + "retire_ready_o": 1}
    ),
    Lane("engine: releases the dependence", {ENGINE + "state_q": RELEASE}),
)
READY = (
    Lane("engine: a dependence is met", {ENGINE + "met_valid_o": 1}),
    Lane("countdown: the task is ready", {"u_tracker.u_countdown.ready_valid_o": 1}),
    Lane("sender: one of three packets", {"tracker_ready_read": 1}),
    Lane("encoder: the ready task", {MANAGER + "u_packet_encoder.out_valid_o": 1}),
)
DRAWINGS = (
    (
        "A task that waits for nobody: core 0 spawns it, core 1 runs it.",
        (
            *SPAWN,
            *READY,
            *fetch_lanes(1),
            Lane("core 1: Fetch Picos ID", delegate(1, "ready_pop_o")),
        ),
        24,
    ),
    (
        "A task that waits for it: core 0 spawns it, core 1 retires the first, core 2 has asked.",
        (*SPAWN, *RELEASED, *READY, *fetch_lanes(2)),
        28,
    ),
)


def run(command: list[str]) -> None:
    done = subprocess.run(command, cwd=HW / "rtl", capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(
            f"wave: {' '.join(command)[:80]}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )


def simulate() -> Path:
    """The waveform."""
    OUT.mkdir(parents=True, exist_ok=True)
    command = ["verilator", "--cc", "--exe", "--build", "--trace", "--assert", "-O0", "-Wall"]
    command += ["-Wno-UNUSEDPARAM", "--top-module", "picos_system", "--prefix", "Vwave"]
    command += [f"-G{size}" for size in SIZES]
    command += ["-CFLAGS", f"-std=c++20 -O0 -I{HW / 'tb'} -I{HW / 'firmware/include'}"]
    command += ["--Mdir", str(OUT), "-f", "picos.f", str(HW / "tb/wave.cpp"), "-o", "wave"]
    run(command)
    run([str(OUT / "wave"), str(OUT / "spawn.vcd")])
    return OUT / "spawn.vcd"


def sampled(path: Path) -> list[dict[str, int]]:
    """What each signal is before the rising edge, of each cycle."""
    names: dict[str, list[str]] = {}  # by the file's short names
    scopes: list[str] = []
    values: dict[str, int] = {}
    cycles: list[dict[str, int]] = []
    time = -1
    for line in path.read_text().splitlines():
        words = line.split()
        if words[:1] == ["$scope"]:
            scopes.append(words[2])
        elif words[:1] == ["$upscope"]:
            scopes.pop()
        elif words[:1] == ["$var"]:
            names.setdefault(words[3], []).append(".".join([*scopes[2:], words[4]]))
        elif line.startswith("#"):
            if time % 2 == 0 and time // 2 == len(cycles):
                cycles.append(dict(values))
            time = int(line[1:])
        elif found := re.fullmatch(r"b([01xz]+) (\S+)|([01xz])(\S+)", line):
            bits, name = found[1] or found[3], found[2] or found[4]
            for signal in names.get(name, ()):
                values[signal] = int(bits, 2) if set(bits) <= {"0", "1"} else -1
    return cycles


def happens(lane: Lane, cycle: dict[str, int]) -> bool:
    """A signal that the waveform does not have is a mistake here, not a quiet lane."""
    return all(cycle[signal] == value for signal, value in lane.signals.items())


def drawing(lanes: tuple[Lane, ...], cycles: list[dict[str, int]]) -> str:
    width = max(len(lane.text) for lane in lanes) + 2
    tens = "".join(f"{cycle:<10}" for cycle in range(0, len(cycles), 10))
    lines = [f"{'cycle':<{width}}{tens}".rstrip()]
    lines.append(" " * width + "".join(str(cycle % 10) for cycle in range(len(cycles))))
    for lane in lanes:
        marks = "".join("#" if happens(lane, cycle) else "." for cycle in cycles)
        lines.append(f"{lane.text:<{width}}{marks}")
    return "\n".join(["```", *lines, "```"])


def section() -> str:
    cycles = sampled(simulate())
    starts = [at for at, cycle in enumerate(cycles) if happens(SPAWN[0], cycle)]
    parts: list[str] = []
    for start, (text, lanes, count) in zip(starts, DRAWINGS, strict=True):
        parts += [text, drawing(lanes, cycles[start : start + count])]
    return "\n\n".join(parts)


if __name__ == "__main__":
    sys.exit(readme.keep_section("wave.py", "the cycles of the waveform", section))
