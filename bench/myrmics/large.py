# SPDX-License-Identifier: Apache-2.0
"""Past the paper: weak scaling on chips of thousands of cores, with three and four levels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import style
from cases import KERNELS, LOOPS, MPI, PLACING, TREE, Options
from results import Results, Run

# What a task computes takes so many times as long: a sixteenth of a table of 16,000 tiles fits into
# the memory of a computer.
TABLE_SCALE = 32
PIXEL_SCALE = 8
TILES_A_LEAF = 60  # of 62 workers: one has main, one the tasks that spawn for a group
STEPS = 6


@dataclass(frozen=True)
class LargeChip:
    """The schedulers are its strong cores."""

    cores: int
    fan_outs: tuple[int, ...]  # from the top down

    @property
    def workers(self) -> int:
        return prod(self.fan_outs)

    @property
    def leaves(self) -> int:
        return prod(self.fan_outs[:-1])

    @property
    def groups(self) -> int:
        """One for each scheduler above the lowest ones."""
        return prod(self.fan_outs[:-2])

    @property
    def name(self) -> str:
        schedulers = sum(prod(self.fan_outs[:level]) for level in range(len(self.fan_outs)))
        return f"formic-{schedulers}+{self.cores - schedulers}"

    @property
    def levels(self) -> int:
        return len(self.fan_outs)

    def __str__(self) -> str:
        return f"{self.cores:,}, {self.levels} levels"


CHIPS = (
    LargeChip(2048, (4, 8, 62)),
    LargeChip(8192, (8, 16, 62)),
    LargeChip(16384, (16, 16, 62)),
    LargeChip(16384, (4, 8, 8, 62)),
)


def tiles_of(chip: LargeChip, variant: str) -> int:
    """A tile for each rank; for loops almost; two for each worker without a coarse task."""
    if variant == LOOPS:
        return chip.leaves * TILES_A_LEAF
    return chip.workers if variant == MPI else chip.leaves * 2 * (chip.fan_outs[-1] - 4)


def parts_of(chip: LargeChip, variant: str) -> Options:
    if variant != LOOPS:
        return {"parts": chip.leaves * 4}
    return {"parts": chip.leaves, "groups": chip.groups, "placing": PLACING}


def jacobi(chip: LargeChip, variant: str) -> Options:
    tiles = tiles_of(chip, variant)
    columns = round(30_000 * chip.workers / tiles / TABLE_SCALE)  # two million cycles a worker
    options = {"size": 2 * tiles, "columns": columns, "task": 2, "steps": STEPS}
    return options | parts_of(chip, variant) | {"work-scale": TABLE_SCALE}


def k_means(chip: LargeChip, variant: str) -> Options:
    points = 1500 * chip.workers  # two million cycles a worker
    task = -(-points // tiles_of(chip, variant))
    options = {"size": points, "task": task, "clusters": 16, "steps": STEPS}
    return options | parts_of(chip, variant)


def ray_tracing(chip: LargeChip, variant: str) -> Options:
    width = round((1.5 * 172 * chip.workers) ** 0.5)  # 172 pixels a worker, on average
    parts = chip.leaves
    options = {"size": width, "pixels": 86, "parts": parts, "levels": 2}
    return options | {"work-scale": PIXEL_SCALE}


@dataclass(frozen=True)
class Program:
    options: Callable[[LargeChip, str], Options]
    variants: tuple[str, ...]


PROGRAMS = {
    "jacobi": Program(jacobi, (MPI, TREE, LOOPS)),
    "k_means": Program(k_means, (MPI, TREE, LOOPS)),
    "ray_tracing": Program(ray_tracing, (MPI, TREE)),
}
LABELS = {TREE: "as in the paper", LOOPS: "loops, spawned by groups"}
COLOURS = {TREE: style.BLUE, LOOPS: style.PURPLE}
GOAL = 70  # per cent of MPI's efficiency


def run_of(kernel: str, chip: LargeChip, variant: str) -> Run:
    options = PROGRAMS[kernel].options(chip, variant)
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    if variant == MPI:
        ranks = ("--on", chip.name, "--ranks", str(chip.workers))
        return Run(f"kernel_{kernel}_mpi", (*ranks, *words, "--json"))
    shape = "x".join(map(str, chip.fan_outs))
    program = f"kernel_{kernel}" + ("_for_each" if variant == LOOPS else "")
    return Run(program, (*words, "--json"), (("MYR_ON", f"sim:{chip.name}:{shape}"),))


class FigureLarge:
    """A panel a kernel: how much of what MPI reaches, by chip."""

    name = "large"

    def __init__(self, quick: bool = False) -> None:
        self.chips = CHIPS[:1] if quick else CHIPS
        self.cases = [
            (kernel, chip, variant)
            for kernel, program in PROGRAMS.items()
            for chip in self.chips
            for variant in program.variants
        ]

    def runs(self) -> list[Run]:
        return [run_of(*case) for case in self.cases]

    def rows(self, results: Results) -> Iterator[dict[str, Any]]:
        for kernel, chip, variant in self.cases:
            mpi = results.get(run_of(kernel, chip, MPI))
            result = results.get(run_of(kernel, chip, variant))
            if mpi and result:
                yield {
                    "kernel": kernel,
                    "chip": str(chip),
                    "workers": chip.workers,
                    "variant": variant,
                    "cycles": result["cycles"],
                    "percent_of_mpi": 100 * mpi["cycles"] / result["cycles"],
                }

    def draw(self, rows: list[dict[str, Any]], path: Path) -> None:
        figure, axes = style.new_figure(1, len(PROGRAMS), (15, 4.5))
        for one, kernel in zip(axes.flat, PROGRAMS):
            one.set_title(KERNELS[kernel].title)
            self._draw_panel(one, [row for row in rows if row["kernel"] == kernel])
        handles, labels = axes.flat[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
        figure.suptitle("weak scaling on large chips, against MPI on as many workers")
        style.save(figure, path)

    def _draw_panel(self, axes: Any, rows: list[dict[str, Any]]) -> None:
        axes.axhline(GOAL, color="grey", linestyle="dotted", label=f"goal: {GOAL} %")
        names = [str(chip) for chip in self.chips]
        for side, variant in enumerate((TREE, LOOPS)):
            found = {
                row["chip"]: row["percent_of_mpi"] for row in rows if row["variant"] == variant
            }
            if not found:
                continue
            places = [names.index(name) + 0.4 * side - 0.2 for name in found]
            bars = axes.bar(
                places, list(found.values()), 0.38, color=COLOURS[variant], label=LABELS[variant]
            )
            axes.bar_label(bars, fmt="%.0f", fontsize=8)
        axes.set_xticks(range(len(names)), [name.replace(", ", "\n") for name in names], fontsize=8)
        axes.set_ylim(0, 105)
        axes.set_ylabel("% of MPI's speed")
        axes.set_xlabel("cores")
