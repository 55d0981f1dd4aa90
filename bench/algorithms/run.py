#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the algorithms of myr/algorithm.hpp, oneTBB's, and the standard library's.

Each measurement is a process of its own; those of all cases and runtimes run in random order, so
that what else the computer does falls upon all of them. README.md says what the cases are.
"""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from harness import record, runs

OURS = "myrmidon"
PROGRAMS = {
    OURS: "myr_bench_algorithms",
    "onetbb": "myr_bench_algorithms_onetbb",
    "par": "myr_bench_algorithms_par",
    "serial": "myr_bench_algorithms_serial",
}
NAMES = {OURS: "Myrmidon", "onetbb": "oneTBB", "par": "std::execution::par", "serial": "serial"}
CASES = (
    "for_each", "transform_reduce", "count_if", "inclusive_scan", "exclusive_scan",
    "sort", "stable_sort", "find_if", "any_of", "fib",
)  # fmt: skip
SAME = 1.03  # slower by less is no loss
MARKS = ("<!-- algorithms: made by ./dev bench algorithms -->", "<!-- end of algorithms -->")


@dataclass(frozen=True)
class Step:
    case: str
    size: int
    runtime: str


Results = dict[Step, list[float]]


def steps_of(arguments: argparse.Namespace) -> list[Step]:
    runtimes = runs.built(arguments.programs, PROGRAMS, arguments.runtimes)
    return [
        Step(case, size, runtime)
        for case in arguments.cases
        for size in (arguments.fib if case == "fib" else arguments.sizes)
        for runtime in runtimes
    ]


def measure(arguments: argparse.Namespace) -> Results:
    """Nanoseconds a call; nothing where a runtime has no such call."""
    results: Results = {}
    steps = steps_of(arguments)
    for number in range(arguments.runs):
        for place, step in enumerate(random.Random(number).sample(steps, len(steps))):
            runs.show_progress(f"round {number + 1}, {place + 1} of {len(steps)}: {step}")
            command = [str(arguments.programs / PROGRAMS[step.runtime]), step.case, str(step.size)]
            for one in runs.json_lines([*command, str(arguments.threads)]):
                results.setdefault(step, []).append(one["ns"])
    runs.show_progress("")
    return results


def text_of(values: list[float] | None) -> str:
    """In microseconds."""
    if not values:
        return "-"
    median, spread = runs.median(values) / 1e3, runs.spread(values) / 1e3
    digits = 0 if median >= 100 else 1
    return f"{median:,.{digits}f} ± {spread:,.{digits}f}"


def ratio(ours: list[float] | None, rivals: list[list[float]]) -> str:
    """Ours, divided by the best of the others; bold if that is a loss beyond the spread."""
    if not ours or not rivals:
        return "-"
    best = min(rivals, key=runs.median)
    mine, theirs = runs.median(ours), runs.median(best)
    spread = runs.spread(ours) + runs.spread(best)
    text = f"{mine / theirs:.2f}"
    return f"**{text}**" if mine > SAME * theirs and mine - theirs > spread else text


def table(results: Results) -> list[str]:
    runtimes = [name for name in PROGRAMS if any(step.runtime == name for step in results)]
    body = []
    for case, size in dict.fromkeys((step.case, step.size) for step in results):
        found = [results.get(Step(case, size, runtime)) for runtime in runtimes]
        rivals = [one for one in found[1:] if one]
        parallel = [one for name, one in zip(runtimes[1:], found[1:]) if one and name != "serial"]
        body.append(
            [f"`{case}`", f"{size:,}", *map(text_of, found), ratio(found[0], parallel or rivals)]
        )
    order = {case: place for place, case in enumerate(CASES)}
    body.sort(key=lambda row: (order[row[0].strip("`")], int(row[1].replace(",", ""))))
    head = ["case", "elements", *(NAMES[name] for name in runtimes), "Myrmidon / the better"]
    return runs.markdown(head, body)


def write(page: Path, lines: list[str]) -> None:
    before = page.read_text()
    first, last = (before.index(mark) for mark in MARKS)
    text = "\n".join(lines)
    page.write_text(before[: first + len(MARKS[0])] + f"\n\n{text}\n\n" + before[last:])


def parse_arguments(words: list[str]) -> argparse.Namespace:
    parser = runs.make_parser("algorithms", __doc__)
    runs.add_runtimes(parser, PROGRAMS)
    parser.add_argument("--cases", type=lambda text: text.split(","), default=list(CASES),
                        help=f"of {','.join(CASES)} (default: all)")  # fmt: skip
    parser.add_argument("--sizes", type=runs.positive_list, default=[10**4, 10**6, 10**7])
    parser.add_argument("--fib", type=runs.positive_list, default=[20, 25, 30])
    parser.add_argument("--threads", type=runs.positive, default=2, help="(default: 2)")
    parser.add_argument(
        "--write", type=Path, metavar="PAGE", help="that has the marks of the table"
    )
    arguments = parser.parse_args(words)
    if unknown := sorted({*arguments.cases} - {*CASES}):
        parser.error(f"no case '{unknown[0]}'; there are: {', '.join(CASES)}")
    return arguments


def as_record(step: Step, values: list[float], threads: int) -> dict[str, Any]:
    return {
        "bench": "algorithms", "case": step.case, "size": step.size, "runtime": step.runtime,
        "threads": threads, "ns": runs.median(values), "runs": values,
    }  # fmt: skip


def main(words: list[str]) -> None:
    arguments = parse_arguments(words)
    results = measure(arguments)
    head = record.head("algorithms", runs=arguments.runs)
    lines = [
        *table(results),
        "",
        f"Microseconds a call, {runs.threads_text(arguments.threads)}; medians of "
        f"{arguments.runs} processes ± half the distance between the quartiles. Commit "
        f"{head['commit']}, {head['date']}, `{head['command']}`. {head['processor']}, "
        f"{head['cores']} processors.",
    ]
    print("\n".join(lines))
    if arguments.write:
        write(arguments.write, lines)
    if arguments.json:
        found = (as_record(*item, arguments.threads) for item in results.items())
        runs.write_lines(arguments.json, [head, *found])


if __name__ == "__main__":
    main(sys.argv[1:])
