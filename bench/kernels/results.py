# SPDX-License-Identifier: Apache-2.0
"""The file of results of the kernel benchmark, to which each process is appended, and what it
holds."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from harness import record
from sizes import SIZES
from speed import Case, Times

Key = tuple[str, str, str]  # kernel, options, column


class Results:
    """The file of results: a head, then a line for each process that has run."""

    def __init__(self, path: Path, head: dict[str, Any], fresh: bool) -> None:
        self.path = path
        self.seconds: dict[Key, dict[int, float]] = defaultdict(dict)  # by round
        self.tasks: dict[tuple[str, str], int] = {}
        same = ("commit", "threads", "quick")
        old, records = ({}, []) if fresh or not path.exists() else record.read(path)
        if not old or any(old.get(name) != head[name] for name in same):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(head) + "\n")
            records = []
        else:
            print(f"going on with {path}: {len(records)} lines", file=sys.stderr)
        for one in records:
            self._take(one)

    def _take(self, one: dict[str, Any]) -> None:
        if one["bench"] == "kernel_tasks":
            self.tasks[one["kernel"], one["options"]] = one["tasks"]
        else:
            key = one["kernel"], one["options"], one["column"]
            self.seconds[key][one["round"]] = one["seconds"]

    def add(self, one: dict[str, Any]) -> None:
        with self.path.open("a") as file:
            file.write(json.dumps(one) + "\n")
        self._take(one)


def cases_from(results: Results, threads: int) -> list[Case]:
    """Those with a serial time, in the order of sizes.py."""
    found = []
    for kernel, sizes in sorted(SIZES.items()):
        for size in sizes:
            times = {
                column: Times(tuple(by_round.values()))
                for (name, options, column), by_round in results.seconds.items()
                if (name, options) == (kernel, size.options) and by_round
            }
            tasks = results.tasks.get((kernel, size.options))
            if "serial" in times and tasks is not None:
                found.append(Case(kernel, size.options, size.paper, tasks, threads, times))
    return found


def load(path: Path) -> tuple[dict[str, Any], list[Case]]:
    """The head and the cases of a file of results."""
    head, _ = record.read(path)
    if not head:
        raise SystemExit(f"{path}: no results of ./dev bench kernels")
    return head, cases_from(Results(path, head, fresh=False), head["threads"])
