#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the cycles of a spawn go, and how a task travels: from Rocket's log of the instructions
that it finishes, on two cores with Phentos.

A cycle in which core 0 finishes an instruction is the instruction's. The cycles before it belong to
what it waited for: memory if it is a load or a store or follows one, the scheduler's answer if it
is one of the three instructions behind one that has an answer, else to the pipeline (operands,
jumps, fetches).

Usage: python3 hw/soc/account.py [--tasks N]     two tables in Markdown, as in hw/README.md
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import build

LINE = re.compile(r"C(\d): +(\d+) \[1\] .* inst=\[([0-9a-f]+)\]")
CASES = (("task_free", 1), ("task_free", 15), ("task_chain", 1), ("task_chain", 15))
CUSTOM_0 = 0x0B
(REQUEST, _, TRIPLE, ASK, FETCH_NAME, FETCH_ID, RETIRE) = range(7)  # funct7, as in picos.h
KINDS = {
    "instruction": "instructions, a cycle each",
    "memory": "memory",
    "answer": "answers to instructions for the scheduler",
    "pipeline": "other waits of the pipeline: operands, jumps",
}


@dataclass(frozen=True)
class Step:
    """An instruction that a core finished."""

    core: int
    cycle: int
    word: int

    @property
    def funct(self) -> int | None:
        """Of an instruction for the scheduler."""
        return self.word >> 25 if self.word & 0x7F == CUSTOM_0 else None

    @property
    def has_answer(self) -> bool:
        return self.funct is not None and self.word >> 14 & 1 == 1

    @property
    def uses_memory(self) -> bool:
        if self.word & 3 == 3:
            return self.word & 0x7F in (0x03, 0x07, 0x23, 0x27, 0x2F, 0x0F)
        # Compressed: quadrants 0 and 2, loads and stores but the others of their functs.
        return self.word & 3 != 1 and self.word >> 13 & 7 not in (0, 4)


def steps(text: str) -> Iterator[Step]:
    for line in text.splitlines():
        if found := LINE.match(line):
            yield Step(int(found[1]), int(found[2]), int(found[3], 16))


def run(kernel: str, deps: int, tasks: int) -> list[Step]:
    program = build.program(build.Input(kernel, tasks, 0, deps=deps), "phentos", 2)
    command = [build.simulator(2, log=True), program, "20000000"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return list(steps(done.stderr))


def kind_of_wait(before: Step, after: Step, awaits: bool) -> str:
    if awaits:
        return "answer"
    return "memory" if before.uses_memory or after.uses_memory else "pipeline"


def account(log: list[Step]) -> dict[str, float]:
    """Cycles a task of core 0, from one Submission Request to the next, in the middle half of the
    tasks."""
    mine = [step for step in log if step.core == 0]
    requests = [place for place, step in enumerate(mine) if step.funct == REQUEST]
    quarter = len(requests) // 4
    first, last = requests[quarter], requests[-quarter]
    tasks = len(requests) - 2 * quarter
    cycles = dict.fromkeys(KINDS, 0)
    behind = 4  # how many instructions ago the scheduler was asked, until its answer is there
    for before, after in zip(mine[first:last], mine[first + 1 : last + 1]):
        cycles["instruction"] += 1
        behind = 1 if before.has_answer else behind + 1
        wait = after.cycle - before.cycle - 1
        cycles[kind_of_wait(before, after, behind <= 3)] += wait
        if wait != 0:
            behind = 4
    return {kind: count / tasks for kind, count in cycles.items()}


@dataclass
class Travel:
    """When things happen to a task, in cycles after its last packet."""

    requested: int
    first_packet: int
    fetched: int
    numbered: int
    retired: int

    WORDS: ClassVar[dict[str, str]] = {
        "requested": "core 0: Submission Request",
        "first_packet": "core 0: the head, by Submit Three Packets; then the dependence",
        "fetched": "core 1: Fetch SW ID returns the name",
        "numbered": "core 1: Fetch Picos ID returns the number, and the body begins",
        "retired": "core 1: Retire Task, the body is done",
    }


def travels(log: list[Step]) -> Iterator[Travel]:
    """Of tasks that core 1 ran while it waited for them. Tasks that are independent begin in the
    order in which they were submitted, so the n-th fetch is that of the n-th task."""
    submitted: list[tuple[int, int, int]] = []  # request, first packet, last packet
    fetched: list[tuple[int, int, int]] = []  # core, name, number
    retired: dict[int, list[int]] = {0: [], 1: []}
    for step in log:
        if step.funct == REQUEST:
            submitted.append((step.cycle, 0, 0))
        elif step.funct == TRIPLE:
            request, first, _ = submitted[-1]
            submitted[-1] = (request, first or step.cycle, step.cycle)
        elif step.funct == FETCH_ID:
            fetched.append((step.core, names[step.core], step.cycle))
        elif step.funct == RETIRE:
            retired[step.core].append(step.cycle)
        elif step.funct == FETCH_NAME:
            names[step.core] = step.cycle
    for (request, first, last), (core, name, number) in zip(submitted, fetched):
        if core != 1 or name < last:
            continue
        ends = next(cycle for cycle in retired[core] if cycle > number)
        yield Travel(request - last, first - last, name - last, number - last, ends - last)


names = {0: 0, 1: 0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=int, default=600)
    tasks = parser.parse_args().tasks
    logs = {case: run(*case, tasks) for case in CASES}
    accounts = [account(log) for log in logs.values()]
    print(f"| cycles | {' | '.join(f'{kernel}, {deps}' for kernel, deps in CASES)} |")
    print("|" + " --- |" * (1 + len(CASES)))
    for kind, text in KINDS.items():
        print(f"| {text} | {' | '.join(f'{one[kind]:.0f}' for one in accounts)} |")
    print(f"| all | {' | '.join(f'{sum(one.values()):.0f}' for one in accounts)} |\n")
    first = next(travels(logs["task_free", 1]))
    print("The first task that core 1 waited for, in cycles after its last packet:\n")
    print("| cycle | what |\n| --- | --- |")
    for name, text in Travel.WORDS.items():
        print(f"| {getattr(first, name)} | {text} |")


if __name__ == "__main__":
    main()
