# SPDX-License-Identifier: Apache-2.0
"""What follows from the measurements of a scaling run: a value for each number of threads."""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import Any

from metg import Point, median_ns, metg, peaks_of

VALUES = {
    "overhead": "ns a task",
    "metg": "METG(50 %), ns",
    "kernels": "times as fast as serial",
    "allocator": "ns an operation",
}
EFFICIENCY = 0.5


def value_name(subject: str) -> str:
    return VALUES[subject]


@dataclass(frozen=True)
class Sample:
    """One run of a program, with the records that it printed."""

    subject: str
    case: str
    side: str
    threads: int
    run: int
    program: str  # with its arguments: a side may have several
    records: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Curve:
    """A runtime in a case; nothing for numbers of threads with which it could not run, or, of
    METG, never was efficient."""

    subject: str
    case: str
    side: str
    values: dict[int, float]

    def record(self) -> dict[str, Any]:
        return {"bench": "scaling", "value": value_name(self.subject), **asdict(self)}


Values = dict[str, float]  # by side, for one number of threads


def _medians(samples: list[Sample], side_of: str | None, value_of: str) -> Values:
    """Of a number that each record has; the side is the sample's, or in its records, too."""
    found: dict[str, list[float]] = defaultdict(list)
    for sample in samples:
        for one in sample.records:
            found[one[side_of] if side_of else sample.side].append(one[value_of])
    return {side: statistics.median(ones) for side, ones in found.items()}


def _overhead(samples: list[Sample]) -> Values:
    return _medians(samples, None, "ns_per_task")


def _allocator(samples: list[Sample]) -> Values:
    records = [one for sample in samples for one in sample.records]
    value = "ns_per_region" if any("ns_per_region" in one for one in records) else "ns_per_op"
    return _medians(samples, "allocator", value)


def _metg(samples: list[Sample]) -> Values:
    sweeps: dict[str, list[list[Point]]] = defaultdict(list)
    for sample in sorted(samples, key=lambda one: one.run):
        points = [
            Point(one["iterations"], one["ns_per_task"], one["iterations_per_ns"])
            for one in sample.records
        ]
        if points:
            sweeps[sample.side].append(points)
    peaks = peaks_of(sweeps)
    found = {}
    for side, ones in sweeps.items():
        ns = median_ns([metg(sweep, peak, EFFICIENCY) for sweep, peak in zip(ones, peaks)])
        if ns is not None:
            found[side] = ns
    return found


def _kernels(samples: list[Sample]) -> Values:
    """Of each side's versions the fastest."""
    seconds: dict[tuple[str, str], list[float]] = defaultdict(list)
    for sample in samples:
        for one in sample.records:
            times = one["serial_runs" if sample.side == "serial" else "runs"]
            seconds[sample.side, sample.program] += times
    best: Values = {}
    for (side, _), times in seconds.items():
        middle = statistics.median(times)
        best[side] = min(best.get(side, middle), middle)
    serial = best.pop("serial", None)
    return {side: serial / value for side, value in best.items()} if serial else {}


EVALUATE = {"overhead": _overhead, "metg": _metg, "kernels": _kernels, "allocator": _allocator}


def curves_of(samples: list[Sample]) -> list[Curve]:
    """In the order of VALUES, then as measured first."""
    groups: dict[tuple[str, str, int], list[Sample]] = defaultdict(list)
    for sample in samples:
        groups[sample.subject, sample.case, sample.threads].append(sample)
    found: dict[tuple[str, str, str], dict[int, float]] = defaultdict(dict)
    for (subject, case, threads), ones in groups.items():
        for side, value in EVALUATE[subject](ones).items():
            found[subject, case, side][threads] = value
    order = list(VALUES)
    keys = sorted(found, key=lambda key: (order.index(key[0]), key[1:]))
    return [Curve(*key, dict(sorted(found[key].items()))) for key in keys]
