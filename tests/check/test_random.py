#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`myr check` on random programs: it accuses none that is right; and of those in which one access
is broken it accuses just those that have lost something, by the list that the program makes of
itself (tests/random/orders.hpp).

Usage: test_random.py MYR CHECKED PLAIN [FIRST_SEED [RIGHT [BROKEN]]]
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field

FOUND, REFUSED = 66, 70
MISTAKES = ("lost", "undeclared", "declared")
PERHAPS = "apart"  # no mistake where what keeps two tasks apart is the same for both


@dataclass
class Lost:
    """What the list says of one broken program: its lines, by their first word."""

    lines: dict[str, list[str]] = field(default_factory=dict)

    def has(self, *kinds: str) -> bool:
        return any(kind in self.lines for kind in kinds)

    def __str__(self) -> str:
        firsts = (f"{kind} {lines[0]}" for kind, lines in self.lines.items())
        return ", ".join(firsts) or "nothing is lost"


def run(words: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, capture_output=True, text=True, timeout=500, env=os.environ | variables
    )


def lost_orders(plain: str, first: int, count: int) -> dict[int, Lost]:
    words = ["--seed", str(first), "--count", str(count), "--break", "--lost-orders"]
    lost: dict[int, Lost] = {}
    for line in run([plain, *words]).stdout.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "seed":
            latest = lost.setdefault(int(rest), Lost())
        else:
            latest.lines.setdefault(kind, []).append(rest)
    return lost


def is_wrong_in_some_order(plain: str, seed: int) -> bool:
    words = [plain, "--seed", str(seed), "--count", "1", "--break"]
    chaos = [run(words, MYR_ON="smp:4", MYR_CHAOS=str(order)).returncode for order in range(1, 5)]
    return any(chaos) or run(words, MYR_ON="smp:8").returncode != 0


def contradiction(status: int, lost: Lost, plain: str, seed: int) -> str:
    """Between the list and a run that ended with this status; empty: there is none."""
    if lost.has("unordered"):
        return "the list knows no order of the program before it was broken"
    if status == REFUSED:
        return ""
    if status == FOUND:
        return "" if lost.has(*MISTAKES, PERHAPS) else "found"
    if status != 0:
        return f"status {status}"
    if lost.has(*MISTAKES):
        return "not found"
    if not lost.has(PERHAPS) and is_wrong_in_some_order(plain, seed):
        return "another result in some order"
    return ""


def main() -> int:
    myr, checked, plain = sys.argv[1:4]
    numbers = [int(word) for word in sys.argv[4:]]
    first, right, broken = (*numbers, *(1, 300, 60)[len(numbers) :])
    failed = False
    ended = run([myr, "check", checked, "--seed", str(first), "--count", str(right)])
    if ended.returncode != 0:
        print(f"right programs are accused:\n{ended.stdout[-100:]}{ended.stderr[-1000:]}")
        failed = True
    lists = lost_orders(plain, first, broken)
    told: Counter[int] = Counter()
    for seed in range(first, first + broken):
        words = [myr, "check", checked, "--seed", str(seed), "--count", "1", "--break"]
        status = run(words).returncode
        told[status] += 1
        if found := contradiction(status, lists[seed], plain, seed):
            print(f"{found}, but {lists[seed]}: {' '.join(words)}")
            failed = True
    orders = sum(lost.has("lost") for lost in lists.values())
    print(
        f"{right} right programs; of {broken} broken ones {orders} have lost an order; check found "
        f"{told[FOUND]}, the runtime refused {told[REFUSED]}, in {told[0]} nothing is wrong"
    )
    if told[FOUND] < broken // 20 or orders < broken // 50:
        print("hardly any broken program is found")
        failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
