# SPDX-License-Identifier: Apache-2.0
"""Writes docs/scc.md: what paper 3 states, what was measured here, and why they differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from harness import runs as harness
from harness.statements import TOLERANCE, Statement, compare, holds
from measure import (
    CHOICES,
    FINER_WORKERS,
    KERNELS,
    MOST,
    PAPER,
    PAST,
    WAYS,
    WORKERS,
    Chosen,
    Finer,
    Kernel,
    Measured,
    Past,
    Run,
    speedup,
)

IDLE_SHARE = 0.1  # of all workers' time: from there on workers count as waiting for the master

HEAD = """\
<!-- Written by ./dev figures scc --docs from what it measured, in the words of page.py. -->
# The evaluation of BDDT-SCC, on a simulated SCC

The evaluation of paper 3, redrawn by one command from [the master machine](design/master.md):

    ./dev figures scc --docs

The five programs are the paper's, with pragmas, at its sizes; each result is compared with the
serial program's, bit for bit. A time is the same in every run. Measured at commit {commit}.

**Calibrated** are two numbers. A memory controller is busy for 14 cycles with a line: so that
Black-Scholes has the paper's speed-up of 16 with 43 workers. The master needs 800 cycles to enter a
task into the list of a block and 400 to take it out: so that its time for FFT is a tenth of the
workers'. What the kernels compute is counted from their source, with the latencies of the
processor's manual (`kernels/chip/scc_costs.h`); nothing of that is fitted. All else is prediction.

Blocks are as large as the tiles; with FFT, whose tiles lie in the rows of a matrix, as large as a
row of a tile. Memory is spread over the controllers, as by the paper's padding and strides.
Speed-ups are over `sim:scc-48:1+0`, the serial program on the master's core with its memory at the
nearest controller.

## The paper's statements

*matched*: within 15 % of the paper's number, or the same order of what is compared. *better*: what
should be large is larger. *not*: neither.

"""

SMOOTH = (
    "Its blocks are tiles here, and the master has little to do. In the paper the master is the"
    " limit from 13 workers on; with [smaller blocks](#how-large-blocks-are) it is so here, too."
    " Memory alone does not stop it: what a task writes without reading goes to memory a line at a"
    " time here. The processor's manual has each store as a transfer of its own, if its line is"
    " not in the cache, which is not in the model."
)

IN_CACHE = (
    "A task reads each line of its tiles from memory once here, which is little beside its"
    " arithmetic. What the paper's kernel reads, and how large its blocks are, is not said;"
    " [smaller ones](#how-large-blocks-are) cost more workers more."
)
WAVES = (
    "The master's whole time was made a tenth of the workers'; it is needed most where rows are"
    " transformed, so there workers wait earlier."
)

TAIL = """
## What is left of the contention

Cycles in tasks, and of the flush, with 43 workers, as a multiple of those with one; and the part of
the time for which the master is busy.

Lines that the flush reads only to drive others out are most of what the controllers serve in
Black-Scholes, matrix multiply and FFT: an instruction that writes back and invalidates a range of
the second cache, which the paper asks for, would remove them. In Jacobi tasks read and write
everything once, which only a larger task in the cache, or more bandwidth, would change.

Where the master is busy all the time, more workers do not help: in FFT, and soon in Black-Scholes.
What helps there is [below](#past-the-paper).

"""

PAST_HEAD = """
## Past the paper

Speed-ups with 43 workers of the same kernels on the same chip, over the same serial program; the
results are compared with its, too.

- *Larger blocks*: a tile of FFT is a block, as it lies side by side here; Black-Scholes has blocks
  of 32 KB.
- *Loops*: `kernel_NAME_for_each`. A loop becomes a part for each worker, which flushes once, and
  one entry in the master's lists where its objects lie in regions that it names
  ([ADR 71](adr/0071-loops-of-a-master.md)). FFT shares out 128 panels of 8 rows, as 32 panels are
  too few for 43 workers, and transposes into a second matrix, so that an iteration writes only its
  own panel. Blocks are the larger ones.
- *Tree*: `sim:scc-48-tree:5+43`, the schedulers of paper 1: one above four, with 43 workers, main's
  among them ([ADR 44](adr/0044-tree-on-the-scc.md)). A step of a scheduler costs what its
  instructions do at the calibrated cost of the master's.

"""

PAST_NOTES = """
A flush takes about a million cycles, whatever it writes back; so most of the gain of loops is that
there are 43 for each loop, not thousands. Cholesky and Jacobi lose by them: a loop's part waits for
all that its iterations use, and a worker with two tiles of Jacobi's 64 takes twice as long as one
with a single tile, where tasks of the next step fill the gap.

The tree spreads the analysis of the tasks of FFT and Black-Scholes, and gains nothing where the
master was not the limit. Loops of many objects cost it most: each object of a part is entered and
left, which regions save the master.

The best of the ways with a master, from 22 to 43 workers: where the speed-up still grows by a third
or more and the master is busy for less than half of the time, it is not what stops the kernel.

"""

BLOCKS_HEAD = """
## How large blocks are

Where each tile is a block, a task is in few lists. The paper does not
say how large its blocks are; tiles that lie in the rows of a matrix are cut into one for each row
at least, as those of FFT are above. Speed-ups of Jacobi and Cholesky with smaller blocks, and how
busy the master is.

"""

PLACEMENT = """
## Where memory and the master are

Speed-ups with 43 workers. Spread memory lies 4 KB in turn at the four controllers, which no padding
reaches on this chip. Padded, as the paper did it, objects have a controller each, in turn. Pages
of 16 MB in turn are what the chip has without. The arrays here are larger than a page, or their
tasks compute for long beside what they read; so it matters less than the paper says of small arrays
with one controller.

Where an object is padded, a task can go to a worker near its controller (`MYR_WORKERS=near`). From
one hop to nine a line takes 1.56 times as long, but most lines are read by the flush, from the
core's own controller, wherever the task is.

"""


def idle_from(runs: dict[int, Run]) -> int | None:
    """The fewest workers of which so many wait for the master, and for more of them, too."""
    waiting = None
    for workers in reversed(WORKERS):
        one = runs[workers]
        if one.total("idle") < IDLE_SHARE * workers * one.cycles:
            break
        waiting = workers
    return waiting


def best(runs: dict[int, Run]) -> int:
    """The fewest workers with nearly the best speed-up."""
    most = max(speedup(runs, workers) for workers in WORKERS)
    return next(workers for workers in WORKERS if speedup(runs, workers) >= 0.97 * most)


def growth(runs: dict[int, Run], part: str) -> float:
    """Cycles of all workers with the most of them, over those of one."""
    return runs[MOST].total(part) / runs[1].total(part)


def imbalance(run: Run) -> float:
    """The busiest worker's time over the least busy one's."""
    busy = [task + flush for task, flush in zip(run.task, run.flush)]
    return max(busy) / max(1, min(busy))


def memory_statements(points: dict[int, dict[int, int]]) -> Iterator[Statement]:
    near, far = min(points[3]), max(points[3])
    yield Statement(
        "3",
        "The time to go through an array grows with the distance to its controller.",
        f"{points[3][far] / points[3][near]:.2f} times from {near} hop to {far}",
        holds(all(points[3][hops] < points[3][hops + 1] for hops in range(near, far))),
    )
    alone, all_cores = points[4][1], points[4][max(points[4])]
    first = next(cores for cores in sorted(points[4]) if points[4][cores] > 1.05 * alone)
    yield Statement(
        "4",
        "The most distant core's time grows with the number of cores that use the controller.",
        f"from {first} cores on; {all_cores / alone:.1f} times with all",
        holds(all_cores > 1.5 * alone),
    )


def scaling_statements(measured: Measured) -> Iterator[Statement]:
    for letter, there, why in (
        ("a", 16.0, "Calibrated on it."),
        ("b", 33.0, "The last of 256 chains of tasks end on few workers."),
    ):
        here = speedup(measured[letter], MOST)
        text = f"{KERNELS[letter].title} has a speed-up of {there:.0f} with {MOST} workers."
        yield Statement(f"5{letter}", text, f"{here:.1f}", compare(here, there), why)
    runs = measured["a"]
    ratio = speedup(runs, MOST) / (MOST * speedup(runs, 1))
    yield Statement(
        "5a",
        "Black-Scholes scales linearly to all workers.",
        f"{speedup(runs, 1):.2f} with 1, {speedup(runs, 22):.1f} with 22, "
        f"{speedup(runs, MOST):.1f} with {MOST}",
        holds(ratio > 1 - TOLERANCE),
    )
    runs = measured["c"]
    yield Statement(
        "5c",
        "FFT scales to 16 workers; more change little.",
        f"{speedup(runs, 6):.1f} with 6, {speedup(runs, 16):.1f} with 16, "
        f"{speedup(runs, MOST):.1f} with {MOST}",
        holds(abs(speedup(runs, MOST) / speedup(runs, 16) - 1) <= TOLERANCE),
        "It rises by a little more than the 15 % that count as little.",
    )
    for letter in "de":
        runs = measured[letter]
        yield Statement(
            f"5{letter}",
            f"{KERNELS[letter].title} has its best speed-up with 22 workers.",
            f"with {best(runs)}: {speedup(runs, best(runs)):.1f}; {speedup(runs, 22):.1f} with 22",
            holds(19 <= best(runs) <= 27),
            SMOOTH if letter == "d" else IN_CACHE,
        )


def breakdown_statements(measured: Measured) -> Iterator[Statement]:
    for letter, text, condition in (
        ("a", "takes much time to flush beside that of tasks", lambda share: share > 0.5),
        ("b", "takes little time to flush beside that of tasks", lambda share: share < 0.5),
    ):
        run = measured[letter][MOST]
        share = run.total("flush") / run.total("task")
        yield Statement(
            f"6{letter}",
            f"{KERNELS[letter].title} {text}.",
            f"{share:.2f} of the time in tasks",
            holds(condition(share)),
        )
    run = measured["a"][22]
    yield Statement(
        "6a",
        "With Black-Scholes the master is idle most of its time.",
        f"busy {run.master / run.cycles:.0%} with 22 workers, "
        f"{measured['a'][MOST].master / measured['a'][MOST].cycles:.0%} with {MOST}",
        holds(measured["a"][MOST].master < measured["a"][MOST].cycles / 2),
        "Its tasks name seven blocks here; how many in the paper is not said.",
    )
    for letter in "cde":
        here = growth(measured[letter], "task")
        yield Statement(
            f"6{letter}",
            f"{KERNELS[letter].title}: the time in tasks grows with the workers.",
            f"{here:.2f} times from 1 to {MOST}",
            holds(here > 1.05),
            IN_CACHE if here <= 1.05 else "",
        )
    here = growth(measured["c"], "flush")
    yield Statement(
        "6c",
        "FFT: the time to flush grows slightly.",
        f"{here:.2f} times from 1 to {MOST}",
        holds(1.02 < here < 2),
    )
    for letter, there, why in (
        ("c", 10, WAVES),
        ("d", 13, "[Smaller blocks](#how-large-blocks-are) keep the master busy."),
        ("e", 3, "Tasks wait for each other here, not for the master."),
    ):
        here = idle_from(measured[letter])
        yield Statement(
            f"6{letter}",
            f"{KERNELS[letter].title}: workers wait from {there} workers on.",
            "never" if here is None else f"from {here} on",
            holds(here is not None and there / 1.5 <= here <= 1.5 * there),
            why,
        )


def balance_statements(measured: Measured) -> Iterator[Statement]:
    for letter, is_even in (("a", True), ("b", True), ("c", False), ("d", False), ("e", False)):
        here = imbalance(measured[letter][MOST])
        text = "evenly loaded" if is_even else "not evenly loaded"
        yield Statement(
            f"7{letter}",
            f"{KERNELS[letter].title}: workers are {text}.",
            f"the busiest works {here:.2f} times as long as the least busy",
            holds((here <= 1 + TOLERANCE) == is_even),
            "The master keeps up, so whoever ends early gets a tile of the next step."
            if letter == "d"
            else "",
        )


def contention_rows(measured: Measured) -> Iterator[list[str]]:
    for letter, kernel in KERNELS.items():
        runs = measured[letter]
        busy = runs[MOST].master / runs[MOST].cycles
        grown = [f"{growth(runs, part):.2f}" for part in ("task", "flush")]
        yield [kernel.title, *grown, f"{busy:.0%}"]


def placement_rows(measured: Measured, chosen: Chosen) -> Iterator[list[str]]:
    for letter, kernel in KERNELS.items():
        serial = measured[letter][0].cycles
        others = [serial / runs[letter].cycles for runs in chosen.values()]
        yield [kernel.title, *(f"{one:.1f}" for one in (speedup(measured[letter], MOST), *others))]


def past_rows(measured: Measured, past: Past) -> Iterator[list[str]]:
    for letter, kernel in KERNELS.items():
        serial = measured[letter][0].cycles
        ways = [
            f"{serial / past[name][letter][MOST].cycles:.1f}" if letter in past[name] else ""
            for name in WAYS
        ]
        yield [kernel.title, f"{speedup(measured[letter], MOST):.1f}", *ways]


def block_rows(measured: Measured, finer: Finer) -> Iterator[list[str]]:
    def row(kernel: Kernel, serial: Run, block_bytes: int, runs: dict[int, Run]) -> list[str]:
        ups = [f"{serial.cycles / runs[count].cycles:.1f}" for count in FINER_WORKERS]
        busy = runs[MOST].master / runs[MOST].cycles
        return [kernel.title, f"{block_bytes // 1024} KB", *ups, f"{busy:.0%}"]

    for letter, sizes in finer.items():
        serial = measured[letter][0]
        yield row(KERNELS[letter], serial, KERNELS[letter].block_bytes, measured[letter])
        for block_bytes, runs in sizes.items():
            yield row(KERNELS[letter], serial, block_bytes, runs)


def stop_rows(measured: Measured, past: Past) -> Iterator[list[str]]:
    """Of the best way with a master: how it scales, and how busy the master is."""
    for letter, kernel in KERNELS.items():
        ways = {PAPER.title: measured[letter]}
        for name, way in WAYS.items():
            if way.machine == PAPER.machine and letter in past[name]:
                ways[way.title] = past[name][letter]
        title, runs = min(ways.items(), key=lambda way: way[1][MOST].cycles)
        ups = [f"{measured[letter][0].cycles / runs[count].cycles:.1f}" for count in PAST]
        yield [kernel.title, title, *ups, f"{runs[MOST].master / runs[MOST].cycles:.0%}"]


def lines(
    measured: Measured,
    points: dict[int, dict[int, int]],
    chosen: Chosen,
    past: Past,
    finer: Finer,
    commit: str,
) -> Iterator[str]:
    yield from HEAD.format(commit=commit).splitlines()
    sources: list[Callable[[Measured], Iterator[Statement]]] = [
        scaling_statements,
        breakdown_statements,
        balance_statements,
    ]
    statements = [*memory_statements(points), *(one for make in sources for one in make(measured))]
    yield from harness.markdown(
        ["figure", "the paper", "here", "", "why"],
        [[one.figure, one.paper, one.here, f"**{one.verdict}**", one.why] for one in statements],
    )
    yield from TAIL.splitlines()
    yield from harness.markdown(
        ["kernel", "in tasks", "flush", "master"], contention_rows(measured)
    )
    yield from PAST_HEAD.splitlines()
    yield from harness.markdown(
        ["kernel", PAPER.title, *(way.title for way in WAYS.values())], past_rows(measured, past)
    )
    yield from PAST_NOTES.splitlines()
    yield from harness.markdown(
        ["kernel", "the best way", *(f"{count} workers" for count in PAST), "master busy"],
        stop_rows(measured, past),
    )
    yield from ("", "![Speed-ups past the paper](perf/scc-past.png)")
    yield from BLOCKS_HEAD.splitlines()
    yield from harness.markdown(
        ["kernel", "block", *(f"{count} workers" for count in FINER_WORKERS), "master busy"],
        block_rows(measured, finer),
    )
    yield from PLACEMENT.splitlines()
    yield from harness.markdown(
        ["kernel", "memory spread, master in the middle", *CHOICES],
        placement_rows(measured, chosen),
    )
    for name, caption in (
        ("fig3", "Going through 16 MB once, by the distance to the controller (fig. 3)"),
        ("fig4", "The same from the most distant core, while others do so, too (fig. 4)"),
        ("fig5", "Time and speed-up; the serial program is at 0 (fig. 5)"),
        ("fig6", "Where all workers' time goes (fig. 6)"),
        ("fig7", f"Where each worker's time goes, with {MOST} of them (fig. 7)"),
    ):
        yield from ("", f"![{caption}](perf/scc-{name}.png)")
