# SPDX-License-Identifier: Apache-2.0
"""What follows from a kernel's times, without any measuring.

Every program of a kernel runs the serial program, too, in turn with its own version, so that both
meet the same noise of the computer; speed-ups are of the two times of one process.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field

from harness import runs


@dataclass
class Speed:
    """One kernel at one size on one machine: the times of each process."""

    tasks: int
    serial_s: list[float] = field(default_factory=list)
    parallel_s: list[float] = field(default_factory=list)

    @property
    def speed_ups(self) -> list[float]:
        return [serial / parallel for serial, parallel in zip(self.serial_s, self.parallel_s)]

    @property
    def speed_up(self) -> float:
        return statistics.median(self.speed_ups)

    @property
    def spread(self) -> float:
        return runs.spread(self.speed_ups)

    @property
    def overhead_percent(self) -> float:
        """How much longer it takes than the serial program."""
        return 100 * (1 / self.speed_up - 1)


def work_us(speeds: Iterable[Speed]) -> float:
    """The work in a task of one size: all serial times of all machines, over the tasks."""
    found = list(speeds)
    serial_s = statistics.median(seconds for speed in found for seconds in speed.serial_s)
    return 1e6 * serial_s / max(1, *(speed.tasks for speed in found))


def best_of(speeds: Iterable[Speed | None]) -> Speed | None:
    found = [speed for speed in speeds if speed is not None]
    return max(found, key=lambda speed: speed.speed_up, default=None)


def geometric_mean(values: list[float]) -> float:
    return math.exp(statistics.fmean(map(math.log, values)))
