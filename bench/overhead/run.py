#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what a task costs in Myrmidon and in other runtimes, side by side.

Starts the overhead programs of all runtimes that were built, one after the other and that several
times over, so that a disturbance of the computer meets all of them; prints the medians as tables,
and writes one JSON object a measurement with --json. README.md says what the cases are.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from harness import record, runs

PROGRAMS = {
    "myrmidon": "myr_bench_overhead",
    "myrmidon-c++": "myr_bench_overhead_closures",
    "libgomp": "myr_bench_overhead_libgomp",
    "libomp": "myr_bench_overhead_libomp",
    "onetbb": "myr_bench_overhead_onetbb",
    "rayon": "myr_bench_overhead_rayon",
    "starpu": "myr_bench_overhead_starpu",
}
BASELINE = "myrmidon"
# Core cycles a task on the eight RISC-V cores of paper 4 (Picos), figure 7.
PHENTOS = {"task_free/1": 185, "task_free/15": 320, "task_chain/1": 329, "task_chain/15": 423}


@dataclass
class Measurement:
    """All runs of one case on one runtime."""

    bench: str
    runtime: str
    threads: int
    deps: int
    tasks: int
    ns: list[float] = field(default_factory=list)
    cycles: list[float] = field(default_factory=list)

    @property
    def case(self) -> str:
        return f"{self.bench}/{self.deps}"

    def record(self) -> dict[str, Any]:
        return {
            "bench": self.bench,
            "runtime": self.runtime,
            "threads": self.threads,
            "deps": self.deps,
            "tasks": self.tasks,
            "ns_per_task": statistics.median(self.ns),
            "cycles_per_task": statistics.median(self.cycles),
            "runs": self.ns,
            "runs_cycles": self.cycles,
        }


Results = dict[tuple[int, str, str], Measurement]  # by threads, case and runtime


def parse_arguments(words: list[str]) -> argparse.Namespace:
    parser = runs.make_parser("overhead", __doc__)
    runs.add_runtimes(parser, PROGRAMS)
    parser.add_argument(
        "--threads", type=runs.positive_list, default=[1, 2, 4], help="such as 1,2,4 (default)"
    )
    parser.add_argument(
        "--only",
        default="*",
        metavar="PATTERN",
        help="shell pattern of cases, such as 'task_*/15' or 'fib/*'",
    )
    return parser.parse_args(words)


def measure(arguments: argparse.Namespace, runtimes: list[str]) -> Results:
    results: Results = {}
    steps = []
    for run in range(arguments.runs):
        round_of_all = [(run, threads, name) for threads in arguments.threads for name in runtimes]
        random.Random(run).shuffle(round_of_all)
        steps += round_of_all
    for step, (run, threads, name) in enumerate(steps):
        runs.show_progress(f"[{step + 1}/{len(steps)}] run {run + 1}: {name}, {threads} threads")
        program = str(arguments.programs / PROGRAMS[name])
        command = [program, "--threads", str(threads), "--only", arguments.only]
        for found in runs.json_lines(command):
            case = f"{found['bench']}/{found['deps']}"
            one = results.setdefault(
                (threads, case, name),
                Measurement(found["bench"], name, threads, found["deps"], found["tasks"]),
            )
            one.ns.append(found["ns_per_task"])
            one.cycles.append(found["cycles_per_task"])
    runs.show_progress("")
    return results


def cell(one: Measurement | None, base: Measurement | None, unit: str) -> str:
    if one is None:
        return "-"
    values = getattr(one, unit)
    text = f"{statistics.median(values):.0f} ±{runs.spread(values):.0f}"
    if base is None or one is base:
        return text
    return f"{text} {statistics.median(values) / statistics.median(getattr(base, unit)):5.1f}x"


def table(results: Results, threads: int, runtimes: list[str], unit: str) -> Iterator[str]:
    cases = dict.fromkeys(case for count, case, _ in results if count == threads)
    rows = [["", *runtimes, "paper 4"] if unit == "cycles" else ["", *runtimes]]
    for case in cases:
        base = results.get((threads, case, BASELINE))
        row = [case, *(cell(results.get((threads, case, name)), base, unit) for name in runtimes)]
        rows.append([*row, str(PHENTOS.get(case, ""))] if unit == "cycles" else row)
    return runs.aligned(rows)


def print_tables(results: Results, arguments: argparse.Namespace, runtimes: list[str]) -> None:
    for threads in arguments.threads:
        for unit, words in (("cycles", "core cycles"), ("ns", "nanoseconds")):
            print(
                f"\n{words} a task, {runs.threads_text(threads)}: median of "
                f"{arguments.runs} runs ± half the interquartile range, ratio to {BASELINE}"
            )
            for line in table(results, threads, runtimes, unit):
                print(line)


def draw_panel(axes: Any, results: Results, threads: int, runtimes: list[str]) -> None:
    cases = list(dict.fromkeys(case for count, case, _ in results if count == threads))
    found = {name: [results.get((threads, case, name)) for case in cases] for name in runtimes}
    series = {
        name: [statistics.median(one.cycles) if one else None for one in ones]
        for name, ones in found.items()
    }
    runs.draw_bars(axes, cases, series)
    goals = [(index, PHENTOS[case]) for index, case in enumerate(cases) if case in PHENTOS]
    for number, (index, cycles) in enumerate(goals):
        axes.hlines(
            cycles,
            index - 0.45,
            index + 0.45,
            colors="black",
            label="Phentos (hardware, paper 4)" if number == 0 else None,
        )
    axes.set_yscale("log")
    axes.tick_params(axis="x", labelsize=8)
    axes.set_ylabel("core cycles a task")
    axes.set_title(runs.threads_text(threads))


def draw(results: Results, arguments: argparse.Namespace, runtimes: list[str]) -> None:
    rows = len(arguments.threads)
    figure, axes = runs.new_figure(rows, 1, (13, 3.2 * rows + 1))
    for panel, threads in zip(axes.flat, arguments.threads):
        draw_panel(panel, results, threads, runtimes)
    figure.suptitle("What a task costs, by benchmark / dependences of a task")
    figure.legend(
        *axes.flat[0].get_legend_handles_labels(),
        loc="outside lower center",
        ncols=len(runtimes) + 1,
    )
    runs.save_figure(figure, arguments.plot)


def main(words: list[str]) -> None:
    arguments = parse_arguments(words)
    runtimes = runs.built(arguments.programs, PROGRAMS, arguments.runtimes)
    results = measure(arguments, runtimes)
    if not results:
        sys.exit(f"no case matches '{arguments.only}'")
    print_tables(results, arguments, runtimes)
    if arguments.json:
        head = record.head("overhead", runs=arguments.runs)
        runs.write_lines(arguments.json, [head, *(one.record() for one in results.values())])
    if arguments.plot:
        draw(results, arguments, runtimes)


if __name__ == "__main__":
    main(sys.argv[1:])
