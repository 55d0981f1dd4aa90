#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plays the cases of myr_life on one machine and checks how each ends.

run.py PROGRAM MACHINE [SANITIZER]
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys

TIMEOUT_S = 100
MISUSE = 70  # MYR_EXIT_MISUSE
# Status and output of each.
CASES = {
    "fork_exit": (0, ""),
    "fork_exec": (0, ""),
    "fork_call": (0, ""),
    "fork_of_a_child": (0, ""),
    "finish_then_fork": (0, ""),
    "fork_in_task": (0, ""),
    "return_before_tasks_end": (0, ""),
    "exit_before_tasks_end": (5, ""),
    "exit_with_locals": (5, ""),
    "exit_in_task": (6, "said before"),
    "exit_in_signal_handler": (4, ""),
    "exit_at_once_in_task": (8, ""),
    "quick_exit_with_tasks": (7, "quick"),
    "tasks_of_static_object": (0, "destroyed\n"),
    "main_leaves_its_thread": (0, "ran 100"),
    "thread_exit_in_task": (MISUSE, ""),
    "start_again": (0, ""),
    "static_region": (0, "freed\n"),
    "static_region_outlives_machine": (0, "freed\n"),
    "static_region_after_fork": (0, "freed\nfreed\n"),
    "another_machine": (0, ""),
    "first_thread_starts_again": (0, ""),
}
# Where any thread may call.
GUESTS = {
    "fork_returns": (0, ""),
    "guests": (0, ""),
    "guests_one_by_one": (0, ""),
    "guest_catches": (0, ""),
    "guest_at_the_end": (0, ""),
    "many_guests": (0, ""),
    "first_thread_ends": (0, ""),
    "first_thread_ends_meanwhile": (0, ""),
    "memory_outlives_threads": (0, ""),
    "guests_start_and_finish": (0, ""),
    "pool_ends_last": (0, ""),
    "main_leaves_guests": (0, "ran 100"),
    "main_leaves_others": (0, "ran 10"),
}
# Status, and what is said on stderr.
FULL_TASK = r"stacks.cpp:\d+: the stack of the task spawned here, 1\d* KiB, is full; MYR_STACK=\d+ "
FAULT = (
    r"(?m)^myrmidon: \S*stacks.cpp:\d+: {} in the task spawned here, "
    r"which declares inout 8 bytes at 0x"
)
FULL_STACKS = {
    "stack_of_12_mib": (0, "^$"),
    "full_stack_from_its_low_end": (-signal.SIGSEGV, FULL_TASK),
    "full_stack_from_its_high_end": (-signal.SIGSEGV, FULL_TASK),
    "fault_in_task": (
        -signal.SIGSEGV,
        FAULT.format(r"a segmentation fault \(SIGSEGV\) at address 0x?0"),
    ),
    "division_in_task": (
        -signal.SIGFPE,
        FAULT.format(r"an arithmetic error \(SIGFPE\) at address 0x\w+"),
    ),
    "abort_in_task": (-signal.SIGABRT, FAULT.format(r"a call of abort\(\) \(SIGABRT\)")),
    "fault_of_main": (-signal.SIGSEGV, "^$"),
    "full_stack_of_main": (-signal.SIGSEGV, r"the stack of main, .* is full; MYR_STACK=\d+ "),
}
# The same, where one more machine takes little: on a busy computer a tree takes a minute.
BUSY = {"fork_while_others_spawn": (0, "")}
# Where only main and tasks may call: the first caller is main, and the end of its thread ends all.
MAIN_ONLY = {"first_thread_ends": (MISUSE, "")}


def run(program: str, machine: str, case: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"MYR_ON": machine} | more
    if any(part in case for part in ("fork", "main_leaves", "first_thread_ends")):
        # LeakSanitizer does not find what belongs to threads that are not there.
        environment["ASAN_OPTIONS"] = "detect_leaks=0"
    return subprocess.run(
        [program, case],
        env=environment,
        timeout=TIMEOUT_S,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )


def play(program: str, machine: str, case: str, expected: tuple[int, str]) -> str | None:
    """Returns what went wrong."""
    try:
        ended = run(program, machine, case)
    except subprocess.TimeoutExpired:
        return "hangs"
    if (ended.returncode, ended.stdout) == expected:
        return None
    return f"ended with {ended.returncode}, said '{ended.stdout}'\n{ended.stderr}"


def fill_stacks(program: str, machine: str) -> list[str]:
    """Returns what went wrong."""
    mistakes = []
    for case, (status, pattern) in FULL_STACKS.items():
        ended = run(program, machine, case)
        if ended.returncode != status or not re.search(pattern, ended.stderr):
            mistakes.append(f"{case} on {machine}: ended with {ended.returncode}\n{ended.stderr}")
    ended = run(program, machine, "stack_of_40_mib", MYR_STACK="64")
    if (ended.returncode, ended.stderr) != (0, ""):
        mistakes.append(f"MYR_STACK on {machine}: ended with {ended.returncode}\n{ended.stderr}")
    return mistakes


def main(program: str, machine: str, sanitizer: str = "") -> int:
    status = 0
    serves_guests = machine.startswith(("serial", "smp", "tree", "master"))
    cases = CASES | (GUESTS if serves_guests else MAIN_ONLY)
    if machine.startswith(("serial", "smp", "master")) and sanitizer == "":
        cases |= BUSY
    # ThreadSanitizer ends a child of a process with threads that starts some itself; any program
    # hangs under it whose first thread leaves by pthread_exit(), which no other stack may call
    # there; and it calls signal handlers itself, later. Sanitizers allocate under locks of theirs.
    left_out = ("signal_handler",) if sanitizer != "" else ()
    # A child cannot allocate if another thread, such as one that starts, held AddressSanitizer's
    # lock of memory at the fork.
    has_threads = serves_guests and machine not in ("serial", "smp:1")
    if sanitizer == "address" and has_threads:
        left_out += ("fork_",)  # not finish_then_fork
    if sanitizer == "thread":
        left_out += ("fork", "main_leaves", "thread_exit")
    if left_out:
        cases = {
            case: expected
            for case, expected in cases.items()
            if not any(word in case for word in left_out)
        }
    for case, expected in cases.items():
        if (mistake := play(program, machine, case, expected)) is not None:
            print(f"{case} on {machine}: {mistake}")
            status = 1
    # A sanitizer handles the signal, and has an array on the stack elsewhere.
    for mistake in fill_stacks(program, machine) if sanitizer == "" else []:
        print(mistake)
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
