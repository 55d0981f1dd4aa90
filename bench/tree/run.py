#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what a task costs on tree machines, with smp beside them.

Starts the program on one machine after the other and that several times over, so that a disturbance
of the computer meets all of them; prints the medians as a table for each machine, and writes one
JSON object a measurement with --json. README.md says what is measured.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from harness import record as records
from harness import runs

MACHINES = ["tree:1+1", "tree:1+2", "tree:3+4", "smp:2"]
PROGRAM = "myr_bench_tree"
# The figures of a record of the program, with the heads of the columns.
FIGURES = {
    "cycles_per_task": "time passed",
    "processor_cycles_per_task": "all threads",
    "scheduler_cycles_per_task": "schedulers",
    "messages_per_task": "messages",
}
ROUNDS = 2  # how often the program runs the tasks of a case

Results = dict[tuple[str, str, int], dict[str, list[float]]]  # by machine, case and objects


def parse_arguments(words: list[str]) -> argparse.Namespace:
    parser = runs.make_parser("tree", __doc__)
    parser.add_argument(
        "--machines",
        type=lambda text: text.split(","),
        default=MACHINES,
        help=f"such as {','.join(MACHINES)} (default)",
    )
    parser.add_argument("--tasks", type=runs.positive, default=5000, help="(default: %(default)s)")
    return parser.parse_args(words)


def measure(arguments: argparse.Namespace) -> Results:
    results: Results = {}
    command = [str(arguments.programs / PROGRAM), "--tasks", str(arguments.tasks)]
    for run in range(arguments.runs):
        for machine in arguments.machines:
            runs.show_progress(f"run {run + 1} of {arguments.runs}: {machine}")
            for record in runs.json_lines(command, {"MYR_ON": machine}):
                one = results.setdefault((machine, record["bench"], record["objects"]), {})
                for figure in FIGURES:
                    if figure in record:
                        one.setdefault(figure, []).append(record[figure])
    runs.show_progress("")
    return results


def messages_taken(arguments: argparse.Namespace, machine: str, case: str, tasks: int) -> int:
    """By all agents, in a run of one case."""
    done = subprocess.run(
        [str(arguments.programs / PROGRAM), "--tasks", str(tasks), "--only", case],
        env={**os.environ, "MYR_ON": machine, "MYR_STATS": "json"},
        capture_output=True,
        text=True,
        timeout=runs.RUN_SECONDS_MAX,
        check=True,
    )
    return sum(agent.get("messages", 0) for agent in json.loads(done.stderr)["agents"])


def count_messages(arguments: argparse.Namespace, results: Results) -> None:
    """What more tasks add, so that the beginning and the end of the program do not count."""
    fewer, more = arguments.tasks, 2 * arguments.tasks
    for (machine, bench, objects), one in results.items():
        if bench == "tree_spawn_to_run" or not machine.startswith("tree"):
            continue
        runs.show_progress(f"messages: {machine}, {bench}/{objects}")
        case = f"{bench.removeprefix('tree_')}/{objects}"
        added = messages_taken(arguments, machine, case, more)
        added -= messages_taken(arguments, machine, case, fewer)
        one["messages_per_task"] = [added / ((more - fewer) * ROUNDS)]
    runs.show_progress("")


def cell(figure: str, values: list[float] | None) -> str:
    if values is None:
        return "-"
    if figure == "messages_per_task":
        return f"{values[0]:.1f}"
    return f"{statistics.median(values):.0f} ±{runs.spread(values):.0f}"


def print_tables(results: Results, arguments: argparse.Namespace) -> None:
    print(
        f"core cycles a task: median of {arguments.runs} runs ± half the interquartile range; "
        "messages a task"
    )
    for machine in arguments.machines:
        rows = [[machine, *FIGURES.values()]]
        for (where, bench, objects), one in results.items():
            if where == machine:
                rows.append(
                    [f"{bench}/{objects}", *(cell(name, one.get(name)) for name in FIGURES)]
                )
        print()
        for line in runs.aligned(rows):
            print(line)


def record(key: tuple[str, str, int], one: dict[str, list[float]]) -> dict[str, Any]:
    machine, bench, objects = key
    medians = {name: statistics.median(values) for name, values in one.items()}
    return {
        "bench": bench,
        "runtime": "myrmidon",
        "machine": machine,
        "objects": objects,
        **medians,
        "runs": one["cycles_per_task"],
    }


def draw(results: Results, arguments: argparse.Namespace) -> None:
    cases = list(dict.fromkeys((bench, objects) for _, bench, objects in results))
    series = {
        machine: [
            statistics.median(results[machine, bench, objects]["cycles_per_task"])
            for bench, objects in cases
        ]
        for machine in arguments.machines
    }
    figure, axes = runs.new_figure(1, 1, (13, 4))
    runs.draw_bars(axes.flat[0], [f"{bench}/{objects}" for bench, objects in cases], series)
    axes.flat[0].set_yscale("log")
    axes.flat[0].set_ylabel("core cycles a task")
    axes.flat[0].legend()
    runs.save_figure(figure, arguments.plot)


def main(words: list[str]) -> None:
    arguments = parse_arguments(words)
    results = measure(arguments)
    count_messages(arguments, results)
    print_tables(results, arguments)
    if arguments.json:
        head = records.head("tree", runs=arguments.runs)
        runs.write_lines(arguments.json, [head, *(record(*item) for item in results.items())])
    if arguments.plot:
        draw(results, arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
