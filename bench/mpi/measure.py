# SPDX-License-Identifier: Apache-2.0
"""Runs a kernel on `mpi` and its MPI version on as many ranks, in turn."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cases import Case
from harness import runs

LAUNCH = runs.ROOT / "kernels/mpi/launch"
REPEAT = 5  # runs in a process, after one that is not counted
ROOT_MAY = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


@dataclass(frozen=True)
class Traffic:
    """What one run of a program sends, of all its processes."""

    messages: float
    bytes: float


@dataclass(frozen=True)
class Result:
    tasks: float  # of one run
    ours: list[float]  # seconds
    twin: list[float]
    our_traffic: Traffic  # messages of the runtime; bytes of these and of data
    our_data: float  # bytes of data among them
    twin_traffic: Traffic
    busy: float  # share of the workers' time in tasks

    @property
    def overhead(self) -> float:
        return statistics.median(self.ours) / statistics.median(self.twin) - 1

    @staticmethod
    def of(values: dict[str, Any]) -> Result:
        traffic = {name: Traffic(**values[name]) for name in ("our_traffic", "twin_traffic")}
        return Result(**{**values, **traffic})


def run(command: list[Any], environment: dict[str, str]) -> tuple[Any, Any]:
    """The objects that the program prints, on its output and at the end of its messages."""
    done = subprocess.run(
        list(map(str, command)),
        env={**os.environ, **ROOT_MAY, **environment},
        capture_output=True,
        text=True,
        timeout=runs.RUN_SECONDS_MAX,
        check=False,
    )
    if done.returncode != 0:
        raise runs.ProgramFailed(f"{' '.join(map(str, command))}:\n{done.stderr}{done.stdout}")
    said = [line for line in done.stderr.splitlines() if line.startswith("{")]
    return json.loads(done.stdout), json.loads(said[-1]) if said else None


def run_ours(case: Case, programs: Path, what: str) -> tuple[Any, Any]:
    command = [programs / "myr", "run", "--on", case.shape.machine]
    command += [programs / case.program, *case.words]
    command += ["--measure", what, "--repeat", REPEAT, "--json"]
    stats = {} if what == "tasks" else {"MYR_STATS": "json"}
    return run(command, {"MYR_MPI": case.mpi, **stats})


def run_twin(case: Case, programs: Path) -> tuple[Any, Any]:
    command = [LAUNCH, case.mpi, case.shape.ranks, programs / f"kernel_{case.kernel}_{case.mpi}"]
    words = ["--measure", "tasks", "--repeat", REPEAT, "--json", "--counts"]
    return run([*command, *case.words, *words], {})


def totals(stats: Any) -> dict[str, float]:
    agents = stats["agents"]
    names = ("tasks", "messages", "message_bytes", "dma_bytes")
    found = {name: float(sum(agent[name] for agent in agents)) for name in names}
    workers = [agent for agent in agents if agent["kind"] == "worker"]
    found["task_ns"] = sum(worker["task_ns"] for worker in workers)
    return found


def count_ours(case: Case, programs: Path) -> dict[str, float]:
    """Of one run, without its preparation."""
    command = [programs / "myr", "run", "--on", case.shape.machine]
    command += [programs / case.program, *case.words, "--repeat", REPEAT, "--json"]
    environment = {"MYR_MPI": case.mpi, "MYR_STATS": "json"}
    found, stats = run([*command, "--measure", "tasks"], environment)
    with_runs = totals(stats)
    without = totals(run([*command, "--measure", "nothing"], environment)[1])
    counts = {name: (with_runs[name] - without[name]) / (REPEAT + 1) for name in with_runs}
    counts["busy"] = counts["task_ns"] / 1e9 / statistics.mean(found["runs"]) / case.shape.ranks
    return counts


def measure(case: Case, programs: Path, rounds: int) -> dict[str, Any]:
    ours: list[float] = []
    twin: list[float] = []
    for _ in range(rounds):
        ours += run_ours(case, programs, "tasks")[0]["runs"]
        found, sent = run_twin(case, programs)
        twin += found["runs"]
    counts = count_ours(case, programs)
    return asdict(
        Result(
            tasks=counts["tasks"],
            ours=ours,
            twin=twin,
            our_traffic=Traffic(counts["messages"], counts["message_bytes"] + counts["dma_bytes"]),
            our_data=counts["dma_bytes"],
            twin_traffic=Traffic(sent["messages"], sent["bytes"]),
            busy=counts["busy"],
        )
    )
