# SPDX-License-Identifier: Apache-2.0
"""Runs programs on simulated chips and keeps what they say, so that drawing again is cheap.

A simulation says the same every time, so a result is kept under the hash of the program, its
arguments and its environment. Two run at a time.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from harness import runs as harness

RUN_SECONDS_MAX = 1800
AT_ONCE = 2

Result = dict[str, Any]  # the program's JSON object; "stats": what the machine says, if asked to


@dataclass(frozen=True)
class Run:
    """One call of a program."""

    program: str
    arguments: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        variables = (f"{name}={value}" for name, value in self.environment)
        return " ".join([*variables, self.program, *self.arguments])


@dataclass
class Results:
    """What runs have said. Those that failed are not in it, but in `failures`."""

    found: dict[Run, Result] = field(default_factory=dict)
    failures: dict[Run, str] = field(default_factory=dict)

    def get(self, run: Run) -> Result | None:
        return self.found.get(run)


class Store:
    """Programs in a folder, and a folder for what they said."""

    def __init__(self, programs: Path, kept: Path) -> None:
        self.programs = programs
        self.kept = kept

    def fetch(self, run: Run) -> Result:
        """The kept result, or else that of a run now. Raises ProgramFailed."""
        path = self.kept / f"{self._key(run)}.json"
        if path.exists():
            return json.loads(path.read_text())
        result = execute(self.programs / run.program, run)
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".new")
        unfinished.write_text(json.dumps(result))
        unfinished.replace(path)
        return result

    def _key(self, run: Run) -> str:
        parts = [code_hash(self.programs / run.program), run.arguments, run.environment]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


@cache
def code_hash(program: Path) -> str:
    """Of a program, and of the runtime's library that stands beside its folder."""
    if not program.exists():
        raise harness.ProgramFailed(f"{program} was not built")
    whole = hashlib.sha256(program.read_bytes())
    for library in sorted((program.parent.parent / "lib").glob("libmyrmidon.so")):
        whole.update(library.read_bytes())
    return whole.hexdigest()


def execute(program: Path, run: Run) -> Result:
    try:
        done = subprocess.run(
            [str(program), *run.arguments],
            capture_output=True,
            text=True,
            timeout=RUN_SECONDS_MAX,
            env={**os.environ, **dict(run.environment)},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise harness.ProgramFailed(f"did not end in {RUN_SECONDS_MAX} seconds") from None
    if done.returncode != 0:
        text = (done.stderr + done.stdout).strip()
        raise harness.ProgramFailed(f"status {done.returncode}: {text[-500:]}")
    result = last_object(done.stdout)
    if result is None:
        raise harness.ProgramFailed("printed no JSON object")
    stats = last_object(done.stderr)
    return result if stats is None else result | {"stats": stats}


def last_object(text: str) -> Result | None:
    """The JSON object on the last line that has one."""
    for line in reversed(text.splitlines()):
        if line.startswith("{"):
            return json.loads(line)
    return None


def collect(store: Store, wanted: Iterable[Run]) -> Results:
    """Fetches all, with a line on the terminal about how far it has come."""
    results = Results()
    todo = list(dict.fromkeys(wanted))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        futures = {pool.submit(store.fetch, run): run for run in todo}
        for count, future in enumerate(as_completed(futures), start=1):
            run = futures[future]
            harness.show_progress(f"[{count}/{len(todo)}] {run}"[:150])
            try:
                results.found[run] = future.result()
            except harness.ProgramFailed as failure:
                results.failures[run] = str(failure)
    harness.show_progress("")
    return results
