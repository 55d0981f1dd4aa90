#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how small tasks, kernels and the allocator scale, from one thread to all processors.

Runs the programs of the other benchmarks with 1, 2, 4, ... threads, Myrmidon's and its rivals', in
random order and several times over; prints a table for each of the four subjects, and draws their
curves with --plot. README.md says what the subjects and their cases are.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "metg"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kernels"))
from columns import columns_of
from curves import Curve, Sample, curves_of, value_name
from harness import record, runs

RUNTIMES = ("myrmidon", "libgomp", "libomp", "onetbb", "rayon")
OVERHEAD = {"myrmidon": "", **{name: f"_{name}" for name in RUNTIMES[1:]}}
METG = {"myrmidon": "", "myrmidon-replay": "_replay", **{name: f"_{name}" for name in RUNTIMES[1:]}}
OVERHEAD_CASES = ("task_free/1", "task_chain/1", "fib/0")
PATTERNS = ("trivial", "stencil_1d", "nearest")
KERNELS = {
    "barnes_hut_parts": "--size 5000 --steps 3 --task 100",
    "cholesky": "--size 2048 --task 128",
    "jacobi": "--size 4096 --steps 4 --parts 32 --task 16",
    "k_means": "--size 1000000 --steps 3 --task 40000",
    "matrix_multiply": "--size 1024 --task 64",
}
ALLOCATIONS = ("alloc_random", "alloc_pair", "region_100")
# Whose runtimes differ so much that only a logarithmic axis shows them all.
ORDERS_OF_MAGNITUDE = ("overhead", "metg")
# What a short run measures of each subject.
QUICK = ("task_free/1", "trivial", "k_means", "alloc_pair")


@dataclass(frozen=True)
class Probe:
    """A program with its arguments; where it belongs, and what is to know of its runtime."""

    subject: str
    case: str
    side: str  # the runtime
    threads: int
    command: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict, hash=False, compare=False)
    to_file: bool = False  # it writes its records into a file

    def run(self) -> list[dict[str, Any]]:
        if not self.to_file:
            return runs.json_lines(list(self.command), self.environment)
        with tempfile.NamedTemporaryFile("r", suffix=".json") as file:
            command = [*self.command, "--json", file.name]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise runs.ProgramFailed(f"{' '.join(command)} failed:\n{done.stderr}")
            return [json.loads(line) for line in file]


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0))


def up_to(most: int) -> list[int]:
    """1, 2, 4, ... and the last one."""
    powers = [1 << bit for bit in range(most.bit_length()) if 1 << bit < most]
    return [*powers, most]


def parse_arguments(words: list[str]) -> argparse.Namespace:
    parser = runs.make_parser("scaling", __doc__)
    parser.add_argument(
        "--threads",
        type=runs.positive_list,
        default=up_to(processors()),
        help="such as 1,2,4 (default: powers of two up to all processors)",
    )
    parser.add_argument("--quick", action="store_true", help="one case of each subject")
    return parser.parse_args(words)


def probes_of(arguments: argparse.Namespace) -> list[Probe]:
    """Those whose programs were built."""

    def wanted(cases: tuple[str, ...]) -> list[str]:
        return [case for case in cases if case in QUICK or not arguments.quick]

    folder = arguments.programs
    found: list[Probe] = []
    for threads in arguments.threads:
        for bench, programs, cases, suffix in (
            ("overhead", OVERHEAD, OVERHEAD_CASES, ""),
            ("metg", METG, PATTERNS, "/compute"),
        ):
            found += [
                Probe(
                    bench,
                    case,
                    side,
                    threads,
                    (
                        str(folder / f"myr_bench_{bench}{program}"),
                        *("--threads", str(threads), "--only", case + suffix),
                    ),
                )
                for case in wanted(cases)
                for side, program in programs.items()
            ]
        found += [
            Probe(
                "kernels",
                kernel,
                column.side,
                threads,
                (
                    str(folder / column.program),
                    *KERNELS[kernel].split(),
                    *column.options,
                    *("--measure", column.measured, "--repeat", "3", "--json"),
                ),
                column.environment,
            )
            for kernel in wanted(tuple(KERNELS))
            for column in columns_of(kernel, folder, threads)
            # The serial program is measured again each time: it meets the same disturbances.
            if column.side == "serial" or column.threads == threads
        ]
        found += [
            Probe(
                "allocator",
                case,
                "",
                threads,
                (
                    str(folder / "myr_bench_alloc"),
                    *("--threads", str(threads), "--only", case, "--runs", "1"),
                ),
                to_file=True,
            )
            for case in wanted(ALLOCATIONS)
        ]
    built = [probe for probe in found if Path(probe.command[0]).exists()]
    for name in sorted({probe.command[0] for probe in found if probe not in built}):
        print(f"{Path(name).name}: skipped, not built in {folder}", file=sys.stderr)
    return list(dict.fromkeys(built))


def measure(probes: list[Probe], count: int) -> list[Sample]:
    """All probes, one after the other in random order, and that several times."""
    found = []
    for number in range(count):
        order = random.Random(number).sample(probes, len(probes))
        for step, probe in enumerate(order):
            runs.show_progress(
                f"run {number + 1} [{step + 1}/{len(order)}] {probe.subject} {probe.case}, "
                f"{probe.side} {runs.threads_text(probe.threads)}"
            )
            found.append(
                Sample(
                    probe.subject,
                    probe.case,
                    probe.side,
                    probe.threads,
                    number,
                    " ".join(probe.command),
                    tuple(probe.run()),
                )
            )
    runs.show_progress("")
    return found


def number(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def tables(curves: list[Curve], threads: list[int]) -> Iterator[str]:
    by_subject: dict[str, list[Curve]] = defaultdict(list)
    for curve in curves:
        by_subject[curve.subject].append(curve)
    for subject, ones in by_subject.items():
        yield ""
        yield f"{subject}: {value_name(subject)}, by threads"
        yield ""
        head = ["case", "runtime", *map(str, threads)]
        body = [
            [
                curve.case,
                curve.side,
                *(number(curve.values[n]) if n in curve.values else "-" for n in threads),
            ]
            for curve in ones
        ]
        yield from runs.markdown(head, body)


def draw(curves: list[Curve], threads: list[int], path: Path) -> None:
    """A row of panels for each subject, a panel for each case."""
    panels: dict[str, dict[str, list[Curve]]] = defaultdict(lambda: defaultdict(list))
    for curve in curves:
        panels[curve.subject][curve.case].append(curve)
    columns = max(len(cases) for cases in panels.values())
    figure, axes = runs.new_figure(len(panels), columns, (3.2 * columns + 2, 3 * len(panels) + 1))
    colours: dict[str, str] = {}
    for row, (subject, cases) in zip(axes, panels.items()):
        for one in row[len(cases) :]:
            one.remove()
        for panel, (case, ones) in zip(row, cases.items()):
            for curve in ones:
                colour = colours.setdefault(curve.side, f"C{len(colours)}")
                at = sorted(curve.values)
                panel.plot(at, [curve.values[n] for n in at], ".-", color=colour, label=curve.side)
            panel.set_xscale("log", base=2)
            panel.set_xticks(threads, [str(count) for count in threads])
            if subject in ORDERS_OF_MAGNITUDE:
                panel.set_yscale("log")
            else:
                panel.set_ylim(bottom=0)
            panel.set_title(f"{subject}: {case}")
            panel.set_xlabel("threads")
            panel.set_ylabel(value_name(subject))
            panel.legend(fontsize=7)
            panel.grid(alpha=0.3)
    figure.suptitle(f"{record.processor()}, {processors()} processors")
    runs.save_figure(figure, path)


def main(words: list[str]) -> None:
    arguments = parse_arguments(words)
    probes = probes_of(arguments)
    if not probes:
        sys.exit(f"nothing to measure in {arguments.programs}")
    curves = curves_of(measure(probes, arguments.runs))
    print(f"{platform.node()}: {record.processor()}, {processors()} processors")
    print("\n".join(tables(curves, arguments.threads)))
    if arguments.json:
        head = record.head("scaling", runs=arguments.runs, quick=arguments.quick)
        runs.write_lines(arguments.json, [head, *(curve.record() for curve in curves)])
    if arguments.plot:
        draw(curves, arguments.threads, arguments.plot)


if __name__ == "__main__":
    main(sys.argv[1:])
