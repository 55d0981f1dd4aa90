# SPDX-License-Identifier: Apache-2.0
"""Runs what is too long for ./test, for as long as it is given, and goes on where it stopped.

Usage: python3 -m night --for MINUTES [--only PATTERN] [--list]

A page of what has passed and failed, at which commit, is printed at the end and kept in
out/night/COMMIT.md; what failed leaves its output in out/night. Exit status: 1 if anything has
failed at this commit, today or before.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from night.jobs import Job, all_jobs
from night.state import Result, State, page

ROOT = Path(__file__).parents[2]
OUT = ROOT / "out/night"
# Where a process is killed, all fail: a report does not show in how they end.
REPORT = "WARNING: ThreadSanitizer"
# A run that takes so many times as long as the longest before it, and this beside, hangs.
SLOWEST = 5
ASIDE_S = 900


def commit() -> str:
    """The commit that is tested; with a mark where the tree has changes."""
    words = ("git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")
    return subprocess.run(
        words, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


def run(job: Job, seed: int, limit_s: float) -> Result:
    """Runs a job once. What it prints goes to a file that stays if it fails."""
    given = {"seed": seed, "count": job.programs}
    words = [word.format(**given) for word in job.command]
    variables = {name: value.format(**given) for name, value in job.variables.items()}
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    log = OUT / f"{re.sub('[^a-z0-9_.]+', '_', job.name)}.{seed}.log"
    began = time.monotonic()
    with log.open("w") as output:
        child = subprocess.Popen(
            words,
            cwd=ROOT,
            env=os.environ | root | variables,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status: int | None = child.wait(limit_s)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            kill_group(child.pid)
            child.wait()
    seconds = time.monotonic() - began
    is_reported = REPORT in log.read_text(errors="replace")
    if status == 0 and not is_reported:
        log.unlink()
        return Result(job.name, job.programs, seconds)
    replay = " ".join([*(f"{name}={value}" for name, value in variables.items()), *words])
    what = "hangs" if status is None else REPORT if is_reported else f"status {status}"
    return Result(
        job.name, job.programs, seconds, f"{what}: {replay} (see {log.relative_to(ROOT)})"
    )


def kill_group(group: int) -> None:
    try:
        os.killpg(group, 9)
    except ProcessLookupError:
        pass


def tell(text: str) -> None:
    """A line of progress, on a terminal only."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def spend(state: State, jobs: list[Job], seconds: float) -> None:
    """Runs jobs while there is time for one. Ctrl-C ends the night."""
    end = time.monotonic() + seconds
    while True:
        left = end - time.monotonic()
        job = state.next_job(jobs, left)
        if job is None:
            return
        tell(f"night: {left / 60:.0f} min left, {job.name}")
        seed = state.take_seeds(job)
        try:
            result = run(job, seed, SLOWEST * state.expected_seconds(job) + ASIDE_S)
        except KeyboardInterrupt:
            return
        state.add(result)
        state.save()


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev night", description=__doc__.split("\n")[0])
    parser.add_argument("--for", dest="minutes", type=float, default=480, metavar="MINUTES")
    parser.add_argument("--only", default="", metavar="PATTERN", help="jobs whose name it is in")
    parser.add_argument("--list", action="store_true", help="print the jobs and end")
    arguments = parser.parse_args()
    jobs = [
        job for job in all_jobs(ROOT / "build") if re.search(arguments.only, job.name) is not None
    ]
    if arguments.list or not jobs:
        print("\n".join(job.name for job in jobs) or "no job has such a name")
        return 0 if jobs else 2
    OUT.mkdir(parents=True, exist_ok=True)
    state = State(OUT / "state.json", commit())
    spend(state, jobs, 60 * arguments.minutes)
    tell("")
    text = page(state)
    (OUT / f"{state.commit}.md").write_text(text)
    print(text, end="")
    return 1 if state.failures() else 0


if __name__ == "__main__":
    sys.exit(main())
