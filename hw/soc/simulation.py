# SPDX-License-Identifier: Apache-2.0
"""Runs a kernel on the simulated system; a result is kept under the hash of the program's binary
and that of the system, which are all that it follows from."""

from __future__ import annotations

import json
import struct
import subprocess
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path

import build

SUM_ERROR = 1e-12  # relative; the logarithm and the exponential are not the host's
CYCLES_MAX = 20_000_000


class Wrong(Exception):
    """A run that ended otherwise than it should."""


@dataclass(frozen=True)
class Run:
    """What is run."""

    what: build.Input
    runtime: str
    cores: int

    def __str__(self) -> str:
        numbers = {key: value for key, value in asdict(self.what).items() if value}
        words = " ".join(f"{key}={value}" for key, value in numbers.items() if key != "kernel")
        return f"{self.what.kernel} {words}, {self.runtime}, {self.cores} cores"


@dataclass(frozen=True)
class Result:
    """What a program printed: cycles of its run, a digest of its result, the sum of its numbers."""

    cycles: int
    digest: str
    sum: float


def parse(text: str) -> Result:
    words = dict(line.split(" ", 1) for line in text.splitlines() if " " in line)
    total = struct.unpack(">d", bytes.fromhex(words["sum"].zfill(16)))[0]
    return Result(int(words["cycles"]), words["digest"], total)


def expected(what: build.Input) -> Result:
    """What the same source computes on this computer, without tasks."""
    return parse(build.run([build.host_program(what)]))


def check(run: Run, result: Result) -> None:
    wanted = expected(run.what)
    if run.what.kernel == "black_scholes":
        right = abs(result.sum - wanted.sum) <= SUM_ERROR * abs(wanted.sum)
    else:
        right = result.digest == wanted.digest
    if not right:
        raise Wrong(f"{run}: WRONG RESULT {result}, the host's is {wanted}")


def simulate(run: Run) -> Result:
    """Runs it, or takes the result of an earlier run, and compares it with the host's."""
    simulator = build.simulator(run.cores)
    program = build.program(run.what, run.runtime, run.cores)
    kept = build.CACHE / f"results/{build.hash_of(program)}-{simulator.parent.name}.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    if kept.is_file():
        return Result(**json.loads(kept.read_text()))
    command = [simulator, program, str(CYCLES_MAX)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Wrong(f"{run}: status {done.returncode}: {done.stdout[-500:]} {done.stderr[-500:]}")
    result = parse(done.stdout)
    check(run, result)
    partial = Path(f"{kept}.partial")
    partial.write_text(json.dumps(asdict(result)))
    partial.rename(kept)
    return result


def simulate_all(runs: Iterable[Run], processes: int) -> Iterator[tuple[Run, Result]]:
    """All of them, so many at a time, in the order in which they end."""
    with ThreadPoolExecutor(processes) as pool:
        waiting = {pool.submit(simulate, run): run for run in runs}
        for done in as_completed(waiting):
            yield waiting[done], done.result()
