# SPDX-License-Identifier: Apache-2.0
"""Figures 7a, 7b, 12a and 12b: tasks that do nothing, or wait, on simulated chips."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import style
from results import Result, Results, Run

PROGRAM = "myr_bench_synthetic"
STRONG, WEAK = "formic-520", "formic-512"  # where the scheduler is on a strong core, on a weak one
PUBLISHED, AHEAD = 1, 64  # spawns under way from a worker: as published, and as here
ENOUGH = 0.95  # of the best speed-up
Point = tuple[float, float]


def make_run(chip: str, fan_outs: Sequence[int], spawns_ahead: int, *program: object) -> Run:
    options = {
        "--chip": chip,
        "--fan-outs": ",".join(map(str, fan_outs)),
        "--spawns-ahead": spawns_ahead,
    }
    words = [str(word) for pair in options.items() for word in pair]
    return Run(PROGRAM, (*words, *map(str, program)))


# ---- figure 7a: what a task costs ----

# In thousands of cycles, where the paper's text has a number.
PAPER_SPAWN = {STRONG: 16.2, WEAK: 37.4}
PAPER_EXECUTE = {STRONG: 13.3}
CHIP_NAMES = {WEAK: "scheduler on\na weak core,", STRONG: "scheduler on\na strong core,"}


def empty_run(chip: str, spawns_ahead: int = PUBLISHED) -> Run:
    return make_run(chip, [1], spawns_ahead, "empty")


@dataclass(frozen=True)
class TaskCost:
    """Thousands of cycles a task."""

    spawn: float
    execute: float


def task_cost(result: Result) -> TaskCost:
    """Main spawns all tasks, then its worker runs them."""
    a_task = 1e-3 / result["tasks"]
    spawn = result["main_cycles"] * a_task
    return TaskCost(spawn, result["cycles"] * a_task - spawn)


@dataclass
class Figure7a:
    """Time to spawn and to execute an empty task."""

    name = "fig7a"

    def __init__(self) -> None:
        self.cases = [(chip, ahead) for chip in (WEAK, STRONG) for ahead in (PUBLISHED, AHEAD)]

    def runs(self) -> list[Run]:
        return [empty_run(*case) for case in self.cases]

    def rows(self, results: Results) -> Iterator[dict[str, Any]]:
        for chip, ahead in self.cases:
            if result := results.get(empty_run(chip, ahead)):
                cost = task_cost(result)
                yield {
                    "chip": chip,
                    "spawns_under_way": ahead,
                    "spawn_kcycles": cost.spawn,
                    "execute_kcycles": cost.execute,
                    "paper_spawn_kcycles": PAPER_SPAWN.get(chip),
                    "paper_execute_kcycles": PAPER_EXECUTE.get(chip),
                }

    def draw(self, rows: list[dict[str, Any]], path: Path) -> None:
        figure, axes = style.new_figure(1, 1, (7, 4.2))
        for place, (row, shift) in enumerate((row, s) for row in rows for s in (-0.2, 0.2)):
            part = "spawn" if shift < 0 else "execute"
            self._draw_bar(axes[0, 0], place // 2 + shift, row, part)
        axes[0, 0].set_xticks(
            range(len(rows)),
            [f"{CHIP_NAMES[row['chip']]}\n{ahead_text(row['spawns_under_way'])}" for row in rows],
        )
        axes[0, 0].grid(False, axis="x")
        axes[0, 0].set_ylabel("thousand cycles a task")
        axes[0, 0].legend(*unique_legend(axes[0, 0]), frameon=False)
        figure.suptitle("7a: time to spawn and to execute an empty task, worker on a weak core")
        style.save(figure, path)

    @staticmethod
    def _draw_bar(axes: Any, x: float, row: dict[str, Any], part: str) -> None:
        height = row[f"{part}_kcycles"]
        colour = style.BLUE if part == "spawn" else style.ORANGE
        axes.bar(x, height, 0.36, color=colour, label=part)
        axes.annotate(f"{height:.1f}", (x, height), ha="center", va="bottom", fontsize=8)
        paper = row[f"paper_{part}_kcycles"]
        if paper is not None and row["spawns_under_way"] == PUBLISHED:
            axes.hlines(paper, x - 0.22, x + 0.22, color=style.BLACK, label="the paper's number")


def unique_legend(axes: Any) -> tuple[list[Any], list[str]]:
    found = dict(zip(*reversed(axes.get_legend_handles_labels())))
    return list(found.values()), list(found.keys())


def ahead_text(spawns: int) -> str:
    return f"{spawns} spawn{'s' * (spawns > 1)} under way"


# ---- figures 7b and 12a: one scheduler, tasks of one size ----

TASK_CYCLES = tuple(8192 << shift for shift in range(0, 11, 2))
WORKERS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


def enough_workers(points: Sequence[Point]) -> float:
    """The fewest workers with nearly the best speed-up."""
    best = max(speed_up for _, speed_up in points)
    return next(workers for workers, speed_up in points if speed_up >= ENOUGH * best)


class Granularity:
    """Speed-up of 512 independent tasks by task size and workers."""

    def __init__(self, name: str, chip: str, task_cost_kcycles: float, quick: bool = False) -> None:
        self.name = name
        self.chip = chip
        self.rule = 1e3 * task_cost_kcycles  # the paper: as many workers as task size over this
        # Where no core is strong, the scheduler takes the place of a worker.
        workers = [min(count, 512 if chip == STRONG else 511) for count in WORKERS]
        self.workers = workers[::3] if quick else workers
        self.sizes = TASK_CYCLES[::2] if quick else TASK_CYCLES

    def run_of(self, ahead: int, size: int, workers: int) -> Run:
        return make_run(self.chip, [workers], ahead, "independent", "--task-cycles", size)

    def runs(self) -> list[Run]:
        return [
            self.run_of(ahead, size, workers)
            for ahead in (PUBLISHED, AHEAD)
            for size in self.sizes
            for workers in self.workers
        ]

    def rows(self, results: Results) -> Iterator[dict[str, Any]]:
        for ahead in (PUBLISHED, AHEAD):
            for size in self.sizes:
                found = {n: results.get(self.run_of(ahead, size, n)) for n in self.workers}
                if all(found.values()):
                    yield from self._rows_of(ahead, size, found)

    @staticmethod
    def _rows_of(ahead: int, size: int, found: dict[int, Result]) -> Iterator[dict[str, Any]]:
        for workers, result in found.items():
            yield {
                "spawns_under_way": ahead,
                "task_cycles": size,
                "workers": workers,
                "cycles": result["cycles"],
                "speed_up": found[1]["cycles"] / result["cycles"],
            }

    def draw(self, rows: list[dict[str, Any]], path: Path) -> None:
        figure, axes = style.new_figure(1, 2, (12, 5))
        for one, ahead in zip(axes[0], (PUBLISHED, AHEAD)):
            self._draw_panel(one, [row for row in rows if row["spawns_under_way"] == ahead])
            one.set_title(ahead_text(ahead) + (" (as published)" if ahead == PUBLISHED else ""))
        cores = "strong" if self.chip == STRONG else "weak"
        figure.suptitle(
            f"{self.name[3:]}: 512 independent tasks by task size in cycles, one scheduler on a "
            f"{cores} core"
        )
        figure.legend(*unique_legend(axes[0, 0]), loc="outside lower center", ncols=2)
        style.save(figure, path)

    def _draw_panel(self, axes: Any, rows: list[dict[str, Any]]) -> None:
        from matplotlib import colormaps

        for place, (size, points) in enumerate(curves(rows).items()):
            colour = colormaps["viridis"](0.9 * place / len(self.sizes))
            axes.plot(*zip(*points), color=colour, marker=".")
            best = enough_workers(points)
            filled = f"fewest workers with {100 * ENOUGH:.0f} % of the best speed-up"
            axes.plot(best, dict(points)[best], "o", color=colour, markersize=8, label=filled)
            self._mark_rule(axes, size, points, colour)
            style.label_end(axes, points, style.short(size), colour)
        axes.set_ylabel("speed-up over one worker")
        axes.set_yscale("log", base=2)
        style.plain_log(axes.yaxis, [1, 2, 4, 8, 16, 32, 64, 128, 256])
        style.count_axis(axes, self.workers)
        axes.set_xlim(0.9, 1.8 * self.workers[-1])

    def _mark_rule(self, axes: Any, size: int, points: Sequence[Point], colour: Any) -> None:
        workers = size / self.rule
        if 1 <= workers <= self.workers[-1]:
            label = f"the paper's rule: task size over {self.rule / 1e3:g} K cycles"
            height = max(speed_up for _, speed_up in points)
            axes.plot(workers, height, "|", color=colour, markersize=18, label=label)


def curves(rows: Sequence[dict[str, Any]]) -> dict[int, list[Point]]:
    """Speed-up over workers, by task size."""
    found: dict[int, list[Point]] = {}
    for row in rows:
        found.setdefault(row["task_cycles"], []).append((row["workers"], row["speed_up"]))
    return found


# ---- figure 12b: deeper trees ----

# All cores weak; the paper's 512 are too few for 432 workers with three levels of schedulers.
DEEP_CHIP = "formic-0+576"
FAN_OUT = 6  # of a leaf scheduler, and of the schedulers above the leaves from three levels on
REGION_TASKS = (6, 12, 24, 48, 96)  # tasks in a small region, which the paper does not state
REGION_TASKS_DRAWN = 24
DEEPEST = 432
LOOKS = {
    1: style.Look("1 scheduler", style.RED, "x"),
    2: style.Look("2 levels", style.BLUE, "o"),
    3: style.Look("3 levels", style.PURPLE, "^"),
    4: style.Look("4 levels", style.ORANGE, "s"),
    5: style.Look("5 levels", style.GREEN, "D"),
}


def fan_outs(levels: int, workers: int) -> tuple[int, ...] | None:
    """Of a tree of so many levels of schedulers; None: so few workers need no such tree."""
    below = FAN_OUT ** min(levels - 1, 2)  # workers below a scheduler that has no fan-out yet
    above, rest = divmod(workers, below)
    if rest or above < 2:
        return (1,) if levels == workers == 1 else None
    bottom = (FAN_OUT,) * min(levels - 1, 2)
    top: tuple[int, ...] = ()
    for _ in range(levels - 3):  # halve what is above, as long as there are levels to spare
        if above % 2 or above < 4:
            return None
        top, above = (*top, 2), above // 2
    return (*top, above, *bottom)


class Figure12b:
    """Slowdown of empty tasks in a hierarchy of small regions, as many a worker everywhere."""

    name = "fig12b"

    def __init__(self, quick: bool = False) -> None:
        workers = (
            (1, 36, 144, DEEPEST) if quick else (1, 6, 12, 36, 72, 144, 216, 288, 360, DEEPEST)
        )
        self.trees = [
            (levels, count, tree)
            for levels in LOOKS
            for count in workers
            if (tree := fan_outs(levels, count))
        ]
        self.region_tasks = (REGION_TASKS_DRAWN,) if quick else REGION_TASKS

    @staticmethod
    def run_of(tree: tuple[int, ...], region_tasks: int) -> Run:
        return make_run(DEEP_CHIP, tree, PUBLISHED, "levels", "--region-tasks", region_tasks)

    def cases(self) -> Iterator[tuple[int, int, tuple[int, ...], int]]:
        """Levels, workers, tree, tasks in a region. Only the largest trees get all of the last."""
        for levels, workers, tree in self.trees:
            is_end = workers in (1, DEEPEST)
            for region_tasks in self.region_tasks if is_end else (REGION_TASKS_DRAWN,):
                yield levels, workers, tree, region_tasks

    def runs(self) -> list[Run]:
        return [self.run_of(tree, region_tasks) for _, _, tree, region_tasks in self.cases()]

    def rows(self, results: Results) -> Iterator[dict[str, Any]]:
        for levels, workers, tree, region_tasks in self.cases():
            one = results.get(self.run_of((1,), region_tasks))
            result = results.get(self.run_of(tree, region_tasks))
            if one and result:
                yield {
                    "levels": levels,
                    "workers": workers,
                    "schedulers": result["schedulers"],
                    "region_tasks": region_tasks,
                    "cycles": result["cycles"],
                    "slowdown": result["cycles"] / one["cycles"],
                    "scheduler_busy_mean": result["scheduler_busy_mean"],
                    "scheduler_busy_max": result["scheduler_busy_max"],
                }

    def draw(self, rows: list[dict[str, Any]], path: Path) -> None:
        figure, axes = style.new_figure(1, 2, (12, 5))
        self._draw_workers(axes[0, 0], rows)
        self._draw_regions(axes[0, 1], [row for row in rows if row["workers"] == DEEPEST])
        for one in axes[0]:
            one.set_yscale("log")
            style.plain_log(one.yaxis, [1, 3, 10, 30, 100, 300])
            one.set_ylabel("slowdown against one worker, as many tasks a worker")
        figure.suptitle("12b: empty tasks in a hierarchy of small regions, all cores weak")
        style.save(figure, path)

    @staticmethod
    def _draw_workers(axes: Any, rows: list[dict[str, Any]]) -> None:
        for levels, look in LOOKS.items():
            points = [
                (row["workers"], row["slowdown"])
                for row in rows
                if row["levels"] == levels and row["region_tasks"] == REGION_TASKS_DRAWN
            ]
            style.draw_line(axes, points, look)
            style.label_end(axes, points, look.label, look.colour)
        axes.axhline(1, color=style.BLACK, linestyle="dashed", linewidth=0.8)
        axes.annotate("perfect", (2, 1), xytext=(0, 3), textcoords="offset points", fontsize=8)
        axes.set_title(f"{REGION_TASKS_DRAWN} tasks in a small region")
        axes.set_xlabel("worker cores")
        axes.set_xlim(0, 1.2 * DEEPEST)

    @staticmethod
    def _draw_regions(axes: Any, rows: list[dict[str, Any]]) -> None:
        for levels, look in LOOKS.items():
            points = [
                (row["region_tasks"], row["slowdown"]) for row in rows if row["levels"] == levels
            ]
            style.draw_line(axes, points, look)
            style.label_end(axes, points, look.label, look.colour)
        counts = sorted({row["region_tasks"] for row in rows})
        style.count_axis(axes, counts, "tasks in a small region")
        axes.set_xlim(counts[0] / 1.1, 1.6 * counts[-1])
        axes.set_title(f"{DEEPEST} worker cores")
