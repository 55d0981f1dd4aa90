#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the evaluation of paper 4 again, from simulated Rocket cores: figures 6 to 10, table II.

  6    the speed-up that the cost of a task allows, by the task's size
  7    what a task costs: Task-Free and Task-Chain with 1 and with 15 dependences
  8    speed-ups over the program without tasks and over both baselines, by the task's size
  9    speed-ups by input
  10   speed-ups beside the bound of figure 6
  II   area by block, by Yosys

Pictures and tables go to out/picos; with --docs also to docs/perf and docs/picos.md, the page of
the paper's statements.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "hw/soc"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import area
import inputs
import measure
import page
import paper
from harness import runs
from measure import BOUND_CASE, CORES, OVERHEAD_CASES, Measured

import build
import simulation

OUT = runs.OUT / "picos"
DOCS = runs.ROOT / "docs"
COLORS = {"phentos": "C0", "nanos_rv": "C1", "nanos_sw": "C2"}


def draw_bounds(measured: Measured) -> Any:
    """Figure 6: equation 1 of the paper."""
    figure, axes = runs.new_figure(1, 1, (8, 5))
    sizes = [10 ** (2 + step / 50) for step in range(151)]  # cycles
    for runtime, cases in measured.overhead.items():
        for cost, style, whose in (
            (cases[BOUND_CASE], "-", ""),
            (paper.OVERHEAD[runtime][OVERHEAD_CASES.index(BOUND_CASE)], "--", ", paper"),
        ):
            bounds = [min(CORES, size / cost) for size in sizes]
            axes[0, 0].plot(sizes, bounds, style, color=COLORS[runtime], label=f"{runtime}{whose}")
    axes[0, 0].set_xscale("log")
    axes[0, 0].set_xlabel("cycles of a task")
    axes[0, 0].set_ylabel("speed-up at best, 8 cores")
    axes[0, 0].legend()
    return figure


def draw_overhead(measured: Measured) -> Any:
    """Figure 7."""
    figure, axes = runs.new_figure(1, 1, (8, 5))
    bars: dict[str, list[float | None]] = {}
    for runtime, cases in measured.overhead.items():
        bars[runtime] = [cases[case] for case in OVERHEAD_CASES]
        bars[f"{runtime}, paper"] = list(paper.OVERHEAD[runtime])
    runs.draw_bars(axes[0, 0], [f"{kernel}/{deps}" for kernel, deps in OVERHEAD_CASES], bars)
    axes[0, 0].set_yscale("log")
    axes[0, 0].set_ylabel("cycles a task")
    axes[0, 0].set_ylim(100, 1e6)
    axes[0, 0].legend(loc="upper left", ncols=3)
    return figure


def points(measured: Measured, runtime: str, over: str) -> tuple[list[float], list[float]]:
    """Sizes of tasks and speed-ups of all inputs."""
    sizes, speedups = [], []
    for case in measured.cycles:
        speedup = measured.speedup(case, runtime, over)
        if speedup is not None:
            sizes.append(measured.task_cycles(case))
            speedups.append(speedup)
    return sizes, speedups


def draw_granularity(measured: Measured) -> Any:
    """Figure 8."""
    figure, axes = runs.new_figure(1, 3, (14, 4.5))
    for panel, over in zip(axes[0], ("serial", "nanos_sw", "nanos_rv")):
        for runtime in measured.overhead:
            if runtime not in (over, "nanos_sw" if over == "nanos_rv" else over):
                panel.scatter(
                    *points(measured, runtime, over), color=COLORS[runtime], label=runtime
                )
        panel.axhline(1, color="grey", linewidth=0.8)
        panel.set_xscale("log")
        panel.set_xlabel("cycles of a task")
        panel.set_title(f"speed-up over {over}")
        panel.legend()
    return figure


def draw_inputs(measured: Measured) -> Any:
    """Figure 9: a panel a program."""
    figure, axes = runs.new_figure(1, len(inputs.PROGRAMS), (16, 4.5))
    for panel, program in zip(axes[0], inputs.PROGRAMS):
        cases = [case for case in measured.cycles if case.program == program]
        bars = {
            runtime: [measured.speedup(case, runtime) for case in cases]
            for runtime in reversed(measured.overhead)
        }
        runs.draw_bars(panel, [f"{case.name}{'*' * bool(case.scaled)}" for case in cases], bars)
        for bar, runtime in zip(panel.containers, bars):
            for patch in bar:
                patch.set_color(COLORS[runtime])
        panel.tick_params(axis="x", labelrotation=60)
        panel.axhline(1, color="grey", linewidth=0.8)
        panel.set_ylim(0, CORES)
        panel.set_title(program)
    axes[0, 0].set_ylabel("speed-up over the program without tasks")
    axes[0, inputs.PROGRAMS.index("sparselu")].legend(loc="upper left")
    return figure


def draw_against_bounds(measured: Measured) -> Any:
    """Figure 10."""
    figure, axes = runs.new_figure(1, len(measured.overhead), (14, 4.5))
    sizes = [10 ** (1.5 + step / 50) for step in range(226)]
    for panel, runtime in zip(axes[0], measured.overhead):
        panel.plot(sizes, [measured.bound(runtime, size) for size in sizes], "--", color="grey",
                   label="bound")  # fmt: skip
        panel.scatter(*points(measured, runtime, "serial"), color=COLORS[runtime], label="inputs")
        panel.set_xscale("log")
        panel.set_xlabel("cycles of a task")
        panel.set_title(runtime)
        panel.legend()
    axes[0, 0].set_ylabel("speed-up over the program without tasks")
    return figure


def write_table(path: Path, rows: list[list[Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)


def overhead_rows(measured: Measured) -> list[list[Any]]:
    head = ["runtime", "kernel", "dependences", "cycles a task", "paper"]
    return [head] + [
        [runtime, kernel, deps, cases[kernel, deps], paper.OVERHEAD[runtime][place]]
        for runtime, cases in measured.overhead.items()
        for place, (kernel, deps) in enumerate(OVERHEAD_CASES)
    ]


def input_rows(measured: Measured) -> list[list[Any]]:
    head = ["program", "input", "scaled to", "tasks", "serial cycles", "cycles a task"]
    rows: list[list[Any]] = [[*head, *measured.overhead]]
    for case, cycles in measured.cycles.items():
        numbers = [case.tasks, cycles["serial"], round(measured.task_cycles(case))]
        rows.append([case.program, case.name, case.scaled, *numbers,
                     *(cycles.get(runtime, "") for runtime in measured.overhead)])  # fmt: skip
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="./dev figures picos",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--runtimes", nargs="+", choices=measure.RUNTIMES, default=list(measure.RUNTIMES)
    )
    parser.add_argument("-j", "--processes", type=runs.positive, default=os.cpu_count() or 1)
    parser.add_argument("--overhead", action="store_true", help="figures 6 and 7 alone")
    parser.add_argument("--sixteen", action="store_true", help="sixteen cores beside eight, alone")
    parser.add_argument("--docs", action="store_true", help="write pictures and page to docs, too")
    options = parser.parse_args()
    part = options.overhead or options.sixteen or options.runtimes != list(measure.RUNTIMES)
    if options.docs and part:
        parser.error("--docs needs all that is measured")
    try:
        if options.sixteen:
            print(*page.sixteen_lines(measure.measure_sixteen(options.processes)), sep="\n")
            return
        measured = measure.measure(options.runtimes, options.processes, options.overhead)
    except simulation.Wrong as wrong:
        raise SystemExit(f"figures: {wrong}") from None

    drawn = {"fig6": draw_bounds(measured), "fig7": draw_overhead(measured)}
    write_table(OUT / "fig7.csv", overhead_rows(measured))
    print(*runs.aligned([[str(cell) for cell in row] for row in overhead_rows(measured)]), sep="\n")
    if not options.overhead:
        drawn["fig8"] = draw_granularity(measured)
        drawn["fig9"] = draw_inputs(measured)
        drawn["fig10"] = draw_against_bounds(measured)
        write_table(OUT / "fig9.csv", input_rows(measured))
        table = area.table()
        write_table(OUT / "table2.csv", area.rows(table))
    for name, figure in drawn.items():
        runs.save_figure(figure, OUT / f"{name}.png")
        if options.docs:
            runs.save_figure(figure, DOCS / f"perf/picos-{name}.png")
    if options.docs:
        commit = build.run(["git", "log", "-1", "--format=%h", "--", "hw", "kernels"]).strip()
        sixteen = measure.measure_sixteen(options.processes)
        (DOCS / "picos.md").write_text(page.text(measured, table, sixteen, commit))


if __name__ == "__main__":
    main()
