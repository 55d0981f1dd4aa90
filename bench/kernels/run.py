#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures all kernels at several task sizes: serially, with Myrmidon and with OpenMP.

Each program is a process of its own, and all come in random order, round after round; every result
is appended to a file at once, from which an interrupted run goes on. README.md says what the
columns mean, sizes.py has the sizes, columns.py the programs.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import random
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import forest
import tables
from columns import OWN, Column, columns_of
from harness import record, runs
from results import Key, Results, cases_from
from sizes import SIZES

RUN_SECONDS = 0.12  # that one process should measure for, about
QUICK_SECONDS = 0.04
REPEAT_MAX = 500
ROUNDS_TRIED = 3  # after which a version that no table will show is not run any more
DEFAULT_RESULTS = runs.OUT / "kernels.json"


class Job:
    """One column of a case, with how often its process repeats it."""

    def __init__(self, kernel: str, options: str, paper: int | None, column: Column) -> None:
        self.kernel, self.options, self.paper, self.column = kernel, options, paper, column
        self.repeat: int | None = None

    @property
    def key(self) -> Key:
        return self.kernel, self.options, self.column.name

    @property
    def name(self) -> str:
        return f"{self.kernel} {self.options}, {self.column.name}"

    def command(self, folder: Path, repeat: int) -> list[str]:
        program = str(folder / self.column.program)
        alone = ["--measure", self.column.measured, "--repeat", str(repeat), "--json"]
        return [program, *self.options.split(), *self.column.options, *alone]

    def run(self, folder: Path, repeat: int) -> list[float]:
        """Seconds of each repetition. The program has compared its result with the serial one."""
        outcome = runs.json_lines(self.command(folder, repeat), self.column.environment)[0]
        return outcome["serial_runs" if self.column.measured == "serial" else "runs"]


def parse_arguments(words: list[str]) -> argparse.Namespace:
    parser = runs.make_parser("kernels", __doc__)
    parser.set_defaults(runs=9, json=DEFAULT_RESULTS)
    parser.add_argument(
        "--threads", type=runs.positive, default=2, help="of the parallel machines (default: 2)"
    )
    parser.add_argument("--only", default="*", metavar="PATTERN", help="shell pattern of kernels")
    parser.add_argument(
        "--quick", action="store_true", help="a few sizes of each kernel, short runs"
    )
    parser.add_argument("--fresh", action="store_true", help="do not go on with an earlier run")
    return parser.parse_args(words)


def jobs_of(arguments: argparse.Namespace) -> list[Job]:
    found = []
    for kernel, sizes in sorted(SIZES.items()):
        if not fnmatch.fnmatch(kernel, arguments.only):
            continue
        if not (arguments.programs / f"kernel_{kernel}").exists():
            print(f"{kernel}: skipped, not built in {arguments.programs}", file=sys.stderr)
            continue
        columns = columns_of(kernel, arguments.programs, arguments.threads)
        for size in sizes:
            if size.quick or not arguments.quick:
                found += [Job(kernel, size.options, size.paper, column) for column in columns]
    return found


def count_tasks(folder: Path, job: Job) -> int:
    """How many tasks one run of the program spawns, as the runtime counts them."""
    environment = {**os.environ, "MYR_ON": "serial", "MYR_STATS": "json"}
    done = subprocess.run(
        job.command(folder, 1), capture_output=True, text=True, env=environment, check=False
    )
    stats = [line for line in done.stderr.splitlines() if line.startswith('{"machine"')]
    if done.returncode != 0 or not stats:
        raise runs.ProgramFailed(f"{job.name}: {done.stderr}{done.stdout}")
    spawned = sum(agent.get("spawned", 0) for agent in json.loads(stats[-1])["agents"])
    return spawned // 2  # one run is not timed


def try_out(arguments: argparse.Namespace, job: Job, results: Results) -> None:
    """Chooses how often a process repeats the job, and counts the tasks of Myrmidon's program."""
    wanted = QUICK_SECONDS if arguments.quick else RUN_SECONDS
    seconds = job.run(arguments.programs, 1)
    job.repeat = max(1, min(REPEAT_MAX, round(wanted / max(min(seconds), 1e-7))))
    if job.repeat == 1 and not results.seconds[job.key]:
        add_times(job, 0, seconds, results)  # long ones need not run again for that
    case = job.kernel, job.options
    if job.column.side == OWN and case not in results.tasks:
        tasks = count_tasks(arguments.programs, job)
        head = {"bench": "kernel_tasks", "kernel": job.kernel, "options": job.options}
        results.add({**head, "tasks": tasks})


def working(arguments: argparse.Namespace, jobs: list[Job], results: Results) -> list[Job]:
    """Those that run with the right result; tells of the others."""
    good = []
    for step, job in enumerate(jobs):
        runs.show_progress(f"[{step + 1}/{len(jobs)}] trying {job.name}")
        try:
            try_out(arguments, job, results)
            good.append(job)
        except runs.ProgramFailed as failure:
            print(f"left out: {failure}", file=sys.stderr)
    return good


def is_beaten(job: Job, jobs: list[Job], results: Results) -> bool:
    """Whether another version of the same side was faster in its slowest round than this one in
    its fastest: tables show the fastest version of each side alone."""

    def seconds(one: Job) -> list[float]:
        return list(results.seconds[one.key].values())

    def same_side(one: Job) -> bool:
        mine, theirs = job.column, one.column
        return (mine.side, mine.threads) == (theirs.side, theirs.threads)

    peers = [one for one in jobs if one.key[:2] == job.key[:2] and same_side(one)]
    if min(len(seconds(one)) for one in peers) < ROUNDS_TRIED:
        return False
    return min(map(max, map(seconds, peers))) < min(seconds(job))


def measure(arguments: argparse.Namespace, jobs: list[Job], results: Results) -> None:
    for number in range(arguments.runs):
        order = [job for job in jobs if not is_beaten(job, jobs, results)]
        random.Random(number).shuffle(order)
        for step, job in enumerate(order):
            if number in results.seconds[job.key]:
                continue
            runs.show_progress(f"round {number + 1} [{step + 1}/{len(order)}] {job.name}")
            measure_once(arguments, job, number, results)
    runs.show_progress("")


def measure_once(arguments: argparse.Namespace, job: Job, number: int, results: Results) -> None:
    try:
        times = job.run(arguments.programs, job.repeat)
    except runs.ProgramFailed as failure:  # it did work when it was tried
        print(f"a run failed: {failure}", file=sys.stderr)
        return
    add_times(job, number, times, results)


def add_times(job: Job, number: int, times: list[float], results: Results) -> None:
    kernel, options, column = job.key
    head = {"bench": "kernel", "kernel": kernel, "options": options, "column": column}
    results.add({**head, "round": number, "seconds": runs.median(times), "runs": len(times)})


def main(words: list[str]) -> None:
    arguments = parse_arguments(words)
    jobs = jobs_of(arguments)
    if not jobs:
        sys.exit(f"no kernel matches '{arguments.only}'")
    head = record.head("kernels", threads=arguments.threads, quick=arguments.quick)
    results = Results(arguments.json, head, arguments.fresh)
    good = working(arguments, jobs, results)
    measure(arguments, good, results)
    cases = cases_from(results, arguments.threads)
    for lines in tables.all_texts(head, cases):
        print("\n".join(lines), end="\n\n")
    if arguments.plot:
        forest.draw(cases, arguments.plot)
    if len(good) < len(jobs):
        sys.exit(f"{len(jobs) - len(good)} of {len(jobs)} programs were left out, see above")


if __name__ == "__main__":
    main(sys.argv[1:])
