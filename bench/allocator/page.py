# SPDX-License-Identifier: Apache-2.0
"""Writes docs/allocator.md: what paper 2 states, what was measured here, and why they differ."""

from __future__ import annotations

import os
from collections.abc import Iterator

from harness import runs as harness
from harness.statements import Statement, compare, holds
from measure import LIST_SHAPES, SIZES_SHAPE, Measured, Shape

HEAD = """\
<!-- Written by ./dev figures allocator --docs from what it measured, in the words of page.py. -->
# The evaluation of the Myrmics allocator

The evaluation of paper 2, redrawn by one command with [SPMD programs](user/spmd.md):

    ./dev figures allocator --docs

The programs are the paper's; each result is compared with the serial program's by the tests. The
paper has 512 workers on as many cores. Here are up to 8 workers and 3 schedulers on {cores}
processors, so that most waits are for a processor. What UPC did there, MPI does here: each node of
a list is fetched by `MPI_Get` and given back by `MPI_Put`. Beside that, lists are packed into
messages by hand.

## The paper's statements

*matched*: within 15 % of the paper's number, or the same order of what is compared. *better*: what
should be large is larger. *not*: neither.

"""

CROWDED = "More processes than processors: the time is mostly that of waiting to run."
FEW = "Few schedulers beside few workers: they take processors from each other here."
GOALS = """
## Ways to exchange lists

Seconds of all exchanges of {nodes:,} nodes a worker, medians; building the lists not counted.
*nodes / regions*: goal at least 10. *regions / packed*: goal at most 1.15.
With more workers than processors, times differ by a factor of two and more from run to run:
processes wait in MPI for others that have no processor, and MPICH's do not give theirs away
meanwhile. With 2 workers, Open MPI's node by node is a copy in plain memory, as all are on one
computer: 30,000 nodes there and back take less time than a region takes through messages.

"""


def text_of(shape: Shape) -> str:
    return f"{shape[0]}+{shape[1]}"


def slab_statements(measured: Measured) -> Iterator[Statement]:
    def share(run: dict[str, list[int]], index: int) -> float:
        slabs = run["full_slabs"][index] + run["partial_slabs"][index]
        return run["partial_slabs"][index] / max(1, slabs)

    one, phases, six = (measured.slabs[name] for name in ("one_size", "phases", "six_sizes"))
    late = [share(one, i) for i in range(len(one["step"]) // 2, len(one["step"]))]
    yield Statement(
        "4a",
        "Few slabs are partial while the number of objects grows.",
        f"{max(late):.1%} of them at most in the second half",
        holds(max(late) < 0.1),
    )
    most = max(range(len(phases["step"])), key=lambda i: share(phases, i))
    yield Statement(
        "4b",
        "Frees make full slabs partial; a phase of allocations fills them again.",
        f"up to {share(phases, most):.0%} partial, {share(phases, -1):.1%} in the end",
        holds(share(phases, most) > 0.3 and share(phases, -1) < 0.1),
    )
    worst = max(share(six, i) for i in range(len(six["step"]) // 10, len(six["step"])))
    yield Statement(
        "4c",
        "With six sizes of objects there are many more full slabs than partial ones.",
        f"{worst:.0%} partial at most, {share(phases, most):.0%} with one size",
        holds(worst < share(phases, most)),
    )


def delaunay_statements(measured: Measured) -> Iterator[Statement]:
    alone, four = measured.delaunay[1, 1], measured.delaunay[1, 4]
    processors = min(4, os.cpu_count() or 1)
    yield Statement(
        "4d",
        "Delaunay's speed-up is more than the number of workers.",
        f"{alone / four:.2f} with 4 workers on {processors} processors",
        holds(alone / four > processors),
        "" if alone / four > processors else CROWDED,
    )


def barnes_statements(measured: Measured) -> Iterator[Statement]:
    one = measured.barnes[1, 1].share
    yield Statement(
        "4e",
        "A worker and a scheduler: 8 % of the time is waiting for the scheduler.",
        f"{one:.0%}",
        compare(one, 0.08, larger_is_better=False),
        "A question is a message each way, which finds its receiver asleep if there are more"
        " processes than processors.",
    )
    shares = [measured.barnes[1, count].share for count in (2, 4, 8)]
    yield Statement(
        "4e",
        "With more workers, one scheduler takes a growing share of the time.",
        ", ".join(f"{share:.0%}" for share in shares) + " with 2, 4 and 8 workers",
        holds(shares[0] < shares[1] < shares[2]),
        CROWDED,
    )
    several, single = measured.barnes[3, 8], measured.barnes[1, 8]
    yield Statement(
        "4f",
        "With several schedulers the time of waiting for them falls.",
        f"{several.schedulers:.2f} s with 3, {single.schedulers:.2f} s with 1, for 8 workers",
        holds(several.schedulers < single.schedulers),
        FEW,
    )


def ratios(measured: Measured, schedulers: int, workers: int, nodes: int) -> list[float]:
    """Building included, as in the paper; a number an MPI."""
    return [
        ways["nodes"].total / ways["regions"].total
        for (_, shape, count), ways in measured.lists.items()
        if shape == (schedulers, workers) and count == nodes
    ]


def range_text(numbers: list[float]) -> str:
    return f"{min(numbers):.1f} to {max(numbers):.1f}"


def verdict_on(numbers: list[float], least: float, most: float) -> str:
    if min(numbers) > most:
        return "better"
    return holds(min(numbers) >= least)


def list_statements(measured: Measured) -> Iterator[Statement]:
    counts = sorted({count for _, shape, count in measured.lists if shape == SIZES_SHAPE})
    by_size = [one for count in counts for one in ratios(measured, *SIZES_SHAPE, count)]
    yield Statement(
        "4g",
        "Lists of all sizes: regions are 3.7 to 3.9 times as fast as node by node (16 workers).",
        f"{range_text(by_size)} with {SIZES_SHAPE[1]} workers, "
        f"{counts[0]:,} to {counts[-1]:,} nodes",
        verdict_on(by_size, 3.7, 3.9),
        "Each allocation asks the scheduler, which counts more in short lists.",
    )
    for schedulers, least, most in ((1, 3.8, 7.0), (3, 4.6, 10.7)):
        numbers = [
            one
            for shape in LIST_SHAPES
            if shape[0] == schedulers
            for one in ratios(measured, *shape, counts[-1])
        ]
        name = "one scheduler" if schedulers == 1 else "several schedulers"
        yield Statement(
            "4h",
            f"With {name} they are {least} to {most} times as fast.",
            f"{range_text(numbers)} with {counts[-1]:,} nodes",
            verdict_on(numbers, least, most),
            CROWDED,
        )


def chip_statements(measured: Measured) -> Iterator[Statement]:
    for kernel, figure, title in (
        ("linked_lists", "4h", "the exchange of lists"),
        ("barnes_hut_parts", "4f", "Barnes-Hut"),
    ):
        cycles = measured.chip[kernel]
        most = max(workers for _, workers in cycles)
        single, several = (cycles[shape] for shape in sorted(cycles) if shape[1] == most)
        yield Statement(
            figure,
            f"Several schedulers make {title} faster where there are many workers.",
            f"{single / several:.2f} times as fast on the simulated chip, with {most} workers",
            holds(single > several),
        )


def ways_rows(measured: Measured) -> Iterator[list[str]]:
    most = max(count for _, _, count in measured.lists)
    for (mpi, shape, count), ways in measured.lists.items():
        if count != most:
            continue
        regions, nodes, packed = (ways[way].exchange for way in ("regions", "nodes", "packed"))
        seconds = [f"{one:.4f}" for one in (regions, nodes, packed)]
        yield [
            mpi,
            text_of(shape),
            *seconds,
            f"{nodes / regions:.1f}",
            f"{regions / packed:.2f}",
        ]


def lines(measured: Measured) -> Iterator[str]:
    yield from HEAD.format(cores=os.cpu_count()).splitlines()
    sources = (
        slab_statements,
        delaunay_statements,
        barnes_statements,
        list_statements,
        chip_statements,
    )
    statements = [one for make in sources for one in make(measured)]
    yield from harness.markdown(
        ["figure", "the paper", "here", "", "why"],
        [
            [one.figure, one.paper, one.here, f"**{one.verdict}**", why_of(one)]
            for one in statements
        ],
    )
    yield ""
    yield "More than 8 workers are on the simulated chip, where programs are tasks: regions, owners"
    yield "and transfers are the same, but workers get what they declare, and receive nothing."
    yield "Not here: 256 and 512 workers, and so where communication overtakes computation (4e,"
    yield "4f)."
    yield from GOALS.format(nodes=max(count for _, _, count in measured.lists)).splitlines()
    head = ["MPI", "processes", "regions", "nodes", "packed", "nodes / regions", "regions / packed"]
    yield from harness.markdown(head, ways_rows(measured))
    for name, caption in (
        ("fig4abc", "A region under random allocations and frees (fig. 4a to 4c)"),
        ("fig4def", "Delaunay (4d); Barnes-Hut with one scheduler (4e) and with several (4f)"),
        ("fig4gh", "Exchange of lists, by nodes (4g) and by workers (4h)"),
        ("chip", "The same as tasks on the simulated chip, with one scheduler and with several"),
    ):
        yield from ("", f"![{caption}](perf/allocator-{name}.png)")


def why_of(statement: Statement) -> str:
    return statement.why if statement.verdict == "not" else ""
