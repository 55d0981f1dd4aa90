#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures all kernels at several task sizes: serially, with Myrmidon and with OpenMP.

Starts each kernel's programs one after the other and that several times over; prints the speed-ups
as a table, and writes one JSON object a kernel, size and machine with --json. README.md says what
the columns mean, sizes.py has the sizes.
"""

from __future__ import annotations

import argparse
import fnmatch
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from harness import panels, runs
from sizes import DEFAULT, SIZES
from speed import Speed, best_of, geometric_mean, work_us

KERNELS = runs.ROOT / "kernels"
NOT_COMPARED = ("fragmentation",)  # measures an allocator, and has no serial twin
RIVALS = ("libgomp", "libomp")
OVERHEAD_MAX_PERCENT = 3.0
RUN_SECONDS = 0.12  # of the serial and the task version in one process, about
REPEAT_MAX = 200


@dataclass(frozen=True)
class Machine:
    """A column of the table: which program of a kernel, and its environment."""

    name: str
    suffix: str
    environment: dict[str, str]

    def program(self, folder: Path, kernel: str) -> Path:
        return folder / f"kernel_{kernel}{self.suffix}"


# Options that choose another program, not another size.
VARIANTS = ("--style", "--trees", "--deps")


@dataclass
class Case:
    """A kernel at one size."""

    kernel: str
    arguments: list[str]
    finest: bool
    repeats: dict[str, int] = field(default_factory=dict)  # in a process, by machine
    speeds: dict[str, Speed] = field(default_factory=dict)  # by machine

    @property
    def name(self) -> str:
        return " ".join([self.kernel, *self.arguments])

    @property
    def variant(self) -> str:
        """The kernel and which of its programs; sizes of one variant make one curve."""
        chosen = [
            value for name, value in zip(self.arguments, self.arguments[1:]) if name in VARIANTS
        ]
        return ", ".join([self.kernel, *chosen])

    @property
    def us_per_task(self) -> float:
        """The work in a task."""
        return work_us(self.speeds.values())


def parse_arguments(words: list[str]) -> argparse.Namespace:
    parser = runs.make_parser("kernels", __doc__)
    parser.add_argument(
        "--threads", type=runs.positive, default=2, help="of the parallel machines (default: 2)"
    )
    parser.add_argument("--only", default="*", metavar="PATTERN", help="shell pattern of kernels")
    parser.add_argument(
        "--quick", action="store_true", help="one run, the finest size of each kernel"
    )
    arguments = parser.parse_args(words)
    if arguments.quick:
        arguments.runs = 1
    return arguments


def machines(threads: int) -> list[Machine]:
    own = dict.fromkeys(("serial", "smp:1", f"smp:{threads}"))
    openmp = {"OMP_NUM_THREADS": str(threads), "MYR_ON": "serial"}
    return [
        *(Machine(name, "", {"MYR_ON": name}) for name in own),
        *(Machine(f"{name}:{threads}", f"_{name}", openmp) for name in RIVALS),
    ]


def cases(arguments: argparse.Namespace) -> list[Case]:
    """Those of all kernels that were built, in the order of their names."""
    found = []
    for path in sorted(KERNELS.glob("*/CMakeLists.txt")):
        kernel = path.parent.name
        if kernel in NOT_COMPARED or not fnmatch.fnmatch(kernel, arguments.only):
            continue
        if not (arguments.programs / f"kernel_{kernel}").exists():
            print(f"{kernel}: skipped, not built in {arguments.programs}", file=sys.stderr)
            continue
        each = SIZES.get(kernel, DEFAULT).arguments()
        found += [Case(kernel, *one) for one in (each[:1] if arguments.quick else each)]
    return found


def run(arguments: argparse.Namespace, case: Case, machine: Machine, repeat: int) -> Any:
    """What the kernel reports, which has checked its result; None: there is no such program."""
    program = machine.program(arguments.programs, case.kernel)
    if not program.exists():
        return None
    command = [str(program), *case.arguments, "--repeat", str(repeat), "--json"]
    return runs.json_lines(command, machine.environment)[0]


def try_out(arguments: argparse.Namespace, case: Case, columns: list[Machine]) -> None:
    """Chooses how often each machine runs the case in a process, so that all get about equal time.

    Raises ProgramFailed if one does not work.
    """
    for machine in columns:
        outcome = run(arguments, case, machine, 1)
        if outcome is not None:
            seconds = outcome["serial_s"] + outcome["parallel_s"]
            repeat = round(RUN_SECONDS / max(seconds, 1e-6))
            case.repeats[machine.name] = max(1, min(REPEAT_MAX, repeat))


def working(arguments: argparse.Namespace, found: list[Case], columns: list[Machine]) -> list[Case]:
    """Those that all machines run with the right result; tells of the others."""
    good = []
    for step, case in enumerate(found):
        runs.show_progress(f"[{step + 1}/{len(found)}] trying {case.name}")
        try:
            try_out(arguments, case, columns)
            good.append(case)
        except runs.ProgramFailed as failure:
            print(f"left out: {failure}", file=sys.stderr)
    return good


def measure(arguments: argparse.Namespace, found: list[Case], columns: list[Machine]) -> None:
    steps = [
        (number, case, machine)
        for number in range(arguments.runs)
        for case in found
        for machine in columns
        if machine.name in case.repeats
    ]
    for step, (number, case, machine) in enumerate(steps):
        text = f"run {number + 1}: {case.name}, {machine.name}"
        runs.show_progress(f"[{step + 1}/{len(steps)}] {text}")
        outcome = run(arguments, case, machine, case.repeats[machine.name])
        speed = case.speeds.setdefault(machine.name, Speed(outcome["tasks"]))
        speed.serial_s.append(outcome["serial_s"])
        speed.parallel_s.append(outcome["parallel_s"])
    runs.show_progress("")


def against_openmp(case: Case, threads: int) -> float | None:
    """Speed-up of Myrmidon over that of the best OpenMP; None: there is none."""
    best = best_of([case.speeds.get(f"{name}:{threads}") for name in RIVALS])
    return case.speeds[f"smp:{threads}"].speed_up / best.speed_up if best else None


def speed_text(speed: Speed | None) -> str:
    if speed is None:
        return "-"
    digits = 2 if speed.speed_up >= 0.1 else 4
    return f"{speed.speed_up:.{digits}f} ±{speed.spread:.{digits}f}"


def row(case: Case, columns: list[Machine], threads: int) -> list[str]:
    own, alone = case.speeds[f"smp:{threads}"], case.speeds["smp:1"]
    ratio = against_openmp(case, threads)
    speeds = [case.speeds.get(machine.name) for machine in columns]
    return [
        case.name + " *" * case.finest,
        str(own.tasks),
        f"{case.us_per_task:.3g}",
        *(speed_text(one) for one in speeds),
        f"{100 * own.speed_up / threads:.0f} %",
        f"{alone.overhead_percent:+.1f} %",
        "-" if ratio is None else f"{ratio:.2f}",
    ]


def print_table(found: list[Case], columns: list[Machine], threads: int, count: int) -> None:
    names = [machine.name for machine in columns]
    head = ["", "tasks", "µs a task", *names]
    rows = [[*head, f"efficiency smp:{threads}", "overhead smp:1", "to OpenMP"]]
    rows += [row(case, columns, threads) for case in found]
    print(
        f"\nspeed-up over the serial program: median of {count} runs ± half the interquartile "
        "range; * is a finest size of the paper"
    )
    for line in runs.aligned(rows):
        print(line)


def print_summary(found: list[Case], threads: int) -> None:
    finest = [case for case in found if case.finest]
    ratios = [ratio for case in finest if (ratio := against_openmp(case, threads)) is not None]
    if ratios:
        print(
            f"\nfinest sizes, smp:{threads} over the best OpenMP: geometric mean "
            f"{geometric_mean(ratios):.2f}, lowest {min(ratios):.2f}, of {len(ratios)}"
        )
    low = [c for c in finest if c.speeds["smp:1"].overhead_percent <= OVERHEAD_MAX_PERCENT]
    print(f"smp:1 within {OVERHEAD_MAX_PERCENT:.0f} % of serial: {len(low)} of {len(finest)}")


def records(found: list[Case], threads: int) -> Iterator[dict[str, Any]]:
    for case in found:
        for machine, speed in case.speeds.items():
            yield {
                "bench": "kernels",
                "kernel": case.kernel,
                "arguments": " ".join(case.arguments),
                "finest": case.finest,
                "machine": machine,
                "tasks": speed.tasks,
                "serial_us_per_task": case.us_per_task,
                "speed_up": speed.speed_up,
                "efficiency": speed.speed_up / (1 if machine in ("serial", "smp:1") else threads),
                "serial_runs": speed.serial_s,
                "runs": speed.parallel_s,
            }


def draw(found: list[Case], threads: int, path: Path) -> None:
    parallel = [f"smp:{threads}", *(f"{name}:{threads}" for name in RIVALS)]
    curves: dict[str, dict[str, list[tuple[float, float]]]] = {}
    bars: dict[str, dict[str, float | None]] = {}
    for case in found:
        speeds = {name: case.speeds[name] for name in parallel if name in case.speeds}
        for name, speed in speeds.items():
            points = curves.setdefault(case.variant, {}).setdefault(name, [])
            points.append((case.us_per_task, speed.speed_up / threads))
            points.sort()
        # The bars show the finest size.
        bars.setdefault(case.variant, {name: speed.speed_up for name, speed in speeds.items()})
    figure = panels.Panels(
        title=f"Efficiency of the kernels by task size, {runs.threads_text(threads)}",
        x_label="serial µs a task",
        bar_label="speed-up at the finest size",
        curves=curves,
        bars=bars,
    )
    panels.draw(figure, path)


def report(arguments: argparse.Namespace, found: list[Case], columns: list[Machine]) -> None:
    print_table(found, columns, arguments.threads, arguments.runs)
    print_summary(found, arguments.threads)
    if arguments.json:
        runs.write_lines(arguments.json, records(found, arguments.threads))
    if arguments.plot:
        draw(found, arguments.threads, arguments.plot)


def main(words: list[str]) -> None:
    arguments = parse_arguments(words)
    found = cases(arguments)
    if not found:
        sys.exit(f"no kernel matches '{arguments.only}'")
    columns = machines(arguments.threads)
    good = working(arguments, found, columns)
    if good:
        measure(arguments, good, columns)
        report(arguments, good, columns)
    if len(good) < len(found):
        sys.exit(f"{len(found) - len(good)} of {len(found)} cases were left out, see above")


if __name__ == "__main__":
    main(sys.argv[1:])
