# SPDX-License-Identifier: Apache-2.0
"""Where the cycles of an application go: the simulator's profile of a run, which has them by core
and instruction, added up by the source lines that the instructions come from."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import cluster
import simulation

LIBRARY = "/hw/hwse/firmware/omp/"
DEPENDENCES = LIBRARY + "depend.c"
LOCKS = "lock_take"
# What threads do until there is something to do. task_run() is both: what it does with a task that
# it has found is run()'s.
WAITS = {"pause_briefly", "sync", "task_wait", "task_run", "cluster_start"}
WORKS = {"run"}
# The program's own code, with C's library below it; what the OpenMP library does.
KINDS = ("own", "library", "dependences", "locks", "waiting")
MAKING = ("library", "dependences")  # of tasks, except for locks
LINE_BYTES = 16  # of the instruction cache
SLACK = 2  # cycles between when an instruction is decoded and when it reads the clock

# An instruction's function and source line, then those of the functions that it is inlined into.
Place = list[tuple[str, str]]


def kind_of(place: Place) -> str:
    if not any(LIBRARY in line for _, line in place):
        return "own"
    functions = {function for function, _ in place}
    if LOCKS in functions:
        return "locks"
    if functions & WAITS and not functions & WORKS:
        return "waiting"
    return "dependences" if any(DEPENDENCES in line for _, line in place) else "library"


@dataclass(frozen=True)
class Row:
    """Of a profile: for how many cycles a core had an instruction before it, or had not yet."""

    core: int
    address: int
    decoded: int
    missing: int


class Where:
    """The cycles of all cores of a run."""

    def __init__(self, rows: Iterable[Row], places: dict[int, Place], cycles: int) -> None:
        self.by_kind: Counter[tuple[int, str]] = Counter()  # and by core
        self.missing: Counter[tuple[int, str]] = Counter()  # likewise, those without an instruction
        lines = set()  # of the cache, by core, that hold what it runs of the library
        for row in rows:
            key = row.core, kind_of(places[row.address])
            self.by_kind[key] += row.decoded + row.missing
            self.missing[key] += row.missing
            if key[1] in MAKING and row.decoded != 0:
                lines.add((row.core, row.address // LINE_BYTES))
        self.cores = sorted({core for core, _ in self.by_kind})
        for core in self.cores:
            found = self.cycles([core])
            if abs(found - cycles) > SLACK:
                raise simulation.Wrong(f"core {core} has {found} cycles in a profile of {cycles}")
        # The core that makes the tasks, if one does.
        maker = max(self.cores, key=lambda core: self.cycles([core], *MAKING))
        self.maker, self.others = [maker], [core for core in self.cores if core != maker]
        self.maker_bytes = LINE_BYTES * sum(core == maker for core, _ in lines)

    def cycles(self, cores: list[int], *kinds: str) -> int:
        """Of all kinds if none are named; so it is below."""
        return sum(self.by_kind[core, kind] for core in cores for kind in kinds or KINDS)

    def share(self, cores: list[int], *kinds: str) -> float:
        """Of the cores' cycles, in per cent."""
        return 100 * self.cycles(cores, *kinds) / self.cycles(cores)

    def missing_share(self, cores: list[int], *kinds: str) -> float:
        """Of the cycles of these kinds."""
        missing = sum(self.missing[core, kind] for core in cores for kind in kinds or KINDS)
        return 100 * missing / self.cycles(cores, *kinds)


def places_of(program: Path, addresses: list[int]) -> dict[int, Place]:
    command = ["riscv64-unknown-elf-addr2line", "-e", str(program), "-a", "-i", "-f"]
    words = "\n".join(f"{address:x}" for address in addresses)
    printed = subprocess.run(command, input=words, capture_output=True, text=True, check=True)
    places: dict[int, Place] = {}
    lines = iter(printed.stdout.splitlines())
    for line in lines:
        if line.startswith("0x"):
            place = places.setdefault(int(line, 16), [])
        else:
            place.append((line, next(lines)))
    return places


def read(path: Path) -> list[Row]:
    words = [line.split() for line in path.read_text().splitlines()]
    return [Row(int(core), int(at, 16), int(had), int(not_yet)) for core, at, had, not_yet in words]


def of(run: cluster.Run) -> Where:
    """Of an application's run, which is made if it was not yet."""
    cycles = run.cycles()
    rows = read(run.kept("profile"))
    program = run.program.binary().with_name("program.elf")
    return Where(rows, places_of(program, sorted({row.address for row in rows})), cycles)
