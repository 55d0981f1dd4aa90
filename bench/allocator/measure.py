# SPDX-License-Identifier: Apache-2.0
"""What the figures are drawn from: the paper's programs, run as SPMD programs on this computer."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.cache import Cache

RUN_SECONDS_MAX = 1800
MPIS = ("openmpi", "mpich")
# Schedulers and workers. With 8 workers on 2 processors, lists node by node take minutes.
LIST_SHAPES = ((1, 2), (1, 4), (3, 4))
SIZES_SHAPE = (1, 4)  # of figure 4g
BARNES_SHAPES = ((1, 1), (1, 2), (1, 4), (3, 4), (1, 8), (3, 8))
DELAUNAY_SHAPES = ((1, 1), (1, 4), (3, 4))  # a power of four
NODES = 30_000  # of a list, in figure 4h
# On the simulated chip: workers, and the schedulers below the top of a tree.
CHIP = "formic-520"
LEAVES = {8: 1, 16: 2, 32: 4, 64: 7, 128: 7}


@dataclass(frozen=True)
class Sizes:
    nodes: tuple[int, ...]  # of figure 4g
    most_nodes: int
    rounds: int
    bodies: int
    steps: int
    points: int
    allocations: int
    chip_workers: tuple[int, ...]
    chip_nodes: int


FULL = Sizes((1_000, 3_000, 10_000), NODES, 3, 20_000, 8, 1_000_000, 200_000, tuple(LEAVES), 300)
QUICK = Sizes((300,), 1_000, 3, 2_000, 2, 20_000, 60_000, (8, 16), 20)


@dataclass(frozen=True)
class Exchange:
    """Seconds of one way to exchange lists: to build them, and the median of the exchanges."""

    build: float
    exchange: float

    @property
    def total(self) -> float:
        return self.build + self.exchange


@dataclass(frozen=True)
class Split:
    """Where the workers' time goes, in seconds, the mean of all; and how long the steps took."""

    computation: float
    schedulers: float
    workers: float
    run: float

    @property
    def share(self) -> float:
        """Of waiting for schedulers."""
        return self.schedulers / (self.computation + self.schedulers + self.workers)


Shape = tuple[int, int]


@dataclass
class Measured:
    lists: dict[tuple[str, Shape, int], dict[str, Exchange]]  # by MPI, shape, nodes; by way
    barnes: dict[Shape, Split]
    delaunay: dict[Shape, float]
    slabs: dict[str, dict[str, list[int]]]  # of the fragmentation runs, a list a column
    chip: dict[str, dict[Shape, int]]  # cycles of kernels as tasks on the simulated chip


def run(
    folder: Path, mpi: str, shape: Shape, program: str, *words: Any
) -> tuple[list[Any], list[Any]]:
    """What the program prints, and the workers in the table of --stats."""
    command = [folder / "myr", "run", "--on", f"spmd:{shape[0]}+{shape[1]}", folder / program]
    environment = {
        "MYR_MPI": mpi,
        "MYR_STATS": "json",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    if shape[1] > (os.cpu_count() or 1):  # workers wait in MPI, too
        environment["OMPI_MCA_mpi_yield_when_idle"] = "1"
    done = subprocess.run(
        [*map(str, command), *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        timeout=RUN_SECONDS_MAX,
        env={**os.environ, **environment},
    )
    if done.returncode != 0:
        raise RuntimeError(f"{program} on {shape} with {mpi} failed:\n{done.stderr}{done.stdout}")
    stats = next(line for line in reversed(done.stderr.splitlines()) if '"agents"' in line)
    workers = [one for one in json.loads(stats)["agents"] if one["kind"] == "worker"]
    print(f"{program}, {mpi}, {shape[0]}+{shape[1]} {' '.join(map(str, words))}", file=sys.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()], workers


def exchanges(lines: list[Any]) -> dict[str, Exchange]:
    found: dict[str, list[Any]] = {}
    for line in lines:
        found.setdefault(line["way"], []).append(line)
    return {
        way: Exchange(ones[0]["build_s"], statistics.median(one["exchange_s"] for one in ones))
        for way, ones in found.items()
    }


def split(line: Any, workers: list[Any]) -> Split:
    def mean(key: str) -> float:
        return statistics.mean(worker[key] for worker in workers) / 1e9

    return Split(mean("task_ns"), mean("memory_ns"), mean("wait_ns"), line["run_s"])


Run = Callable[..., tuple[list[Any], list[Any]]]


def cached(folder: Path, cache: Cache) -> Run:
    """run(), for what has not been run yet with these programs."""

    def run_once(mpi: str, shape: Shape, program: str, *words: Any) -> tuple[Any, Any]:
        name = " ".join(map(str, (program, mpi, *shape, *words)))
        lines, workers = cache.get(name, lambda: run(folder, mpi, shape, program, *words))
        return lines, workers

    return run_once


def cycles_on_chip(folder: Path, kernel: str, shape: Shape, *words: Any) -> int:
    """Of a kernel as tasks. There is no SPMD on chips: what is the same is who owns what, and what
    that takes."""
    command = [folder / f"kernel_{kernel}", "--json", *words]
    machine = f"sim:{CHIP}:{shape[0]}+{shape[1]}"
    done = subprocess.run(
        list(map(str, command)),
        capture_output=True,
        text=True,
        check=True,
        timeout=RUN_SECONDS_MAX,
        env={**os.environ, "MYR_ON": machine},
    )
    print(f"{kernel} on {machine}", file=sys.stderr)
    return int(json.loads(done.stdout)["cycles"])


def measure_chip(folder: Path, sizes: Sizes, cache: Cache) -> dict[str, dict[Shape, int]]:
    found: dict[str, dict[Shape, int]] = {"linked_lists": {}, "barnes_hut_parts": {}}
    for workers in sizes.chip_workers:
        words = {
            "linked_lists": ("--size", workers, "--task", sizes.chip_nodes),
            "barnes_hut_parts": (
                *("--size", 64 * max(workers, 8), "--task", 64, "--steps", 1),
                *("--groups", min(workers, 8), "--trees", "level"),
            ),
        }
        for schedulers in (1, 1 + LEAVES[workers]):
            shape = (schedulers, workers)
            for kernel, options in words.items():
                name = " ".join(map(str, ("chip", kernel, *shape, *options)))
                found[kernel][shape] = cache.get(
                    name, lambda: cycles_on_chip(folder, kernel, shape, *options)
                )
    return found


def measure_lists(
    folder: Path, run_once: Run, sizes: Sizes
) -> dict[tuple[str, Shape, int], dict[str, Exchange]]:
    found = {}
    for mpi in MPIS:
        program = f"kernel_linked_lists_spmd_{mpi}"
        if not (folder / program).exists():
            continue
        for shape in LIST_SHAPES:
            counts = (
                (*sizes.nodes, sizes.most_nodes) if shape == SIZES_SHAPE else (sizes.most_nodes,)
            )
            for nodes in counts:
                words = ("--nodes", nodes, "--repeat", sizes.rounds)
                found[mpi, shape, nodes] = exchanges(run_once(mpi, shape, program, *words)[0])
    return found


def measure(folder: Path, sizes: Sizes, table: Path) -> Measured:
    """`table`: where to put that of the fragmentation runs."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "kernels/allocator/fragmentation"))
    import run as fragmentation

    table.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [folder / "kernel_fragmentation", "--csv", table, "--steps", str(sizes.allocations)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    programs = [*folder.glob("kernel_*_spmd*"), *(folder.parent / "lib").glob("*.so")]
    programs += [folder / "kernel_linked_lists", folder / "kernel_barnes_hut_parts"]
    cache = Cache(table.parent / "measured.jsonl", programs)
    run_once = cached(folder, cache)
    lists = measure_lists(folder, run_once, sizes)
    mpi = next(iter(lists))[0]
    barnes = {}
    for shape in BARNES_SHAPES:
        words = ("--size", sizes.bodies, "--steps", sizes.steps)
        lines, workers = run_once(mpi, shape, "kernel_barnes_hut_parts_spmd", *words)
        barnes[shape] = split(lines[0], workers)
    delaunay = {}
    for shape in DELAUNAY_SHAPES:
        words = ("--size", sizes.points, "--task", sizes.points // 10)
        lines, _ = run_once(mpi, shape, "kernel_delaunay_spmd", *words)
        delaunay[shape] = lines[0]["run_s"]
    chip = measure_chip(folder, sizes, cache)
    return Measured(lists, barnes, delaunay, fragmentation.read_runs(table), chip)
