# SPDX-License-Identifier: Apache-2.0
"""Writes docs/mpi.md: what tasks cost beside MPI written by hand, and where that comes from."""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterator
from datetime import date

from cases import Case, Shape
from harness import record, runs
from measure import Result

Results = dict[Case, Result]

HEAD = """\
<!-- Written by ./dev bench mpi --docs from what it measured, in the words of page.py. -->
# Tasks on MPI beside MPI written by hand

Six kernels of paper 1, as tasks on [`mpi`](user/clusters.md) and as programs of MPI (`mpi.c` in
each kernel's folder): the same input, the same functions for the work, the same check of the
result, on as many processes, in turn.

    ./dev bench mpi {words}

measured this at commit {commit}, {date}.

*Loops*: the kernel's version with `for_each`, in which main spawns loops of all tiles of a part.

Both begin with their input placed and end with the result where it was made. A worker has two tasks
in each step, of about a million cycles, as in paper 1. The twin has as many ranks as the tasks have
worker threads. The scheduler is one process more, which the twin does not have. All were on one
computer with {cores} processors: on `mpi:1+1` the worker and the scheduler have one each. On
`mpi:1+2` and `mpi:1+1x2` two workers have one each, as the twin's two ranks do, and the scheduler
shares them.

*Overhead* is the median of the runs as tasks, over that of the twin, less one. Goal: at most 10 %
on two cores' worth of ranks.

![Overhead of tasks over MPI written by hand](perf/mpi-overhead.png)

"""

TRAFFIC = """
## What is sent

All processes of one run together. *Messages a task* are those of the runtime, between workers and
the scheduler; *data* are the bytes that tasks fetched from where they were written. The twin's
messages are counted on their way to MPI (its profiling interface), a broadcast or a reduction as on
a tree. *Busy* is the share of the workers' time in tasks; tasks of the first run, which is not
timed, take longer, so it can be more than all.

"""

CAUSES = """
## Where the excess comes from

- **Data that moves with its task.** A task stays where its data is until requests of idle workers
  have waited for as long as the data travels
  ([ADR 103](adr/0103-tasks-go-to-their-data.md)). About four tiles still move in a run of Jacobi,
  perhaps since main's process runs no task while main spawns: most of what it fetches. The twin
  sends edge rows alone.
- **A chain of messages in each step.** A task that needs what another worker has written begins
  after *done* to the scheduler, *run* from there, *fetch* to the other worker and the *data*, one
  after the other, where the twin has one message. K-means and Barnes-Hut are chains of three or
  four such tasks a step, between which workers have nothing to do: see *busy*.
- **A scheduler without a processor.** On `mpi:1+2` and two processors it shares theirs. A message
  wakes its receiver, once ([ADR 91](adr/0091-one-wake.md)), and short slices
  ([ADR 62](adr/0062-exchange-and-bells.md)) give a scheduler that was woken a processor soon; but
  each message of a chain is such a wake. On `mpi:1+1`, where it has one, waits spin for 0.1 ms.
- **Tasks that stay with main.** Coarse tasks hold pointers to main's own tables, which mean
  nothing elsewhere: they run in main's process, and others hear of their tiles when it has got to
  them. The versions with loops have no coarse tasks.
- **Tasks that main keeps.** Where 16 of main's tasks turn out to be small, it runs the others in
  its own process. The loops of k-means have fewer than one message a task for that reason: one
  worker does nearly all.
"""


def percent(share: float) -> str:
    return f"{share:+.0%}"


def milliseconds(seconds: list[float]) -> str:
    return f"{statistics.median(seconds) * 1e3:.1f} ±{runs.spread(seconds) * 1e3:.1f}"


def amount(number: float) -> str:
    for unit, size in (("MB", 1e6), ("KB", 1e3)):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number:.0f} B"


def shapes_of(results: Results) -> list[Shape]:
    return list(dict.fromkeys(case.shape for case in results))


def mpis_of(results: Results) -> list[str]:
    return list(dict.fromkeys(case.mpi for case in results))


def overhead_rows(results: Results) -> Iterator[list[str]]:
    for case, one in results.items():
        yield [
            case.title,
            case.mpi,
            case.shape.machine,
            milliseconds(one.ours),
            milliseconds(one.twin),
            percent(one.overhead),
        ]


def traffic_rows(results: Results) -> Iterator[list[str]]:
    for case, one in results.items():
        if case.mpi != mpis_of(results)[0]:
            continue  # the same messages
        yield [
            case.title,
            case.shape.machine,
            f"{one.tasks:.0f}",
            f"{one.our_traffic.messages / max(1, one.tasks):.1f}",
            amount(one.our_traffic.bytes - one.our_data),
            amount(one.our_data),
            f"{one.twin_traffic.messages:.0f}",
            amount(one.twin_traffic.bytes),
            f"{one.busy:.0%}",
        ]


def goal_line(results: Results) -> str:
    two = {case: one for case, one in results.items() if case.shape.ranks == 2}
    met = sum(one.overhead <= 0.10 for one in two.values())
    return f"On two ranks {met} of {len(two)} are within the goal of 10 %."


def lines(results: Results, words: str) -> Iterator[str]:
    facts = {"cores": os.cpu_count() or 1, "commit": record.commit(), "date": date.today()}
    yield from HEAD.format(words=words, **facts).splitlines()
    yield goal_line(results)
    yield ""
    head = ["kernel", "MPI", "machine", "tasks, ms", "twin, ms", "overhead"]
    yield from runs.markdown(head, overhead_rows(results))
    yield from TRAFFIC.splitlines()
    head = ["kernel", "machine", "tasks", "messages a task", "bytes of these", "data"]
    head += ["twin's messages", "twin's bytes", "busy"]
    yield from runs.markdown(head, traffic_rows(results))
    yield from CAUSES.splitlines()


def draw(results: Results) -> object:
    mpis = mpis_of(results)
    figure, axes = runs.new_figure(1, len(mpis), (6.5 * len(mpis), 4))
    for place, mpi in zip(axes[0], mpis):
        kinds = list(dict.fromkeys((case.kernel, case.loops) for case in results))
        series = {
            shape.machine: [
                100 * one.overhead if (one := results.get(Case(mpi, name, shape, loops))) else None
                for name, loops in kinds
            ]
            for shape in shapes_of(results)
        }
        titles = [Case(mpi, name, Shape(1), loops).title for name, loops in kinds]
        runs.draw_bars(place, titles, series)
        place.axhline(10, color="0.4", linestyle=":", linewidth=1)
        place.set_ylabel("overhead over MPI written by hand, %")
        place.set_title(mpi)
        place.set_xticks(place.get_xticks(), place.get_xticklabels(), rotation=35, ha="right")
        place.legend()
    return figure
