# SPDX-License-Identifier: Apache-2.0
"""The paper's inputs, as far as they simulate in reasonable time, and how long their tasks are.

Scaling: a task is what it is in the paper; there are fewer of them. blackscholes, whose tasks are
independent, has 32 or 64: four or more for each of eight cores, so that the time until all cores
have work and that after the last spawn is a few per cent. jacobi and sparselu, whose tasks wait
for each other, have as many rows or blocks as leave the parallelism that the whole has: jacobi
128 rows or 64, two steps; sparselu half of the blocks a side. Where baselines run, there are fewer.
Streams are as in the paper: it does not say how many rounds they make.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "hw/soc"))

import build


@dataclass(frozen=True)
class Case:
    """An input of figure 9: its program and name there, and ours."""

    program: str
    name: str
    what: build.Input
    scaled: str = ""  # how it differs from the paper's
    baselines: bool = True  # whether the baselines run it, too

    def __str__(self) -> str:
        return f"{self.program} {self.name}{'*' if self.scaled else ''}"

    @property
    def tasks(self) -> int:
        return TASKS[self.what.kernel](self.what)


def sparse_lu_tasks(what: build.Input) -> int:
    """As hw/firmware/programs/sparse_lu.cpp makes the pattern, and sparse_lu.c the tasks."""
    n = what.size
    used = [[used_in_input(i, j) for j in range(n)] for i in range(n)]
    tasks = 0
    for k in range(n):
        below = [i for i in range(k + 1, n) if used[i][k]]
        right = [j for j in range(k + 1, n) if used[k][j]]
        tasks += 1 + len(below) + len(right) + len(below) * len(right)
        for i in below:
            for j in right:
                used[i][j] = True
    return tasks


def used_in_input(row: int, column: int) -> bool:
    low, high = sorted((row, column))
    return high - low <= 1 or (row % 2 == 0 and column % 2 == 0 and low % 3 == 0)


TASKS = {
    "black_scholes": lambda what: what.size // what.task,
    "poisson": lambda what: what.size // what.task * what.rounds,
    "stream_deps": lambda what: 4 * what.rounds * what.size // what.task,
    "stream_barr": lambda what: 4 * what.rounds * what.size // what.task,
    "sparse_lu": sparse_lu_tasks,
}


def black_scholes(block: int, options: int, baselines: bool) -> Case:
    what = build.Input("black_scholes", options, block)
    scaled = f"{options} options" if options != 4096 else ""
    return Case("blackscholes", f"4K B{block}", what, scaled, baselines)


def jacobi(columns: int, rows: int, baselines: bool) -> Case:
    what = build.Input("poisson", rows, 1, rounds=2, deps=columns)
    return Case("jacobi", f"N{columns} B1", what, f"{rows} rows, 2 steps", baselines)


def sparse_lu(side: int, blocks: int, baselines: bool) -> Case:
    what = build.Input("sparse_lu", blocks, side)
    return Case("sparselu", f"N32 M{side}", what, f"{blocks} x {blocks} blocks", baselines)


def stream(kind: str, name: str, size: int, rounds: int, baselines: bool) -> Case:
    what = build.Input(f"stream_{kind}", size, size // 8, rounds)
    return Case(f"stream-{kind}", name, what, "", baselines)


CASES = (
    black_scholes(8, 512, baselines=True),
    black_scholes(16, 512, baselines=True),
    black_scholes(32, 1024, baselines=True),
    black_scholes(64, 2048, baselines=False),
    jacobi(128, 128, baselines=True),
    jacobi(256, 128, baselines=False),
    jacobi(512, 64, baselines=False),
    sparse_lu(1, 8, baselines=True),
    sparse_lu(2, 16, baselines=False),
    sparse_lu(4, 16, baselines=False),
    sparse_lu(8, 16, baselines=False),
    *(
        stream(kind, *size)
        for kind in ("barr", "deps")
        for size in (
            ("64", 64, 4, False),
            ("16x16", 256, 4, False),
            ("16x128", 2048, 2, True),
            ("128x128", 16384, 1, True),
        )
    ),
)
PAPER_CASES = 37
PROGRAMS = tuple(dict.fromkeys(case.program for case in CASES))
