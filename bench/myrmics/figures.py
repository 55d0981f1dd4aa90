#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the evaluation of the Myrmics paper, section VI, on simulated chips.

Each figure becomes FIGURE.png and FIGURE.csv in out/myrmics. README.md says how.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import synthetic
from results import Results, Store, collect, harness
from style import write_csv

OUT = harness.OUT / "myrmics"


def all_figures(quick: bool) -> list[Any]:
    """In the order of the paper."""
    return [
        synthetic.Figure7a(quick),
        synthetic.Granularity("fig7b", synthetic.STRONG, 16.2, quick),
        synthetic.Granularity("fig12a", synthetic.WEAK, 37.4, quick),
        synthetic.Figure12b(quick),
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


def draw(figure: Any, results: Results) -> None:
    rows = list(figure.rows(results))
    if not rows:
        print(f"{figure.name}: left out, nothing was measured", file=sys.stderr)
        return
    write_csv(OUT / f"{figure.name}.csv", rows)
    figure.draw(rows, OUT / f"{figure.name}.png")


def main(words: list[str]) -> int:
    arguments = parse_arguments(words)
    figures = all_figures(arguments.quick)
    if arguments.only:
        figures = [figure for figure in figures if figure.name == arguments.only]
    if not figures:
        sys.exit(f"there is no figure '{arguments.only}'")
    store = Store(arguments.programs, OUT / "results")
    results = collect(store, [run for figure in figures for run in figure.runs()])
    for figure in figures:
        draw(figure, results)
    for run, why in results.failures.items():
        print(f"failed: {run}: {why}", file=sys.stderr)
    return 1 if results.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
