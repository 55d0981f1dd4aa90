# SPDX-License-Identifier: Apache-2.0
"""Writes docs/hwse.md: what the paper states, what was measured here, and why they differ."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator

import area
import measure
import paper
import where
from harness import runs
from harness.statements import Statement, compare, holds
from measure import CORES, MOST, Measured

import cluster

HEAD = """\
<!-- Written by ./dev figures hwse --docs from what it measured, in the words of page.py. -->
# The evaluation of the scheduling engine, in a simulated cluster

Tables II, V and VII and figure 6 of paper 5, redrawn by one command, from the RTL in
[hw/hwse](../hw/hwse/README.md) in a cluster of up to 16 RISC-V cores, and from programs that run on
it:

    ./dev figures hwse --docs

The numbers are those of the hardware and the firmware that this page was committed with. The
software that the engine is compared with is [ours](../hw/hwse/firmware/omp/software.c), after gcc's
library, with all its data in the scratchpad. Cycles are those of the core clock; a miss of the 1 KB
instruction cache takes 59, and more when others miss, since one word a cycle comes from outside.
The paper's cores are ARM v6, its caches and memory the same.

## The paper's statements

*matched*: within 15 % of the paper's number, or what it says holds. *better*: what should be small
is smaller, or large larger. *not*: neither.
"""

WHY = {
    "sections": "16 threads wait for one test-and-set lock, whose holders wait for instructions:"
    " the software's code does not fit into the cache beside the work. On one core see below.",
    "loops": "As with sections; and each core has registers of its own in the engine, so that"
    " several accesses need no lock.",
    "tasks": "Descriptors and the counting of children are the engine's, too.",
}
WHY_APPLICATION = {
    "strassen loops": "Of the whole; the paper's number is of its second step.",
    "strassen tasks": "Likewise.",
}
WHY_LOOPS = (
    "With software {library:.0f} % of all cores' cycles are the library's, locks included, and"
    " {own:.0f} % the program's own; in the others threads wait for the last one of a loop. With"
    " the engine the library has {left:.0f} %, {missing:.0f} % of these without an instruction."
)
WHY_TASKS = (
    "One core makes all tasks. It is in the library for {software:.0f} thousand cycles of the run"
    " with software, and for {engine:.0f} with the engine, {dependences:.0f} of them for"
    " dependences, which are software's with either. In {missing:.0f} % of these {engine:.0f} it"
    " has no instruction: it runs {bytes:.1f} KB of the library, and its cache has 1. The other"
    " cores wait in {waiting:.0f} % of their cycles."
)

COSTS = """
## What primitives cost

Software / engine = how many times as fast. 24 sections and 64 iterations of 100 NOPs, 18
tasks of 5000 NOPs (the paper's have 500,000, which changes nothing of what is measured);
*whole*: a round with all of that on core 0, from barrier to barrier. Means over all threads and
five rounds after one that warms up.
"""

WAITING = """
Where the cycles of the most cores go: *without* are those in which a core had no instruction to
begin with, since a line of its cache was missing or a branch was taken, as the core's own counter
has it.
"""

PARTS = """
![Cycles by cores](perf/hwse-table7.png)

Figure 6, what a task's INIT consists of: taking a descriptor, filling it, and counting and queueing
it. The paper found allocation and queue to be the most of it; with the engine allocation takes half
of what filling does, and the queue still most.

![Parts of INIT](perf/hwse-figure6.png)
"""

APPLICATIONS = """
## Applications

Thousands of cycles with software / with the engine, and by how many per cent that is less. The
programs are those of [kernels/hwse](../kernels/README.md), with the tasks or the parallel loops
(`schedule(dynamic)`) that they have for OpenMP on any computer, in pieces as small as possible: a
row, or a sum of matrices. Their results are those of the same sources on the host.

All data is in the scratchpad, whose 256 KB are also the stacks' and the library's, and a simulated
cycle of 16 cores takes 40 microseconds; so inputs are far smaller than the paper's (which it does
not name): JPEG decodes 8 x 64 pixels, colours are tracked through two frames of 16 x 16,
Strassen multiplies matrices of 32 rows on one level, FAST takes 20 x 22 pixels, and faces are
sought in 36 x 34 by the first four stages of OpenCV's cascade. The core has no floating point:
numbers of Strassen and of the cascade are whole, in fixed point for the latter. Tasks wait for
dependences, which the paper's OpenMP 3.1 did not have; they are software's with either scheduler.
"""

WHERE = """
![Cycles saved](perf/hwse-table5.png)

Where the cycles of the most cores go, in per cent of all cores', software / engine, by the source
lines of the instructions: the simulator counts for each core and instruction how long the core had
it before it, or had not got it yet. *library*: without what follows; *dependences*: the code that
is the same with either scheduler; *waiting*: until all have come, or there is a task, looking for
one included; *without*: in all of these together, those without an instruction. *the maker*: of the
cycles of the core that makes the tasks, which has the most in the library, those there, dependences
included; and the bytes of the instruction cache's lines that it runs of it.
"""

AREA = """
## Gates

Thousands, by the transistors that Yosys estimates for static CMOS, four a gate. *gated*: a register
has a clock gate of its own, as synthesis for a 28 nm process puts in, and the paper's had; *plain*:
a flip-flop that keeps its value has a multiplexer in front. All storage is flip-flops, as the
paper's is.
"""

CLUSTER = """
The cluster without engine and memories, gated: 16 cores (cv32e40x) of {core:.1f}, and {fabric:.1f}
for caches' control, crossbar, DMA and the way outside. The scratchpad's 256 KB and the caches'
lines are memories, and not counted; the paper's cluster has 881 thousand gates by its own shares.
"""

PARTS_OF_AREA = """
What it consists of with 32 tasks, gated, each module by itself. The paper's three parts are the
decoder with its registers (5.42), the datapath (3.00) and one queue (4.70). It has no port a core:
choosing among cores is its interconnect's. It keeps no chunk's end for each thread, has one
work-share, whose software needs a lock, and counts nothing.
"""


# By module; the engine's own gates are those between the others.
WHAT = {
    "threads": "each core's context and the end of its last chunk",
    "shares": "two work-shares for each of two teams, and the heap",
    "chunk": "the loop datapath",
    "fifo": "tasks, and descriptors that are free",
    "counters": "children of each task",
    "primitives": "decoder",
    "teams": "sizes and barriers",
    "round_robin_arbiter": "choosing among 16 cores",
    "hwse_engine": "registers of the request and of the answer",
}


def primitives(measured: Measured) -> Iterator[Statement]:
    for name, there in paper.SPEEDUP.items():
        here = measured.speedup(MOST, name)
        what, step = name.split()
        said = f"{step.upper()} of {what} is {there:g} times as fast as in software."
        yield Statement("VII", said, f"{here:.1f} times", compare(here, there), WHY[what])


def slower(measured: Measured, table: str, what: str, names: tuple[str, ...]) -> Statement:
    """Whether any is, on any number of cores."""
    speedups = {
        f"{name} on {cores}": measured.speedup(cores, name) for name in names for cores in CORES
    }
    found = [f"{place} ({speedup:.2f})" for place, speedup in speedups.items() if speedup < 1]
    least = min(speedups, key=lambda place: speedups[place])
    here = f"slower: {', '.join(found) or 'none'}; the least gain is "
    here += f"{100 * (1 - 1 / speedups[least]):.1f} % ({least})"
    said = f"No {what} is slower than with software, on any number of cores (implied)."
    return Statement(table, said, here, holds(not found))


def why_application(measured: Measured, name: str, style: str) -> str:
    """Why an application does not save what the paper's does."""
    software, engine = (measured.where[library, name] for library in cluster.LIBRARIES)
    if style == "loops":
        return WHY_LOOPS.format(
            library=software.share(software.cores, "library", "locks"),
            own=software.share(software.cores, "own"),
            left=engine.share(engine.cores, "library"),
            missing=engine.missing_share(engine.cores, "library"),
        )
    return WHY_TASKS.format(
        software=software.cycles(software.maker, *where.MAKING) / 1000,
        engine=engine.cycles(engine.maker, *where.MAKING) / 1000,
        missing=engine.missing_share(engine.maker, *where.MAKING),
        bytes=engine.maker_bytes / 1024,
        dependences=engine.cycles(engine.maker, "dependences") / 1000,
        waiting=engine.share(engine.others, "waiting"),
    )


def mean(measured: Measured, style: str) -> Statement:
    names = [measure.name_of(kernel, style) for kernel in cluster.KERNELS]
    here = statistics.mean(measured.improvement(MOST, name) for name in names)
    there = paper.IMPROVEMENT_MEAN[style]
    rows = statistics.mean(paper.IMPROVEMENT[kernel, style] for kernel in cluster.KERNELS)
    said = f"{style.capitalize()} take {there:g} % less on average."
    why = f"Its mean has Strassen's three steps. Over the five rows above it has {rows:.1f} %."
    return Statement("V", said, f"{here:.1f} %", compare(here, there), why)


def applications(measured: Measured) -> Iterator[Statement]:
    for (kernel, style), there in paper.IMPROVEMENT.items():
        name = measure.name_of(kernel, style)
        here = measured.improvement(MOST, name)
        said = f"{kernel} with {style} takes {there:g} % less."
        verdict = compare(here, there)
        why = [WHY_APPLICATION[name]] if name in WHY_APPLICATION else []
        if verdict == "not":
            why += [why_application(measured, name, style)]
        yield Statement("V", said, f"{here:.0f} %", verdict, " ".join(why))
    for style in cluster.STYLES:
        yield mean(measured, style)
    yield slower(measured, "V", "application", measure.APPLICATIONS)
    yield slower(measured, "VII", "primitive", (*measure.PRIMITIVES, *measure.ROUNDS))


def gates(found: area.Found) -> Iterator[Statement]:
    for depth, (there, share) in paper.AREA.items():
        here = found.engines[area.name_of(depth)].gated
        yield Statement(
            "II",
            f"With {depth} tasks it has {there:g} thousand gates, {share} % of the cluster.",
            f"{here:.1f} thousand, {found.cluster.share(here):.2f} % of the cluster here,"
            f" {100 * here / (there / share * 100):.2f} % of the paper's",
            compare(here, there, False),
            "The gates below are what it has that the paper's has not: choosing among cores, each"
            " core's chunk, a second work-share, counters, a second queue.",
        )


def ratio_cell(measured: Measured, cores: int, name: str) -> str:
    software, engine = (measured.cycles[library, cores, name] for library in cluster.LIBRARIES)
    return f"{software:.0f} / {engine:.0f} = {software / engine:.1f}"


def saving_cell(measured: Measured, cores: int, name: str) -> str:
    software, engine = (
        measured.cycles[library, cores, name] / 1000 for library in cluster.LIBRARIES
    )
    return f"{software:.1f} / {engine:.1f}: {measured.improvement(cores, name):.1f}"


def table(
    measured: Measured,
    names: tuple[str, ...],
    cell: Callable[[Measured, int, str], str],
    theirs: dict[str, float],
) -> Iterator[str]:
    head = ["", *(f"{cores} core{'s' * (cores > 1)}" for cores in CORES), "paper"]
    rows = []
    for name in names:
        there = f"{theirs[name]:g}" if name in theirs else ""
        rows.append([name, *(cell(measured, cores, name) for cores in CORES), there])
    yield from runs.markdown(head, rows)


def waiting_table(measured: Measured) -> Iterator[str]:
    head = [
        "",
        *(f"{library}{part}" for library in cluster.LIBRARIES for part in ("", ", without")),
    ]
    rows = [
        [name, *(f"{cycles[library, MOST, name]:.1f}" for library in cluster.LIBRARIES
                 for cycles in (measured.cycles, measured.waiting))]
        for name in (*measure.PRIMITIVES, *measure.PARTS)
    ]  # fmt: skip
    yield from runs.markdown(head, rows)


def where_table(measured: Measured) -> Iterator[str]:
    head = ["", *where.KINDS, "without", "the maker", "bytes"]

    def row(name: str) -> list[str]:
        both = [measured.where[library, name] for library in cluster.LIBRARIES]
        numbers = [[one.share(one.cores, kind) for kind in where.KINDS] for one in both]
        for one, shares in zip(both, numbers):
            shares += [one.missing_share(one.cores)]
            if name.endswith("tasks"):
                shares += [one.share(one.maker, *where.MAKING), one.maker_bytes]
        cells = [f"{software:.0f} / {engine:.0f}" for software, engine in zip(*numbers)]
        return [name, *cells, *[""] * (len(head) - 1 - len(cells))]

    yield from runs.markdown(head, map(row, measure.APPLICATIONS))


def text(measured: Measured, found: area.Found) -> str:
    statements = [*primitives(measured), *applications(measured), *gates(found)]
    rows = [[s.figure, s.paper, s.here, f"**{s.verdict}**", s.why] for s in statements]
    lines = [HEAD, *runs.markdown(["table", "the paper", "here", "", "why"], rows), COSTS]
    costs = (*measure.PRIMITIVES, *measure.ROUNDS)
    lines += table(measured, costs, ratio_cell, paper.SPEEDUP)
    lines += [WAITING, *waiting_table(measured), PARTS, APPLICATIONS]
    improvements = {measure.name_of(*key): value for key, value in paper.IMPROVEMENT.items()}
    lines += table(measured, measure.APPLICATIONS, saving_cell, improvements)
    lines += [WHERE, *where_table(measured), AREA]
    sizes = [[name, f"{one.gated:.1f}", f"{one.plain:.1f}"] for name, one in found.engines.items()]
    lines += runs.markdown(["engine for 16 cores", "gated", "plain"], sizes)
    parts = sorted(found.parts.items(), key=lambda part: -part[1])
    shares = [[name, f"{one:.1f}", WHAT[name]] for name, one in parts]
    lines += [CLUSTER.format(core=found.cluster.core, fabric=found.cluster.fabric), PARTS_OF_AREA]
    lines += [*runs.markdown(["module", "gates", "what for"], shares)]
    lines += ["\n## What is not here\n"]
    lines += ["The library OMPi, and power, for which there is no tool here."]
    return "\n".join(lines) + "\n"
