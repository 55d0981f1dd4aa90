# SPDX-License-Identifier: Apache-2.0
"""Questions to the rows of all figures, and what we want of them: the goals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cases import (
    FLAT,
    KERNELS,
    LEAVES,
    LOOPS,
    LOOPS_FLAT,
    MOST_WORKERS,
    MPI,
    STRONG,
    TREE,
    WEAK,
)

Rows = list[dict[str, Any]]
Tables = dict[str, Rows]  # by figure

OVERHEAD_GOAL = 10  # per cent


def rows_with(tables: Tables, figure: str, **wanted: Any) -> Rows:
    return [
        row
        for row in tables.get(figure, [])
        if all(row[name] == value for name, value in wanted.items())
    ]


def the_row(tables: Tables, figure: str, **wanted: Any) -> dict[str, Any] | None:
    return next(iter(rows_with(tables, figure, **wanted)), None)


@dataclass(frozen=True)
class Pair:
    """The same problem on two machines with as many workers."""

    kernel: str
    scaling: str
    workers: int
    ratio: float  # of the times

    def __str__(self) -> str:
        return f"{KERNELS[self.kernel].title} ({self.scaling}, {self.workers})"


def pairs(tables: Tables, variant: str, other: str) -> Iterator[Pair]:
    """Times of one variant over those of another, wherever two levels are used."""
    for scaling in (STRONG, WEAK):
        figure = f"fig8-{scaling}"
        for row in rows_with(tables, figure, variant=variant):
            key = {"kernel": row["kernel"], "workers": row["workers"]}
            found = the_row(tables, figure, variant=other, **key)
            if found and row["workers"] in LEAVES:
                ratio = row["cycles"] / found["cycles"]
                yield Pair(row["kernel"], scaling, row["workers"], ratio)


def last_doubling(tables: Tables) -> dict[str, float]:
    """How much faster 512 workers are than 256, in strong scaling with two levels."""
    found = {}
    for name in KERNELS:
        few, many = (
            the_row(tables, "fig8-strong", kernel=name, variant=TREE, workers=workers)
            for workers in (MOST_WORKERS // 2, MOST_WORKERS)
        )
        if few and many:
            found[name] = many["speed_up"] / few["speed_up"]
    return found


# ---- goals ----

OVERHEAD = {scaling: f"{OVERHEAD_GOAL} % over MPI, {scaling}" for scaling in (STRONG, WEAK)}
DOUBLING = "512 workers as fast as 256"
AHEAD = "two levels at most 2 % behind one scheduler"
BEHIND_MAX = 1.02
GOALS = (*OVERHEAD.values(), DOUBLING, AHEAD)


@dataclass(frozen=True)
class Outcome:
    """How one goal was met by one kernel."""

    kernel: str
    goal: str  # one of GOALS
    ours: str
    is_met: bool


def best_pairs(tables: Tables, *variants: tuple[str, str]) -> list[Pair]:
    """Of each point the pair of the last variants that were measured there."""
    found = {
        (pair.kernel, pair.scaling, pair.workers): pair
        for variant, other in variants
        for pair in pairs(tables, variant, other)
    }
    return list(found.values())


def outcomes(tables: Tables) -> Iterator[Outcome]:
    """Of whatever was measured."""
    # Where a kernel has been written with loops, that counts.
    for pair in best_pairs(tables, (TREE, MPI), (LOOPS, MPI)):
        if pair.workers == KERNELS[pair.kernel].workers[-1]:
            overhead = 100 * (pair.ratio - 1)
            goal = OVERHEAD[pair.scaling]
            yield Outcome(pair.kernel, goal, f"{overhead:+.1f} %", overhead <= OVERHEAD_GOAL)
    for kernel, gain in last_doubling(tables).items():
        yield Outcome(kernel, DOUBLING, f"{gain:.2f} times", gain >= 1)
    found = best_pairs(tables, (TREE, FLAT), (LOOPS, LOOPS_FLAT))
    for kernel in dict.fromkeys(pair.kernel for pair in found):
        mine = [pair for pair in found if pair.kernel == kernel]
        ahead = sum(pair.ratio <= BEHIND_MAX for pair in mine)
        yield Outcome(kernel, AHEAD, f"in {ahead} of {len(mine)}", ahead == len(mine))
