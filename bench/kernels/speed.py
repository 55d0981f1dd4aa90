# SPDX-License-Identifier: Apache-2.0
"""What follows from the times of a case, without any measuring.

All columns of a case are compared with the same serial times, those of the serial program in
processes of its own. A time is the median over processes; its spread goes from quartile to
quartile.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field

from columns import OWN, RIVALS, SERIAL

PAYS = 1.5  # speed-up on two threads from which tasks are worth it
NEAR = 3.0  # a size within this factor of a task size says something about it


@dataclass(frozen=True)
class Times:
    """Seconds of each process of a column."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def quartiles(self) -> tuple[float, float]:
        if len(self.seconds) < 2:
            return self.seconds[0], self.seconds[0]
        low, _, high = statistics.quantiles(self.seconds, n=4, method="inclusive")
        return low, high


@dataclass(frozen=True)
class Ratio:
    """A quotient of two times, with what their quartiles allow."""

    value: float
    low: float
    high: float

    @staticmethod
    def of(above: Times, below: Times) -> Ratio:
        (above_low, above_high), (below_low, below_high) = above.quartiles, below.quartiles
        return Ratio(above.median / below.median, above_low / below_high, above_high / below_low)

    @property
    def half_spread(self) -> float:
        return (self.high - self.low) / 2


@dataclass
class Case:
    """A kernel at one size, with what was measured."""

    kernel: str
    options: str
    paper: int | None
    tasks: int
    threads: int
    times: dict[str, Times] = field(default_factory=dict)  # by column

    @property
    def name(self) -> str:
        return f"{self.kernel} {self.options}"

    @property
    def us_per_task(self) -> float:
        """The serial time, over the tasks that Myrmidon's program was counted to spawn."""
        return 1e6 * self.times[SERIAL].median / max(1, self.tasks)

    def speed_up(self, column: str) -> Ratio:
        return Ratio.of(self.times[SERIAL], self.times[column])

    def columns(self, side: str, threads: int | None = None) -> list[str]:
        prefix = f"{side}:{self.threads if threads is None else threads} "
        return [name for name in self.times if name.startswith(prefix)]

    def best(self, *sides: str) -> str | None:
        """The fastest column of these on all threads."""
        found = [name for side in sides for name in self.columns(side)]
        return min(found, key=lambda name: self.times[name].median, default=None)

    @property
    def shown(self) -> list[str]:
        """The columns of which a table shows something."""
        best = [self.best(side) for side in (OWN, *RIVALS)]
        return [SERIAL, *self.columns(OWN, 1)[:1], *(name for name in best if name)]

    @property
    def against_openmp(self) -> Ratio | None:
        """How many times as fast as the best OpenMP program the best of Myrmidon is."""
        rival, own = self.best(*RIVALS), self.best(OWN)
        return Ratio.of(self.times[rival], self.times[own]) if rival and own else None

    @property
    def pays(self) -> bool:
        """Whether any parallel version beats the serial program."""
        best = self.best(OWN, *RIVALS)
        return best is not None and self.speed_up(best).value > 1


def curve(cases: Iterable[Case], *sides: str, bound: str = "value") -> list[tuple[float, float]]:
    """Task size in microseconds and speed-up of the best program of these sides, from fine to
    coarse. `bound`: which of a Ratio's numbers."""
    found = []
    for case in cases:
        best = case.best(*sides)
        if best is not None:
            found.append((case.us_per_task, getattr(case.speed_up(best), bound)))
    return sorted(found)


def break_even(points: list[tuple[float, float]], wanted: float = PAYS) -> tuple[str, float] | None:
    """The smallest task size from which on all measured speed-ups reach `wanted`.

    Between the last size that does not and the next, the speed-up is taken to grow evenly with the
    logarithm of the size. The first part says how it is bounded: "" exactly, "<" also the finest
    reaches it, ">" not even the coarsest does.
    """
    if not points:
        return None
    short = [place for place, (_, speed) in enumerate(points) if speed < wanted]
    if not short:
        return "<", points[0][0]
    last = short[-1]
    if last == len(points) - 1:
        return ">", points[-1][0]
    (fine, below), (coarse, above) = points[last], points[last + 1]
    part = (wanted - below) / (above - below)
    return "", math.exp(math.log(fine) + part * (math.log(coarse) - math.log(fine)))


def speed_up_at(points: list[tuple[float, float]], us: float) -> float | None:
    """Interpolated between neighbouring sizes, else that of a size close by; None: none is near."""
    for (fine, below), (coarse, above) in zip(points, points[1:]):
        if fine <= us <= coarse and coarse <= NEAR**4 * fine:
            part = math.log(us / fine) / math.log(coarse / fine) if coarse > fine else 0
            return below + part * (above - below)
    near = [point for point in points if max(point[0] / us, us / point[0]) <= NEAR]
    return min(near, key=lambda point: abs(math.log(point[0] / us)))[1] if near else None
