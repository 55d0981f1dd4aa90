# SPDX-License-Identifier: Apache-2.0
"""Writes docs/myrmics.md: the paper's statements beside what was measured, goals, figures."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import beyond
from cases import KERNELS
from goals import GOALS, Tables, outcomes
from judges import JUDGES
from results import harness

PAGE = harness.ROOT / "docs/myrmics.md"
PICTURES = harness.ROOT / "docs/perf"
WORDS = Path(__file__).with_name("words.toml")
NOT_MEASURED = "not measured"

NOTE = (
    "<!-- Written by ./dev figures myrmics from what it measured. Its words are those of "
    "bench/myrmics/words.toml. -->"
)


def load_words() -> dict[str, Any]:
    return tomllib.loads(WORDS.read_text())


def one_line(text: str) -> str:
    return " ".join(text.split())


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    columns = list(head)
    yield f"| {' | '.join(columns)} |"
    yield "|" + " --- |" * len(columns)
    for row in rows:
        yield f"| {' | '.join(row)} |"


def statement_rows(tables: Tables, statements: list[dict[str, str]]) -> Iterator[list[str]]:
    for statement in statements:
        finding = JUDGES[statement["key"]](tables)
        yield [
            statement["figure"],
            one_line(statement["paper"]),
            finding.ours if finding else "",
            f"**{finding.verdict if finding else NOT_MEASURED}**",
            one_line(statement["why"]),
        ]


def goal_rows(tables: Tables) -> Iterator[list[str]]:
    """A row a kernel, a column a goal."""
    found = {(one.kernel, one.goal): one for one in outcomes(tables)}
    for name, kernel in KERNELS.items():
        texts = []
        for goal in GOALS:
            one = found.get((name, goal))
            verdict = "" if one is None else ", met" if one.is_met else ", **missed**"
            texts.append(f"{one.ours}{verdict}" if one else "")
        yield [kernel.title, *texts]


def beyond_rows(tables: Tables) -> Iterator[list[str]]:
    """A row a tree."""
    for row in tables.get(beyond.Beyond.name, []):
        if row["levels"] == beyond.MPI_LEVELS:
            continue
        share = 100 * row["of_mpi"]
        verdict = "met" if share >= beyond.GOAL else "**missed**"
        yield [
            f"{row['cores']:,}",
            f"{row['workers']:,}",
            str(row["levels"]),
            f"{row['tile_mcycles']} M",
            f"{row['cycles'] / 1e6:.2f} M",
            f"{100 * row['efficiency']:.1f} %",
            f"{share:.1f} %, {verdict}",
        ]


def picture_lines(tables: Tables, captions: dict[str, str]) -> Iterator[str]:
    for figure in tables:
        yield ""
        yield captions[figure].strip()
        yield ""
        yield f"![Figure {figure.removeprefix('fig')}](perf/myrmics-{figure}.png)"


def lines(tables: Tables, words: dict[str, Any]) -> Iterator[str]:
    yield NOTE
    yield "# The evaluation of the Myrmics paper, on simulated chips"
    yield ""
    yield words["page"]["intro"].strip()
    yield ""
    yield "## The paper's statements"
    yield ""
    yield words["page"]["statements"].strip()
    yield ""
    head = ("figure", "the paper", "here", "", "why")
    yield from table(head, statement_rows(tables, words["statement"]))
    yield ""
    yield "## Goals"
    yield ""
    yield words["page"]["goals"].strip()
    yield ""
    yield from table(("kernel", *GOALS), goal_rows(tables))
    yield ""
    yield "## Past the paper"
    yield ""
    yield words["page"]["beyond"].strip()
    yield ""
    head = ("cores", "workers", "levels", "a tile", "cycles", "efficiency", "of MPI's")
    yield from table(head, beyond_rows(tables))
    yield ""
    yield "## What changes of the design gained"
    yield ""
    yield words["page"]["gains"].strip()
    yield ""
    yield "## Figures"
    yield from picture_lines(tables, words["captions"])


def write(tables: Tables, pictures: Path) -> None:
    """`pictures`: the folder where the figures were drawn."""
    for figure in tables:
        shutil.copyfile(pictures / f"{figure}.png", PICTURES / f"myrmics-{figure}.png")
    PAGE.write_text("\n".join(lines(tables, load_words())) + "\n")
