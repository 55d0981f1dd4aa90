# SPDX-License-Identifier: Apache-2.0
"""What nights have run: kept in a file, so that the next one goes on where the last one stopped."""

from __future__ import annotations

import json
import os
import random
from dataclasses import dataclass, field
from pathlib import Path

from night.jobs import Job


@dataclass(frozen=True)
class Result:
    """One run of a job. `failure`: how it failed and the command that shows it; "": it passed."""

    name: str
    programs: int
    seconds: float
    failure: str = ""


@dataclass
class Sum:
    """All runs of a job at one commit."""

    passed: int = 0
    programs: int = 0  # of the runs that passed
    seconds: float = 0.0
    longest: float = 0.0
    failures: list[str] = field(default_factory=list)

    def add(self, result: Result) -> None:
        self.seconds += result.seconds
        self.longest = max(self.longest, result.seconds)
        if result.failure:
            self.failures.append(result.failure)
        else:
            self.passed += 1
            self.programs += result.programs

    @property
    def runs(self) -> int:
        return self.passed + len(self.failures)


class State:
    """The sums of this commit, of which none are kept when the next one comes; seeds and durations
    stay. The first seed of all is of chance, so that not every copy of the tree tries the same."""

    def __init__(self, path: Path, commit: str) -> None:
        self.path = path
        self.commit = commit
        kept = json.loads(path.read_text()) if path.exists() else {}
        self.first_seed: int = kept.get("first_seed", random.randrange(1_000_000))
        self.seeds: dict[str, int] = kept.get("seeds", {})
        self.longest: dict[str, float] = kept.get("longest", {})
        sums = kept["sums"] if kept.get("commit") == commit else {}
        self.sums = {name: Sum(**one) for name, one in sums.items()}

    def save(self) -> None:
        """Whole or not at all, whatever ends this process."""
        kept = {
            "commit": self.commit,
            "sums": {name: vars(one) for name, one in self.sums.items()},
            "first_seed": self.first_seed,
            "seeds": self.seeds,
            "longest": self.longest,
        }
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(kept, indent=1))
        os.replace(new, self.path)

    def take_seeds(self, job: Job) -> int:
        """The first of as many seeds as a slice has programs, none of them ever taken before."""
        first = self.seeds.get(job.name, self.first_seed)
        self.seeds[job.name] = first + max(1, job.programs)
        return first

    def expected_seconds(self, job: Job) -> float:
        return self.longest.get(job.name, job.seconds)

    def add(self, result: Result) -> None:
        self.sums.setdefault(result.name, Sum()).add(result)
        self.longest[result.name] = max(self.longest.get(result.name, 0.0), result.seconds)

    def next_job(self, jobs: list[Job], left_s: float) -> Job | None:
        """Of those that are not done and have time to end, the one that has had the least time at
        this commit."""
        spent = {job.name: self.sums.get(job.name, Sum()) for job in jobs}
        fitting = [
            job
            for job in jobs
            if self.expected_seconds(job) <= left_s
            and (job.programs > 0 or spent[job.name].runs == 0)
        ]
        return min(fitting, key=lambda job: spent[job.name].seconds, default=None)

    def failures(self) -> list[str]:
        return [failure for one in self.sums.values() for failure in one.failures]


def page(state: State) -> str:
    """What has passed at this commit, in Markdown."""
    lines = [
        f"# Nights at {state.commit}",
        "",
        "| job | passed | random programs | minutes | failed |",
    ]
    lines.append("| --- | --: | --: | --: | --: |")
    for name in sorted(state.sums):
        one = state.sums[name]
        programs = str(one.programs) if one.programs else ""
        failed = str(len(one.failures)) if one.failures else ""
        lines.append(f"| {name} | {one.passed} | {programs} | {one.seconds / 60:.1f} | {failed} |")
    total = sum(one.programs for one in state.sums.values())
    hours = sum(one.seconds for one in state.sums.values()) / 3600
    lines += ["", f"{total} random programs and {hours:.1f} hours in all."]
    lines += [
        f"Seeds are those from {state.first_seed}, of which nights before took the first ones."
    ]
    lines += ["", *(f"- FAILED {failure}" for failure in state.failures())]
    return "\n".join(lines).rstrip() + "\n"
