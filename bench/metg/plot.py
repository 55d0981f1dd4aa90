# SPDX-License-Identifier: Apache-2.0
"""Draws the METG benchmark: a panel of efficiency over granularity a pattern, and bars of METG."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import runs
from metg import EFFICIENCY_MIN, CurvePoint

COLUMNS = 4


@dataclass(frozen=True)
class Panel:
    """What is drawn of one pattern, by runtime."""

    curves: dict[str, list[CurvePoint]]
    metg_ns: dict[str, float | None]


def draw(panels: dict[str, Panel], title: str, path: Path) -> None:
    rows = -(-len(panels) // COLUMNS)
    figure, axes = runs.new_figure(rows + 1, COLUMNS, (15, 3 * rows + 5))
    for one in axes.flat[len(panels) :]:
        one.remove()
    for one, (pattern, panel) in zip(axes.flat, panels.items()):
        _draw_curves(one, pattern, panel)
    _draw_bars(figure.add_subplot(axes[0, 0].get_gridspec()[rows, :]), panels)
    figure.suptitle(title)
    labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(*labels, loc="outside lower center", ncols=len(labels[0]))
    runs.save_figure(figure, path)


def _draw_curves(axes: Any, pattern: str, panel: Panel) -> None:
    for name, points in panel.curves.items():
        axes.plot(
            [point.ns_per_task / 1000 for point in points],
            [100 * point.efficiency for point in points],
            marker=".",
            label=name,
        )
    axes.axhline(100 * EFFICIENCY_MIN, color="black", linewidth=0.8, linestyle="dashed")
    axes.set_xscale("log")
    axes.set_ylim(0, 105)
    axes.set_title(pattern)
    axes.set_xlabel("granularity, µs")
    axes.set_ylabel("efficiency, %")
    axes.grid(alpha=0.3)


def _draw_bars(axes: Any, panels: dict[str, Panel]) -> None:
    names = dict.fromkeys(name for panel in panels.values() for name in panel.metg_ns)
    series = {
        name: [_microseconds(panel.metg_ns.get(name)) for panel in panels.values()]
        for name in names
    }
    runs.draw_bars(axes, list(panels), series)
    axes.set_yscale("log")
    lowest = min((ns for heights in series.values() for ns in heights if ns), default=1)
    axes.set_ylim(bottom=lowest / 2)
    axes.set_ylabel("METG(50 %), µs")
    axes.grid(axis="y", alpha=0.3)


def _microseconds(ns: float | None) -> float | None:
    return None if ns is None else ns / 1000
