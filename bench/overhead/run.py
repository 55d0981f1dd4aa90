#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what a task costs in Myrmidon and in other runtimes, side by side.

Starts the overhead programs of all runtimes that were built, one after the other and that several
times over, so that a disturbance of the computer meets all of them; prints the medians as tables,
and writes one JSON object a measurement with --json. README.md says what the cases are.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = {
    "myrmidon": "myr_bench_overhead",
    "myrmidon-c++": "myr_bench_overhead_closures",
    "libgomp": "myr_bench_overhead_libgomp",
    "libomp": "myr_bench_overhead_libomp",
    "onetbb": "myr_bench_overhead_onetbb",
    "starpu": "myr_bench_overhead_starpu",
}
BASELINE = "myrmidon"
# Core cycles a task on the eight RISC-V cores of paper 4 (Picos), figure 7.
PHENTOS = {"task_free/1": 185, "task_free/15": 320, "task_chain/1": 329, "task_chain/15": 423}
RUN_SECONDS_MAX = 300


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

    def as_json(self) -> str:
        return json.dumps(
            {
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
        )


Results = dict[tuple[int, str, str], Measurement]  # by threads, case and runtime


def parse_arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./dev bench overhead", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write one JSON object a line")
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw the medians (needs matplotlib)"
    )
    parser.add_argument("--threads", default="1,2,4", help="thread counts (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each (default: %(default)s)")
    parser.add_argument(
        "--only",
        default="*",
        metavar="PATTERN",
        help="shell pattern of cases, such as 'task_*/15' or 'fib/*'",
    )
    parser.add_argument("--runtimes", default=",".join(PROGRAMS), help="default: all")
    parser.add_argument(
        "--programs",
        type=Path,
        default=ROOT / "build/release/bin",
        metavar="FOLDER",
        help="of the built programs (default: build/release/bin)",
    )
    arguments = parser.parse_args(words)
    try:
        arguments.threads = [int(count) for count in arguments.threads.split(",")]
    except ValueError:
        parser.error("--threads takes numbers, such as 1,2,4")
    arguments.runtimes = arguments.runtimes.split(",")
    for name in arguments.runtimes:
        if name not in PROGRAMS:
            parser.error(f"no runtime '{name}'; there are: {', '.join(PROGRAMS)}")
    if arguments.runs < 1:
        parser.error("--runs must be at least 1")
    return arguments


def built_runtimes(arguments: argparse.Namespace) -> list[str]:
    built = []
    for name in arguments.runtimes:
        if (arguments.programs / PROGRAMS[name]).exists():
            built.append(name)
        else:
            print(f"{name}: skipped, not built in {arguments.programs}", file=sys.stderr)
    if not built:
        sys.exit("no overhead program was built")
    return built


def run_program(program: Path, threads: int, only: str) -> list[dict[str, Any]]:
    """Runs one program; an empty list if it cannot run with so many threads."""
    command = [str(program), "--threads", str(threads), "--only", only]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=RUN_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        sys.exit(f"{' '.join(command)} did not end within {RUN_SECONDS_MAX} seconds")
    if done.returncode == 77:
        return []
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed with status {done.returncode}:\n{done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def show_progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def measure(arguments: argparse.Namespace, runtimes: list[str]) -> Results:
    results: Results = {}
    steps = [
        (run, threads, name)
        for run in range(arguments.runs)
        for threads in arguments.threads
        for name in runtimes
    ]
    for step, (run, threads, name) in enumerate(steps):
        show_progress(f"[{step + 1}/{len(steps)}] run {run + 1}: {name}, {threads} threads")
        for record in run_program(arguments.programs / PROGRAMS[name], threads, arguments.only):
            case = f"{record['bench']}/{record['deps']}"
            one = results.setdefault(
                (threads, case, name),
                Measurement(record["bench"], name, threads, record["deps"], record["tasks"]),
            )
            one.ns.append(record["ns_per_task"])
            one.cycles.append(record["cycles_per_task"])
    show_progress("")
    return results


def spread(values: list[float]) -> float:
    """Half the distance between the quartiles."""
    if len(values) < 2:
        return 0.0
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return (high - low) / 2


def cell(one: Measurement | None, base: Measurement | None, unit: str) -> str:
    if one is None:
        return "-"
    values = getattr(one, unit)
    text = f"{statistics.median(values):.0f} ±{spread(values):.0f}"
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
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield row[0].ljust(widths[0]) + "".join(
            "  " + text.rjust(width) for text, width in zip(row[1:], widths[1:])
        )


def print_tables(results: Results, arguments: argparse.Namespace, runtimes: list[str]) -> None:
    for threads in arguments.threads:
        for unit, words in (("cycles", "core cycles"), ("ns", "nanoseconds")):
            print(
                f"\n{words} a task, {threads} thread{'s' * (threads > 1)}: median of "
                f"{arguments.runs} runs ± half the interquartile range, ratio to {BASELINE}"
            )
            for line in table(results, threads, runtimes, unit):
                print(line)


def draw_panel(axes: Any, results: Results, threads: int, runtimes: list[str]) -> None:
    cases = list(dict.fromkeys(case for count, case, _ in results if count == threads))
    width = 0.85 / len(runtimes)
    for place, name in enumerate(runtimes):
        found = [
            (index, results[threads, case, name])
            for index, case in enumerate(cases)
            if (threads, case, name) in results
        ]
        axes.bar(
            [index + (place + 0.5) * width - 0.425 for index, _ in found],
            [statistics.median(one.cycles) for _, one in found],
            width,
            label=name,
        )
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
    axes.set_xticks(range(len(cases)), cases)
    axes.set_ylabel("core cycles a task")
    axes.set_title(f"{threads} thread{'s' * (threads > 1)}")


def draw(results: Results, arguments: argparse.Namespace, runtimes: list[str]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = len(arguments.threads)
    figure, axes = pyplot.subplots(
        rows, figsize=(13, 3.2 * rows + 1), squeeze=False, layout="constrained"
    )
    for panel, threads in zip(axes.flat, arguments.threads):
        draw_panel(panel, results, threads, runtimes)
    figure.suptitle("What a task costs, by benchmark / dependences of a task")
    figure.legend(
        *axes.flat[0].get_legend_handles_labels(),
        loc="outside lower center",
        ncols=len(runtimes) + 1,
    )
    arguments.plot.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(arguments.plot, dpi=120)


def main(words: list[str]) -> None:
    arguments = parse_arguments(words)
    runtimes = built_runtimes(arguments)
    results = measure(arguments, runtimes)
    if not results:
        sys.exit(f"no case matches '{arguments.only}'")
    print_tables(results, arguments, runtimes)
    if arguments.json:
        lines = [one.as_json() for one in results.values()]
        arguments.json.write_text("\n".join(lines) + "\n")
    if arguments.plot:
        draw(results, arguments, runtimes)


if __name__ == "__main__":
    main(sys.argv[1:])
