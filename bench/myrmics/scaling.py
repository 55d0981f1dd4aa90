# SPDX-License-Identifier: Apache-2.0
"""Figure 8: how the kernels scale with one scheduler, with two levels of them, and with MPI."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import style
from agents import use_of
from cases import (
    FLAT,
    KERNELS,
    LOOPS,
    LOOPS_FLAT,
    MPI,
    QUICK_WORKERS_MAX,
    STRONG,
    TREE,
    WORKERS,
    Case,
    cases_of,
)
from results import Result, Results, Run

LOOKS = {
    MPI: style.Look("MPI", style.GREEN, "s"),
    FLAT: style.Look("one scheduler", style.RED, "x"),
    TREE: style.Look("two levels", style.BLUE, "o"),
    LOOPS_FLAT: style.Look("one scheduler, with loops", style.ORANGE, "v"),
    LOOPS: style.Look("two levels, with loops", style.PURPLE, "^"),
}


def base_of(kernel: str, scaling: str) -> Case:
    """What all are compared with: the fewest cores with MPI, which are one where possible."""
    return Case(kernel, scaling, MPI, KERNELS[kernel].workers[0])


def row_of(case: Case, result: Result, base: Result) -> dict[str, Any]:
    cores = KERNELS[case.kernel].workers[0]
    return {
        "kernel": case.kernel,
        "scaling": case.scaling,
        "variant": case.variant,
        "workers": case.workers,
        "cycles": result["cycles"],
        "serial_cycles": result["serial_cycles"],
        "tasks": result.get("tasks"),
        "speed_up": cores * base["cycles"] / result["cycles"],
        "slowdown": result["cycles"] / base["cycles"],
        "scheduler_busy": use_of(result["stats"]).scheduler_busy if "stats" in result else None,
    }


class Figure8:
    """Six panels: speed-up in strong scaling, slowdown in weak scaling."""

    def __init__(self, scaling: str, quick: bool = False) -> None:
        self.name = f"fig8-{scaling}"
        self.scaling = scaling
        workers_max = QUICK_WORKERS_MAX if quick else WORKERS[-1]
        self.cases = [case for name in KERNELS for case in cases_of(name, scaling, workers_max)]

    def runs(self) -> list[Run]:
        return [case.run() for case in self.cases]

    def rows(self, results: Results) -> Iterator[dict[str, Any]]:
        for case in self.cases:
            base = results.get(base_of(case.kernel, case.scaling).run())
            result = results.get(case.run())
            if base and result:
                yield row_of(case, result, base)

    def draw(self, rows: list[dict[str, Any]], path: Path) -> None:
        figure, axes = style.new_figure(2, 3, (15, 9))
        for one, name in zip(axes.flat, KERNELS):
            panel = KERNELS[name].panels[self.scaling]
            one.set_title(f"8{panel}: {KERNELS[name].title}")
            self._draw_panel(one, name, [row for row in rows if row["kernel"] == name])
        found: dict[str, Any] = {}
        for one in axes.flat:
            found |= dict(zip(*reversed(one.get_legend_handles_labels())))
        figure.legend(found.values(), found.keys(), loc="outside lower center", ncols=len(found))
        figure.suptitle(f"{self.scaling} scaling on formic-520")
        style.save(figure, path)

    def _draw_panel(self, axes: Any, name: str, rows: list[dict[str, Any]]) -> None:
        value = "speed_up" if self.scaling == STRONG else "slowdown"
        counts = KERNELS[name].workers
        perfect = [(count, count if self.scaling == STRONG else 1) for count in counts]
        axes.plot(*zip(*perfect), color="grey", linestyle="dotted", label="perfect")
        ends = []
        for variant, look in LOOKS.items():
            points = [(row["workers"], row[value]) for row in rows if row["variant"] == variant]
            style.draw_line(axes, points, look)
            if points:
                ends.append((points[-1], f"{points[-1][1]:.3g}", look.colour))
        style.count_axis(axes, counts, "worker cores, or MPI ranks")
        if self.scaling == STRONG:
            axes.set_yscale("log", base=2)
            style.plain_log(axes.yaxis, counts)
            axes.set_ylabel("speed-up over one MPI core")
        else:
            axes.set_ylim(bottom=0)
            axes.set_ylabel("slowdown against one MPI core")
        style.label_ends(axes, ends)
