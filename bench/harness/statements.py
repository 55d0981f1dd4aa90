# SPDX-License-Identifier: Apache-2.0
"""What a paper states beside what was measured here: rows of a page, and how they are judged."""

from __future__ import annotations

from dataclasses import dataclass

TOLERANCE = 0.15


@dataclass(frozen=True)
class Statement:
    """A row of the page."""

    figure: str
    paper: str
    here: str
    verdict: str
    why: str = ""


def compare(here: float, there: float, larger_is_better: bool = True) -> str:
    if abs(here - there) <= TOLERANCE * there:
        return "matched"
    return "better" if (here > there) == larger_is_better else "not"


def holds(condition: bool) -> str:
    return "matched" if condition else "not"
