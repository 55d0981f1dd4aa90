# SPDX-License-Identifier: Apache-2.0
"""What is compared: six kernels, on which processes, at which sizes.

As in paper 1 a worker has two tasks in each step, of a million cycles or a little more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

TILES_A_WORKER = 2

Options = dict[str, int]


@dataclass(frozen=True)
class Shape:
    """Worker processes, and threads of each; the twin has as many ranks as all have threads."""

    workers: int
    threads: int = 1

    @property
    def machine(self) -> str:
        return f"mpi:1+{self.workers}" + (f"x{self.threads}" if self.threads > 1 else "")

    @property
    def ranks(self) -> int:
        return self.workers * self.threads


SHAPES = (Shape(1), Shape(2), Shape(1, 2), Shape(4))


def jacobi(ranks: int) -> Options:
    tiles = TILES_A_WORKER * ranks
    return {"size": 512 * tiles, "columns": 2048, "task": 512, "parts": ranks, "steps": 50}


def ray_tracing(ranks: int) -> Options:
    pixels = 6_000  # of a task
    width = round((1.5 * pixels * TILES_A_WORKER * ranks * 4) ** 0.5)
    return {"size": width, "pixels": pixels, "parts": ranks, "levels": 3}


def bitonic(ranks: int) -> Options:
    tile = 1 << 17
    return {"size": TILES_A_WORKER * ranks * tile, "task": tile, "parts": ranks}


def k_means(ranks: int) -> Options:
    tile = 40_000
    return {
        "size": tile * TILES_A_WORKER * ranks,
        "task": tile,
        "parts": ranks,
        "clusters": 16,
        "steps": 50,
    }


def matrix_multiply(ranks: int) -> Options:
    side = TILES_A_WORKER * round(ranks**0.5)  # tiles in a row
    return {"size": 208 * side * 2, "task": 208, "parts": 1}


def barnes_hut(ranks: int) -> Options:
    parts = TILES_A_WORKER * ranks
    return {"size": 500 * parts, "task": 500, "groups": min(parts, 4), "steps": 4}


@dataclass(frozen=True)
class Kernel:
    title: str
    options: Callable[[int], Options]
    needs_square: bool = False  # its twin's ranks
    has_loops: bool = False  # is there a version with for_each, too

    def runs_on(self, ranks: int) -> bool:
        return not self.needs_square or round(ranks**0.5) ** 2 == ranks


KERNELS = {
    "jacobi": Kernel("Jacobi", jacobi, has_loops=True),
    "k_means": Kernel("k-means", k_means, has_loops=True),
    "matrix_multiply": Kernel("Matrix product", matrix_multiply, needs_square=True, has_loops=True),
    "bitonic": Kernel("Bitonic sort", bitonic, has_loops=True),
    "ray_tracing": Kernel("Ray tracing", ray_tracing),
    "barnes_hut_parts": Kernel("Barnes-Hut", barnes_hut),
}


@dataclass(frozen=True)
class Case:
    mpi: str
    kernel: str
    shape: Shape
    loops: bool = False

    @property
    def program(self) -> str:
        return f"kernel_{self.kernel}" + ("_for_each" if self.loops else "")

    @property
    def title(self) -> str:
        return KERNELS[self.kernel].title + (", loops" if self.loops else "")

    @property
    def words(self) -> list[str]:
        options = KERNELS[self.kernel].options(self.shape.ranks)
        return [word for name, value in options.items() for word in (f"--{name}", str(value))]


def cases(mpis: list[str], kernels: list[str], shapes: list[Shape]) -> list[Case]:
    return [
        Case(mpi, kernel, shape, loops)
        for mpi in mpis
        for shape in shapes
        for kernel in kernels
        if KERNELS[kernel].runs_on(shape.ranks)
        for loops in (False, True)
        if KERNELS[kernel].has_loops or not loops
    ]
