#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures OpenMP programs of other people on Myrmidon's library, GCC's and LLVM's.

The programs are in a folder of yours, ready built by gcc and by clang; its programs.toml says what
they are (README.md). Each build runs on its compiler's library and on Myrmidon's, all in turn and
in random order, alone and beside processes that never end.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from harness import record, runs

SAME = 1.03  # slower by less is no loss
OURS = "Myrmidon"
# The libraries that each compiler's programs can run on: LLVM's has the functions of GCC's, too.
LIBRARIES = {"gcc": (OURS, "libgomp", "libomp"), "clang": (OURS, "libomp")}
LIBOMP = Path("/usr/lib/llvm-19/lib/libomp.so.5")


@dataclass(frozen=True, eq=False)
class Suite:
    """A program of the folder, with its arguments, as each compiler built it."""

    name: str
    version: str
    commands: dict[str, list[str]]
    seconds: str | None  # what finds its time in its output; None: that of the whole process
    right: str | None  # what its output has if it computed the right thing
    hash: str


@dataclass(frozen=True)
class Step:
    suite: Suite
    compiler: str
    library: str
    threads: int
    busy: int


@dataclass
class Times:
    seconds: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


Results = dict[Step, Times]


def read_suites(folder: Path) -> list[Suite]:
    found = []
    for one in tomllib.loads((folder / "programs.toml").read_text())["program"]:
        commands = {name: one[name] for name in LIBRARIES if name in one}
        files = hashlib.sha256()
        for command in commands.values():
            files.update((folder / command[0]).read_bytes())
        found.append(
            Suite(one["name"], one["version"], commands, one.get("seconds"), one.get("right"),
                  files.hexdigest()[:12])
        )  # fmt: skip
    return found


def steps_of(suites: Iterable[Suite], settings: Iterable[tuple[int, int]]) -> list[Step]:
    return [
        Step(suite, compiler, library, threads, busy)
        for suite in suites
        for threads, busy in settings
        for compiler in suite.commands
        for library in LIBRARIES[compiler]
    ]


def seconds_of(suite: Suite, output: str, passed: float) -> float:
    """Raises ValueError with what is wrong with the output."""
    if suite.right is not None and re.search(suite.right, output) is None:
        raise ValueError(f"the output has no '{suite.right}'")
    if suite.seconds is None:
        return passed
    found = re.search(suite.seconds, output)
    if found is None:
        raise ValueError(f"the output has no '{suite.seconds}'")
    return float(found[1])


def run(folder: Path, libraries: dict[str, Path], step: Step, limit: float) -> float | str:
    """The time that it took; the limit, if it was not over then; or what went wrong."""
    clean = {n: v for n, v in os.environ.items() if not n.startswith(("OMP_", "GOMP_", "KMP_"))}
    clean.pop("LD_LIBRARY_PATH", None)
    environment = clean | {"OMP_NUM_THREADS": str(step.threads)}
    if step.library in libraries:
        environment["LD_LIBRARY_PATH"] = str(libraries[step.library])
    began = time.monotonic()
    try:
        done = subprocess.run(
            step.suite.commands[step.compiler], cwd=folder, env=environment, capture_output=True,
            text=True, errors="replace", timeout=limit, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return limit
    says_itself = step.suite.right is not None and done.returncode > 0
    if done.returncode != 0 and not says_itself:
        return f"status {done.returncode}: {done.stderr[-200:]}"
    try:
        return seconds_of(step.suite, done.stdout + done.stderr, time.monotonic() - began)
    except ValueError as wrong:
        return str(wrong)


def measure(
    steps: list[Step], arguments: argparse.Namespace, libraries: dict[str, Path]
) -> Results:
    """Rounds of all steps, each in another order, until the time is over; the last may be cut."""
    results: Results = {step: Times() for step in steps}
    end = time.monotonic() + 60 * arguments.minutes
    for number in range(arguments.runs):
        shuffled = list(steps)
        random.Random(number).shuffle(shuffled)
        for place, step in enumerate(shuffled):
            if number > 0 and time.monotonic() > end:
                return results
            runs.show_progress(
                f"round {number + 1}, {place + 1} of {len(steps)}: {step.suite.name}"
            )
            with runs.endless_processes(step.busy):
                took = run(arguments.folder, libraries, step, arguments.limit)
            if isinstance(took, str):
                results[step].failures.append(took)
            else:
                results[step].seconds.append(took)
    return results


def text_of(times: Times | None, limit: float) -> str:
    if times is None:
        return "-"
    if times.failures:
        return "failed"
    middle = runs.median(times.seconds)
    if middle >= limit:
        return f"> {limit:g}"
    return f"{middle:.3g} ± {runs.spread(times.seconds):.2g} ({len(times.seconds)})"


def ratio(ours: Times | None, others: list[Times], limit: float) -> str:
    """Ours, divided by the better of the others; bold if that is a loss beyond the spread."""
    right = [one for one in others if one.seconds and not one.failures]
    if ours is None or ours.failures or not ours.seconds or not right:
        return "-"
    best = min(right, key=lambda one: runs.median(one.seconds))
    mine, theirs = runs.median(ours.seconds), runs.median(best.seconds)
    sign = "< " if theirs >= limit else "> " if mine >= limit else ""
    text = f"{sign}{mine / theirs:.2f}"
    spread = runs.spread(ours.seconds) + runs.spread(best.seconds)
    is_loss = mine > SAME * theirs and mine - theirs > spread
    return f"**{text}**" if is_loss else text


def table(
    results: Results, suites: list[Suite], threads: int, busy: int, limit: float
) -> list[str]:
    head, body = ["program"], []
    for compiler, libraries in LIBRARIES.items():
        head += [f"{library}, {compiler}" for library in libraries] + ["ours / the better"]
    for suite in suites:
        row = [suite.name]
        for compiler, libraries in LIBRARIES.items():
            times = [results.get(Step(suite, compiler, one, threads, busy)) for one in libraries]
            others = [one for one in times[1:] if one is not None]
            row += [text_of(one, limit) for one in times] + [ratio(times[0], others, limit)]
        body.append(row)
    return runs.markdown(head, body)


def parse_arguments(words: list[str]) -> argparse.Namespace:
    parser = runs.make_parser("suites", __doc__)
    parser.set_defaults(runs=5)
    parser.add_argument("folder", type=Path, help="that has the programs and programs.toml")
    parser.add_argument("--threads", type=runs.positive_list, default=[2], metavar="N,...",
                        help="(default: 2)")  # fmt: skip
    parser.add_argument("--busy", type=lambda text: [int(word) for word in text.split(",")],
                        default=[0], metavar="N,...", help="endless processes beside (default: 0)"
                        )  # fmt: skip
    parser.add_argument(
        "--minutes", type=float, default=30, help="of measuring, one round at least"
    )
    parser.add_argument("--limit", type=float, default=60, metavar="S", help="ends a run (60)")
    parser.add_argument("--names", default="", metavar="PATTERN", help="only programs that match")
    return parser.parse_args(words)


def main(words: list[str]) -> None:
    arguments = parse_arguments(words)
    library = arguments.programs.parent / "lib" / "openmp"
    if not (library / "libgomp.so.1").exists():
        sys.exit(f"no {library}/libgomp.so.1: build it first")
    suites = [one for one in read_suites(arguments.folder) if re.search(arguments.names, one.name)]
    settings = [(threads, busy) for threads in arguments.threads for busy in arguments.busy]
    libraries = {OURS: library}
    if LIBOMP.exists():
        # A folder in which gcc's programs find it, too.
        folder = runs.OUT / "libomp-as-libgomp"
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("libgomp.so.1", "libomp.so.5"):
            (folder / name).unlink(missing_ok=True)
            (folder / name).symlink_to(LIBOMP)
        libraries["libomp"] = folder
    results = measure(steps_of(suites, settings), arguments, libraries)
    runs.show_progress("")
    for threads, busy in settings:
        print(f"{runs.threads_text(threads)}, {busy} endless processes beside; seconds:\n")
        print("\n".join(table(results, suites, threads, busy, arguments.limit)), end="\n\n")
    print("\n".join(runs.markdown(["program", "version", "hash of its files"],
                                  ([one.name, one.version, one.hash] for one in suites))
                    ))  # fmt: skip
    for step, times in results.items():
        for failure in dict.fromkeys(times.failures):
            where = f"{step.suite.name}, {step.compiler}, on {step.library}"
            print(f"{where}: {failure}", file=sys.stderr)
    if arguments.json:
        runs.write_lines(arguments.json, [record.head("suites"), *map(as_record, results.items())])


def as_record(item: tuple[Step, Times]) -> dict[str, Any]:
    step, times = item
    return {
        "bench": "openmp_suite", "case": step.suite.name, "version": step.suite.version,
        "hash": step.suite.hash, "compiler": step.compiler,
        "runtime": step.library,
        "threads": step.threads, "busy": step.busy, "unit": "s", "runs": times.seconds,
        "failures": times.failures,
    }  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1:])
