# SPDX-License-Identifier: Apache-2.0
"""What runs for figures 8 to 11: the six kernels, at which sizes, on which machines.

As in the paper a worker has two or three tasks in each step of a kernel. Strong scaling cuts one
problem into tasks for all workers, which leaves at least a million cycles to each at 512 workers;
weak scaling has tasks of about a million cycles everywhere. Sizes must divide, so problems that
should be equal differ a little, by less than a percent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from results import Run

CHIP = "formic-520"
MPI, FLAT, TREE = "mpi", "flat", "tree"
# As TREE and FLAT; the program has loops over regions instead of coarse tasks.
LOOPS, LOOPS_FLAT = "loops", "loops_flat"
STRONG, WEAK = "strong", "weak"
WORKERS = (1, 4, 8, 16, 32, 64, 128, 256, 512)
MOST_WORKERS = WORKERS[-1]
QUICK_WORKERS_MAX = 32
LEAVES = {32: 2, 64: 4, 128: 7, 256: 7, 512: 7}  # schedulers below the top, as in the paper
# The same where loops work best with a power of two.
POWERS = {32: 2, 64: 4, 128: 4, 256: 4, 512: 4}
TILES_A_WORKER = 2
SPAWNS_MAX = 40  # of a coarse task, as far as it may be
PLACING = 1_000_000  # cycles of a task that places a tile: with few parts, or one worker gets most

Options = dict[str, int]


@dataclass(frozen=True)
class Shape:
    """How a problem is cut for so many workers: parts, which are regions, and tiles in all."""

    parts: int
    tiles: int


def shape_for(workers: int, variant: str) -> Shape:
    """Each leaf scheduler has the same tiles, as many as its workers take in full rounds.

    Of tasks, that is the workers which are not running the coarse task of a part.
    """
    leaves = LEAVES.get(workers, 1)
    workers_a_leaf = workers // leaves
    if variant == LOOPS:  # a tile for each worker but main's, which is in one of the leaves
        return Shape(leaves, leaves * (workers_a_leaf - 1))
    parts_a_leaf = -(-TILES_A_WORKER * workers_a_leaf // SPAWNS_MAX)
    if variant != MPI:
        workers_a_leaf = max(workers_a_leaf - parts_a_leaf, 1)
    return Shape(leaves * parts_a_leaf, leaves * TILES_A_WORKER * workers_a_leaf)


def power_of_two(number: float) -> int:
    """The power of two that is nearest, the smaller one of two."""
    power = 1
    while power * 1.5 < number:
        power *= 2
    return power


def share(total: int, parts: int) -> int:
    """Of each, so that all together have enough."""
    return -(-total // parts)


def placing(variant: str) -> Options:
    return {"placing": PLACING} if variant == LOOPS else {}


def jacobi(workers: int, scaling: str, variant: str) -> Options:
    shape = shape_for(workers, variant)
    # A million cycles are about 30,000 numbers.
    numbers = 30_000 * TILES_A_WORKER * (MOST_WORKERS if scaling == STRONG else workers)
    # With loops a tile is as much as two others, and each leaf scheduler has two parts.
    scale = TILES_A_WORKER if variant == LOOPS else 1
    task = 6132 // shape.tiles if scaling == STRONG else 8 * scale
    size = task * shape.tiles
    columns = round(numbers / size)
    parts = scale * shape.parts
    options = {"size": size, "columns": columns, "task": task, "parts": parts, "steps": 6}
    return options | placing(variant)


def ray_tracing(workers: int, scaling: str, variant: str) -> Options:
    shape = shape_for(workers, variant)
    # Five million cycles are about 330 pixels, on average; bringing the scene to all takes one.
    pixels = 330 * TILES_A_WORKER * (MOST_WORKERS if scaling == STRONG else workers)
    width = round((1.5 * pixels) ** 0.5)
    task = share(width * (2 * width // 3), shape.tiles)
    return {"size": width, "pixels": task, "parts": shape.parts, "levels": 2}


def bitonic(workers: int, scaling: str, variant: str) -> Options:
    tiles = workers if variant == LOOPS else TILES_A_WORKER * workers
    parts = min(tiles, power_of_two(8 * LEAVES.get(workers, 1)))
    if variant == LOOPS:
        parts = POWERS[workers]
    size = 1 << 23 if scaling == STRONG else TILES_A_WORKER * workers << 13
    options = {"size": size, "task": size // tiles, "parts": parts, "work-scale": 10}
    return options | placing(variant)


def k_means(workers: int, scaling: str, variant: str) -> Options:
    shape = shape_for(workers, variant)
    # With 16 clusters a million cycles are about 750 points.
    size = 750 * TILES_A_WORKER * (MOST_WORKERS if scaling == STRONG else workers)
    # With loops main waits while its step is replayed, and tiles need not leave out a worker of
    # each leaf for the sums: one is left out, main's, which is in the first part's leaf.
    leaves = LEAVES.get(workers, 1)
    tiles = workers // leaves * leaves - 1 if variant == LOOPS else shape.tiles
    task = share(size, tiles)
    options = {"size": size, "task": task, "parts": shape.parts, "clusters": 16, "steps": 6}
    return options | placing(variant)


def matrix_multiply(workers: int, scaling: str, variant: str) -> Options:
    side = TILES_A_WORKER * round(workers**0.5)  # tiles in a row
    task = 1536 // side if scaling == STRONG else 48
    # In a row; with loops, a row of them for each leaf scheduler.
    parts = 4 if variant == LOOPS else {64: 4, 256: 8}.get(workers, 1)
    return {"size": task * side, "task": task, "parts": parts}


def barnes_hut(workers: int, scaling: str, variant: str) -> Options:
    tiles = TILES_A_WORKER * workers  # parts with a tree each
    size = 8192 if scaling == STRONG else 64 * tiles
    # MPI needs powers of two. Elsewhere the parts are as many in each group, and not quite `tiles`.
    leaves = 1 if variant == MPI else LEAVES.get(workers, 1)
    groups = leaves * (4 if leaves <= 4 else 2)
    return {"size": size, "task": size // tiles, "groups": groups, "steps": 2}


@dataclass(frozen=True)
class Kernel:
    """A kernel of the paper."""

    title: str
    panels: dict[str, str]  # of figure 8, by scaling
    options: Callable[[int, str, str], Options]
    workers: tuple[int, ...] = WORKERS
    # Schedulers below the top where its program with loops runs; none: it has no such program.
    loops_on: dict[int, int] = field(default_factory=dict)


KERNELS = {
    "jacobi": Kernel("Jacobi iteration", {STRONG: "a", WEAK: "g"}, jacobi, loops_on=LEAVES),
    "ray_tracing": Kernel("Ray tracing", {STRONG: "b", WEAK: "h"}, ray_tracing),
    "bitonic": Kernel("Bitonic sort", {STRONG: "c", WEAK: "i"}, bitonic, loops_on=POWERS),
    "k_means": Kernel("K-means clustering", {STRONG: "d", WEAK: "j"}, k_means, loops_on=LEAVES),
    "matrix_multiply": Kernel(
        "Matrix multiplication",
        {STRONG: "e", WEAK: "k"},
        matrix_multiply,
        (1, 4, 16, 64, 256),
        loops_on=POWERS,
    ),
    # A step takes 500 bodies at least.
    "barnes_hut_parts": Kernel("Barnes-Hut", {STRONG: "f", WEAK: "l"}, barnes_hut, WORKERS[1:]),
}


@dataclass(frozen=True)
class Case:
    """A kernel on a machine with so many workers, or MPI ranks."""

    kernel: str
    scaling: str
    variant: str
    workers: int

    def run(self, load_percent: int | None = None) -> Run:
        has_loops = self.variant in (LOOPS, LOOPS_FLAT)
        shape_of = LOOPS if has_loops else self.variant
        options = KERNELS[self.kernel].options(self.workers, self.scaling, shape_of)
        words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        if self.variant == MPI:
            ranks = ("--on", CHIP, "--ranks", str(self.workers))
            return Run(f"kernel_{self.kernel}_mpi", (*ranks, *words, "--json"))
        environment = {"MYR_ON": self.machine, "MYR_STATS": "json"}
        if load_percent is not None:
            environment["MYR_LOAD_PERCENT"] = str(load_percent)
        program = f"kernel_{self.kernel}" + ("_for_each" if has_loops else "")
        return Run(program, (*words, "--json"), tuple(environment.items()))

    @property
    def machine(self) -> str:
        leaves = KERNELS[self.kernel].loops_on if self.variant == LOOPS else LEAVES
        schedulers = 1 if self.variant in (FLAT, LOOPS_FLAT) else 1 + leaves[self.workers]
        return f"sim:{CHIP}:{schedulers}+{self.workers}"


def cases_of(kernel: str, scaling: str, workers_max: int) -> list[Case]:
    """All that figure 8 shows of a kernel."""
    return [
        Case(kernel, scaling, variant, workers)
        for variant in (MPI, FLAT, TREE, *((LOOPS_FLAT, LOOPS) if KERNELS[kernel].loops_on else ()))
        for workers in KERNELS[kernel].workers
        if workers <= workers_max and (variant in (MPI, FLAT) or workers in LEAVES)
    ]
