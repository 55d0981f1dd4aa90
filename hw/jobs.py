# SPDX-License-Identifier: Apache-2.0
"""Checks that are run side by side and not again: a job that passed leaves a stamp under the hash
of all that it follows from, and is skipped from then on. So a run that was broken off goes on where
it was."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STAMPS = ROOT / ".cache/hw"


@dataclass(frozen=True)
class Job:
    """A check. `run` returns what is wrong, "" if nothing is, and works in processes of its own."""

    name: str
    key: str  # the hash of all that the answer follows from
    run: Callable[[], str]

    @property
    def stamp(self) -> Path:
        return STAMPS / f"passed-{self.key}"


def hash_of(*inputs: Path | str) -> str:
    """Of the files' names and contents, and of the words."""
    total = hashlib.sha256()
    for one in inputs:
        if isinstance(one, Path):
            total.update(one.name.encode() + b"\0" + one.read_bytes())
        else:
            total.update(one.encode())
        total.update(b"\0")
    return total.hexdigest()[:16]


def problem_of(command: list[str]) -> str:
    """What a command says if it fails."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else (done.stdout + done.stderr)[-4000:] or "it failed"


class Progress:
    """A line for each job that is done; on a terminal the last line says how far all is."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = 0
        self.start = time.monotonic()
        self.terminal = sys.stdout.isatty()

    def report(self, text: str) -> None:
        self.done += 1
        wipe = "\r\033[K" if self.terminal else ""
        print(f"{wipe}[{self.done}/{self.total}] {text}", flush=True)
        if not self.terminal or self.done == self.total:
            return
        minutes = (time.monotonic() - self.start) / 60
        left = minutes / self.done * (self.total - self.done)
        share = self.done * 30 // self.total
        line = f"{'#' * share}{'.' * (30 - share)} {minutes:.0f} min, perhaps {left:.0f} more"
        print(line, end="", flush=True)


def run_all(jobs: Iterable[Job], processes: int) -> list[str]:
    """Runs those that have not passed yet, so many at a time. Returns the names of the failed."""
    every = list(jobs)
    STAMPS.mkdir(parents=True, exist_ok=True)
    progress = Progress(len(every))
    waiting = []
    for job in every:
        if job.stamp.is_file():
            progress.report(f"{job.name}: passed before")
        else:
            waiting.append(job)
    failed = []
    with ThreadPoolExecutor(processes) as pool:
        running = {pool.submit(timed, job): job for job in waiting}
        for done in as_completed(running):
            job = running[done]
            problem, seconds = done.result()
            if problem:
                failed.append(job.name)
                progress.report(f"{job.name}: FAILED\n{problem.rstrip()}")
            else:
                job.stamp.touch()
                progress.report(f"{job.name}: right ({seconds:.0f} s)")
    return failed


def timed(job: Job) -> tuple[str, float]:
    start = time.monotonic()
    try:
        problem = job.run()
    except Exception as error:  # a bug of the check must not stop the others
        problem = f"{type(error).__name__}: {error}"
    return problem, time.monotonic() - start
