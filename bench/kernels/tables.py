# SPDX-License-Identifier: Apache-2.0
"""The tables of the kernel benchmark, as Markdown: for the terminal, README.md and
docs/performance.md."""

from __future__ import annotations

import statistics
from collections import defaultdict
from typing import Any

from columns import OWN, RIVALS
from harness.runs import markdown as rows
from speed import PAYS, Case, Ratio, break_even, curve, speed_up_at

SIDES = {"Myrmidon": (OWN,), "libgomp": ("libgomp",), "libomp": ("libomp",)}
MICROSECONDS = (10, 100, 1000)


def conditions(head: dict[str, Any], runs: int) -> str:
    """One line that says how a table came about."""
    quick = ", **a quick run: few sizes, short measurements**" if head.get("quick") else ""
    return (
        f"Commit {head['commit']}, {head['date']}, `{head['command']}`: {runs} processes "
        f"each{quick}. "
        f"{head['processor']}, {head['cores']} processors."
    )


def _number(value: float) -> str:
    return f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"


def _ratio(one: Ratio | None) -> str:
    if one is None:
        return "-"
    return f"{_number(one.value)} ±{_number(one.half_spread)}"


def size_text(us: float) -> str:
    """A task size with two digits at least."""
    return f"{us:.2g}" if us < 10 else f"{us:.0f}"


def process_count(cases: list[Case]) -> int:
    """How many processes there are at least behind each number."""
    counts = [len(case.times[name].seconds) for case in cases for name in case.shown]
    return min(counts, default=0)


def _cell(case: Case, *sides: str) -> str:
    """The fastest program of these sides: its speed-up and which it is."""
    best = case.best(*sides)
    if best is None:
        return "-"
    variant = best.partition(" ")[2]
    return f"{_ratio(case.speed_up(best))}{'' if variant == 'tasks' else f' ({variant})'}"


def case_table(cases: list[Case]) -> list[str]:
    """A row a case; the best program of each side, and what they come to."""
    if not cases:
        return []
    threads = cases[0].threads
    head = [
        "kernel and size",
        "paper",
        "tasks",
        "µs a task",
        "smp:1",
        f"smp:{threads}",
        *(f"{rival}:{threads}" for rival in RIVALS),
        f"smp:{threads} to the best OpenMP",
        "pays",
    ]
    body = []
    for case in cases:
        alone = case.columns(OWN, 1)
        body.append(
            [
                case.name,
                str(case.paper or ""),
                f"{case.tasks:,}",
                size_text(case.us_per_task),
                _ratio(case.speed_up(alone[0])) if alone else "-",
                *(_cell(case, side) for side in (OWN, *RIVALS)),
                _ratio(case.against_openmp),
                "" if case.pays else "no",
            ]
        )
    return rows(head, body)


def by_kernel(cases: list[Case]) -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        found[case.kernel].append(case)
    return found


def _break_even_text(cases: list[Case], sides: tuple[str, ...]) -> str:
    """With what the quartiles of the speed-ups allow in brackets, where that says more."""
    found = [break_even(curve(cases, *sides, bound=bound)) for bound in ("value", "high", "low")]
    value, fine, coarse = ["-" if one is None else one[0] + size_text(one[1]) for one in found]
    return value if fine == coarse else f"{value} ({fine} to {coarse})"


def _efficiency_text(cases: list[Case], sides: tuple[str, ...], us: float) -> str:
    speeds = [
        speed_up_at(curve(cases, *sides, bound=bound), us) for bound in ("value", "low", "high")
    ]
    value, low, high = [None if one is None else 100 * one / cases[0].threads for one in speeds]
    return "-" if None in (value, low, high) else f"{value:.0f} ±{(high - low) / 2:.0f}"


def break_even_table(cases: list[Case]) -> list[str]:
    """The smallest tasks that are worth it, by kernel and runtime."""
    body = [
        [kernel, *(_break_even_text(own, names) for names in SIDES.values())]
        for kernel, own in by_kernel(cases).items()
    ]
    return rows(["kernel", *(f"{side}, µs" for side in SIDES)], body)


def efficiency_table(cases: list[Case]) -> list[str]:
    """Speed-up over threads at some task sizes, by kernel and runtime."""
    head = ["kernel", *(f"{side}, {us:,} µs" for us in MICROSECONDS for side in SIDES)]
    body = [
        [
            kernel,
            *(_efficiency_text(own, names, us) for us in MICROSECONDS for names in SIDES.values()),
        ]
        for kernel, own in by_kernel(cases).items()
    ]
    return rows(head, [row for row in body if set(row[1:]) != {"-"}])


def lost_cases(cases: list[Case]) -> list[tuple[Case, Ratio]]:
    """Those where parallel pays and the best OpenMP program is faster; the worst first."""
    found = [
        (case, ratio)
        for case in cases
        if case.pays and (ratio := case.against_openmp) is not None and ratio.value < 1
    ]
    return sorted(found, key=lambda one: one[1].value)


def lost_table(cases: list[Case]) -> list[str]:
    body = [
        [
            case.name,
            size_text(case.us_per_task),
            _cell(case, OWN),
            _cell(case, *RIVALS),
            _ratio(ratio),
            "yes" if ratio.high < 1 else "no",
        ]
        for case, ratio in lost_cases(cases)
    ]
    head = ["kernel and size", "µs a task", "Myrmidon", "best OpenMP", "ratio", "beyond the spread"]
    return rows(head, body) if body else ["None."]


def _median_size(found: list[tuple[str, float]]) -> str:
    """The median of break-even sizes; unknown where half or more only have a bound from below."""
    values = [float("inf") if mark == ">" else value for mark, value in found]
    if not values:
        return "not measured"
    middle = statistics.median_low(values)
    if middle == float("inf"):
        return "none in half of the kernels"
    return f"{size_text(middle)} µs"


def _middle_and_ends(cases: list[Case]) -> str:
    """How the ratios to OpenMP lie: a mean would hide the worst of them."""
    ratios = sorted(ratio.value for case in cases if (ratio := case.against_openmp) is not None)
    if len(ratios) < 2:
        return "not known"
    low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return (
        f"{middle:.2f} in the middle of these cases, between {low:.2f} and {high:.2f} in half of "
        f"them, and between {ratios[0]:.2f} and {ratios[-1]:.2f} in all"
    )


def summary(cases: list[Case]) -> list[str]:
    """The claims, in sentences."""
    compared = [case for case in cases if case.against_openmp is not None]
    paying = [case for case in compared if case.pays]
    ratios = [case.against_openmp for case in paying]
    ahead = sum(ratio.low > 1 for ratio in ratios)
    behind = sum(ratio.high < 1 for ratio in ratios)
    lines = [
        f"In {len(paying)} of {len(compared)} cases (a kernel at a size) some parallel version "
        f"beats the serial program. In these, the fastest of Myrmidon's versions is faster than "
        f"the fastest of OpenMP's (tasks, static or dynamic loops, on libgomp or libomp) in "
        f"{ahead} by more than the spread, and slower in {behind}; in "
        f"{len(paying) - ahead - behind} the spread decides. OpenMP's time over Myrmidon's is "
        f"{_middle_and_ends(paying)}. In the other "
        f"{len(compared) - len(paying)} cases no version beats the serial program.",
        "",
    ]
    kernels = by_kernel(compared).values()
    sizes = {
        side: _median_size(
            [one for own in kernels if (one := break_even(curve(own, *names))) is not None]
        )
        for side, names in SIDES.items()
    }
    text = ", ".join(f"{size} on {side}" for side, size in sizes.items())
    lines.append(
        f"The smallest task size measured or interpolated with a speed-up of {PAYS} on two "
        f"threads, median over the kernels: {text}."
    )
    return lines


def all_texts(head: dict[str, Any], cases: list[Case]) -> list[list[str]]:
    return [
        [conditions(head, process_count(cases))],
        case_table(cases),
        break_even_table(cases),
        efficiency_table(cases),
        ["Lost:", "", *lost_table(cases)],
        summary(cases),
    ]
