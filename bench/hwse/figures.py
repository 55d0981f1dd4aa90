#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the evaluation of paper 5 again, from the simulated cluster: tables II and VII.

  VII  what INIT, FETCH and END of sections, loops and tasks cost, in software and with the engine
  II   the engine's area by the depth of its queues, by Yosys

Picture and table go to out/hwse; with --docs also to docs/perf and docs/hwse.md, the page of the
paper's statements.
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


def draw(measured: Measured) -> Any:
    figure, axes = runs.new_figure(1, 3, (14, 4.5))
    for panel, what in zip(axes[0], ("sections", "loops", "tasks")):
        for color, step in enumerate(("init", "fetch", "end")):
            for library, style in STYLES.items():
                cycles = [measured.cycles[library, cores, f"{what} {step}"] for cores in CORES]
                label = f"{step}, {library}"
                panel.plot(CORES, cycles, f"{style}o", color=f"C{color}", label=label)
        panel.set_yscale("log")
        panel.set_xscale("log", base=2)
        panel.set_xlabel("cores")
        panel.set_title(what)
    axes[0, 0].set_ylabel("cycles")
    axes[0, 2].legend()
    return figure


def rows(measured: Measured) -> list[list[Any]]:
    head = ["primitive", "cores", *cluster.LIBRARIES, "times", "paper, 16 cores"]
    return [head] + [
        [name, cores, *(round(measured.cycles[lib, cores, name], 1) for lib in cluster.LIBRARIES),
         f"{measured.speedup(cores, name):.1f}", paper.SPEEDUP.get(name, "")]
        for name in (*measure.PRIMITIVES, *measure.ROUNDS)
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
    with (OUT / "table7.csv").open("w", newline="") as file:
        csv.writer(file).writerows(table)
    print(*runs.aligned([[str(cell) for cell in row] for row in table]), sep="\n")
    figure = draw(measured)
    runs.save_figure(figure, OUT / "table7.png")
    areas = {depth: area.gates(parameters) for depth, parameters in area.CLUSTER_OF.items()}
    like = area.gates(area.LIKE_PAPER)
    for depth, gates in areas.items():
        print(f"{depth} tasks: {gates:.1f} thousand gates, the paper's {paper.AREA[depth][0]}")
    print(f"like the paper's, 32 tasks: {like:.1f}")
    if options.docs:
        runs.save_figure(figure, DOCS / "perf/hwse-table7.png")
        (DOCS / "hwse.md").write_text(page.text(measured, areas, like))


if __name__ == "__main__":
    main()
