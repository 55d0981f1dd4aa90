# SPDX-License-Identifier: Apache-2.0
"""The tables and the picture of the OpenMP benchmark."""

from __future__ import annotations

import os
import statistics
from pathlib import Path
from typing import Any

from harness import runs

Record = dict[str, Any]
Found = dict[tuple[str, str, int, int], Record]  # by case, runtime, threads and busy processes

RUNTIMES = {
    "myrmidon": "Myrmidon",
    "libgomp": "libgomp",
    "libgomp-active": "libgomp, active",
    "libomp": "libomp 19",
}
CASES = {
    "parallel": "region",
    "reduction": "region with a reduction of two variables",
    "resize": "region of a size that changes",
    "nested": "region of 2 with regions of 2 in it",
    "barrier": "barrier",
    "single": "single",
    "for_static": "loop, static",
    "for_dynamic": "iteration of a loop, dynamic",
    "for_guided": "iteration of a loop, guided",
    "dynamic_fetch": "dynamic, iterations that do nothing",
    "sections": "sections, 2",
    "sections_fetch": "sections that do nothing, 4, nowait",
    "ordered": "ordered",
    "critical": "critical",
    "lock": "lock that all threads want",
    "lock_free": "lock that one thread wants",
    "atomic": "atomic",
    "task": "task",
    "task_depend": "task with a dependence, apart",
    "task_chain": "task with a dependence, a chain",
    "taskwait": "task and taskwait",
    "taskloop": "iteration of a taskloop",
    "fib": "task of Fibonacci's 12",
    "wake": "region after a pause of 5 ms",
}
OTHERS = {"memory": "memory for a thread, kB", "idle": "CPU seconds a second, idle"}
# Times as cheap as another library's at least: case, the library, how often.
GOALS = [
    ("task_depend", "libgomp", 4.0),
    ("task_chain", "libgomp", 4.0),
    ("dynamic_fetch", "libgomp", 3.0),
    ("sections_fetch", "libgomp", 3.0),
    ("parallel", "libgomp-active", 1.0),
    ("barrier", "libgomp-active", 1.0),
    ("single", "libgomp-active", 1.0),
    ("nested", "libgomp", 10.0),
]
SLOWER_MAX = 1.03  # than the better of the others
MANY_THREADS_MAX = 1.3  # times as long as with two threads
BUSY_MAX = 1.3  # times as long as a fair share of the processors would take


def by_key(records: list[Record]) -> Found:
    return {(one["case"], one["runtime"], one["threads"], one["busy"]): one for one in records}


def middle(one: Record | None) -> float | None:
    return statistics.median(one["runs"]) if one else None


def amount(value: float, unit: str) -> str:
    if unit == "s":
        return f"{value:.2f}"
    if unit != "ns":
        return f"{value:.2f}" if value < 10 else f"{value:.0f}"
    if value < 100:
        return f"{value:.1f}"
    if value < 10_000:
        return f"{value:.0f}"
    return f"{value / 1e3:.3g} µs" if value < 1e6 else f"{value / 1e6:.3g} ms"


def cell(one: Record | None) -> str:
    if one is None:
        return "-"
    value = statistics.median(one["runs"])
    return f"{amount(value, one['unit'])} ± {amount(runs.spread(one['runs']), one['unit'])}"


def share_of_cores(threads: int, busy: int, cores: int) -> float:
    """What a program with so many threads gets beside endless processes, if the system is fair."""
    return min(float(threads), cores * threads / (threads + busy), float(cores))


def goal_rows(found: Found) -> list[list[str]]:
    body = []
    for case, rival, wanted in GOALS:
        own, other = (middle(found.get((case, name, 2, 0))) for name in ("myrmidon", rival))
        if own and other and own > 0:
            text = f"{CASES[case]}: {rival} / Myrmidon at least {wanted:g}"
            body.append([text, f"{other / own:.2f}", _verdict(other / own >= wanted)])
    return body + _program_goal_rows(found)


def _verdict(reached: bool) -> str:
    return "reached" if reached else "missed"


def _program_names(found: Found) -> list[str]:
    return list(dict.fromkeys(c for (c, *_), one in found.items() if one["unit"] == "s"))


def _program_goal_rows(found: Found) -> list[list[str]]:
    """The worst of all programs for each goal."""
    texts = {
        "slower": f"each program, time to the better of the others' at most {SLOWER_MAX}",
        "many": f"each program, 8 and 64 threads to 2 at most {MANY_THREADS_MAX}",
        "busy": f"each program beside endless processes, to its fair share at most {BUSY_MAX}",
    }
    limits = {"slower": SLOWER_MAX, "many": MANY_THREADS_MAX, "busy": BUSY_MAX}
    body = []
    for name, text in texts.items():
        ratios = {p: r for p in _program_names(found) if (r := program_ratio(found, p, name))}
        if ratios:
            worst = max(ratios, key=lambda program: ratios[program])
            within = sum(ratio <= limits[name] for ratio in ratios.values())
            number = f"{within} of {len(ratios)}, worst {ratios[worst]:.2f} ({worst})"
            body.append([text, number, _verdict(within == len(ratios))])
    return body


def program_ratio(found: Found, program: str, goal: str) -> float | None:
    """How a program fares at a goal; None: not measured."""
    own = middle(found.get((program, "myrmidon", 2, 0)))
    if goal == "slower":
        others = [middle(found.get((program, n, 2, 0))) for n in ("libgomp", "libomp")]
        known = [other for other in others if other]
        return own / min(known) if own and known else None
    if goal == "many":
        times = [middle(found.get((program, "myrmidon", n, 0))) for n in (8, 64)]
        return max(time or 0 for time in times) / own if own and any(times) else None
    ratios = [fair_ratio(found, program, "myrmidon", busy) for busy in (1, 2)]
    return max((ratio for ratio in ratios if ratio), default=None)


def fair_ratio(found: Found, program: str, runtime: str, busy: int) -> float | None:
    """Time beside endless processes, to the time with one thread divided by the fair share."""
    alone = middle(found.get((program, "libgomp", 1, 0)))
    beside = middle(found.get((program, runtime, 2, busy)))
    if not alone or not beside:
        return None
    return beside / (alone / share_of_cores(2, busy, os.cpu_count() or 1))


def _columns(found: Found, *keys: tuple[str, int, int]) -> list[tuple[str, int, int]]:
    present = {key[1:] for key in found}
    return [key for key in keys if key in present]


def _head(runtime: str, threads: int, busy: int) -> str:
    beside = f", {busy} busy" if busy else ""
    return f"{RUNTIMES[runtime]}, {threads}{beside}"


def case_rows(found: Found, names: dict[str, str], *keys: tuple[str, int, int]) -> list[str]:
    columns = _columns(found, *keys)
    body = [
        [text, *(cell(found.get((name, *column))) for column in columns)]
        for name, text in names.items()
        if any((name, *column) in found for column in columns)
    ]
    return runs.markdown(["", *(_head(*column) for column in columns)], body)


def program_rows(found: Found) -> list[str]:
    """Seconds, with the processor time below one's name in brackets."""
    columns = _columns(found, ("libgomp", 1, 0), *((name, 2, 0) for name in RUNTIMES))
    body = []
    for program in _program_names(found):
        row = []
        for column in columns:
            one = found.get((program, *column))
            cpu = f" ({statistics.median(one['cpu']):.2f})" if one else ""
            row.append(cell(one) + cpu)
        ratio = program_ratio(found, program, "slower")
        body.append([program, *row, f"{ratio:.2f}" if ratio else "-"])
    heads = [_head(*column) for column in columns]
    return runs.markdown(["", *heads, "ours / the better of the others"], body)


def fair_rows(found: Found) -> list[str]:
    columns = [(n, busy) for busy in (1, 2) for n in ("myrmidon", "libgomp", "libomp")]
    columns = [(n, busy) for n, busy in columns if any(k[1:] == (n, 2, busy) for k in found)]
    body = []
    for program in _program_names(found):
        ratios = [fair_ratio(found, program, name, busy) for name, busy in columns]
        body.append([program, *(f"{ratio:.2f}" if ratio else "-" for ratio in ratios)])
    return runs.markdown(["", *(f"{RUNTIMES[n]}, {busy} busy" for n, busy in columns)], body)


def places(records: list[Record]) -> dict[str, list[str]]:
    """The tables, by the name of their place in the documents."""
    found = by_key(records)
    main = ("myrmidon", "libgomp", "libomp")
    programs = dict.fromkeys(_program_names(found))
    return {
        "openmp goals": runs.markdown(["goal", "measured", ""], goal_rows(found)),
        "openmp constructs": case_rows(found, CASES | OTHERS, *((name, 2, 0) for name in RUNTIMES)),
        "openmp threads": case_rows(
            found, CASES | OTHERS, *((name, threads, 0) for threads in (8, 64) for name in main)
        ),
        "openmp busy": case_rows(
            found, CASES, *((name, 2, busy) for busy in (1, 2) for name in main)
        ),
        "openmp programs": program_rows(found),
        "openmp programs with many threads": case_rows(
            found,
            {name: name for name in programs},
            *((name, threads, 0) for threads in (2, 8, 64) for name in main),
        ),
        "openmp programs beside others": fair_rows(found),
    }


def draw(records: list[Record], path: Path) -> None:
    found = by_key(records)
    figure, axes = runs.new_figure(3, 1, (14, 13))
    panels = [
        ("a construct, 2 threads, ns", [name for name in CASES if name != "wake"], (2, 0)),
        ("a program, 2 threads, s", _program_names(found), (2, 0)),
        ("a program, 2 threads, beside an endless process, s", _program_names(found), (2, 1)),
    ]
    for one, (title, names, where) in zip(axes.flat, panels):
        series = {
            text: [middle(found.get((name, runtime, *where))) for name in names]
            for runtime, text in RUNTIMES.items()
        }
        runs.draw_bars(one, names, series)
        if any(height for heights in series.values() for height in heights):
            one.set_yscale("log")
        one.set_title(title)
        one.tick_params(axis="x", rotation=30)
    axes.flat[0].legend()
    runs.save_figure(figure, path)
