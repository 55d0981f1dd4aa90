#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the smallest tasks that Myrmidon and other runtimes still run efficiently.

Starts the METG programs of all runtimes that were built, pattern by pattern, one after the other
and that several times over; prints METG(50 %) and METG(75 %) as tables, and writes one JSON object
a task size and one a METG with --json. README.md says what the patterns are and what METG means.
"""

from __future__ import annotations

import argparse
import fnmatch
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from harness import panels, record, runs
from metg import EFFICIENCIES, Metg, Point, curve, median_ns, metg, peaks_of

PROGRAMS = {
    "myrmidon": "myr_bench_metg",
    "myrmidon-replay": "myr_bench_metg_replay",
    "libgomp": "myr_bench_metg_libgomp",
    "libomp": "myr_bench_metg_libomp",
    "onetbb": "myr_bench_metg_onetbb",
    "onetbb-flow": "myr_bench_metg_flow",
    "rayon": "myr_bench_metg_rayon",
    "starpu": "myr_bench_metg_starpu",
}
BASELINE = "myrmidon"
BY_HAND = ("onetbb", "rayon")  # have their dependences worked out by the programmer
PATTERNS = (
    "trivial",
    "no_comm",
    "stencil_1d",
    "stencil_1d_periodic",
    "dom",
    "tree",
    "fft",
    "nearest",
    "spread",
    "random_nearest",
    "all_to_all",
)
# What the tasks do, how many graphs run side by side, and how much tasks hand on.
KINDS = {
    "compute": ("compute",),
    "memory": ("memory",),
    "imbalanced": ("imbalanced",),
    "2-graphs": ("compute", "--graphs", "2"),
    "4-graphs": ("compute", "--graphs", "4"),
    "8-graphs": ("compute", "--graphs", "8"),
    "256-bytes": ("compute", "--output-bytes", "256"),
    "4096-bytes": ("compute", "--output-bytes", "4096"),
    "65536-bytes": ("compute", "--output-bytes", "65536"),
}

Case = tuple[int, str, str]  # threads, kind, pattern
Sweeps = dict[Case, dict[str, list[list[Point]]]]  # of each case and runtime, one a run
Metgs = dict[Case, dict[str, list[Metg | None]]]


def parse_arguments(words: list[str]) -> argparse.Namespace:
    parser = runs.make_parser("metg", __doc__)
    runs.add_runtimes(parser, PROGRAMS)
    parser.add_argument(
        "--threads", type=runs.positive_list, default=[2], help="such as 1,2 (default: 2)"
    )
    parser.add_argument(
        "--only",
        default=["*"],
        metavar="PATTERNS",
        type=lambda text: text.split(","),
        help="shell patterns of cases, such as 'stencil_*/compute,fft/*'",
    )
    parser.add_argument("--quick", action="store_true", help="compute-bound tasks only")
    return parser.parse_args(words)


def wanted_kinds(arguments: argparse.Namespace, pattern: str) -> list[str]:
    kinds = ["compute"] if arguments.quick else KINDS
    return [
        kind
        for kind in kinds
        if any(fnmatch.fnmatch(f"{pattern}/{kind}", only) for only in arguments.only)
    ]


def measure(arguments: argparse.Namespace, runtimes: list[str]) -> Sweeps:
    sweeps: Sweeps = defaultdict(lambda: defaultdict(list))
    steps = []
    for run in range(arguments.runs):
        for threads in arguments.threads:
            for pattern in PATTERNS:
                for work in wanted_kinds(arguments, pattern):
                    beside = random.Random(run).sample(runtimes, len(runtimes))
                    steps += [(run, threads, pattern, work, name) for name in beside]
    for step, (run, threads, pattern, work, name) in enumerate(steps):
        runs.show_progress(f"[{step + 1}/{len(steps)}] run {run + 1}: {pattern}/{work}, {name}")
        program = str(arguments.programs / PROGRAMS[name])
        kind, *more = KINDS[work]
        command = [program, "--threads", str(threads), "--only", f"{pattern}/{kind}", *more]
        points = [
            Point(found["iterations"], found["ns_per_task"], found["iterations_per_ns"])
            for found in runs.json_lines(command)
        ]
        if points:
            sweeps[threads, work, pattern][name].append(points)
    runs.show_progress("")
    return sweeps


def all_metgs(sweeps: Sweeps, efficiency: float) -> Metgs:
    return {
        case: {
            name: [metg(sweep, peak, efficiency) for sweep, peak in zip(ones, peaks_of(by_runtime))]
            for name, ones in by_runtime.items()
        }
        for case, by_runtime in sweeps.items()
    }


def cell(ones: list[Metg | None]) -> str:
    middle = median_ns(ones)
    if middle is None:
        return "never"
    found = [one.ns for one in ones if one]
    mark = "" if all(one and one.bounded for one in ones) else "<"
    return f"{mark}{middle:.0f} ±{runs.spread(found):.0f}"


def best_peer(by_runtime: dict[str, list[Metg | None]], excluded: tuple[str, ...]) -> list[str]:
    """The peer with the smallest METG, and how many times ours that is."""
    found = [
        (value, name)
        for name, ones in by_runtime.items()
        if name not in excluded and (value := median_ns(ones)) is not None
    ]
    own = median_ns(by_runtime[BASELINE]) if BASELINE in by_runtime else None
    if not found:
        return ["-", "-"]
    value, name = min(found)
    return [name, f"{value / own:.2f}" if own else "-"]


def print_table(
    metgs: Metgs, efficiency: float, threads: int, work: str, runtimes: list[str]
) -> None:
    ratio = "its METG / ours"
    rows = [["", *runtimes, "best peer", ratio, "best but by hand", ratio]]
    for pattern in PATTERNS:
        by_runtime = metgs.get((threads, work, pattern))
        if by_runtime is None:
            continue
        row = [cell(by_runtime[name]) if name in by_runtime else "-" for name in runtimes]
        peers = [best_peer(by_runtime, without) for without in ((BASELINE,), (BASELINE, *BY_HAND))]
        rows.append([pattern, *row, *peers[0], *peers[1]])
    print(
        f"\nMETG({100 * efficiency:.0f} %) in ns, {work} tasks, {runs.threads_text(threads)}: "
        f"median over the runs "
        "± half the interquartile range"
    )
    for line in runs.aligned(rows):
        print(line)


def records(sweeps: Sweeps, metgs: dict[float, Metgs]) -> Iterator[dict[str, Any]]:
    for case, by_runtime in sweeps.items():
        threads, work, pattern = case
        peaks = peaks_of(by_runtime)
        for name, ones in by_runtime.items():
            head = {"runtime": name, "threads": threads, "pattern": pattern, "work": work}
            for efficiency, of_cases in metgs.items():
                found = of_cases[case][name]
                each = [one.ns if one else None for one in found]
                bounded = all(one is None or one.bounded for one in found)
                numbers = {"metg_ns": median_ns(found), "bounded": bounded, "runs": each}
                yield {"bench": "metg", **head, "efficiency": efficiency, **numbers}
            for point in curve(ones, peaks):
                yield {"bench": "metg_sweep", **head, **asdict(point)}


def draw(sweeps: Sweeps, metgs: Metgs, path: Path) -> None:
    """A figure for each number of threads and kind of work."""
    for threads, work in dict.fromkeys(case[:2] for case in sweeps):
        curves: dict[str, dict[str, list[tuple[float, float]]]] = {}
        bars: dict[str, dict[str, float | None]] = {}
        for (*head, pattern), by_runtime in sweeps.items():
            if head != [threads, work]:
                continue
            peaks = peaks_of(by_runtime)
            curves[pattern] = {
                name: [
                    (one.ns_per_task / 1000, one.efficiency)
                    for one in curve(by_runtime[name], peaks)
                ]
                for name in PROGRAMS  # so that each has its colour in all figures
                if name in by_runtime
            }
            found = {name: median_ns(ones) for name, ones in metgs[threads, work, pattern].items()}
            bars[pattern] = {name: ns and ns / 1000 for name, ns in found.items()}
        figure = panels.Panels(
            title=f"Efficiency of {work} tasks by granularity, {runs.threads_text(threads)}",
            x_label="granularity, µs",
            bar_label="METG(50 %), µs",
            curves=curves,
            bars=bars,
            line=EFFICIENCIES[0],
            log_bars=True,
        )
        panels.draw(figure, path.with_stem(f"{path.stem}-{work}-{threads}"))


def main(words: list[str]) -> None:
    arguments = parse_arguments(words)
    runtimes = runs.built(arguments.programs, PROGRAMS, arguments.runtimes)
    sweeps = measure(arguments, runtimes)
    if not sweeps:
        sys.exit(f"no case matches '{','.join(arguments.only)}'")
    metgs = {efficiency: all_metgs(sweeps, efficiency) for efficiency in EFFICIENCIES}
    for efficiency, found in metgs.items():
        for threads in arguments.threads:
            for work in KINDS:
                if any(case[:2] == (threads, work) for case in found):
                    print_table(found, efficiency, threads, work, runtimes)
    if arguments.json:
        head = record.head("metg", runs=arguments.runs, quick=arguments.quick)
        runs.write_lines(arguments.json, [head, *records(sweeps, metgs)])
    if arguments.plot:
        draw(sweeps, metgs[EFFICIENCIES[0]], arguments.plot)


if __name__ == "__main__":
    main(sys.argv[1:])
