#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the evaluation of paper 2 again, from SPMD programs on this computer: figures 4a to 4h.

  4a-c   a region's slabs under random allocations and frees
  4d     Delaunay, by workers
  4e, f  where the time of Barnes-Hut goes, with one scheduler and with several
  4g, h  lists exchanged as regions, node by node, and packed by hand
  chip   lists and Barnes-Hut as tasks with up to 128 workers, on the simulated chip

Pictures go to out/allocator; with --docs also to docs/perf and docs/allocator.md, the page of the
paper's statements. Needs a computer with nothing else to do. What was measured with the same build
is not measured again.
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
from measure import FULL, QUICK, SIZES_SHAPE, Measured, measure

OUT = harness.OUT / "allocator"
DOCS = harness.ROOT / "docs"
PARTS = {"computation": "computation", "schedulers": "schedulers", "workers": "other workers"}


def draw_slabs(measured: Measured) -> None:
    import run as fragmentation  # where measure() has found it

    fragmentation.draw(measured.slabs, OUT / "fig4abc.png")


def draw_scaling(measured: Measured) -> Any:
    figure, axes = harness.new_figure(1, 3, (14, 4))
    delaunay, single, several = axes[0]
    names = [page.text_of(shape) for shape in measured.delaunay]
    harness.draw_bars(delaunay, names, {"run": list(measured.delaunay.values())})
    delaunay.set_title("(d) Delaunay")
    for place, title, schedulers in ((single, "(e)", 1), (several, "(f)", 3)):
        shapes = [shape for shape in measured.barnes if shape[0] == schedulers]
        bottom = [0.0] * len(shapes)
        for part, label in PARTS.items():
            heights = [getattr(measured.barnes[shape], part) for shape in shapes]
            place.bar([page.text_of(one) for one in shapes], heights, bottom=bottom, label=label)
            bottom = [low + height for low, height in zip(bottom, heights)]
        place.set_title(f"{title} Barnes-Hut, mean of the workers")
        place.legend()
    for place in axes[0]:
        place.set_xlabel("schedulers + workers")
        place.set_ylabel("seconds")
    return figure


def draw_lists(measured: Measured) -> Any:
    mpis = list(dict.fromkeys(mpi for mpi, _, _ in measured.lists))
    figure, axes = harness.new_figure(len(mpis), 2, (11, 3.8 * len(mpis)))
    for row, mpi in zip(axes, mpis):
        found = {key[1:]: ways for key, ways in measured.lists.items() if key[0] == mpi}
        counts = sorted(count for shape, count in found if shape == SIZES_SHAPE)
        for way in ("regions", "nodes", "packed"):
            seconds = [found[SIZES_SHAPE, count][way].total for count in counts]
            row[0].plot(counts, seconds, "o-", label=way)
            for schedulers in (1, 3):
                shapes = [shape for shape, count in found if count == counts[-1]]
                workers = [shape[1] for shape in shapes if shape[0] == schedulers]
                times = [found[(schedulers, one), counts[-1]][way].total for one in workers]
                row[1].plot(workers, times, "o-", label=f"{way}, {schedulers} scheduler(s)")
        row[0].set_xlabel(f"(g) nodes of a list; {mpi}, {page.text_of(SIZES_SHAPE)}")
        row[1].set_xlabel(f"(h) workers; {mpi}, {counts[-1]:,} nodes")
        row[1].set_yscale("log")
        for place in row:
            place.set_ylabel("seconds")
            place.legend()
    return figure


def draw_chip(measured: Measured) -> Any:
    figure, axes = harness.new_figure(1, 2, (11, 3.8))
    titles = {"linked_lists": "Exchange of lists", "barnes_hut_parts": "Barnes-Hut"}
    for place, (kernel, cycles) in zip(axes[0], measured.chip.items()):
        for label, is_single in (("one scheduler", True), ("several", False)):
            shapes = sorted(
                (shape for shape in cycles if (shape[0] == 1) == is_single),
                key=lambda shape: shape[1],
            )
            millions = [cycles[shape] / 1e6 for shape in shapes]
            place.plot([shape[1] for shape in shapes], millions, "o-", label=label)
        place.set_title(titles[kernel])
        place.set_xlabel("workers")
        place.set_xscale("log", base=2)
        place.set_ylabel("million cycles")
        place.legend()
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="./dev figures allocator", description=(__doc__ or "").split("\n", maxsplit=1)[0]
    )
    parser.add_argument("--docs", action="store_true", help="write docs/allocator.md, too")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that all works")
    parser.add_argument("--programs", type=Path, default=harness.ROOT / "build/release/bin")
    options = parser.parse_args()
    sizes = QUICK if options.quick else FULL
    measured = measure(options.programs, sizes, OUT / "fragmentation.csv")
    draw_slabs(measured)
    harness.save_figure(draw_scaling(measured), OUT / "fig4def.png")
    harness.save_figure(draw_lists(measured), OUT / "fig4gh.png")
    harness.save_figure(draw_chip(measured), OUT / "chip.png")
    text = "\n".join(page.lines(measured)) + "\n"
    (OUT / "allocator.md").write_text(text)
    if options.docs:
        (DOCS / "allocator.md").write_text(text)
        for name in ("fig4abc", "fig4def", "fig4gh", "chip"):
            shutil.copyfile(OUT / f"{name}.png", DOCS / f"perf/allocator-{name}.png")
    print(f"written to {OUT}")


if __name__ == "__main__":
    main()
