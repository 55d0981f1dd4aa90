#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks all of the hardware: `./dev hw`.

  benches     of each block, and of the whole, in simulation
  lint        Verilator, Yosys, and that software has the same codes
  proofs      of formal/, all their cycles
  bugs        each planted bug is found by a bench
  programs    all kernels, random programs and the deadlocks of section IV-C of paper 4 on Rocket
              cores, with all runtimes; their results are the host's
  cluster     programs and applications on the cluster of hwse/, up to 16 cores

Checks run side by side, and one that passed is not run again until what it follows from changes.
Usage: python3 hw/check.py BUILD [--cores 1,2,4,8,16] [-j N] [--only REGEX]
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parent / "soc"))
sys.path.append(str(Path(__file__).resolve().parent / "formal"))
sys.path.append(str(Path(__file__).resolve().parent / "tb"))
sys.path.append(str(Path(__file__).resolve().parent / "hwse/cluster"))

import plant
import prove
from jobs import Job, hash_of, problem_of, run_all

import build
import cluster
import simulation

HW = Path(__file__).resolve().parent
INPUTS = (
    build.Input("task_free", 300, 4, deps=1),
    build.Input("task_free", 60, 4, deps=15),
    build.Input("task_chain", 200, 4, deps=3),
    build.Input("task_chain", 60, 4, deps=15),
    build.Input("stream_deps", 256, 8, rounds=3),
    build.Input("stream_barr", 256, 32, rounds=3),
    build.Input("sparse_lu", 8, 4),
    build.Input("poisson", 32, 1, rounds=6),
    build.Input("black_scholes", 128, 8),
    *(build.Input("random", 200, 10, rounds=seed) for seed in (1, 2, 3)),
)
NESTED = build.Input("nested", 300, 2, deps=20)  # tasks that spawn tasks: phentos alone has them
WINDOWS = build.Input("windows", 150, 40)  # accesses that overlap: phentos alone has them
WIDE = build.Input("wide", 300, 7)  # tasks of two cache lines, which is for phentos to choose
DEEP_QUEUES = (64, 128)  # that the engine may have; most programs run with cluster.QUEUE_DEPTH
STACK_FAULT = "a stack of 4096 bytes is too small for core"
DEADLOCKS = build.Input("deadlocks", 400, 0)  # more tasks than the tracker has room for


def rtl_files() -> list[Path]:
    return sorted([*HW.glob("rtl/*.sv*"), *HW.glob("hwse/**/*.sv"), *HW.glob("**/*.f")])


def benches(built: Path) -> Iterator[Job]:
    """A bench is a program with the model in it, so its own hash is all."""
    for program in sorted((built / "bin").glob("myr_hw_*_test")):
        name = program.name.removeprefix("myr_hw_").removesuffix("_test")
        command = [str(program)]
        yield Job(f"bench {name}", hash_of(program), lambda command=command: problem_of(command))


def lint() -> Job:
    program = HW / "rtl/lint.py"
    headers = sorted([*HW.glob("firmware/include/*.h"), *HW.glob("hwse/include/*.h")])
    key = hash_of(program, *rtl_files(), *headers)
    return Job("lint", key, lambda: problem_of([sys.executable, str(program)]))


def proofs() -> Iterator[Job]:
    for proof in prove.PROOFS:
        sources = sorted((HW / proof.design).glob("formal/*.sv"))
        key = hash_of(str(proof), Path(prove.__file__), *rtl_files(), *sources)
        yield Job(str(proof), key, lambda proof=proof: prove.prove(proof, proof.cycles))


def bugs(built: Path) -> Iterator[Job]:
    for bug in plant.BUGS:
        bench = built / f"bin/myr_hw_{bug.bench}_test"
        key = hash_of(str(bug), Path(plant.__file__), bench, *rtl_files())

        def find(bug: plant.Bug = bug) -> str:
            with tempfile.TemporaryDirectory() as folder:
                return plant.plant(bug, built, Path(folder))

        yield Job(f"planted bug: {bug.text}", key, find)


def programs(cores: int) -> Iterator[simulation.Run]:
    """What runs on so many cores. Without a runtime, more cores than one change nothing."""
    for what in INPUTS:
        for runtime in build.RUNTIMES:
            if runtime != "serial" or cores == 1:
                yield simulation.Run(what, runtime, cores)
    yield simulation.Run(NESTED, "phentos", cores)
    yield simulation.Run(WINDOWS, "phentos", cores)
    yield simulation.Run(WIDE, "phentos", cores)
    yield simulation.Run(DEADLOCKS, "serial", cores)


def simulate(run: simulation.Run) -> str:
    try:
        simulation.simulate(run)
    except simulation.Wrong as wrong:
        return str(wrong)
    return ""


def after_simulators(
    what: str, module: Any, cores: list[int], jobs: Callable[[int], Iterator[Job]]
) -> Iterator[Job]:
    """Jobs for each number of cores that a module simulates. Its simulators come first, for all
    programs wait for theirs."""
    counts = [count for count in cores if count in module.CORES]
    for count in counts:

        def make(count: int = count) -> str:
            module.simulator(count)
            return ""

        yield Job(f"simulator of {what}, {count} cores", module.simulator_key(count), make)
    for count in counts:
        yield from jobs(count)


def rocket_jobs(cores: int) -> Iterator[Job]:
    for run in programs(cores):
        program = build.program_key(run.what, run.runtime, cores)
        key = hash_of(build.simulator_key(cores), program)
        yield Job(str(run), key, lambda run=run: simulate(run))


def cluster_jobs(cores: int) -> Iterator[Job]:
    """On the cluster of hwse/."""
    programs = [cluster.Program("memory"), cluster.Program("overflow", fault=STACK_FAULT)]
    for library in cluster.LIBRARIES:
        names = ("loops", "regions", "tasks", "depend", "full")
        programs += [cluster.Program(name, library) for name in names]
        programs += [
            cluster.Application(kernel, library, style=style)
            for kernel in cluster.KERNELS
            for style in cluster.STYLES
        ]
    if cores == max(cluster.CORES):
        programs += [
            cluster.Program(name, "hwse", queue_depth=depth)
            for depth in DEEP_QUEUES
            for name in ("full", "tasks", "depend")
        ]
    for program in programs:
        run = cluster.Run(program, cores)
        yield Job(str(run), run.key(), run.check)


def core_counts(text: str) -> list[int]:
    """Such numbers with commas between them, for an option."""
    counts = [int(word) for word in text.split(",")]
    for count in counts:
        if count not in {*build.CORES, *cluster.CORES}:
            raise ValueError(text)
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="./dev hw",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("build", type=Path, help="with the benches, e.g. build/release")
    parser.add_argument("--cores", type=core_counts, default=list(cluster.CORES), metavar="N,N")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    parser.add_argument("--only", default="", metavar="REGEX", help="of the names that are printed")
    options = parser.parse_args()
    built = options.build.resolve()
    jobs = [*benches(built), lint(), *proofs(), *bugs(built)]
    jobs += after_simulators("the Rocket system", build, options.cores, rocket_jobs)
    jobs += after_simulators("the cluster", cluster, options.cores, cluster_jobs)
    jobs = [job for job in jobs if re.search(options.only, job.name)]
    failed = run_all(jobs, options.jobs)
    for name in failed:
        print(f"FAILED: {name}")
    print(f"{len(jobs)} checks, {len(failed)} failed")
    return 1 if failed or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
