# SPDX-License-Identifier: Apache-2.0
"""Writes docs/picos.md: what the paper states, what was measured here, and why they differ.

matched: within 15 % of the paper's number, or the same order of what is compared; better: what is
meant to be small is smaller, or large larger; not: neither.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import area
import inputs
import paper
from harness.statements import TOLERANCE, Statement, compare, holds
from measure import (
    CORES,
    OVERHEAD_CASES,
    OVERHEAD_TASKS,
    SIXTEEN,
    SIXTEEN_TASKS,
    Measured,
    geometric_mean,
)

HEAD = """\
<!-- Written by ./dev figures picos --docs from what it measured, in the words of page.py. -->
# The evaluation of Picos on RISC-V with Phentos, on simulated Rocket cores

Section VI of paper 4, redrawn by one command, from the RTL in [hw](../hw/README.md) around eight
Rocket cores and from programs that run on them:

    ./dev figures picos --docs

The numbers are those of the hardware and the firmware of commit {commit}. Every result is compared
with what the same source computes on the host. Cycles are those of the core clock; the memory
answers after 8 cycles and gives a word a cycle. The paper's Nanos is the whole of it on Linux; the
baselines here have its structure (a mutex around everything shared, virtual functions, a central
queue) and no operating system, so that they cost a fraction of that.
"""

SCALING = """
## Inputs

{count} of the paper's {paper} inputs have been simulated. Those with a star are
scaled: a task is what it is in the paper, and there are fewer of them. blackscholes has 32 or 64
independent tasks, jacobi two steps of at most 128 rows, sparselu 8 or 16 blocks a side. The inputs
that are not here have the same tasks as one that is (16K B*n*, N128 M*n*), or take tens of millions
of cycles. The baselines need several times as long and ran only {both} of them, with which they are
compared: the quickest.
"""

# Why a runtime is slower than the other more often than in the paper.
WHY_WINS = {
    ("nanos_rv", "nanos_sw"): "Of a step's eight tasks in stream 128x128, one may wait in the queue"
    " of a core that has asked for it and meanwhile runs one from the central queue."
}
WHY_BASELINES = "The baselines here run without Linux and without Nanos's generality."


def overhead(measured: Measured) -> Iterator[Statement]:
    for place, (kernel, deps) in enumerate(OVERHEAD_CASES):
        here = measured.overhead["phentos"][kernel, deps]
        there = paper.OVERHEAD["phentos"][place]
        yield Statement(
            "7",
            f"{kernel.replace('_', '-').title()} with {deps} dependence{'s' * (deps > 1)}: a task"
            f" costs {there} cycles with Phentos.",
            f"{here}",
            compare(here, there, False),
            "Where the cycles go: [hw](../hw/README.md#where-a-tasks-cycles-go)."
            if place == 0
            else "",
        )
    for runtime, there in (("phentos", 308.0), ("nanos_rv", 7.53)):
        ratios = [
            measured.overhead["nanos_sw"][case] / measured.overhead[runtime][case]
            for case in OVERHEAD_CASES
        ]
        yield Statement(
            "7",
            f"{runtime} costs up to {there:g} times less than Nanos in software.",
            f"up to {max(ratios):.1f} times",
            compare(max(ratios), there, True),
            WHY_BASELINES,
        )


def bounds(measured: Measured) -> Iterator[Statement]:
    small = {runtime: measured.bound(runtime, 1000) for runtime in measured.overhead}
    large = {runtime: measured.bound(runtime, 10000) for runtime in measured.overhead}
    yield Statement(
        "6",
        "Tasks of 1000 cycles: Phentos allows a speed-up just below 3.",
        f"{small['phentos']:.2f}",
        compare(small["phentos"], 3.0, True),
    )
    yield Statement(
        "6",
        "Tasks of 1000 cycles: all other platforms stay below 0.1.",
        ", ".join(f"{runtime} {small[runtime]:.2f}" for runtime in ("nanos_rv", "nanos_sw")),
        holds(max(small["nanos_rv"], small["nanos_sw"]) < 0.1),
        WHY_BASELINES,
    )
    yield Statement(
        "6",
        "Tasks of 10,000 cycles: Phentos allows 8, all others at most 1.",
        ", ".join(f"{runtime} {value:.2f}" for runtime, value in large.items()),
        holds(large["phentos"] == CORES and max(large["nanos_rv"], large["nanos_sw"]) <= 1),
        WHY_BASELINES,
    )


def comparisons(measured: Measured) -> Iterator[Statement]:
    for (fast, slow), there in paper.GEOMEAN.items():
        ratios = [measured.speedup(case, fast, slow) or 0 for case in measured.cases(fast, slow)]
        mean = geometric_mean(ratios)
        yield Statement(
            "9",
            f"{fast} is {there} times as fast as {slow} (geometric mean).",
            f"{mean:.2f} times, {min(ratios):.2f} to {max(ratios):.2f}",
            compare(mean, there, True),
            WHY_BASELINES,
        )
        wins = sum(ratio > 1 for ratio in ratios)
        share = paper.WINS[fast, slow] / inputs.PAPER_CASES
        verdict = compare(wins / len(ratios), share, True)
        yield Statement(
            "9",
            f"{fast} is faster than {slow} with {paper.WINS[fast, slow]} of"
            f" {inputs.PAPER_CASES} inputs.",
            f"{wins} of {len(ratios)}",
            verdict,
            WHY_WINS.get((fast, slow), "") if verdict == "not" else "",
        )
    for runtime, there in paper.BEST_SPEEDUP.items():
        best, case = max(
            (measured.speedup(case, runtime) or 0, str(case)) for case in measured.cases(runtime)
        )
        yield Statement(
            "9",
            f"{runtime} is up to {there} times as fast as the program without tasks.",
            f"{best:.2f} ({case})",
            compare(best, there, True),
        )


# What limits a program that stays below the paper's best, with all of its inputs that are here.
LIMITS = {
    "jacobi": "Memory: its read port serves a line at a time, 16 cycles each, and is busy for 92 %"
    " of the cycles (N128 with 32 rows: two steps more).",
    "sparselu": "With so few blocks the last steps of the elimination have few tasks.",
    "stream-barr": "After each of the four steps all cores wait; and the arrays do not fit into the"
    " caches: 20,480 lines are 328 of 128x128's 417 thousand cycles for the one memory.",
    "stream-deps": "One memory feeds all cores, a word a cycle.",
}


def programs(measured: Measured) -> Iterator[Statement]:
    """A row a program. The paper has a number for the best of all alone; the others it draws."""
    there = paper.BEST_SPEEDUP["phentos"]
    for program in inputs.PROGRAMS:
        best, case = max(
            (measured.speedup(case, "phentos") or 0, str(case))
            for case in measured.cases("phentos")
            if case.program == program
        )
        verdict = compare(best, there, True)
        yield Statement(
            "9",
            f"{program} with eight cores and Phentos: at its best no faster than {there} times, the"
            " highest of all programs.",
            f"{best:.2f} ({case})",
            verdict,
            LIMITS.get(program, "") if verdict == "not" else "",
        )


def granularity(measured: Measured) -> Iterator[Statement]:
    for over in ("nanos_sw", "nanos_rv"):
        cases = sorted(measured.cases("phentos", over), key=measured.task_cycles)
        half = len(cases) // 2
        short = geometric_mean(
            measured.speedup(case, "phentos", over) or 0 for case in cases[:half]
        )
        long = geometric_mean(measured.speedup(case, "phentos", over) or 0 for case in cases[half:])
        yield Statement(
            "8",
            f"The gap between Phentos and {over} is smaller the longer tasks are.",
            f"shorter half of the inputs {short:.2f} times, longer half {long:.2f}",
            holds(long < short),
        )
    streams = [case for case in measured.cycles if case.program.startswith("stream")]
    grows = all(
        (measured.speedup(a, "phentos") or 0) < (measured.speedup(b, "phentos") or 0)
        for a, b in zip(streams, streams[1:])
        if a.program == b.program
    )
    yield Statement(
        "9",
        "With larger streams Phentos gets faster.",
        ", ".join(f"{case} {measured.speedup(case, 'phentos'):.2f}" for case in streams),
        holds(grows),
    )
    over = [
        f"{runtime} {case}"
        for runtime in measured.overhead
        for case in measured.cycles
        if (measured.speedup(case, runtime) or 0)
        > measured.bound(runtime, measured.task_cycles(case)) * (1 + TOLERANCE)
    ]
    yield Statement(
        "10",
        "No program is faster than the bound that the cost of a task sets.",
        f"faster than it: {', '.join(over) or 'none'}",
        holds(not over),
        "The bound is for tasks that wait for each other; independent ones cost less."
        if over
        else "",
    )


def resources(table: area.Table) -> Iterator[Statement]:
    share = table.share("scheduler")
    yield Statement(
        "II",
        "The scheduler takes less than 2 % of the eight-core system.",
        f"{share:.2f} % of the cells",
        "matched" if share < 2 else "not",
        ""
        if share < 2
        else "Cells before optimisation for a target; the paper counts those of an FPGA.",
    )


def speedup_text(speedup: float | None) -> str:
    return "" if speedup is None else f"{speedup:.2f}"


def table_lines(head: list[str], rows: list[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|" + " --- |" * len(head)
    for row in rows:
        yield f"| {' | '.join(row)} |"


def sixteen_lines(sixteen: dict[str, dict[int, float]]) -> Iterator[str]:
    yield (
        f"Phentos with {SIXTEEN} cores and two managers, beside {CORES} and one: cycles a task of"
        f" {SIXTEEN_TASKS}\nthat do nothing, and the speed-up of a kernel over the program without"
        " tasks.\n"
    )
    rows = [
        [name, *(f"{values[cores]:.{2 if 'speed-up' in name else 0}f}" for cores in values)]
        for name, values in sixteen.items()
    ]
    yield from table_lines(["", f"{CORES} cores", f"{SIXTEEN} cores"], rows)


def text(
    measured: Measured,
    table: area.Table,
    sixteen: dict[str, dict[int, float]],
    commit: str,
) -> str:
    sources: tuple[Callable[[Measured], Iterator[Statement]], ...] = (
        overhead,
        bounds,
        granularity,
        comparisons,
        programs,
    )
    statements = [one for source in sources for one in source(measured)]
    statements += resources(table)
    rows = [[s.figure, s.paper, s.here, f"**{s.verdict}**", s.why] for s in statements]
    lines = [HEAD.format(commit=commit), "## The paper's statements\n"]
    lines += [
        "*matched*: within 15 % of the paper's number, or the same order. *better*: what should be"
    ]
    lines += ["small is smaller, or large larger. *not*: neither.\n"]
    lines += table_lines(["figure", "the paper", "here", "", "why"], rows)
    lines += ["\n## What a task costs\n", "Cycles of figure 7, the paper's behind the stroke.\n"]
    cost = [
        [
            runtime,
            *(
                f"{cases[case]} / {there}"
                for case, there in zip(OVERHEAD_CASES, paper.OVERHEAD[runtime])
            ),
        ]
        for runtime, cases in measured.overhead.items()
    ]
    lines += table_lines(
        ["runtime", *(f"{kernel}, {deps}" for kernel, deps in OVERHEAD_CASES)], cost
    )
    count = ", ".join(f"{count} of {runtime}" for runtime, count in OVERHEAD_TASKS.items())
    lines += [f"\nThe mean of so many tasks: {count}.\n"]
    lines += [
        "![What a task costs](perf/picos-fig7.png)\n",
        "![The speed-up it allows](perf/picos-fig6.png)",
    ]
    lines += [
        SCALING.format(
            count=len(measured.cycles),
            paper=inputs.PAPER_CASES,
            both=len(measured.cases(*measured.overhead)),
        )
    ]
    speedups = [
        [str(case), case.scaled, str(case.tasks), f"{measured.task_cycles(case):.0f}",
         *(speedup_text(measured.speedup(case, runtime)) for runtime in measured.overhead)]
        for case in measured.cycles
    ]  # fmt: skip
    head = ["input", "scaled to", "tasks", "cycles of a task", *measured.overhead]
    lines += table_lines(head, speedups)
    lines += ["\nSpeed-ups over the program without tasks, with eight cores.\n"]
    lines += ["![Speed-ups by input](perf/picos-fig9.png)\n"]
    lines += ["![Speed-ups by the size of tasks](perf/picos-fig8.png)\n"]
    lines += ["![Speed-ups and bounds](perf/picos-fig10.png)\n", "## Sixteen cores\n"]
    lines += [*sixteen_lines(sixteen), "\n## Area\n"]
    lines += [
        "Table II. Cells of one bit before any optimisation for a target, by Yosys; memories apart."
    ]
    lines += ["Only the shares can be compared with the paper's, which counts an FPGA's cells.\n"]
    cells = [[str(cell) for cell in row] for row in area.rows(table)]
    lines += table_lines(cells[0], cells[1:])
    return "\n".join(lines) + "\n"
