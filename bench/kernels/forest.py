# SPDX-License-Identifier: Apache-2.0
"""The picture of the kernel benchmark: a forest plot, Myrmidon to the best OpenMP in each case."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness import runs
from speed import Case, Ratio
from tables import size_text

AHEAD, BEHIND, LEVEL, UNPAID = "#1b7f4b", "#c0392b", "#34495e", "#b5b5b5"
ROW_INCHES = 0.2


def colour(case: Case, ratio: Ratio) -> str:
    if not case.pays:
        return UNPAID
    if ratio.low > 1:
        return AHEAD
    return BEHIND if ratio.high < 1 else LEVEL


def _label(case: Case) -> str:
    options = case.options.replace("--named ", "").replace("--", "")
    return f"{case.kernel} {options}  ({size_text(case.us_per_task)} µs)"


def _draw_rows(axes: Any, rows: list[tuple[Case, Ratio]], height: int) -> None:
    """The rows from the top down, of `height` in the other column too."""
    places = range(height - len(rows), height)
    for place, (case, ratio) in zip(places, rows):
        ink = colour(case, ratio)
        axes.plot([ratio.low, ratio.high], [place, place], color=ink, linewidth=1.6)
        axes.plot([ratio.value], [place], marker="o", markersize=4.5, color=ink)
    axes.set_yticks(places, [_label(case) for case, _ in rows], fontsize=7.5)
    for label, (case, _) in zip(axes.get_yticklabels(), rows):
        label.set_color("black" if case.pays else "#8a8a8a")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_ylim(-1, height)
    axes.set_xscale("log")
    ticks = [tick for tick in (0.25, 0.5, 0.75, 1, 1.5, 2, 4, 8, 16, 32)]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks], fontsize=8)
    axes.minorticks_off()
    low = min((ratio.low for _, ratio in rows), default=0.5)
    high = max((ratio.high for _, ratio in rows), default=2)
    axes.set_xlim(min(0.45, 0.9 * low), max(2.2, 1.1 * high))
    axes.grid(axis="x", alpha=0.3)


def draw(cases: list[Case], path: Path) -> None:
    """Two columns: the cases where some parallel version beats the serial program, and the others
    in grey."""
    from matplotlib.lines import Line2D

    compared = [(case, ratio) for case in cases if (ratio := case.against_openmp) is not None]
    compared.sort(key=lambda one: one[1].value)
    paying = [one for one in compared if one[0].pays]
    others = [one for one in compared if not one[0].pays]
    tallest = max(len(paying), len(others), 4)
    figure, axes = runs.new_figure(1, 2, (15, ROW_INCHES * tallest + 1.8))
    _draw_rows(axes[0, 0], paying, tallest)
    axes[0, 0].set_title("parallel pays: some version beats the serial program", fontsize=10)
    _draw_rows(axes[0, 1], others, tallest)
    axes[0, 1].set_title("parallel does not pay: the serial program is fastest", fontsize=10)
    for one in axes.flat:
        one.set_xlabel("time of the best OpenMP program / time of Myrmidon's", fontsize=8.5)
    kinds = {
        "Myrmidon ahead": AHEAD,
        "within the spread": LEVEL,
        "OpenMP ahead": BEHIND,
        "parallel does not pay": UNPAID,
    }
    handles = [Line2D([], [], color=ink, marker="o", label=name) for name, ink in kinds.items()]
    figure.suptitle(
        "Myrmidon and the best OpenMP program, case by case (median, quartiles)", fontsize=12
    )
    figure.legend(handles=handles, loc="outside lower center", ncols=len(kinds), fontsize=9)
    runs.save_figure(figure, path)
