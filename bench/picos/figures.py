#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what a task costs on the simulated Rocket cores, as figures 7 and 6 of paper 4 do.

Cycles of Task-Free and Task-Chain divided by their tasks, with 8 cores, for tasks that do nothing.
Prints a table beside the paper's numbers, writes it to out/picos/fig7.csv, and draws fig7.png; and
the speed-up that follows from it at best, by the size of the tasks, as fig6.png. Each run is a
process of its own; results are kept until the hardware, the firmware or the input changes.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "hw/soc"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from harness import runs

import build
import simulation

OUT = runs.OUT / "picos"
CORES = 8
TASKS = 600  # enough that the start does not count: the tracker holds 256
CASES = (("task_free", 1), ("task_free", 15), ("task_chain", 1), ("task_chain", 15))
BOUND_CASE = ("task_chain", 1)  # that of figure 6
# Figure 7 of the paper; its Nanos ran on Linux.
PAPER = {
    "phentos": (185, 320, 329, 423),
    "nanos_rv": (12348, 13143, 12835, 12393),
    "nanos_sw": (25208, 99008, 35867, 58214),
}

Table = dict[str, dict[tuple[str, int], int]]  # cycles a task, by runtime and case


def measure(runtimes: list[str], processes: int) -> Table:
    wanted = [
        simulation.Run(build.Input(kernel, TASKS, 0, deps=deps), runtime, CORES)
        for runtime in runtimes
        for kernel, deps in CASES
    ]
    table: Table = {runtime: {} for runtime in runtimes}
    build.simulator(CORES)
    for run, result in simulation.simulate_all(wanted, processes):
        cycles = round(result.cycles / TASKS)
        table[run.runtime][run.what.kernel, run.what.deps] = cycles
        print(f"{run}: {cycles} cycles a task", flush=True)
    return table


def rows(table: Table) -> list[list[str | int]]:
    """The table with a head, and the paper's number beside each."""
    head = ["runtime", "kernel", "dependences", "cycles a task", "paper"]
    return [head] + [
        [runtime, kernel, deps, cases[kernel, deps], PAPER[runtime][place]]
        for runtime, cases in table.items()
        for place, (kernel, deps) in enumerate(CASES)
    ]


def draw(table: Table, path: Path) -> None:
    figure, axes = runs.new_figure(1, 1, (8, 5))
    names = [f"{kernel}/{deps}" for kernel, deps in CASES]
    bars: dict[str, list[float | None]] = {}
    for runtime, cases in table.items():
        bars[runtime] = [cases[case] for case in CASES]
        bars[f"{runtime}, paper"] = list(PAPER[runtime])
    runs.draw_bars(axes[0, 0], names, bars)
    axes[0, 0].set_yscale("log")
    axes[0, 0].set_ylabel("cycles a task")
    axes[0, 0].legend()
    runs.save_figure(figure, path)


def draw_bounds(table: Table, path: Path) -> None:
    """Figure 6: equation 1 of the paper with the cost of a task of Task-Chain with 1 dependence."""
    figure, axes = runs.new_figure(1, 1, (8, 5))
    sizes = [10 ** (2 + step / 50) for step in range(151)]  # cycles
    for number, (runtime, cases) in enumerate(table.items()):
        for cost, style, whose in (
            (cases[BOUND_CASE], "-", ""),
            (PAPER[runtime][CASES.index(BOUND_CASE)], "--", ", paper"),
        ):
            bounds = [min(CORES, size / cost) for size in sizes]
            axes[0, 0].plot(sizes, bounds, style, color=f"C{number}", label=f"{runtime}{whose}")
    axes[0, 0].set_xscale("log")
    axes[0, 0].set_xlabel("cycles of a task")
    axes[0, 0].set_ylabel("speed-up at best")
    axes[0, 0].legend()
    runs.save_figure(figure, path)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="./dev figures picos", description=__doc__.split("\n", maxsplit=1)[0]
    )
    parser.add_argument(
        "--runtimes", nargs="+", choices=PAPER, default=list(PAPER), help="default: all"
    )
    parser.add_argument("--processes", type=runs.positive, default=os.cpu_count() or 1)
    options = parser.parse_args()
    try:
        table = measure(options.runtimes, options.processes)
    except simulation.Wrong as wrong:
        raise SystemExit(f"figures: {wrong}") from None
    OUT.mkdir(parents=True, exist_ok=True)
    with (OUT / "fig7.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows(table))
    for row in rows(table):
        print("  ".join(f"{cell!s:>13}" for cell in row))
    draw(table, OUT / "fig7.png")
    draw_bounds(table, OUT / "fig6.png")


if __name__ == "__main__":
    main()
