# SPDX-License-Identifier: Apache-2.0
"""What became of the tests of a public suite, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    name: str  # of the test
    passed: bool
    why: str = ""


def tell(outcomes: list[Outcome], threads: str, is_accepted: Callable[[str], bool]) -> int:
    """Prints the tests that failed, and how many; returns how many of them should not have."""
    failed = [outcome for outcome in outcomes if not outcome.passed]
    for outcome in failed:
        note = " (expected)" if is_accepted(outcome.name) else ""
        print(f"  {outcome.name}{note}: {outcome.why}")
    print(f"{threads} threads: {len(outcomes) - len(failed)} pass, {len(failed)} fail", flush=True)
    return sum(not is_accepted(outcome.name) for outcome in failed)
