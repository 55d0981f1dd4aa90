# SPDX-License-Identifier: Apache-2.0
"""How the figures of the Myrmics paper look: colours, markers, axes, labels on the lines, CSV."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from results import harness

# Colours that stay apart for colour-blind eyes (Okabe and Ito).
GREEN, RED, BLUE, PURPLE = "#009E73", "#D55E00", "#0072B2", "#CC79A7"
ORANGE, SKY, GREY, BLACK = "#E69F00", "#56B4E9", "#BBBBBB", "#333333"


@dataclass(frozen=True)
class Look:
    """Of one line."""

    label: str
    colour: str
    marker: str


def new_figure(rows: int, columns: int, size: tuple[float, float]) -> tuple[Any, Any]:
    figure, axes = harness.new_figure(rows, columns, size)
    for one in axes.flat:
        one.grid(alpha=0.3)
        one.spines[["top", "right"]].set_visible(False)
    return figure, axes


def draw_line(axes: Any, points: Sequence[tuple[float, float]], look: Look) -> None:
    axes.plot(
        [x for x, _ in points],
        [y for _, y in points],
        color=look.colour,
        marker=look.marker,
        markersize=5,
        label=look.label,
    )


def label_end(axes: Any, points: Sequence[tuple[float, float]], text: str, colour: str) -> None:
    """Writes to the right of the last point."""
    if points:
        axes.annotate(
            text,
            points[-1],
            xytext=(7, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            fontsize=8,
        )


def label_ends(axes: Any, ends: Sequence[tuple[tuple[float, float], str, str]]) -> None:
    """Writes texts to the right of points in these colours, above each other where they are close.

    Call it when the axes have their scales.
    """
    below = float("-inf")
    for point, text, colour in sorted(ends):
        height = axes.transData.transform(point)[1] * 72 / axes.figure.dpi
        place = max(height, below + 9)
        below = place
        axes.annotate(
            text,
            point,
            xytext=(7, place - height),
            textcoords="offset points",
            va="center",
            color=colour,
            fontsize=8,
        )


def count_axis(axes: Any, counts: Sequence[int], label: str = "worker cores") -> None:
    """A logarithmic x axis that names these numbers of cores."""
    from matplotlib.ticker import NullLocator

    axes.set_xscale("log", base=2)
    axes.set_xticks(counts, [str(count) for count in counts])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel(label)


def plain_log(axis: Any, ticks: Sequence[float]) -> None:
    """Plain numbers on a logarithmic axis."""
    from matplotlib.ticker import NullLocator

    axis.set_ticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.set_minor_locator(NullLocator())


def short(number: float) -> str:
    """A count of cycles or bytes in binary thousands: 128 K, 2 M."""
    for unit, size in (("M", 1 << 20), ("K", 1 << 10)):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number:.3g}"


def save(figure: Any, path: Path) -> None:
    from matplotlib import pyplot

    harness.save_figure(figure, path)
    pyplot.close(figure)


def write_csv(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """The columns are those of the first row."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
