# SPDX-License-Identifier: Apache-2.0
"""What the primitives cost on the cluster, from runs of firmware/programs/costs.c."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import cluster

CORES = cluster.CORES
ROUNDS = ("sections whole", "loops whole", "tasks whole")
PRIMITIVES = (
    *(f"{what} {step}" for what in ("sections", "loops", "tasks")
      for step in ("init", "fetch", "end")),
    "single",
    "sync",
)  # fmt: skip


@dataclass
class Measured:
    """Mean cycles by library, cores and name: of a primitive, or of a whole round on core 0."""

    cycles: dict[tuple[str, int, str], float] = field(default_factory=dict)

    def speedup(self, cores: int, name: str) -> float:
        return self.cycles["software", cores, name] / self.cycles["hwse", cores, name]


def means(printed: str) -> dict[str, float]:
    """From lines of a name and a number."""
    numbers = {}
    for line in printed.splitlines():
        name, number = line.rsplit(" ", 1)
        numbers[name] = int(number)
    primitives = {name: numbers[f"{name} cycles"] / numbers[f"{name} count"] for name in PRIMITIVES}
    return primitives | {name: float(numbers[name]) for name in ROUNDS}


def measure(processes: int) -> Measured:
    measured = Measured()
    runs = [
        (library, cores, cluster.Run(cluster.Program("costs", library), cores))
        for cores in CORES
        for library in cluster.LIBRARIES
    ]
    for cores in CORES:
        cluster.simulator(cores)
    with ThreadPoolExecutor(processes) as pool:
        printed = pool.map(lambda run: run[2].output(), runs)
        for (library, cores, _), text in zip(runs, printed):
            for name, cycles in means(text).items():
                measured.cycles[library, cores, name] = cycles
    return measured
