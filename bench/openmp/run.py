#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what OpenMP's constructs and real programs cost on Myrmidon's libgomp.so.1 and others.

The same program, compiled once, runs on each library in turn, in random order and several times
over, also with more threads than processors and beside processes that never end; prints the medians
as tables, and writes one JSON object a measurement with --json. README.md says what the cases are.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import openmp_programs
import openmp_tables
from harness import record, runs

PROGRAM = "myr_bench_openmp"
LIBOMP = Path("/usr/lib/llvm-19/lib/libomp.so.5")
RUNTIMES = ["myrmidon", "libgomp", "libgomp-active", "libomp"]
PROGRAM_SECONDS_MAX = 30  # then it is ended, and counts as so long
QUICK_SECONDS_MAX = 10
# (threads, endless processes beside)
CONSTRUCTS_IN = [(2, 0), (8, 0), (64, 0), (2, 1), (2, 2)]
PROGRAMS_IN = [(1, 0), (2, 0), (2, 0), (2, 1), (2, 2), (8, 0), (64, 0)]  # the quiet one twice
QUICK_MINUTES = 6.5
LONG_MINUTES = 45
CONSTRUCTS_SHARE = 0.3  # of the time; the programs have the rest


@dataclass(frozen=True)
class Step:
    """One process: of the constructs, or a real program."""

    runtime: str
    threads: int
    busy: int
    program: openmp_programs.Program | None = None


Results = dict[tuple[str, str, int, int], dict[str, Any]]  # by case, runtime, threads and busy


def parse_arguments(words: list[str]) -> argparse.Namespace:
    parser = runs.make_parser("openmp", __doc__)
    runs.add_runtimes(parser, {name: PROGRAM for name in RUNTIMES})
    parser.set_defaults(runs=1000)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_MINUTES} minutes")
    parser.add_argument("--minutes", type=float, help=f"of measuring (default: {LONG_MINUTES})")
    parser.add_argument("--ms", type=float, help="of a case of a construct (default: 40, quick 15)")
    parser.add_argument("--only", choices=["constructs", "programs"], help="(default: both)")
    parser.add_argument(
        "--names", default="", metavar="NAME,...", help="of these programs or cases"
    )
    arguments = parser.parse_args(words)
    arguments.minutes = arguments.minutes or (QUICK_MINUTES if arguments.quick else LONG_MINUTES)
    arguments.ms = arguments.ms or (15 if arguments.quick else 40)
    arguments.names = [name for name in arguments.names.split(",") if name]
    return arguments


class Libraries:
    """Where the libraries are, each in a folder that has a libgomp.so.1."""

    def __init__(self, programs: Path) -> None:
        self.own = programs.parent / "lib" / "openmp"
        self.libomp = runs.OUT / "libomp-as-libgomp"
        if LIBOMP.exists():
            self.libomp.mkdir(parents=True, exist_ok=True)
            link = self.libomp / "libgomp.so.1"
            link.unlink(missing_ok=True)
            link.symlink_to(LIBOMP)

    def folder(self, runtime: str) -> Path | None:
        """None: the system's."""
        return {"myrmidon": self.own, "libomp": self.libomp}.get(runtime)

    def found(self, wanted: list[str]) -> list[str]:
        there = []
        for name in wanted:
            folder = self.folder(name)
            if folder is None or (folder / "libgomp.so.1").exists():
                there.append(name)
            else:
                print(f"{name}: skipped, no {folder}/libgomp.so.1", file=sys.stderr)
        return there


def variables(step: Step) -> dict[str, str]:
    """How a process waits; all else is the library's default."""
    return {"OMP_WAIT_POLICY": "active"} if step.runtime == "libgomp-active" else {}


def add(results: Results, step: Step, case: str, unit: str, value: float, **more: Any) -> None:
    key = case, step.runtime, step.threads, step.busy
    kind = "openmp_construct" if step.program is None else "openmp_program"
    one = results.setdefault(
        key,
        {"bench": kind, "case": case, "runtime": step.runtime, "threads": step.threads}
        | {"busy": step.busy, "unit": unit, "runs": []}
        | {name: [] for name in more},
    )
    one["runs"].append(value)
    for name, number in more.items():
        one[name].append(number)


class Bench:
    """Runs steps and gathers what they measure."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.libraries = Libraries(arguments.programs)
        self.runtimes = self.libraries.found(arguments.runtimes)
        self.results: Results = {}
        self.place: openmp_programs.Place | None = None

    def construct_steps(self) -> list[Step]:
        # Threads that never sleep and are more than the processors: each barrier takes time slices.
        return [
            Step(name, threads, busy)
            for threads, busy in CONSTRUCTS_IN
            for name in self.runtimes
            if name != "libgomp-active" or threads <= (os.cpu_count() or 1)
        ]

    def program_steps(self) -> list[Step]:
        self.place = openmp_programs.Place(runs.ROOT / ".cache" / "openmp-programs")
        self.place.prepare()
        names = self.arguments.names
        wanted = [one for one in openmp_programs.PROGRAMS if not names or one.name in names]
        return [
            Step(name, threads, busy, program)
            for program in wanted
            for threads, busy in PROGRAMS_IN
            for name in self.runtimes
            if self.is_measured(name, threads, busy)
        ]

    def is_measured(self, runtime: str, threads: int, busy: int) -> bool:
        """Programs: what the goals need, and in a long run what the other libraries do."""
        if threads == 1:
            return runtime == "libgomp"
        if runtime == "libgomp-active":
            return (threads, busy) == (2, 0)
        if self.arguments.quick:
            return busy < 2 and (threads == 2 or runtime == "myrmidon")
        return True

    def run_constructs(self, step: Step) -> None:
        folder = self.libraries.folder(step.runtime)
        command = [str(self.arguments.programs / PROGRAM), "--ms", str(self.arguments.ms)]
        if self.arguments.names:
            command += ["--only", ",".join(self.arguments.names)]
        environment = {"OMP_NUM_THREADS": str(step.threads), **variables(step)}
        if folder is not None:
            environment["LD_LIBRARY_PATH"] = str(folder)
        for found in runs.json_lines(command, environment):
            add(self.results, step, found["case"], found["unit"], found["value"])

    def run_program(self, step: Step) -> None:
        assert self.place is not None and step.program is not None
        done = self.place.run(
            step.program,
            self.libraries.folder(step.runtime),
            step.threads,
            QUICK_SECONDS_MAX if self.arguments.quick else PROGRAM_SECONDS_MAX,
            **variables(step),
        )
        if done.status not in (0, None):
            raise runs.ProgramFailed(f"{step.program.name} on {step.runtime}: {done.text}")
        add(self.results, step, step.program.name, "s", done.seconds, cpu=done.cpu_seconds)

    def measure(self, steps: list[Step], run: Callable[[Step], None], seconds: float) -> int:
        """Rounds of all steps until the time is over, but one at least; returns how many began."""
        end = time.monotonic() + seconds
        for number in range(self.arguments.runs):
            shuffled = list(steps)
            random.Random(number).shuffle(shuffled)
            for place, step in enumerate(shuffled):
                if number > 0 and time.monotonic() > end:
                    return number + 1
                text = f"round {number + 1}, {place + 1} of {len(shuffled)}: {step.runtime}"
                runs.show_progress(f"{text}, {step.threads} threads, {step.busy} busy")
                with runs.endless_processes(step.busy):
                    run(step)
        return self.arguments.runs


def main(words: list[str]) -> None:
    arguments = parse_arguments(words)
    bench = Bench(arguments)
    rounds = {}
    seconds = 60 * arguments.minutes
    if arguments.only != "programs":
        share = 1 if arguments.only else CONSTRUCTS_SHARE
        rounds["constructs"] = bench.measure(
            bench.construct_steps(), bench.run_constructs, share * seconds
        )
    if arguments.only != "constructs":
        share = 1 if arguments.only else 1 - CONSTRUCTS_SHARE
        rounds["programs"] = bench.measure(
            bench.program_steps(), bench.run_program, share * seconds
        )
    runs.show_progress("")
    found = list(bench.results.values())
    for lines in openmp_tables.places(found).values():
        print("\n".join(lines), end="\n\n")
    if arguments.json:
        head = record.head("openmp", runs=max(rounds.values()), rounds=rounds)
        runs.write_lines(arguments.json, [head, *found])
    if arguments.plot:
        openmp_tables.draw(found, arguments.plot)


if __name__ == "__main__":
    main(sys.argv[1:])
