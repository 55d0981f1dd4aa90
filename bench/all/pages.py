# SPDX-License-Identifier: Apache-2.0
"""The tables of the documents, from the files of results that the benchmarks have written."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kernels"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "openmp"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "busy"))
import busy_tables
import openmp_tables
import results as kernel_results
import tables as kernel_tables
from harness import record, runs

OVERHEAD_RUNTIMES = {
    "myrmidon": "Myrmidon, C",
    "myrmidon-c++": "Myrmidon, C++",
    "libgomp": "libgomp",
    "libomp": "libomp 19",
    "onetbb": "oneTBB, dependences by hand",
    "rayon": "rayon, dependences by hand",
}
# Core cycles a task on the eight RISC-V cores of paper 4 (Picos), figure 7.
PHENTOS = {"task_free/1": 185, "task_free/15": 320, "task_chain/1": 329, "task_chain/15": 423}
OVERHEAD_IN_SHORT = {
    "task_free/0": "independent, no dependence",
    "task_free/1": "independent, one dependence",
    "task_free/15": "independent, 15 dependences",
    "task_chain/1": "a chain, one dependence",
    "task_chain/15": "a chain, 15 dependences",
    "spawn/0": "only the spawn, no dependence",
    "fib/0": "fib(20), a task a call",
}
METG_RUNTIMES = {
    "myrmidon": "Myrmidon",
    "myrmidon-replay": "Myrmidon, replay",
    "libgomp": "libgomp",
    "libomp": "libomp 19",
    "onetbb-flow": "oneTBB flow graph",
    "onetbb": "oneTBB, counted by hand",
    "rayon": "rayon, counted by hand",
}
BY_HAND = ("onetbb", "rayon")
Places = dict[str, list[str]]
Record = dict[str, Any]


def conditions(head: Record) -> str:
    return kernel_tables.conditions(head, head.get("runs", 0))


def _median(one: Record, name: str) -> str:
    values = one[name]
    return f"{statistics.median(values):.0f} ± {runs.spread(values):.0f}"


def overhead(path: Path) -> Places:
    head, records = record.read(path)
    by_case: dict[tuple[int, str], dict[str, Record]] = {}
    for one in records:
        case = f"{one['bench']}/{one['deps']}"
        by_case.setdefault((one["threads"], case), {})[one["runtime"]] = one
    threads = sorted({count for count, _ in by_case}, reverse=True)
    lines = [conditions(head)]
    for count in threads:
        lines += ["", f"{runs.threads_text(count).capitalize()}:", ""]
        found = {case: ones for (number, case), ones in by_case.items() if number == count}
        lines += _overhead_table({case: f"`{case}`" for case in found}, found, with_paper=True)
    most = {case: ones for (number, case), ones in by_case.items() if number == threads[0]}
    short = {case: name for case, name in OVERHEAD_IN_SHORT.items() if case in most}
    return {
        "overhead": lines,
        "overhead in short": [
            *_overhead_table(short, most, with_paper=False),
            "",
            f"Core cycles a task, {runs.threads_text(threads[0])}. {conditions(head)}",
            "",
            _cheaper_rivals(by_case),
        ],
    }


def _cheaper_rivals(by_case: dict[tuple[int, str], dict[str, Record]]) -> str:
    """The rows of all tables in which another runtime is the cheapest."""
    rows = []
    for (threads, case), ones in by_case.items():
        medians = {name: statistics.median(one["runs_cycles"]) for name, one in ones.items()}
        own = medians.pop("myrmidon", None)
        medians.pop("myrmidon-c++", None)
        rival = min(medians, key=lambda name: medians[name], default=None)
        if own is not None and rival is not None and medians[rival] < own:
            numbers = f"{medians[rival]:.0f} to {own:.0f}"
            text = f"`{case}` ({OVERHEAD_RUNTIMES[rival]}, {numbers}, {runs.threads_text(threads)})"
            rows.append(text)
    if not rows:
        return f"No other runtime is cheaper in any of the {len(by_case)} rows measured."
    return f"Another runtime is cheaper in {len(rows)} of {len(by_case)} rows: {', '.join(rows)}."


def _overhead_table(
    cases: dict[str, str], found: dict[str, dict[str, Record]], with_paper: bool
) -> list[str]:
    names = [name for name in OVERHEAD_RUNTIMES if any(name in ones for ones in found.values())]
    if not with_paper:
        names = [name for name in names if name != "myrmidon-c++"]
    head = ["case", *(OVERHEAD_RUNTIMES[name] for name in names)]
    body = []
    for case, text in cases.items():
        ones = found[case]
        row = [text, *(_median(ones[n], "runs_cycles") if n in ones else "-" for n in names)]
        body.append([*row, str(PHENTOS.get(case, ""))] if with_paper else row)
    if with_paper:
        head.append("paper 4, with hardware")
    return kernel_tables.rows(head, body)


def metg(path: Path) -> Places:
    ones, lines = _metg_records(path)
    ones = [one for one in ones if one["work"] == "compute"]
    threads = max(one["threads"] for one in ones)
    ones = [one for one in ones if one["threads"] == threads]
    return {"metg": lines + _metg_tables(ones, ", compute-bound tasks", lambda one: one["pattern"])}


def loads(path: Path) -> Places:
    """METG of other tasks than compute-bound ones, of graphs side by side, of large outputs."""
    ones, lines = _metg_records(path)
    return {"loads": lines + _metg_tables(ones, "", lambda one: f"{one['pattern']}/{one['work']}")}


def _metg_records(path: Path) -> tuple[list[Record], list[str]]:
    head, records = record.read(path)
    return [one for one in records if one["bench"] == "metg"], [conditions(head)]


def _metg_tables(ones: list[Record], what: str, case_of: Callable[[Record], str]) -> list[str]:
    """A table for each efficiency."""
    lines: list[str] = []
    for efficiency in sorted({one["efficiency"] for one in ones}):
        found: dict[str, dict[str, Record]] = {}
        for one in ones:
            if one["efficiency"] == efficiency:
                found.setdefault(case_of(one), {})[one["runtime"]] = one
        lines += ["", f"METG({100 * efficiency:.0f} %), ns{what}:", ""]
        lines += _metg_table(found)
    return lines


def _metg_table(found: dict[str, dict[str, Record]]) -> list[str]:
    names = [name for name in METG_RUNTIMES if any(name in ones for ones in found.values())]
    peers = [name for name in names if not name.startswith("myrmidon") and name not in BY_HAND]
    body = []
    for pattern, ones in found.items():
        best = [ones[n]["metg_ns"] for n in peers if n in ones and ones[n]["metg_ns"]]
        own = ones.get("myrmidon", {}).get("metg_ns")
        ratio = f"{min(best) / own:.2f}" if best and own else "-"
        body.append([f"`{pattern}`", *(_metg_cell(ones.get(name)) for name in names), ratio])
    return kernel_tables.rows(
        ["pattern", *(METG_RUNTIMES[name] for name in names), "best but by hand / ours"], body
    )


def _metg_cell(one: Record | None) -> str:
    if one is None:
        return "-"
    if one["metg_ns"] is None:
        return "never"
    values = [value for value in one["runs"] if value is not None]
    return f"{'' if one['bounded'] else '<'}{one['metg_ns']:.0f} ± {runs.spread(values):.0f}"


def kernel_cases(path: Path) -> Places:
    head, cases = kernel_results.load(path)
    by_conditions = kernel_tables.conditions(head, kernel_tables.process_count(cases))
    return {
        "kernels": [by_conditions, "", *kernel_tables.case_table(cases)],
        "break-even": [by_conditions, "", *kernel_tables.break_even_table(cases)],
        "efficiency": [by_conditions, "", *kernel_tables.efficiency_table(cases)],
        "lost": [by_conditions, "", *kernel_tables.lost_table(cases)],
        "kernels in short": [*kernel_tables.summary(cases), "", by_conditions],
    }


def tree(path: Path) -> Places:
    head, records = record.read(path)
    machines = list(dict.fromkeys(one["machine"] for one in records))
    found: dict[str, dict[str, Record]] = {}
    for one in records:
        case = f"{one['bench'].removeprefix('tree_')}/{one['objects']}"
        found.setdefault(case, {})[one["machine"]] = one
    body = []
    for case, ones in found.items():
        cells = [_median(ones[m], "runs") if m in ones else "-" for m in machines]
        messages = [
            f"{ones[m]['messages_per_task']:.1f}"
            for m in machines
            if m in ones and "messages_per_task" in ones[m]
        ]
        body.append([f"`{case}`", *cells, ", ".join(messages)])
    table = kernel_tables.rows(["case", *machines, "messages a task"], body)
    return {"tree": [conditions(head), "", *table]}


def alloc(path: Path) -> Places:
    head, records = record.read(path)
    found: dict[tuple[str, str, int], dict[str, Record]] = {}
    for one in records:
        key = one["bench"], str(one["bytes"]), one["threads"]
        found.setdefault(key, {})[one["allocator"]] = one
    body = []
    for (bench, size, threads), ones in found.items():
        own, other = ones.get("myrmidon"), ones.get("mimalloc")
        cells = [_nanoseconds(one) if one else "-" for one in (own, other)]
        ratio = f"{_median_run(other) / _median_run(own):.2f}" if own and other else "-"
        body.append([f"`{bench}`", size, str(threads), *cells, ratio])
    names = ["operation", "bytes", "threads", "Myrmidon, ns", "mimalloc, ns", "its / ours"]
    text = conditions(head).replace("processes each", "runs of each, in turn, in one process")
    return {"alloc": [text, "", *kernel_tables.rows(names, body)]}


def reductions(path: Path) -> Places:
    head, records = record.read(path)
    sizes = list(dict.fromkeys(one["elements"] for one in records))
    body: dict[str, list[str]] = {}
    for one in records:
        body.setdefault(one["way"], [one["way"]]).append(_microseconds(one))
    names = ["µs a sum", *(f"{size:,} doubles" for size in sizes)]
    text = conditions(head).replace("processes each", "runs of each, in turn, in one process")
    return {"reductions": [text, "", *kernel_tables.rows(names, list(body.values()))]}


def _microseconds(one: Record) -> str:
    return f"{_median_run(one) / 1e3:.1f} ± {runs.spread(one['runs']) / 1e3:.1f}"


def _median_run(one: Record) -> float:
    return statistics.median(one["runs"])


def _nanoseconds(one: Record) -> str:
    return f"{_median_run(one):.2f} ± {runs.spread(one['runs']):.2f}"


def towns(path: Path) -> Places:
    head, (one,) = record.read(path)
    return {
        "towns": [
            f"`./run` triangulates the {one['places']:,} places in {one['parallel_ms']:.0f} "
            f"± {one['spread_ms']:.0f} ms on {one['machine']}, {one['speed_up']:.2f} times as fast "
            f"as the serial program, with the same triangles.",
            "",
            f"Commit {head['commit']}, {head['date']}, `MYR_ON={one['machine']} ./run --repeat "
            f"{one['repeat']}`: median of {one['repeat']} runs ± half the distance between the "
            f"quartiles. {head['processor']}, {head['cores']} processors.",
        ]
    }


def openmp(path: Path) -> Places:
    head, records = record.read(path)
    counts = ", ".join(f"{count} of the {name}" for name, count in head["rounds"].items())
    quick = ", **a quick run: short measurements**" if head.get("quick") else ""
    text = (
        f"Commit {head['commit']}, {head['date']}, `{head['command']}`: up to so many processes "
        f"each: {counts}{quick}. {head['processor']}, {head['cores']} processors."
    )
    return {name: [text, "", *lines] for name, lines in openmp_tables.places(records).items()}


def busy(path: Path) -> Places:
    head, records = record.read(path)
    text = conditions(head)
    return {
        "waiting": [text, "", *_as_markdown(busy_tables.waiting(records))],
        "busy": [text, "", *_as_markdown(busy_tables.kernels(records))],
    }


def _as_markdown(lines: Iterable[list[str]]) -> list[str]:
    head, *body = lines
    return kernel_tables.rows(head, body)


# By the benchmark's name.
MAKERS: dict[str, Callable[[Path], Places]] = {
    "overhead": overhead,
    "kernels": kernel_cases,
    "metg": metg,
    "loads": loads,
    "tree": tree,
    "alloc": alloc,
    "reductions": reductions,
    "towns": towns,
    "openmp": openmp,
    "busy": busy,
}
