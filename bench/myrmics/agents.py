# SPDX-License-Identifier: Apache-2.0
"""Figures 9, 10 and 11: where agents' time goes, what they send, and locality against balance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import style
from cases import FLAT, KERNELS, LEAVES, STRONG, TREE, Case
from results import Results, Run

STATES = ("task", "runtime", "memory", "wait", "idle")
STUDIED = ("bitonic", "k_means", "ray_tracing")  # panels a, b and c of figures 9 and 10


@dataclass(frozen=True)
class Use:
    """What agents of a kind did, on average: parts of the machine's time, and bytes."""

    worker_task: float
    worker_runtime: float
    worker_idle: float
    scheduler_busy: float
    scheduler_busy_max: float
    worker_messages: float
    worker_dma_bytes: float
    worker_message_bytes: float
    scheduler_message_bytes: float


def use_of(stats: dict[str, Any]) -> Use:
    """From what the machine says with MYR_STATS=json."""
    workers = [agent for agent in stats["agents"] if agent["kind"] == "worker"]
    schedulers = [agent for agent in stats["agents"] if agent["kind"] == "scheduler"]

    def part(agent: dict[str, Any], *names: str) -> float:
        total = sum(agent[f"{one}_cycles"] for one in STATES)
        return sum(agent[f"{one}_cycles"] for one in names) / max(1, total)

    busy = [part(agent, "runtime", "memory") for agent in schedulers]
    return Use(
        worker_task=fmean(part(agent, "task") for agent in workers),
        worker_runtime=fmean(part(agent, "runtime") for agent in workers),
        worker_idle=fmean(part(agent, "wait", "idle") for agent in workers),
        scheduler_busy=fmean(busy),
        scheduler_busy_max=max(busy),
        worker_messages=fmean(agent["messages"] for agent in workers),
        worker_dma_bytes=fmean(agent["dma_bytes"] for agent in workers),
        worker_message_bytes=fmean(agent["message_bytes"] for agent in workers),
        scheduler_message_bytes=fmean(agent["message_bytes"] for agent in schedulers),
    )


class Studied:
    """What figures 9 and 10 share: three kernels in strong scaling, with the best tree there is."""

    name: str
    title: str
    y_label: str

    def __init__(self) -> None:
        self.cases = [
            Case(kernel, STRONG, TREE if workers in LEAVES else FLAT, workers)
            for kernel in STUDIED
            for workers in KERNELS[kernel].workers
            if workers >= 4
        ]

    def runs(self) -> list[Run]:
        return [case.run() for case in self.cases]

    def rows(self, results: Results) -> Iterator[dict[str, Any]]:
        for case in self.cases:
            result = results.get(case.run())
            if result and "stats" in result:
                yield {"kernel": case.kernel, "workers": case.workers} | asdict(
                    use_of(result["stats"])
                )

    def draw(self, rows: list[dict[str, Any]], path: Path) -> None:
        figure, axes = style.new_figure(1, 3, (15, 5))
        for one, panel, kernel in zip(axes[0], "abc", STUDIED):
            mine = [row for row in rows if row["kernel"] == kernel]
            one.set_title(f"{self.name[3:]}{panel}: {KERNELS[kernel].title}")
            self.draw_panel(one, mine)
            one.set_xticks(range(len(mine)), [str(row["workers"]) for row in mine])
            one.set_xlabel("worker cores")
            one.set_ylabel(self.y_label)
            one.grid(False, axis="x")
        figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
        figure.suptitle(self.title)
        style.save(figure, path)

    def draw_panel(self, axes: Any, rows: list[dict[str, Any]]) -> None:
        raise NotImplementedError


class Figure9(Studied):
    """Where the time of workers (left bars) and schedulers (right bars) goes."""

    name = "fig9"
    title = "9: where the time goes in strong scaling; left bars workers, right bars schedulers"
    y_label = "% of the time, mean over the cores"

    def draw_panel(self, axes: Any, rows: list[dict[str, Any]]) -> None:
        stacks = (
            (-0.2, (("worker_task", style.BLUE), ("worker_runtime", style.ORANGE))),
            (0.2, (("scheduler_busy", style.RED),)),
        )
        for shift, parts in stacks:
            places = [place + shift for place in range(len(rows))]
            bottoms = [0.0] * len(rows)
            for name, colour in parts:
                heights = [100 * row[name] for row in rows]
                label = name.replace("_", ": ")
                axes.bar(places, heights, 0.36, bottoms, color=colour, label=label)
                bottoms = [low + height for low, height in zip(bottoms, heights)]
            idle = [100 - low for low in bottoms]
            label = "idle" if shift < 0 else None
            axes.bar(places, idle, 0.36, bottoms, color=style.GREY, alpha=0.5, label=label)
        axes.set_ylim(0, 100)


class Figure10(Studied):
    """What an average worker fetches and sends, and an average scheduler sends."""

    name = "fig10"
    title = "10: traffic in strong scaling, mean over the cores"
    y_label = "bytes a core"

    def draw_panel(self, axes: Any, rows: list[dict[str, Any]]) -> None:
        bars = {
            "worker_dma_bytes": ("data fetched by a worker", style.BLUE),
            "worker_message_bytes": ("messages of a worker", style.RED),
            "scheduler_message_bytes": ("messages of a scheduler", style.GREEN),
        }
        for place, (name, (label, colour)) in enumerate(bars.items()):
            places = [index + 0.28 * (place - 1) for index in range(len(rows))]
            axes.bar(places, [row[name] for row in rows], 0.27, color=colour, label=label)
        axes.set_yscale("log", base=2)
        low, high = axes.get_ylim()
        ticks = [1 << bits for bits in range(6, 40, 2) if low <= 1 << bits <= high]
        axes.set_yticks(ticks, [f"{style.short(tick)}" for tick in ticks])


@dataclass(frozen=True)
class Sweep:
    """One panel of figure 11."""

    panel: str
    case: Case


class Figure11:
    """Time and data moved by the weight that load has against locality."""

    name = "fig11"
    sweeps = (
        Sweep("a", Case("matrix_multiply", STRONG, FLAT, 32)),
        Sweep("b", Case("jacobi", STRONG, TREE, 128)),
        Sweep("c", Case("k_means", STRONG, TREE, 512)),
    )

    def __init__(self, quick: bool = False) -> None:
        self.percents = (0, 80, 100) if quick else tuple(range(0, 101, 10))
        if quick:
            self.sweeps = self.sweeps[:1]

    def runs(self) -> list[Run]:
        return [sweep.case.run(percent) for sweep in self.sweeps for percent in self.percents]

    def rows(self, results: Results) -> Iterator[dict[str, Any]]:
        for sweep in self.sweeps:
            for percent in self.percents:
                result = results.get(sweep.case.run(percent))
                if result and "stats" in result:
                    agents = result["stats"]["agents"]
                    yield {
                        "panel": sweep.panel,
                        "kernel": sweep.case.kernel,
                        "workers": sweep.case.workers,
                        "load_percent": percent,
                        "cycles": result["cycles"],
                        "dma_bytes": sum(agent["dma_bytes"] for agent in agents),
                        "worker_task": use_of(result["stats"]).worker_task,
                    }

    def draw(self, rows: list[dict[str, Any]], path: Path) -> None:
        figure, axes = style.new_figure(1, len(self.sweeps), (5 * len(self.sweeps), 4.6))
        for one, sweep in zip(axes[0], self.sweeps):
            mine = [row for row in rows if row["panel"] == sweep.panel]
            machine = "one scheduler" if sweep.case.variant == FLAT else "two levels"
            one.set_title(
                f"11{sweep.panel}: {KERNELS[sweep.case.kernel].title}\n"
                f"{sweep.case.workers} workers, {machine}"
            )
            self._draw_panel(one, mine)
        figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
        style.save(figure, path)

    @staticmethod
    def _draw_panel(axes: Any, rows: list[dict[str, Any]]) -> None:
        looks = {
            "cycles": style.Look("running time", style.RED, "x"),
            "dma_bytes": style.Look("data moved between workers", style.BLUE, "o"),
        }
        for name, look in looks.items():
            most = max((row[name] for row in rows), default=0) or 1
            points = [(row["load_percent"], 100 * row[name] / most) for row in rows]
            style.draw_line(axes, points, look)
        axes.axvspan(70, 90, color=style.GREEN, alpha=0.12)
        axes.annotate("the paper's best", (80, 2), ha="center", fontsize=8)
        axes.set_ylim(0, 105)
        axes.set_xlabel("weight of load against locality, %")
        axes.set_ylabel("% of the largest")
