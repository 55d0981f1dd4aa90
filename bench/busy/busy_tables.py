# SPDX-License-Identifier: Apache-2.0
"""The tables of bench/busy, as rows of cells; the first row is the head."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from columns import OWN, RIVALS, SERIAL
from harness import runs

RUNTIMES = ["myrmidon", *RIVALS]


def kernels(records: list[dict[str, Any]]) -> Iterator[list[str]]:
    """Times in ms of the serial program and of each runtime's fastest version."""
    ones = [one for one in records if one["bench"] == "busy"]
    yield ["kernel", "beside it", "threads", "serial", *RUNTIMES, "best of them / ours"]
    threads = sorted({one["threads"] for one in ones if one["side"] in RIVALS})
    for kernel, beside in dict.fromkeys((one["kernel"], one["beside"]) for one in ones):
        serial = _best(ones, kernel=kernel, beside=beside, side=SERIAL)
        for count in threads:
            which = {"kernel": kernel, "beside": beside, "threads": count}
            own = _best(ones, side=OWN, **which)
            rivals = [_best(ones, side=rival, **which) for rival in RIVALS]
            times = [one["seconds"] for one in rivals if one]
            ratio = f"{min(times) / own['seconds']:.2f}" if own and times else "-"
            cells = [_time(one) for one in (serial, own, *rivals)]
            yield [kernel, str(beside), str(count), *cells, ratio]


def _best(ones: list[dict[str, Any]], **which: Any) -> dict[str, Any] | None:
    """The fastest version of those whose fields are as given."""
    found = [one for one in ones if all(one[name] == which[name] for name in which)]
    return min(found, key=lambda one: one["seconds"], default=None)


def _time(one: dict[str, Any] | None) -> str:
    if one is None:
        return "-"
    if one["seconds"] >= runs.RUN_SECONDS_MAX:
        return f"over {1000 * runs.RUN_SECONDS_MAX}"
    return f"{1000 * one['seconds']:.1f} ± {1000 * runs.spread(one['runs']):.1f}"


def waiting(records: list[dict[str, Any]]) -> Iterator[list[str]]:
    """How soon waiting threads begin, and what they cost."""
    ones = [one for one in records if one["bench"] in ("wake", "idle")]
    names = [name for name in RUNTIMES if any(one["runtime"] == name for one in ones)]
    yield ["2 threads", *names]
    for pause in sorted({one["pause_ms"] for one in ones if one["bench"] == "wake"}):
        found = {one["runtime"]: one for one in ones if one.get("pause_ms") == pause}
        row = [_median(found[name], 1) for name in names]
        yield [f"until another thread begins, after a pause of {pause} ms, µs", *row]
    found = {one["runtime"]: one for one in ones if one["bench"] == "idle"}
    row = [_median(found[name], 4) for name in names]
    yield ["processor seconds in a second without work", *row]


def _median(one: dict[str, Any], digits: int) -> str:
    return f"{runs.median(one['runs']):.{digits}f} ± {runs.spread(one['runs']):.{digits}f}"
