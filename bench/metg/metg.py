# SPDX-License-Identifier: Apache-2.0
"""Minimum effective task granularity: what follows from the measurements, without any measuring.

A sweep runs the same tasks coarse and fine. Its granularity is the time that a task takes of all
cores, wall time x cores / tasks; its rate is the work done in a time; its efficiency is its rate
over the highest one. METG(50 %) is the smallest granularity at which the efficiency is still 50 %;
on two threads that is what one thread reaches by itself, so METG(75 %) stands beside it.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

EFFICIENCIES = (0.5, 0.75)


@dataclass(frozen=True)
class Point:
    """One task size of a sweep."""

    iterations: int
    ns_per_task: float
    rate: float


@dataclass(frozen=True)
class Metg:
    """`ns`, and whether the sweep found the end: else even its finest tasks were efficient."""

    ns: float
    bounded: bool = True


def highest_rate(sweeps: Iterable[list[Point]]) -> float:
    return max(point.rate for sweep in sweeps for point in sweep)


def metg(sweep: list[Point], peak_rate: float, wanted: float) -> Metg | None:
    """METG(wanted) of a sweep from coarse to fine; None: it never was so efficient.

    Between the finest efficient point and the next one the efficiency is taken to fall evenly with
    the logarithm of the granularity.
    """

    def margin(point: Point) -> float:
        return point.rate / peak_rate - wanted

    enough = [place for place, point in enumerate(sweep) if margin(point) >= 0]
    if not enough:
        return None
    last = sweep[enough[-1]]
    if last is sweep[-1]:
        return Metg(last.ns_per_task, bounded=False)
    beyond = sweep[enough[-1] + 1]
    above, below = margin(last), margin(beyond)
    part = above / (above - below)
    fine, coarse = math.log(beyond.ns_per_task), math.log(last.ns_per_task)
    return Metg(math.exp(coarse + part * (fine - coarse)))


def peaks_of(sweeps: dict[str, list[list[Point]]]) -> list[float]:
    """The highest rate in each run; `sweeps` has those of each runtime, in the order of the runs.

    All runtimes of a run meet the same computer, in the same minute.
    """
    return [highest_rate(ones) for ones in zip(*sweeps.values())]


def median_ns(ones: list[Metg | None]) -> float | None:
    """None: at least half of the runs never were so efficient."""
    middle = statistics.median_high(one.ns if one else math.inf for one in ones)
    return None if math.isinf(middle) else middle


@dataclass(frozen=True)
class CurvePoint:
    """The medians over the runs at one task size."""

    iterations: int
    ns_per_task: float
    efficiency: float


def curve(sweeps: list[list[Point]], peaks: list[float]) -> list[CurvePoint]:
    """From coarse to fine; `peaks` are those of the runs."""
    sizes: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for sweep, peak in zip(sweeps, peaks):
        for point in sweep:
            sizes[point.iterations].append((point.ns_per_task, point.rate / peak))
    return [
        CurvePoint(
            iterations,
            statistics.median(ns for ns, _ in ones),
            statistics.median(efficiency for _, efficiency in ones),
        )
        for iterations, ones in sorted(sizes.items(), reverse=True)
    ]
