#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the evaluation of paper 5 again, from the simulated cluster: tables II, V, VII, figure 6.

  VII  what INIT, FETCH and END of sections, loops and tasks cost, in software and with the engine
  6    what a task's INIT consists of
  V    applications from kernels/, with loops and with tasks, in software and with the engine
  II   the engine's area by the depth of its queues, by Yosys

Pictures and tables go to out/hwse; with --docs also to docs/perf and docs/hwse.md, the page of the
paper's statements. Runs are kept, so a broken one goes on where it was.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "hw/hwse/cluster"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "hw/soc"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import area
import measure
import page
import paper
from harness import runs
from measure import CORES, Measured

import cluster
import simulation

OUT = runs.OUT / "hwse"
DOCS = runs.ROOT / "docs"
STYLES = {"software": "--", "hwse": "-"}


def add_legend(figure: Any, panel: Any) -> None:
    """Of a panel's lines or bars, beside all panels."""
    figure.legend(*panel.get_legend_handles_labels(), loc="outside right upper")


def draw(measured: Measured) -> Any:
    figure, axes = runs.new_figure(1, 3, (14, 4.5))
    for panel, what in zip(axes[0], ("sections", "loops", "tasks")):
        for color, step in enumerate(("init", "fetch", "end")):
            for library, style in STYLES.items():
                cycles = [measured.cycles[library, cores, f"{what} {step}"] for cores in CORES]
                label = f"{step}, {library}"
                size = 9 - 2 * color  # so that points of one place are all seen
                panel.plot(
                    CORES, cycles, f"{style}o", color=f"C{color}", label=label, markersize=size
                )
        panel.set_yscale("log")
        panel.set_xscale("log", base=2)
        panel.set_xticks(CORES, map(str, CORES))
        panel.set_xlabel("cores")
        panel.set_title(what)
    axes[0, 0].set_ylabel("cycles")
    add_legend(figure, axes[0, 0])
    return figure


def draw_applications(measured: Measured) -> Any:
    """By cores, beside the paper's on 16."""
    figure, axes = runs.new_figure(1, 2, (15, 4.5))
    for panel, style in zip(axes[0], cluster.STYLES):
        series: dict[str, list[float | None]] = {
            f"{cores} core{'s' * (cores > 1)}": [
                measured.improvement(cores, measure.name_of(kernel, style))
                for kernel in cluster.KERNELS
            ]
            for cores in CORES
        }
        series["the paper, 16"] = [paper.IMPROVEMENT[kernel, style] for kernel in cluster.KERNELS]
        runs.draw_bars(panel, list(cluster.KERNELS), series)
        panel.axhline(0, color="black", linewidth=0.8)
        panel.set_title(style)
    axes[0, 1].sharey(axes[0, 0])
    axes[0, 0].set_ylabel("cycles saved by the engine, %")
    add_legend(figure, axes[0, 0])
    return figure


def draw_parts(measured: Measured) -> Any:
    """Of a task's INIT, on one core and on all."""
    figure, axes = runs.new_figure(1, 1, (8, 3.2))
    bars = [
        (library, cores) for cores in (measure.MOST, 1) for library in reversed(cluster.LIBRARIES)
    ]
    places = range(len(bars))
    left = [0.0] * len(bars)
    for part in measure.PARTS:
        widths = [measured.cycles[library, cores, part] for library, cores in bars]
        axes[0, 0].barh(places, widths, left=left, label=part.removeprefix("task "))
        left = [start + width for start, width in zip(left, widths)]
    names = [f"{library}, {cores} core{'s' * (cores > 1)}" for library, cores in bars]
    axes[0, 0].set_yticks(places, names)
    axes[0, 0].set_xlabel("cycles of a task's INIT")
    add_legend(figure, axes[0, 0])
    return figure


def rows(measured: Measured) -> list[list[Any]]:
    head = ["what", "cores", *cluster.LIBRARIES, "times", "paper, 16 cores"]
    return [head] + [
        [name, cores, *(round(measured.cycles[lib, cores, name], 1) for lib in cluster.LIBRARIES),
         f"{measured.speedup(cores, name):.1f}", paper.SPEEDUP.get(name, "")]
        for name in (*measure.PRIMITIVES, *measure.PARTS, *measure.ROUNDS, *measure.APPLICATIONS)
        for cores in CORES
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="./dev figures hwse",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-j", "--processes", type=runs.positive, default=os.cpu_count() or 1)
    parser.add_argument("--docs", action="store_true", help="write picture and page to docs, too")
    options = parser.parse_args()
    try:
        measured = measure.measure(options.processes)
    except simulation.Wrong as wrong:
        raise SystemExit(f"figures: {wrong}") from None
    table = rows(measured)
    OUT.mkdir(parents=True, exist_ok=True)
    with (OUT / "cycles.csv").open("w", newline="") as file:
        csv.writer(file).writerows(table)
    print(*runs.aligned([[str(cell) for cell in row] for row in table]), sep="\n")
    figures = {
        "table7": draw(measured),
        "figure6": draw_parts(measured),
        "table5": draw_applications(measured),
    }
    for name, figure in figures.items():
        runs.save_figure(figure, OUT / f"{name}.png")
    gates = area.measure()
    for name, one in gates.engines.items():
        print(f"{name}: {one.gated:.1f} thousand gates, plain {one.plain:.1f}")
    if options.docs:
        for name, figure in figures.items():
            runs.save_figure(figure, DOCS / f"perf/hwse-{name}.png")
        (DOCS / "hwse.md").write_text(page.text(measured, gates))


if __name__ == "__main__":
    main()
