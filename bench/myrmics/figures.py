#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the evaluation of the Myrmics paper, section VI, on simulated chips.

Each figure becomes FIGURE.png and FIGURE.csv in out/myrmics; a whole run also writes a page,
docs/myrmics.md.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import agents
import beyond
import page
import synthetic
from cases import STRONG, WEAK
from results import Results, Store, collect, harness
from scaling import Figure8
from style import write_csv

OUT = harness.OUT / "myrmics"


def all_figures(quick: bool) -> list[Any]:
    """In the order of the paper. Problems of strong scaling are too large for a quick look."""
    strong = [Figure8(STRONG), agents.Figure9(), agents.Figure10()]
    past = [beyond.Beyond()]
    return [
        synthetic.Figure7a(),
        synthetic.Granularity("fig7b", synthetic.STRONG, 16.2, quick),
        *([] if quick else strong),
        Figure8(WEAK, quick),
        agents.Figure11(quick),
        synthetic.Granularity("fig12a", synthetic.WEAK, 37.4, quick),
        synthetic.Figure12b(quick),
        *([] if quick else past),
    ]


def parse_arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./dev figures myrmics", description=__doc__.split("\n", maxsplit=1)[0]
    )
    parser.add_argument("--quick", action="store_true", help="a part of it, in under a minute")
    parser.add_argument("--only", metavar="FIGURE", help="fig7a, fig8, ...: this one alone")
    parser.add_argument(
        "--programs",
        type=Path,
        default=harness.ROOT / "build/release/bin",
        metavar="FOLDER",
        help="of the built programs (default: build/release/bin)",
    )
    return parser.parse_args(words)


def draw(figures: list[Any], results: Results, folder: Path) -> page.Tables:
    """Draws what was measured into the folder. Returns its numbers."""
    tables = {}
    for figure in figures:
        rows = list(figure.rows(results))
        if rows:
            tables[figure.name] = rows
            write_csv(folder / f"{figure.name}.csv", rows)
            figure.draw(rows, folder / f"{figure.name}.png")
        else:
            print(f"{figure.name}: left out, nothing was measured", file=sys.stderr)
    return tables


def tell_failures(results: Results) -> None:
    """One line for each reason, with the first run that failed so."""
    failed: dict[str, list[str]] = {}
    for run, why in results.failures.items():
        failed.setdefault(why, []).append(str(run))
    for why, names in failed.items():
        others = f" and {len(names) - 1} more" if len(names) > 1 else ""
        print(f"failed: {names[0]}{others}: {why}", file=sys.stderr)


def main(words: list[str]) -> int:
    arguments = parse_arguments(words)
    figures = [
        figure for figure in all_figures(arguments.quick) if arguments.only in (None, figure.name)
    ]
    if not figures:
        sys.exit(f"there is no figure '{arguments.only}'")
    store = Store(arguments.programs, OUT / "results")
    results = collect(store, [run for figure in figures for run in figure.runs()])
    tables = draw(figures, results, OUT / "quick" if arguments.quick else OUT)
    tell_failures(results)
    if not arguments.quick and not arguments.only:
        page.write(tables, OUT)
        print(f"wrote {page.PAGE.relative_to(harness.ROOT)}")
    return 1 if results.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
