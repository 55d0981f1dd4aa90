# SPDX-License-Identifier: Apache-2.0
"""Past the paper: k-means in weak scaling on chips of up to 16,384 cores, by levels of schedulers.

A chip has a strong core for every 31 weak ones, which are workers. Leaf schedulers have 62 of them,
and one part of the points with a tile for each but one. Main spawns the loops over the tiles where
there are two levels; where there are more, a task for each scheduler above the leaves does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import style
from results import Result, Results, Run

WORKERS_A_LEAF = 62
STEPS = 6
TILES = {2: 1500, 4: 3000}  # points, by millions of cycles that they take
GOAL = 70  # per cent of MPI's efficiency
MPI_LEVELS = 0
LOOKS = {
    MPI_LEVELS: style.Look("MPI", style.GREEN, "s"),
    2: style.Look("two levels", style.BLUE, "o"),
    3: style.Look("three levels", style.ORANGE, "^"),
    4: style.Look("four levels", style.RED, "D"),
}


@dataclass(frozen=True)
class Chip:
    """So many cores in all, and the trees on it: how many each scheduler above the leaves has."""

    cores: int
    trees: tuple[tuple[int, ...], ...]

    @property
    def strong(self) -> int:
        return self.cores // 32

    @property
    def workers(self) -> int:
        return self.cores - self.strong

    @property
    def name(self) -> str:
        return f"formic-{self.strong}+{self.workers}"


CHIPS = (
    Chip(512, ((8,),)),
    Chip(2048, ((4, 8),)),
    Chip(8192, ((16, 8), (4, 4, 8))),
    Chip(16384, ((16, 16), (4, 8, 8))),
)


def make_run(program: str, options: dict[str, object], machine: str | None) -> Run:
    words = [str(word) for name, value in options.items() for word in (f"--{name}", value)]
    environment = (("MYR_ON", machine),) if machine else ()
    return Run(program, (*words, "--clusters", "16", "--steps", str(STEPS), "--json"), environment)


def mpi_run(chip: Chip, points: int) -> Run:
    size = {"size": points * chip.workers, "task": points, "parts": 1}
    on = {"on": chip.name, "ranks": chip.workers}
    return make_run("kernel_k_means_mpi", on | size, None)


def tree_run(chip: Chip, tree: tuple[int, ...], points: int) -> Run:
    leaves = prod(tree)
    options = {
        "size": points * leaves * (WORKERS_A_LEAF - 1),
        "task": points,
        "parts": leaves,
        "branches": prod(tree[:-1]) if len(tree) > 1 else 0,
        "placing": 1_000_000,
    }
    shape = "x".join(map(str, (*tree, WORKERS_A_LEAF)))
    return make_run("kernel_k_means_for_each", options, f"sim:{chip.name}:{shape}")


class Beyond:
    """Two panels, by the length of a tile: the share of the workers' time that is work."""

    name = "beyond"

    def __init__(self) -> None:
        self.runs_by_case = {
            (millions, chip, levels): run
            for millions, points in TILES.items()
            for chip in CHIPS
            for levels, run in (
                (MPI_LEVELS, mpi_run(chip, points)),
                *((len(tree) + 1, tree_run(chip, tree, points)) for tree in chip.trees),
            )
        }

    def runs(self) -> list[Run]:
        return list(self.runs_by_case.values())

    def rows(self, results: Results) -> Iterator[dict[str, Any]]:
        for (millions, chip, levels), run in self.runs_by_case.items():
            result = results.get(run)
            mpi = results.get(self.runs_by_case[millions, chip, MPI_LEVELS])
            if result and mpi:
                efficiency = efficiency_of(result, chip)
                yield {
                    "tile_mcycles": millions,
                    "cores": chip.cores,
                    "workers": chip.workers,
                    "levels": levels,
                    "cycles": result["cycles"],
                    "efficiency": efficiency,
                    "of_mpi": efficiency / efficiency_of(mpi, chip),
                }

    def draw(self, rows: list[dict[str, Any]], path: Path) -> None:
        figure, axes = style.new_figure(1, len(TILES), (12, 5))
        for one, millions in zip(axes[0], TILES):
            one.set_title(f"tiles of {millions} million cycles")
            self._draw_panel(one, [row for row in rows if row["tile_mcycles"] == millions])
        axes[0][0].legend(loc="lower left")
        figure.suptitle("k-means clustering in weak scaling, on simulated chips past formic-520")
        style.save(figure, path)

    @staticmethod
    def _draw_panel(axes: Any, rows: list[dict[str, Any]]) -> None:
        ends = []
        for levels, look in LOOKS.items():
            points = [(row["cores"], row["efficiency"]) for row in rows if row["levels"] == levels]
            style.draw_line(axes, points, look)
            if points and points[-1][0] == CHIPS[-1].cores:
                ends.append((points[-1], f"{100 * points[-1][1]:.0f} %", look.colour))
        style.count_axis(axes, [chip.cores for chip in CHIPS], "cores of the chip")
        axes.set_ylim(0, 1)
        axes.set_ylabel("efficiency")
        style.label_ends(axes, ends)


def efficiency_of(result: Result, chip: Chip) -> float:
    return result["serial_cycles"] / (result["cycles"] * chip.workers)
