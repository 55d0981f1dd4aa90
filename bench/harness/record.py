# SPDX-License-Identifier: Apache-2.0
"""Under which conditions a benchmark was measured: the first record of each file of results."""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

from harness import runs

UNMEASURED = (".md", ".png", ".jpg")  # files whose change changes no program


def commit() -> str:
    """The commit that is checked out, with a mark if a file that a program is made of differs from
    it."""

    def git(*words: str) -> str:
        command = ["git", "-C", str(runs.ROOT), *words]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    name = git("rev-parse", "--short=9", "HEAD").strip()
    if not name:
        return "no git checkout"
    changed = [line[3:] for line in git("status", "--porcelain", "-uno").splitlines()]
    dirty = any(not path.endswith(UNMEASURED) for path in changed)
    return name + "+changes" * dirty


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def head(name: str, **more: Any) -> dict[str, Any]:
    """`name` is the benchmark's; the command is this process's."""
    return {
        "bench": "run",
        "of": name,
        "commit": commit(),
        "command": " ".join(["./dev bench", name, *sys.argv[1:]]),
        "date": datetime.date.today().isoformat(),
        "processor": processor(),
        "cores": os.cpu_count(),
        **more,
    }


def read(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The head, and the other records; a line that a killed process left unfinished is passed
    over."""
    found: list[dict[str, Any]] = []
    for line in path.read_text().splitlines():
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    if not found or found[0].get("bench") != "run":
        return {}, found
    return found[0], found[1:]
