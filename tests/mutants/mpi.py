# SPDX-License-Identifier: Apache-2.0
"""Do jobs of processes on the seeded plug-in have teeth? Plants one fault at a time into what moves
the data of processes, and runs random programs until one of them fails.

Usage: mpi.py BUILD_FOLDER [--only NAME] [--runs N] [--seed S]    a build without MYR_UNITY

A run is a job of a few random programs. All of it follows from its seed, except for what threads do
meanwhile. See docs/adr/0122-a-seeded-mpi.md.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from mutants import Mutant, Runtime

SECONDS = 60  # for one run; they take one or two
MACHINES = ("mpi:1+1", "mpi:1+2", "mpi:2+2x2", "mpi:2+4", "mpi:1+3")
# With the first of their programs, or 0 for others each time, and how many. In that of replay many
# tasks read what they write a part of.
PROGRAMS = (
    ("random_mixed", 0, 4),
    ("random_windows", 0, 8),
    ("random_replay", 0, 3),
    ("random_replay", 354076, 1),
    ("mpi_cancelled", 0, 0),
)

WORKER = "src/sched/worker.cpp"
TRANSFERS = "src/cluster/mpi/transfers.cpp"
COPIES = "src/cluster/mpi/copies.hpp"
NODE = "src/cluster/mpi/rank_node.cpp"
MEMORY = "src/cluster/mpi/known_memory.cpp"


def fault(name: str, path: str, right: str, wrong: str) -> Mutant:
    return Mutant(name, path, right, wrong, (), unit=TRANSFERS if path == COPIES else "")


FAULTS = (
    fault(
        "what is only read keeps its first producer", WORKER,
        "      if (is_brought && piece.is_read &&",
        "      if (is_brought && piece.mode == proto::Mode::Write && piece.is_read &&",
    ),
    fault(
        "no new producers", WORKER, "      if (is_brought && ", "      if (false && is_brought && ",
    ),
    fault(
        "a task goes back and begins", WORKER,
        "    given = std::move(here_[i].work);\n"
        "    const bool is_brought = here_[i].is_brought;\n    here_.erase(i);\n",
        "    given = here_[i].work;\n    const bool is_brought = here_[i].is_brought;\n",
    ),
    fault(
        "a task begins before its data is here", NODE,
        "guest.parcel.loans, then);\n  return false;",
        "guest.parcel.loans, [] {});\n  return true;",
    ),
    fault(
        "a wait ends before its data is here", NODE,
        "proto::kNoAgent, {}, then);\n    return false;",
        "proto::kNoAgent, {}, [] {});\n    return true;",
    ),
    fault(
        "versions are not looked at", COPIES,
        "    if (copy.version != version) return true;\n", "    static_cast<void>(version);\n",
    ),
    fault("holes are not looked at", COPIES, "    lack_until(first);\n", ""),
    fault(
        "overwritten before it has left", TRANSFERS,
        "  leaving.request = wire_.give(ranges, by);\n",
        "  leaving.request = wire_.give(ranges, by);\n"
        "  for (const Range& range : leaving.given_up) wire_.overwrite(range);\n",
    ),
    fault("overwritten when it is a task's again", TRANSFERS, "    keep(piece);\n", ""),
    fault(
        "nobody waits for what another one has asked for", TRANSFERS,
        "  if (found->groups.back() == group) return;\n",
        "  if (found->groups.back() != group || true) return;\n",
    ),
    fault(
        "half of a group is all", TRANSFERS,
        "  groups_.at(group).missing += 1;\n  const Arriving",
        "  if (groups_.at(group).missing >= 2) {\n    group = next_group_++;\n"
        "    groups_.emplace(group, Group{.missing = 0, .then = [] {}});\n  }\n"
        "  groups_.at(group).missing += 1;\n  const Arriving",
    ),
    fault(
        "ranges in another order", TRANSFERS,
        "  wire_.ask(producer,",
        "  std::reverse(wanted.fetch.ranges.begin(), wanted.fetch.ranges.end());\n"
        "  wire_.ask(producer,",
    ),
    fault(
        "a copy is not forgotten where it is given up", TRANSFERS,
        "    copies_.forget(range);  //", "    //",
    ),
    fault(
        "what is written is asked for as if it were read", TRANSFERS,
        "    const bool is_written = piece.mode == proto::Mode::Write;",
        "    const bool is_written = false;",
    ),
    fault(
        "what is written is asked for after what is read", TRANSFERS,
        "{proto::Mode::Write, proto::Mode::Read}", "{proto::Mode::Read, proto::Mode::Write}",
    ),
    fault(
        "a note stays of what a task writes", TRANSFERS,
        "    if (piece.mode == proto::Mode::Write) copies_.forget({piece.address, piece.bytes});\n",
        "",
    ),
    fault(
        "no note of what has been given to readers", TRANSFERS,
        "    if (!one.is_written && one.version != 0) note(", "    if (false) note(",
    ),
    fault(
        "bytes are brought that nobody reads", TRANSFERS,
        "  if (!piece.is_read || piece.producer == self_ ||", "  if (piece.producer == self_ ||",
    ),
    fault(
        "pages that are lent are known as they were", NODE,
        "  for (const proto::PageRun pages : answer.pages) known_.forget(pages);\n", "",
    ),
    fault(
        "what a task knew of memory holds for all", MEMORY,
        "  if (found != stamp && found != 0) return false;\n",
        "  static_cast<void>(found != stamp);\n",
    ),
    fault(
        "what a cancelled task was to write is not brought", NODE,
        "  if (guest.is_dropped) {  //", "  if (guest.is_dropped && false) {  //",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Job:
    """A run."""

    words: tuple[str, ...]
    variables: dict[str, str]

    def fails(self, library: str) -> bool:
        with subprocess.Popen(
            self.words,
            env=os.environ | self.variables | {"LD_LIBRARY_PATH": library},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as job:
            try:
                return job.wait(SECONDS) != 0
            except subprocess.TimeoutExpired:
                return True
            finally:
                kill_group(job.pid)

    def __str__(self) -> str:
        variables = (f"{name}={value}" for name, value in self.variables.items())
        return " ".join([*variables, *self.words])


def kill_group(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def job_of(seed: int, binaries: Path) -> Job:
    """Mostly with an odd seed: on computers of their own, processes take all of this one's time."""
    dice = random.Random(seed)
    machine = dice.choice(MACHINES)
    program, first, count = dice.choice(PROGRAMS)
    programs = [first or 10 * seed, count] if count else []
    own = seed if seed % 16 == 0 else 2 * seed + 1
    words = (binaries / "myr_seeded_job", own, machine, binaries / f"myr_{program}", *programs)
    variables = {
        "MYR_SILENCE": "60",
        "MYR_POISON": dice.choice(("", "1", "1")),
        "MYR_CHAOS": dice.choice(("", str(seed))),  # tasks are given back, and again
    }
    return Job(tuple(map(str, words)), variables)


def run_with(mutant: Mutant, build: Path, jobs: list[Job]) -> str:
    """What was found, and where."""
    with TemporaryDirectory() as folder:
        Runtime(build, Path(folder)).make(mutant)
        os.symlink(build / "lib/libmyrmidon-seeded.so", Path(folder) / "libmyrmidon-seeded.so")
        for number, job in enumerate(jobs, 1):
            if job.fails(folder):
                return f"found in run {number}: {job}"
    return f"NOT FOUND in {len(jobs)} runs"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("--only", metavar="NAME", default="", help="faults whose name it is in")
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1, help="of the first run")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    seeds = range(arguments.seed, arguments.seed + arguments.runs)
    jobs = [job_of(seed, build / "bin") for seed in seeds]
    if false_alarms := [str(job) for job in jobs[:20] if job.fails(str(build / "lib"))]:
        sys.exit(f"without any fault, these fail: {', '.join(false_alarms)}")
    for mutant in FAULTS:
        if arguments.only in mutant.name:
            print(f"{mutant.name}: {run_with(mutant, build, jobs)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
