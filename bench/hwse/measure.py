# SPDX-License-Identifier: Apache-2.0
"""What runs on the cluster take: primitives, from firmware/programs/costs.c, and applications."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field

import where

import cluster
import simulation

CORES = cluster.CORES
MOST = max(CORES)
CONSTRUCTS = ("sections", "loops", "tasks", "parts")  # by costs.c's numbers, from 1
ROUNDS = ("sections whole", "loops whole", "tasks whole")
PRIMITIVES = (
    *(f"{what} {step}" for what in ("sections", "loops", "tasks")
      for step in ("init", "fetch", "end")),
    "single",
    "sync",
)  # fmt: skip
PARTS = ("task allocate", "task fill", "task queue")  # of a task's INIT


@dataclass
class Measured:
    """Cycles by library, cores and name: the mean of a primitive, or of a whole round on core 0; of
    an application, its kernel and style. Also a primitive's without an instruction; and what
    those of an application on the most cores were spent on, by library and name."""

    cycles: dict[tuple[str, int, str], float] = field(default_factory=dict)
    waiting: dict[tuple[str, int, str], float] = field(default_factory=dict)
    where: dict[tuple[str, str], where.Where] = field(default_factory=dict)

    def speedup(self, cores: int, name: str) -> float:
        return self.cycles["software", cores, name] / self.cycles["hwse", cores, name]

    def improvement(self, cores: int, name: str) -> float:
        """By how many per cent the engine shortens what the software takes."""
        return 100 * (1 - 1 / self.speedup(cores, name))

    def add_costs(self, library: str, cores: int, printed: str) -> None:
        """From lines of a name and a number, which programs may have in common."""
        totals: Counter[str] = Counter()
        for line in printed.splitlines():
            name, number = line.rsplit(" ", 1)
            totals[name] += int(number)
        for name in (*PRIMITIVES, *PARTS):
            count = totals[f"{name} count"]
            self.cycles[library, cores, name] = totals[f"{name} cycles"] / count
            self.waiting[library, cores, name] = totals[f"{name} waiting"] / count
        for name in ROUNDS:
            self.cycles[library, cores, name] = float(totals[name])


def name_of(kernel: str, style: str) -> str:
    return f"{kernel} {style}"


APPLICATIONS = tuple(
    name_of(kernel, style) for kernel in cluster.KERNELS for style in cluster.STYLES
)


def programs(library: str) -> list[cluster.Program]:
    constructs = range(1, len(CONSTRUCTS) + 1)
    found = [cluster.Program("costs", library, (f"CONSTRUCT={i}",)) for i in constructs]
    found += [
        cluster.Application(kernel, library, style=style)
        for kernel in cluster.KERNELS
        for style in cluster.STYLES
    ]
    return found


def output(run: cluster.Run) -> str:
    """What a run prints, if its results are right; those of costs are cycles alone."""
    if isinstance(run.program, cluster.Application):
        wrong = run.check()
        if wrong:
            raise simulation.Wrong(f"{run}: {wrong}")
    return run.output()


def measure(processes: int) -> Measured:
    runs = [
        cluster.Run(program, cores)
        for cores in CORES
        for library in cluster.LIBRARIES
        for program in programs(library)
    ]
    for cores in CORES:
        cluster.simulator(cores)
    measured = Measured()
    costs = defaultdict[tuple[str, int], str](str)
    with ThreadPoolExecutor(processes) as pool:
        waiting = {pool.submit(output, run): run for run in runs}
        for done, future in enumerate(as_completed(waiting), 1):
            run, program = waiting[future], waiting[future].program
            if isinstance(program, cluster.Application):
                name = name_of(program.name, program.style)
                measured.cycles[program.library, run.cores, name] = run.cycles()
                if run.cores == MOST:
                    measured.where[program.library, name] = where.of(run)
            else:
                costs[program.library, run.cores] += future.result()
            print(f"[{done}/{len(runs)}] {run}", file=sys.stderr, flush=True)
    for (library, cores), printed in costs.items():
        measured.add_costs(library, cores, printed)
    return measured
