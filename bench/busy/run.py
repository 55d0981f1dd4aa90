#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures kernels on a busy computer and with more threads than processors, and what waiting
threads cost.

Kernels run alone, and beside processes that never end; on Myrmidon and on OpenMP, each in all its
versions. One after the other in random order and that several times over; prints the medians of
the fastest version of each runtime. README.md says how to read the tables.
"""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kernels"))
import busy_tables
from columns import SERIAL, Column, columns_of
from harness import record, runs

KERNELS = {
    "cholesky": "--size 1024 --task 32",
    "black_scholes": "--size 262144 --task 2048",
    "jacobi": "--size 1024 --steps 20 --task 64",
    "k_means": "--size 200000 --task 4096 --steps 5",
}
WAITING = {
    "myrmidon": "myr_bench_busy",
    "libgomp": "myr_bench_busy_libgomp",
    "libomp": "myr_bench_busy_libomp",
}
# A version that takes longer in its first run is not run again: some would take all night.
SECONDS_MAX = 4.0


@dataclass
class Cell:
    """All runs of one version of a kernel under one condition."""

    kernel: str
    beside: int  # processes that never end
    column: Column
    seconds: list[float] = field(default_factory=list)

    @property
    def is_hopeless(self) -> bool:
        return bool(self.seconds) and self.seconds[0] > SECONDS_MAX

    def command(self, folder: Path) -> list[str]:
        options = [*KERNELS[self.kernel].split(), *self.column.options]
        measured = ["--measure", self.column.measured, "--repeat", "3", "--json"]
        return [str(folder / self.column.program), *options, *measured]

    def record(self) -> dict[str, Any]:
        return {
            "bench": "busy",
            "kernel": self.kernel,
            "options": KERNELS[self.kernel],
            "beside": self.beside,
            "side": self.column.side,
            "variant": self.column.variant,
            "threads": self.column.threads,
            "seconds": runs.median(self.seconds),
            "runs": self.seconds,
        }


def parse_arguments(words: list[str]) -> argparse.Namespace:
    parser = runs.make_parser("busy", __doc__)
    parser.set_defaults(runs=7)
    runs.add_runtimes(parser, WAITING)
    parser.add_argument(
        "--kernels",
        type=lambda text: text.split(","),
        default=list(KERNELS),
        help=f"of {','.join(KERNELS)} (default: all)",
    )
    parser.add_argument(
        "--threads", type=runs.positive_list, default=[2, 8, 64], help="such as 2,8,64 (default)"
    )
    parser.add_argument(
        "--beside",
        type=lambda text: [int(word) for word in text.split(",")],
        default=[0, 1, 2],
        help="how many endless processes run beside it (default: 0,1,2)",
    )
    arguments = parser.parse_args(words)
    if unknown := sorted({*arguments.kernels} - {*KERNELS}):
        parser.error(f"no kernel '{unknown[0]}'; there are: {', '.join(KERNELS)}")
    return arguments


def cells_of(arguments: argparse.Namespace) -> list[Cell]:
    found: dict[tuple[str, int, str, str], Cell] = {}
    for kernel in arguments.kernels:
        for beside in arguments.beside:
            for threads in arguments.threads:
                for column in columns_of(kernel, arguments.programs, threads):
                    if column.side in (SERIAL, *arguments.runtimes):
                        key = kernel, beside, column.name, column.program
                        found.setdefault(key, Cell(kernel, beside, column))
    return list(found.values())


def measure(arguments: argparse.Namespace, cells: list[Cell]) -> None:
    for number in range(arguments.runs):
        for beside in arguments.beside:
            order = [one for one in cells if one.beside == beside and not one.is_hopeless]
            random.Random(number).shuffle(order)
            with runs.endless_processes(beside):
                for step, cell in enumerate(order):
                    place = f"round {number + 1}, {beside} beside [{step + 1}/{len(order)}]"
                    runs.show_progress(f"{place} {cell.kernel} {cell.column.name}")
                    run_once(arguments, cell)
    runs.show_progress("")


def run_once(arguments: argparse.Namespace, cell: Cell) -> None:
    """A version that does not end in time counts as one that took all of it."""
    try:
        (found,) = runs.json_lines(cell.command(arguments.programs), cell.column.environment)
    except runs.ProgramFailed as failure:
        if "did not end within" not in str(failure):
            raise
        cell.seconds.append(float(runs.RUN_SECONDS_MAX))
        return
    name = "serial_runs" if cell.column.measured == "serial" else "runs"
    cell.seconds.append(runs.median(found[name]))


def measure_waiting(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Processor seconds and wake-ups of waiting threads, on the computer as it is."""
    names = runs.built(arguments.programs, WAITING, arguments.runtimes)
    found: dict[tuple[str, str, int], dict[str, Any]] = {}
    for number in range(arguments.runs):
        for name in random.Random(number).sample(names, len(names)):
            runs.show_progress(f"round {number + 1}: how {name} waits")
            for one in runs.json_lines([str(arguments.programs / WAITING[name])]):
                key = one["bench"], name, one.get("pause_ms", 0)
                value = one.pop("us" if one["bench"] == "wake" else "processor_s")
                found.setdefault(key, {**one, "runs": []})["runs"].append(value)
    runs.show_progress("")
    return list(found.values())


def main(words: list[str]) -> None:
    arguments = parse_arguments(words)
    cells = cells_of(arguments)
    waiting = measure_waiting(arguments)
    measure(arguments, cells)
    records = [*waiting, *(one.record() for one in cells if one.seconds)]
    for rows in (busy_tables.waiting(records), busy_tables.kernels(records)):
        print("\n".join(runs.aligned(list(rows))), end="\n\n")
    if arguments.json:
        runs.write_lines(arguments.json, [record.head("busy", runs=arguments.runs), *records])


if __name__ == "__main__":
    main(sys.argv[1:])
