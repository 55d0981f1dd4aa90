#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the evaluation of paper 3 again, from the simulated SCC: figures 3 to 7.

  3, 4   going through memory, by distance and beside other cores
  5      time and speed-up of the five programs, by workers
  6, 7   where the workers' time goes, of all of them and of each
  past   the speed-up with larger blocks, loops, and a tree of schedulers

Pictures go to out/scc; with --docs also to docs/perf and docs/scc.md, the page of the paper's
statements.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import page
from harness import runs as harness
from harness.record import commit
from measure import (
    HERTZ,
    KERNELS,
    MOST,
    PAPER,
    PAST,
    WAYS,
    WORKERS,
    Measured,
    Past,
    choose,
    cut_finer,
    go_past,
    measure,
    memory,
    speedup,
)

OUT = harness.OUT / "scc"
DOCS = harness.ROOT / "docs"
PARTS = {"task": "in tasks", "flush": "flush", "idle": "idle"}


def draw_memory(points: dict[int, int], x_label: str) -> Any:
    figure, axes = harness.new_figure(1, 1, (6, 3.5))
    places = sorted(points)
    axes[0, 0].plot(places, [points[place] / HERTZ for place in places], "o-")
    axes[0, 0].set_xlabel(x_label)
    axes[0, 0].set_ylabel("seconds")
    axes[0, 0].set_ylim(bottom=0)
    return figure


def panels() -> tuple[Any, dict[str, Any]]:
    figure, axes = harness.new_figure(1, len(KERNELS), (18, 3.8))
    for place, (letter, kernel) in zip(axes[0], KERNELS.items()):
        place.set_title(f"({letter}) {kernel.title}")
    return figure, dict(zip(KERNELS, axes[0]))


def draw_scaling(measured: Measured) -> Any:
    figure, axes = panels()
    for letter, place in axes.items():
        runs = measured[letter]
        counts = [0, *WORKERS]
        place.bar(counts, [runs[count].cycles / HERTZ for count in counts], color="C7")
        place.set_xlabel("workers")
        place.set_ylabel("seconds")
        other = place.twinx()
        other.plot(WORKERS, [speedup(runs, count) for count in WORKERS], "o-", color="C0")
        other.set_ylabel("speed-up")
        other.set_ylim(bottom=0)
    return figure


def stack(place: Any, x: list[int], heights: dict[str, list[float]]) -> None:
    bottom = [0.0] * len(x)
    for part, title in PARTS.items():
        place.bar(x, heights[part], bottom=bottom, label=title)
        bottom = [low + height for low, height in zip(bottom, heights[part])]
    place.set_ylabel("seconds")


def draw_breakdown(measured: Measured) -> Any:
    figure, axes = panels()
    for letter, place in axes.items():
        heights = {
            part: [measured[letter][count].total(part) / HERTZ for count in WORKERS]
            for part in PARTS
        }
        stack(place, list(WORKERS), heights)
        place.set_xlabel("workers")
    axes["a"].legend()
    return figure


def draw_balance(measured: Measured) -> Any:
    figure, axes = panels()
    for letter, place in axes.items():
        run = measured[letter][MOST]
        heights = {part: [cycles / HERTZ for cycles in getattr(run, part)] for part in PARTS}
        stack(place, list(range(1, MOST + 1)), heights)
        place.set_xlabel("worker")
    axes["a"].legend()
    return figure


def draw_past(measured: Measured, past: Past) -> Any:
    figure, axes = panels()
    for letter, place in axes.items():
        runs = measured[letter]
        place.plot(PAST, [speedup(runs, count) for count in PAST], "o-", label=PAPER.title)
        for name, way in WAYS.items():
            if letter not in past[name]:
                continue
            ups = [runs[0].cycles / past[name][letter][count].cycles for count in PAST]
            place.plot(PAST, ups, "o-", label=way.title, color=f"C{1 + list(WAYS).index(name)}")
        place.set_xlabel("workers")
        place.set_ylabel("speed-up")
        place.set_ylim(bottom=0)
    axes["e"].legend(*axes["a"].get_legend_handles_labels(), loc="lower right")
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="./dev figures scc", description=(__doc__ or "").split("\n", maxsplit=1)[0]
    )
    parser.add_argument("--docs", action="store_true", help="write docs/scc.md, too")
    parser.add_argument("--programs", type=Path, default=harness.ROOT / "build/release/bin")
    options = parser.parse_args()
    points = memory(options.programs)
    measured = measure(options.programs)
    past = go_past(options.programs)
    for name, figure in {
        "fig3": draw_memory(points[3], "hops to the controller"),
        "fig4": draw_memory(points[4], "cores that use the controller"),
        "fig5": draw_scaling(measured),
        "fig6": draw_breakdown(measured),
        "fig7": draw_balance(measured),
        "past": draw_past(measured, past),
    }.items():
        harness.save_figure(figure, OUT / f"{name}.png")
        if options.docs:
            shutil.copyfile(OUT / f"{name}.png", DOCS / f"perf/scc-{name}.png")
    text = (
        "\n".join(
            page.lines(
                measured,
                points,
                choose(options.programs),
                past,
                cut_finer(options.programs),
                commit(),
            )
        )
        + "\n"
    )
    (OUT / "scc.md").write_text(text)
    if options.docs:
        (DOCS / "scc.md").write_text(text)
    print(f"written to {OUT}")


if __name__ == "__main__":
    main()
