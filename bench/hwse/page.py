# SPDX-License-Identifier: Apache-2.0
"""Writes docs/hwse.md: what the paper states, what was measured here, and why they differ.

better: beyond the paper's number; matched: within 15 % below it; not: further below.
"""

from __future__ import annotations

from collections.abc import Iterator

import paper
from harness import runs
from measure import CORES, PRIMITIVES, ROUNDS, Measured

TOLERANCE = 0.15
MOST = max(CORES)

HEAD = """\
<!-- Written by ./dev figures hwse --docs from what it measured, in the words of page.py. -->
# The evaluation of the scheduling engine, in a simulated cluster

Tables II and VII of paper 5, redrawn by one command, from the RTL in
[hw/hwse](../hw/hwse/README.md) in a cluster of up to 16 RISC-V cores, and from programs that run on
it:

    ./dev figures hwse --docs

The numbers are those of the hardware and the firmware that this page was committed with. The
software that the engine is compared with is [ours](../hw/hwse/firmware/omp/software.c), after gcc's
library, with all its data in the scratchpad. Cycles are those of the core clock, means over all
threads and five rounds after one that warms up; a miss of the 1 KB instruction cache takes 59. The
paper's cores are ARM v6, its caches and memory the same.
"""

WHY = {
    "sections": "Most of the software's cycles are 16 threads waiting for one test-and-set lock and"
    " misses of its code; on one core see below.",
    "loops": "No lock, since each core has registers of its own in the engine.",
    "tasks": "Descriptors and the counting of children are the engine's, too.",
}


def verdict(here: float, there: float) -> str:
    if here >= there:
        return "better"
    return "matched" if here >= there * (1 - TOLERANCE) else "not"


def statements(measured: Measured, areas: dict[int, float], like: float) -> Iterator[list[str]]:
    for name, there in paper.SPEEDUP.items():
        here = measured.speedup(MOST, name)
        what, step = name.split()
        said = f"{step.upper()} of {what} is {there:g} times as fast as in software."
        yield ["VII", said, f"{here:.1f} times", f"**{verdict(here, there)}**", WHY[what]]
    slower = [
        f"{name} on {cores}"
        for cores in CORES
        for name in (*PRIMITIVES, *ROUNDS)
        if measured.speedup(cores, name) < 1
    ]
    said = "The engine makes nothing slower (implied)."
    here = f"slower: {', '.join(slower) or 'nothing'}"
    yield ["VII", said, here, f"**{'not' if slower else 'matched'}**", ""]
    for depth, gates in areas.items():
        there, share = paper.AREA[depth]
        cluster = there / share * 100
        yield [
            "II",
            f"With {depth} tasks it has {there:g} thousand gates, {share} % of the cluster.",
            f"{gates:.1f} thousand, {100 * gates / cluster:.2f} % of the paper's cluster",
            f"**{verdict(there / gates, 1)}**",
            "Two queues, work-shares of two teams at once, a position for each thread and counters;"
            f" with one of each and no counters it has {like:.1f}."
            if depth == 32
            else "",
        ]


def table(measured: Measured) -> Iterator[str]:
    """Cycles with software, with the engine, and how many times as fast, by cores."""
    head = ["cycles of", *(f"{cores} core{'s' * (cores > 1)}" for cores in CORES), "paper"]
    rows = []
    for name in (*PRIMITIVES, *ROUNDS):
        cells = [
            f"{measured.cycles['software', cores, name]:.0f} / "
            f"{measured.cycles['hwse', cores, name]:.0f} = {measured.speedup(cores, name):.1f}"
            for cores in CORES
        ]
        there = f"{paper.SPEEDUP[name]:g}" if name in paper.SPEEDUP else ""
        rows.append([name, *cells, there])
    yield from runs.markdown(head, rows)


def text(measured: Measured, areas: dict[int, float], like: float) -> str:
    lines = [HEAD, "## The paper's statements\n"]
    lines += [
        "*better*: beyond the paper's number. *matched*: within 15 % below. *not*: further.\n"
    ]
    head = ["table", "the paper", "here", "", "why"]
    lines += runs.markdown(head, statements(measured, areas, like))
    lines += ["\n## What primitives cost\n"]
    lines += [
        "Software / engine = how many times as fast. 24 sections and 64 iterations of 100 NOPs, 18"
    ]
    lines += [
        "tasks of 5000 NOPs (the paper's have 500,000, which changes nothing of what is measured);"
    ]
    lines += ["*whole*: a round with all of that on core 0, from barrier to barrier.\n"]
    lines += table(measured)
    lines += ["\n![Cycles by cores](perf/hwse-table7.png)\n", "## What is not here\n"]
    lines += ["Table V, the applications; power, for which there is no tool here; the gates of the"]
    lines += ["cluster, so the shares above are of the paper's."]
    return "\n".join(lines) + "\n"
