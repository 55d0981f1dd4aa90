# SPDX-License-Identifier: Apache-2.0
"""What the figures are drawn from: the paper's five programs, run on the simulated chip."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

WORKERS = (1, 2, 3, 6, 10, 13, 16, 22, 27, 32, 43)
MOST = WORKERS[-1]
RUN_SECONDS_MAX = 600
HERTZ = 533e6  # of a core


@dataclass(frozen=True)
class Kernel:
    title: str
    program: str
    block_bytes: int  # what the tasks' arguments are made of
    larger_blocks: int = 0  # fewer for a task; 0: there are none
    loop_options: tuple[str, ...] = ()  # of the program with loops


KERNELS = {
    "a": Kernel("Black-Scholes", "black_scholes", 16384, 32768),
    "b": Kernel("Matrix multiply", "tiled_matmul", 16384),
    # A row of a tile: the paper's tiles lie in the rows of one matrix. Here a tile lies side by
    # side, and so does a panel. Loops share out panels: 128 of them, as 32 are too few.
    "c": Kernel("FFT", "fft2d", 512, 16384, ("--task", "8")),
    "d": Kernel("Jacobi", "tiled_jacobi", 1 << 20),
    "e": Kernel("Cholesky", "cholesky", 1 << 17),
}


@dataclass(frozen=True)
class Way:
    """How a kernel may run past the paper, on the same chip."""

    title: str
    machine: str  # for so many workers
    has_loops: bool = False
    has_larger_blocks: bool = False

    def fits(self, kernel: Kernel) -> bool:
        return not self.has_larger_blocks or kernel.larger_blocks != 0


MASTER = "sim:scc-48:1+{}"
TREE = "sim:scc-48-tree:5+{}"
PAPER = Way("tasks, master", MASTER)
WAYS = {
    "blocks": Way("larger blocks", MASTER, has_larger_blocks=True),
    "loops": Way("loops, master", MASTER, has_loops=True),
    "tree": Way("tasks, tree", TREE),
    "both": Way("loops, tree", TREE, has_loops=True),
}
PAST = (22, 32, 43)  # workers


@dataclass(frozen=True)
class Run:
    """Cycles of one run; by worker: in tasks, flushing, idle while the program ran."""

    cycles: int
    task: list[int]
    flush: list[int]
    master: int  # busy with the runtime; of several schedulers the busiest

    @property
    def idle(self) -> list[int]:
        return [max(0, self.cycles - task - flush) for task, flush in zip(self.task, self.flush)]

    def total(self, part: str) -> int:
        return sum(getattr(self, part))


Measured = dict[str, dict[int, Run]]  # by kernel and workers; 0: the serial program

# What else may be chosen on the chip, as the environment of a run with all workers.
CHOICES = {
    "memory in pages of 16 MB": {"MYR_PLACEMENT": "none"},
    "padded": {"MYR_PLACEMENT": "padded"},
    "padded, tasks near it": {"MYR_PLACEMENT": "padded", "MYR_WORKERS": "near"},
    "master in a corner": {"MYR_MASTER": "0"},
}
Chosen = dict[str, dict[str, Run]]  # by choice and kernel
# Smaller blocks: of a row of a tile, and between.
FINER = {"d": (8192, 2048), "e": (1024,)}
FINER_WORKERS = (22, 43)
Finer = dict[str, dict[int, dict[int, Run]]]  # by kernel, block and workers
Past = dict[str, dict[str, dict[int, Run]]]  # by way, kernel and workers


def run(
    folder: Path,
    kernel: Kernel,
    workers: int,
    choice: dict[str, str] | None = None,
    way: Way = PAPER,
) -> Run:
    """Raises RuntimeError if the program fails or its result is wrong."""
    program = folder / f"kernel_{kernel.program}{'_for_each' if way.has_loops else ''}"
    is_larger = way.has_larger_blocks or way.has_loops
    block_bytes = is_larger and kernel.larger_blocks or kernel.block_bytes
    names = subprocess.run([program, "--names"], capture_output=True, text=True, check=True)
    paper = names.stdout.split(":")[0]  # the first named input is this paper's
    done = subprocess.run(
        [
            *(program, "--named", paper, "--json", "--repeat", "1"),
            *(kernel.loop_options if way.has_loops else ()),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=RUN_SECONDS_MAX,
        env={
            **os.environ,
            "MYR_ON": way.machine.format(workers),
            "MYR_STATS": "json",
            "MYR_BLOCK_BYTES": str(block_bytes),
            **(choice or {}),
        },
    )
    if done.returncode != 0:
        raise RuntimeError(f"{program} with {workers} workers failed:\n{done.stderr}")
    return read(json.loads(done.stdout), json.loads(done.stderr.splitlines()[-1]), workers)


def read(result: dict[str, Any], stats: dict[str, Any], workers: int) -> Run:
    agents = [agent for agent in stats["agents"] if agent["kind"] == "worker"][:workers]
    schedulers = [agent for agent in stats["agents"] if agent["kind"] == "scheduler"]
    return Run(
        cycles=round(result["cycles"]),
        task=[agent["task_cycles"] for agent in agents],
        flush=[agent["runtime_cycles"] for agent in agents],
        master=max(agent["runtime_cycles"] for agent in schedulers),
    )


def all_runs(runs: dict[Any, Callable[[], Run]]) -> dict[Any, Run]:
    """Side by side, a run for each processor: simulated time does not mind."""

    def take(key: Any) -> Run:
        one = runs[key]()
        print(f"{key}: {one.cycles:,} cycles", file=sys.stderr)
        return one

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(runs, pool.map(take, runs)))


def measure(folder: Path) -> Measured:
    found = all_runs(
        {
            (letter, workers): partial(run, folder, kernel, workers)
            for letter, kernel in KERNELS.items()
            for workers in (0, *WORKERS)
        }
    )
    return {
        letter: {workers: found[letter, workers] for workers in (0, *WORKERS)} for letter in KERNELS
    }


def choose(folder: Path) -> Chosen:
    found = all_runs(
        {
            (name, letter): partial(run, folder, kernel, MOST, choice)
            for name, choice in CHOICES.items()
            for letter, kernel in KERNELS.items()
        }
    )
    return {name: {letter: found[name, letter] for letter in KERNELS} for name in CHOICES}


def go_past(folder: Path) -> Past:
    found = all_runs(
        {
            (name, letter, workers): partial(run, folder, kernel, workers, way=way)
            for name, way in WAYS.items()
            for letter, kernel in KERNELS.items()
            for workers in PAST
            if way.fits(kernel)
        }
    )
    past: Past = {name: {} for name in WAYS}
    for (name, letter, workers), one in found.items():
        past[name].setdefault(letter, {})[workers] = one
    return past


def cut_finer(folder: Path) -> Finer:
    found = all_runs(
        {
            (letter, size, workers): partial(
                run, folder, replace(KERNELS[letter], block_bytes=size), workers
            )
            for letter, sizes in FINER.items()
            for size in sizes
            for workers in FINER_WORKERS
        }
    )
    return {
        letter: {
            size: {workers: found[letter, size, workers] for workers in FINER_WORKERS}
            for size in sizes
        }
        for letter, sizes in FINER.items()
    }


def memory(folder: Path) -> dict[int, dict[int, int]]:
    """Figures 3 and 4: cycles by hops, and by cores."""
    done = subprocess.run(
        [folder / "myr_bench_scc_memory"], capture_output=True, text=True, check=True
    )
    points: dict[int, dict[int, int]] = {3: {}, 4: {}}
    for line in done.stdout.splitlines():
        one = json.loads(line)
        points[one["figure"]][one.get("hops", one.get("cores"))] = one["cycles"]
    return points


def speedup(runs: dict[int, Run], workers: int) -> float:
    return runs[0].cycles / runs[workers].cycles
