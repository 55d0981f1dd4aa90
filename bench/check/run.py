#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what `myr check` costs, beside ThreadSanitizer on the same programs.

The kernels, at two of their papers' sizes each, run serially without it, under it, and under
ThreadSanitizer, in random order, round after round. README.md says how to read the table.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import random
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kernels"))
from harness import record, runs
from sizes import SIZES

CHECKED = runs.ROOT / "build/checked"
WAYS = ("serial", "myr check", "ThreadSanitizer")
FOUND = 66
SECONDS_MAX = 300


@dataclass
class Run:
    seconds: float  # of the tasks alone, as the program measures them
    megabytes: float  # of the whole process, at most


@dataclass
class Case:
    kernel: str
    options: str
    runs: dict[str, list[Run]] = field(default_factory=lambda: {way: [] for way in WAYS})
    said: str = ""

    def command(self, way: str, arguments: argparse.Namespace) -> list[str]:
        checked = way != "serial"
        folder = CHECKED / "bin" if checked else arguments.programs
        command = [str(arguments.programs / "myr"), "check"] if way == "myr check" else []
        measured = ["--measure", "tasks", "--repeat", "1", "--json"]
        return [*command, str(folder / f"kernel_{self.kernel}"), *self.options.split(), *measured]

    def seconds(self, way: str) -> float:
        return runs.median([run.seconds for run in self.runs[way]])

    def megabytes(self, way: str) -> float:
        return runs.median([run.megabytes for run in self.runs[way]])

    def row(self) -> list[str]:
        cells = [f"{self.kernel} {self.options}"]
        for way in WAYS:
            if not self.runs[way]:
                cells += ["too slow"] if way == "serial" else ["too slow", "", ""]
                continue
            times = [run.seconds for run in self.runs[way]]
            cells.append(f"{runs.median(times):.3g} ± {runs.spread(times):.1g}")
            if way != "serial":
                cells.append(f"{self.seconds(way) / self.seconds('serial'):.1f}")
                cells.append(f"{self.megabytes(way) / self.megabytes('serial'):.1f}")
        return cells


def build() -> None:
    """The kernels, compiled as `myr check` wants it; the runtime is as users have it."""
    configure = ["cmake", "-S", runs.ROOT, "-B", CHECKED, "-G", "Ninja"]
    options = ["CMAKE_BUILD_TYPE=Release", "MYR_DEVELOP=ON", "MYR_INSTRUMENTED_KERNELS=ON"]
    options += ["CMAKE_C_COMPILER_LAUNCHER=ccache", "CMAKE_CXX_COMPILER_LAUNCHER=ccache"]
    targets = [f"kernel_{name}" for name in SIZES]
    for command in (
        [*configure, *(f"-D{option}" for option in options)],
        ["cmake", "--build", CHECKED, "--target", *targets],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stdout[-4000:] + done.stderr[-4000:])


def run(command: list[str]) -> tuple[Run | None, str]:
    """None: it took too long, or found a mistake. And what it said last."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        environment = {**os.environ, "MYR_ON": "serial"}
        process = subprocess.Popen(
            ["timeout", str(SECONDS_MAX), *command], stdout=output, stderr=errors, env=environment
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        lines = errors.read().splitlines()
        if process.returncode not in (0, FOUND):
            return None, f"status {process.returncode}: {' '.join(lines[-1:])}"
        (found,) = [json.loads(line) for line in output]
        kilobytes = usage.ru_maxrss  # of the largest below: timeout itself is small
        return Run(runs.median(found["runs"]), kilobytes / 1024), " ".join(lines[-1:])


def measure(arguments: argparse.Namespace, cases: list[Case]) -> None:
    hopeless: set[tuple[str, str, str]] = set()
    for number in range(arguments.runs):
        jobs = [(case, way) for case in cases for way in WAYS]
        random.Random(number).shuffle(jobs)
        for step, (case, way) in enumerate(jobs):
            key = (case.kernel, case.options, way)
            if key in hopeless:
                continue
            runs.show_progress(f"round {number + 1} [{step + 1}/{len(jobs)}] {' '.join(key)}")
            found, said = run(case.command(way, arguments))
            if way == "myr check":
                case.said = said
            if found is None:
                hopeless.add(key)
                print(f"{' '.join(key)}: {said}", file=sys.stderr)
            else:
                case.runs[way].append(found)
            if arguments.json:  # a round takes long, and somebody may end it
                save(arguments.json, number + 1, cases)
    runs.show_progress("")


def save(path: Path, rounds: int, cases: list[Case]) -> None:
    records = [
        {
            "bench": "check",
            "kernel": case.kernel,
            "options": case.options,
            "way": way,
            "said": case.said if way == "myr check" else "",
            "runs": [[run.seconds, run.megabytes] for run in case.runs[way]],
        }
        for case in cases
        for way in WAYS
    ]
    runs.write_lines(path, [record.head("check", runs=rounds), *records])


def cases_of(arguments: argparse.Namespace) -> list[Case]:
    """Of the papers' sizes the first and the last; of kernels without any, of a short run's."""
    found = []
    for kernel, sizes in sorted(SIZES.items()):
        if not fnmatch.fnmatch(kernel, arguments.only):
            continue
        of_papers = [size for size in sizes if size.paper is not None]
        chosen = of_papers or [size for size in sizes if size.quick]
        ends = dict.fromkeys((chosen[0].options, chosen[-1].options))
        found += [Case(kernel, options) for options in ends]
    return found


def medians(cases: list[Case]) -> list[str]:
    """A line that says what most cases cost."""
    whole = [case for case in cases if all(case.runs.values())]
    lines = []
    for way in WAYS[1:]:
        times = [case.seconds(way) / case.seconds("serial") for case in whole]
        memory = [case.megabytes(way) / case.megabytes("serial") for case in whole]
        lines.append(
            f"{way}: {runs.median(times):.1f} times the serial time ({min(times):.1f} to "
            f"{max(times):.1f}), {runs.median(memory):.1f} times its memory ({min(memory):.1f} to "
            f"{max(memory):.1f}), medians of {len(whole)} cases"
        )
    return lines


def main(words: list[str]) -> None:
    parser = runs.make_parser("check", __doc__)
    parser.set_defaults(runs=3)
    parser.add_argument("--only", default="*", metavar="PATTERN", help="shell pattern of kernels")
    arguments = parser.parse_args(words)
    runs.show_progress("building the kernels with -fsanitize=thread")
    build()
    cases = cases_of(arguments)
    measure(arguments, cases)
    head = ["kernel", "serial, s"]
    for way in WAYS[1:]:
        head += [f"{way}, s", "times", "memory"]
    print("\n".join(runs.markdown(head, (case.row() for case in cases))))
    print("\n".join(medians(cases)))


if __name__ == "__main__":
    main(sys.argv[1:])
