# SPDX-License-Identifier: Apache-2.0
"""A figure of efficiency in many cases: a panel a case, curves over the task size, then bars."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import runs

COLUMNS = 4


@dataclass(frozen=True)
class Panels:
    """What is drawn. Efficiency is in parts of 1; a bar of None is left out."""

    title: str
    x_label: str
    bar_label: str
    curves: dict[str, dict[str, list[tuple[float, float]]]]  # task size, efficiency; by case, name
    bars: dict[str, dict[str, float | None]]  # by case and name
    line: float | None = None  # an efficiency to mark
    log_bars: bool = False


def draw(panels: Panels, path: Path) -> None:
    rows = -(-len(panels.curves) // COLUMNS)
    figure, axes = runs.new_figure(rows + 1, COLUMNS, (15, 3 * rows + 5))
    for one in axes.flat[len(panels.curves) :]:
        one.remove()
    for one, (case, curves) in zip(axes.flat, panels.curves.items()):
        _draw_curves(one, case, curves, panels)
    _draw_bars(figure.add_subplot(axes[0, 0].get_gridspec()[rows, :]), panels)
    figure.suptitle(panels.title)
    found: dict[str, Any] = {}
    for one in figure.axes[: len(panels.curves)]:
        found |= dict(zip(*reversed(one.get_legend_handles_labels())))
    figure.legend(found.values(), found.keys(), loc="outside lower center", ncols=len(found))
    runs.save_figure(figure, path)


def _colours(panels: Panels) -> dict[str, str]:
    """The same colour for a name in all panels, whatever names a panel lacks."""
    names = dict.fromkeys(
        name for one in (*panels.curves.values(), *panels.bars.values()) for name in one
    )
    return {name: f"C{place}" for place, name in enumerate(names)}


def _draw_curves(
    axes: Any, case: str, curves: dict[str, list[tuple[float, float]]], panels: Panels
) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    colours = _colours(panels)
    for name, points in curves.items():
        axes.plot(
            [size for size, _ in points],
            [100 * efficiency for _, efficiency in points],
            marker=".",
            color=colours[name],
            label=name,
        )
    if panels.line is not None:
        axes.axhline(100 * panels.line, color="black", linewidth=0.8, linestyle="dashed")
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(numticks=5))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_ylim(0, max(105, axes.get_ylim()[1]))
    axes.set_title(case)
    axes.set_xlabel(panels.x_label)
    axes.set_ylabel("efficiency, %")
    axes.grid(alpha=0.3)


def _draw_bars(axes: Any, panels: Panels) -> None:
    series = {name: [case.get(name) for case in panels.bars.values()] for name in _colours(panels)}
    runs.draw_bars(axes, list(panels.bars), series)
    if panels.log_bars:
        heights = [height for one in series.values() for height in one if height]
        axes.set_yscale("log")
        axes.set_ylim(bottom=min(heights, default=1) / 2)
    axes.set_ylabel(panels.bar_label)
    axes.tick_params(axis="x", rotation=30)
    for label in axes.get_xticklabels():
        label.set_horizontalalignment("right")
    axes.grid(axis="y", alpha=0.3)
