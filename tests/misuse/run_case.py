#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one case of the misuse program on several machines and checks how it ends.

    run_case.py PROGRAM SOURCE CASE
        a mistake, marked `// misuse: CASE: [CONDITION: ]PATTERN` in SOURCE
    run_case.py PROGRAM SOURCE CASE --launch MYR
        the same on a job of three processes, which `myr run` starts with the MPI that MYR_MPI names
    run_case.py PROGRAM --machine TEXT PATTERN [--address-space BYTES]
        a start that must fail, with MYR_ON=TEXT

A mistake must end the program with status 70 and one message that names the marked line and matches
PATTERN. Conditions: `parallel` leaves out machines of one thread, `nested` also those where what a
task spawns may run at once, as on a tree's workers of one thread, `one thread` all others,
`no guests` all but those that accept foreign threads, `no agents` those of agents, `smp` all but
smp of several threads, `windows` all but those that cut loops by themselves, `blocks` all but those
that order tasks by blocks of memory; `data limit` gives little memory; `little` does so, and leaves
out machines of one thread.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

EXIT_MISUSE = 70
MACHINES = (
    "serial",
    "smp:1",
    "smp:4",
    "tree:1+2",
    "master:1+3",
    "sim:formic-520:3+9",
    "sim:scc-48:1+3",
    "sim:scc-48-tree:2+6",
)
JOB = "mpi:1+2"
AGENTS = ("tree", "master", "sim", "mpi")
# Memory may run out in a thread that only schedules, and works for all spawns.
WITH_SCHEDULERS = ("tree", "master")
NO_GUESTS = ("sim", "mpi")
BLOCKS = ("master", "sim:scc-48:")
TIMEOUT_S = 60
DATA_LIMIT_BYTES = 300 << 20


def fail(text: str) -> None:
    sys.exit(f"run_case.py: {text}")


def run(words: list[str], machine: str, limit: Callable[[], None] | None) -> str:
    """Returns what the program wrote to stderr; fails unless it ended with the status of misuse.

    A launcher may report a process that was killed because of the mistake of another.
    """
    environment = os.environ | {"MYR_ON": machine}
    try:
        ended = subprocess.run(
            words,
            env=environment,
            preexec_fn=limit,
            timeout=TIMEOUT_S,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except subprocess.TimeoutExpired:
        fail(f"on {machine}: hangs")
    is_right = ended.returncode != 0 if machine == JOB else ended.returncode == EXIT_MISUSE
    if not is_right:
        fail(f"on {machine}: ended with {ended.returncode}, not {EXIT_MISUSE}:\n{ended.stderr}")
    return ended.stderr


def check_message(message: str, machine: str, expected: str) -> None:
    if len(re.findall("myrmidon: error:", message)) != 1:
        fail(f"on {machine}: expected one message, got:\n{message}")
    if re.search(expected, message, re.IGNORECASE | re.DOTALL) is None:
        fail(f"on {machine}: expected /{expected}/, got:\n{message}")


def limit_data() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (DATA_LIMIT_BYTES, DATA_LIMIT_BYTES))


def is_meant(condition: str | None, machine: str) -> bool:
    if condition in ("parallel", "nested", "little") and machine in ("serial", "smp:1"):
        return False
    if condition == "nested" and machine.startswith(("tree", "master", "mpi", "sim:scc")):
        return False
    if condition == "one thread" and not machine.startswith(("serial", "smp:1", "sim")):
        return False
    if condition == "no agents" and machine.startswith(AGENTS):
        return False
    if condition == "smp" and machine != "smp:4":
        return False
    if condition == "windows" and not machine.startswith(("sim", "master", "tree", "mpi")):
        return False
    if condition == "blocks" and not machine.startswith(BLOCKS):
        return False
    # MPI itself needs more than that.
    if condition in ("data limit", "little") and machine == JOB:
        return False
    return condition != "no guests" or machine.startswith(NO_GUESTS)


def check_case(program: str, source: Path, case: str, launcher: str | None) -> None:
    conditions = (
        "parallel|nested|one thread|data limit|no guests|no agents|smp|windows|blocks|little"
    )
    mark = re.compile(rf"// misuse: {case}: (?:({conditions}): )?(.+)$")
    for number, line in enumerate(source.read_text().splitlines(), 1):
        found = mark.search(line)
        if found is None:
            continue
        condition, pattern = found.groups()
        for machine in MACHINES if launcher is None else (JOB,):
            if not is_meant(condition, machine):
                continue
            limit = limit_data if condition in ("data limit", "little") else None
            launch = [] if launcher is None else [launcher, "run", "--on", machine]
            message = run([*launch, program, case], machine, limit)
            place = rf"myrmidon: error: (?:rank \d+: )?\S*{re.escape(source.name)}:{number}: "
            if condition == "little" and machine.startswith(WITH_SCHEDULERS):
                place = "myrmidon: error: "
            check_message(message, machine, place + f"[^\n]*(?:{pattern})")
        return
    fail(f"no mark for {case} in {source}")


def check_machine(program: str, machine: str, pattern: str, address_space: int) -> None:
    def limit() -> None:
        if address_space:
            resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))

    check_message(
        run([program, "double_free"], machine, limit),
        machine,
        f"myrmidon: error: [^\n]*(?:{pattern})",
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("source", nargs="?", type=Path)
    parser.add_argument("case", nargs="?")
    parser.add_argument("--machine", nargs=2)
    parser.add_argument("--address-space", type=int, default=0)
    parser.add_argument("--launch")
    arguments = parser.parse_args()
    if arguments.machine:
        check_machine(arguments.program, *arguments.machine, arguments.address_space)
    else:
        check_case(arguments.program, arguments.source, arguments.case, arguments.launch)


if __name__ == "__main__":
    main()
