# SPDX-License-Identifier: Apache-2.0
"""What runs on the cluster take: primitives, from firmware/programs/costs.c, and applications."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field

import cluster
import simulation

CORES = cluster.CORES
APPLICATION_CORES = (16,)  # with others each takes as long again
ROUNDS = ("sections whole", "loops whole", "tasks whole")
PRIMITIVES = (
    *(f"{what} {step}" for what in ("sections", "loops", "tasks")
      for step in ("init", "fetch", "end")),
    "single",
    "sync",
)  # fmt: skip


@dataclass
class Measured:
    """Cycles by library, cores and name: the mean of a primitive, or of a whole round on core 0; of
    an application, its kernel and style."""

    cycles: dict[tuple[str, int, str], float] = field(default_factory=dict)

    def speedup(self, cores: int, name: str) -> float:
        return self.cycles["software", cores, name] / self.cycles["hwse", cores, name]

    def improvement(self, cores: int, name: str) -> float:
        """By how many per cent the engine shortens what the software takes."""
        return 100 * (1 - 1 / self.speedup(cores, name))


def means(printed: str) -> dict[str, float]:
    """From lines of a name and a number."""
    numbers = {}
    for line in printed.splitlines():
        name, number = line.rsplit(" ", 1)
        numbers[name] = int(number)
    primitives = {name: numbers[f"{name} cycles"] / numbers[f"{name} count"] for name in PRIMITIVES}
    return primitives | {name: float(numbers[name]) for name in ROUNDS}


def name_of(kernel: str, style: str) -> str:
    return f"{kernel} {style}"


APPLICATIONS = tuple(
    name_of(kernel, style) for kernel in cluster.KERNELS for style in cluster.STYLES
)


def cores_of(name: str) -> tuple[int, ...]:
    return APPLICATION_CORES if name in APPLICATIONS else CORES


def applications(library: str) -> list[cluster.Application]:
    return [
        cluster.Application(kernel, library, style=style)
        for kernel in cluster.KERNELS
        for style in cluster.STYLES
    ]


def numbers(run: cluster.Run) -> dict[str, float]:
    """What a run says, if its results are right."""
    if not isinstance(run.program, cluster.Application):
        return means(run.output())
    wrong = run.check()
    if wrong:
        raise simulation.Wrong(f"{run}: {wrong}")
    return {name_of(run.program.name, run.program.style): run.cycles()}


def measure(processes: int) -> Measured:
    measured = Measured()
    runs = [
        cluster.Run(program, cores)
        for cores in CORES
        for library in cluster.LIBRARIES
        for program in (
            cluster.Program("costs", library),
            *(applications(library) if cores in APPLICATION_CORES else ()),
        )
    ]
    for cores in CORES:
        cluster.simulator(cores)
    done = 0
    with ThreadPoolExecutor(processes) as pool:
        waiting = {pool.submit(numbers, run): run for run in runs}
        for future in as_completed(waiting):
            run = waiting[future]
            for name, cycles in future.result().items():
                measured.cycles[run.program.library, run.cores, name] = cycles
            done += 1
            print(f"[{done}/{len(runs)}] {run}", file=sys.stderr, flush=True)
    return measured
