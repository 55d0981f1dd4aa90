# SPDX-License-Identifier: Apache-2.0
"""What the scripts of the benchmarks share: options, running programs, tables, figures.

A script measures programs that were built, one after the other and that several times over, so that
a disturbance of the computer meets all of them.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
OUT = Path(os.environ.get("MYR_OUT", ROOT / "out"))
RUN_SECONDS_MAX = 120
EXIT_SKIPPED = 77  # of a program that cannot run with so many threads


def make_parser(name: str, text: str) -> argparse.ArgumentParser:
    """A parser with the options that all benchmarks know. `text`: only its first line is used."""
    parser = argparse.ArgumentParser(
        prog=f"./dev bench {name}", description=text.split("\n", maxsplit=1)[0]
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write one JSON object a line")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw it (needs matplotlib)")
    parser.add_argument("--runs", type=positive, default=9, help="of each (default: %(default)s)")
    parser.add_argument(
        "--programs",
        type=Path,
        default=ROOT / "build/release/bin",
        metavar="FOLDER",
        help="of the built programs (default: build/release/bin)",
    )
    return parser


def positive(text: str) -> int:
    """A number of at least 1, for an option."""
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def positive_list(text: str) -> list[int]:
    """Such numbers with commas between them."""
    return [positive(word) for word in text.split(",")]


def add_runtimes(parser: argparse.ArgumentParser, programs: dict[str, str]) -> None:
    """The option --runtimes; `programs` gives the program of each."""

    def names(text: str) -> list[str]:
        for name in text.split(","):
            if name not in programs:
                raise argparse.ArgumentTypeError(f"no '{name}'; there are: {', '.join(programs)}")
        return text.split(",")

    parser.add_argument("--runtimes", type=names, default=list(programs), help="default: all")


def built(folder: Path, programs: dict[str, str], wanted: Iterable[str]) -> list[str]:
    """Those of the wanted whose program is there; a note about each that is not."""
    found = []
    for name in wanted:
        if (folder / programs[name]).exists():
            found.append(name)
        else:
            print(f"{name}: skipped, not built in {folder}", file=sys.stderr)
    if not found:
        sys.exit(f"nothing to measure in {folder}")
    return found


class ProgramFailed(SystemExit):
    """A measured program did not do its work. Ends the script with its text unless caught."""


def json_lines(command: list[str], environment: dict[str, str] | None = None) -> list[Any]:
    """What a program prints; nothing if it cannot run here. Raises ProgramFailed."""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=RUN_SECONDS_MAX,
            env={**os.environ, **(environment or {})},
            check=False,
        )
    except subprocess.TimeoutExpired:
        text = f"{' '.join(command)} did not end within {RUN_SECONDS_MAX} seconds"
        raise ProgramFailed(text) from None
    if done.returncode == EXIT_SKIPPED:
        return []
    if done.returncode != 0:
        text = done.stderr + done.stdout
        raise ProgramFailed(f"{' '.join(command)} failed with status {done.returncode}:\n{text}")
    return [json.loads(line) for line in done.stdout.splitlines()]


@contextlib.contextmanager
def endless_processes(count: int) -> Iterator[None]:
    """Processes that do nothing but use a processor each, beside what is measured."""
    others = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(count)]
    try:
        if others:
            time.sleep(0.1)  # until all of them run
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def show_progress(text: str) -> None:
    """Replaces the line on the terminal; an empty text wipes it."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def median(values: list[float]) -> float:
    return statistics.median(values)


def spread(values: list[float]) -> float:
    """Half the distance between the quartiles."""
    if len(values) < 2:
        return 0.0
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return (high - low) / 2


def threads_text(threads: int) -> str:
    return f"{threads} thread{'s' * (threads > 1)}"


def aligned(rows: list[list[str]]) -> Iterator[str]:
    """The lines of a table: the first column to the left, all others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield row[0].ljust(widths[0]) + "".join(
            "  " + text.rjust(width) for text, width in zip(row[1:], widths[1:])
        )


def markdown(head: list[str], body: Iterable[list[str]]) -> list[str]:
    """The lines of a table in a document."""
    lines = [head, ["---"] * len(head), *body]
    return ["| " + " | ".join(line) + " |" for line in lines]


def new_figure(rows: int, columns: int, size: tuple[float, float]) -> tuple[Any, Any]:
    """A figure and its rows x columns axes, without a window."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")


def draw_bars(axes: Any, groups: list[str], series: dict[str, list[float | None]]) -> None:
    """Bars side by side in groups, a bar a series; None: no bar."""
    width = 0.85 / len(series)
    for place, (name, heights) in enumerate(series.items()):
        found = [(index, height) for index, height in enumerate(heights) if height is not None]
        left = (place + 0.5) * width - 0.425
        axes.bar(
            [index + left for index, _ in found], [height for _, height in found], width, label=name
        )
    axes.set_xticks(range(len(groups)), groups)


def save_figure(figure: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)


def write_lines(path: Path, objects: Iterable[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in objects))
