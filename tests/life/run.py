#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plays the cases of myr_life on one machine and checks how each ends.

run.py PROGRAM MACHINE
"""

from __future__ import annotations

import os
import subprocess
import sys

TIMEOUT_S = 100
MISUSE = 70  # MYR_EXIT_MISUSE
# Status and output of each.
CASES = {
    "fork_exit": (0, ""),
    "fork_exec": (0, ""),
    "fork_call": (0, ""),
    "return_before_tasks_end": (0, ""),
    "exit_before_tasks_end": (5, ""),
    "exit_in_task": (6, "said before"),
    "start_again": (0, ""),
    "another_machine": (0, ""),
    "first_thread_ends": (MISUSE, ""),
    "first_thread_ends_and_another_starts": (0, ""),
}
# Where other threads may call.
GUESTS = {
    "guests": (0, ""),
    "guests_one_by_one": (0, ""),
    "guest_catches": (0, ""),
    "guest_at_the_end": (0, ""),
    "guest_behind_the_first": (MISUSE, ""),
}


def play(program: str, machine: str, case: str) -> str | None:
    """Returns what went wrong."""
    environment = os.environ | {"MYR_ON": machine}
    if case == "fork_exit":
        # LeakSanitizer does not find in a child what belongs to threads that are not there.
        environment["ASAN_OPTIONS"] = "detect_leaks=0"
    try:
        ended = subprocess.run(
            [program, case],
            env=environment,
            timeout=TIMEOUT_S,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "hangs"
    if (ended.returncode, ended.stdout) == (CASES | GUESTS)[case]:
        return None
    return f"ended with {ended.returncode}, said '{ended.stdout}'\n{ended.stderr}"


def main(program: str, machine: str) -> int:
    status = 0
    serves_guests = machine.startswith(("serial", "smp", "tree", "master"))
    for case in (*CASES, *(GUESTS if serves_guests else ())):
        if (mistake := play(program, machine, case)) is not None:
            print(f"{case} on {machine}: {mistake}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
