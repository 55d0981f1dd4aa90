# SPDX-License-Identifier: Apache-2.0
"""Whether a changed OpenMP program has a race, by other means than `myr check`: whether it does
anything else than the unchanged one, with two libraries and 2 to 8 threads, and what
ThreadSanitizer says with our library, and with LLVM's and Archer."""

from __future__ import annotations

import functools
import os
import re
import signal
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from omp_builds import CLANG, PLAIN, SANITIZED, Builder, Program, Way

FOUND_TEXT = ", in no order with this;"
CLEAN_TEXTS = ("myr check: no race", "myr check: nothing was")
SANITIZER = "ThreadSanitizer"
RACE_TEXT = f"WARNING: {SANITIZER}: data race"
ARCHER = {
    "OMP_TOOL_LIBRARIES": "/usr/lib/llvm-19/lib/libarcher.so",
    "TSAN_OPTIONS": "ignore_noninstrumented_modules=1",
}
WAITING = {"OMP_WAIT_POLICY": "passive"}  # there may be fewer processors than threads
CLEAN_RUNS = 5  # of an unchanged program, with each number of threads
TRAPPED = (-signal.SIGILL, -signal.SIGTRAP)
UNSTEADY = "time|date|load|second|rate"
SANITIZER_THREADS = (2, 4, 8)
Change = tuple[Path, str] | None


@dataclass(frozen=True)
class Ended:
    status: int | None  # None: it was ended because it took too long
    output: str
    errors: str


def run(words: list[str | Path], limit: float, variables: dict[str, str]) -> Ended:
    with tempfile.TemporaryDirectory() as scratch:
        child = subprocess.Popen(
            words,
            cwd=scratch,
            env=os.environ | variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            output, errors = child.communicate(timeout=limit)
            return Ended(child.returncode, output, errors)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            output, errors = child.communicate()
            return Ended(None, output, errors)


def compared(ended: Ended) -> Counter[str]:
    """The lines that a run prints, in whatever order, without what looks like a time."""
    text = re.sub(r"[-+0-9.e]+ *(?:m?s|sec\w*|us)\b", "", ended.output)
    return Counter(line for line in text.splitlines() if not re.search(UNSTEADY, line, re.I))


@dataclass(frozen=True)
class Behaviour:
    """What all runs of a program have in common: how it ends, and lines that are always there."""

    status: int | None
    lines: Counter[str]

    def is_of(self, ended: Ended) -> bool:
        lines = compared(ended)
        return ended.status == self.status and all(
            lines[line] == count for line, count in self.lines.items()
        )


def common(runs: list[Ended]) -> Behaviour | None:
    if len({ended.status for ended in runs}) > 1:
        return None
    first, *others = map(compared, runs)
    alike = {line: n for line, n in first.items() if all(lines[line] == n for lines in others)}
    return Behaviour(runs[0].status, Counter(alike))


class Judge:
    def __init__(self, builder: Builder, myr: Path, limit: float) -> None:
        self.builder = builder
        self.myr = myr
        self.limit = limit
        self.behaviour = functools.cache(self._behaviour)
        self.is_clean = functools.cache(self._is_clean)

    def evidence(self, program: Program, change: Change) -> list[str]:
        """By which of the means a change shows as a race."""
        means = []
        if how := self._other_result(program, change):
            means.append(how)
        for way, command, variables in self._sanitizers():
            if self._reports(program, change, way, command, variables) and self.is_clean(
                program, way
            ):
                means.append(f"{SANITIZER}, {way.name}")
        return means

    def executes(self, program: Program, source: Path, place: int) -> bool:
        """Whether the program comes to a place: then it dies of a trap there. True if unknown."""
        text = source.read_text(errors="replace")
        trapped = f"{text[:place]}__builtin_trap();\n{text[place:]}"
        built = self.builder.build(program, PLAIN, (source, trapped))
        if built is None:
            return True
        return run([built, *program.arguments], self.limit, {}).status in TRAPPED

    def _runs(self, program: Program, change: Change) -> list[tuple[str, Ended]]:
        built = self.builder.build(program, PLAIN, change)
        if built is None:
            return []
        runs = []
        for library, command in (("libgomp", []), ("myr omp", [self.myr, "omp"])):
            for threads in range(2, 9):
                words = [*command, built, *program.arguments]
                ended = run(words, self.limit, WAITING | {"OMP_NUM_THREADS": str(threads)})
                runs.append((f"{library} with {threads} threads", ended))
        return runs

    def _behaviour(self, program: Program, times: int) -> Behaviour | None:
        runs = [ended for _ in range(times) for _, ended in self._runs(program, None)]
        return common(runs) if runs else None

    def _other_result(self, program: Program, change: Change) -> str:
        """How the changed program did what the unchanged one does not do either in many runs."""
        usual = self.behaviour(program, 1)
        if usual is None:
            return ""
        other = [(how, each) for how, each in self._runs(program, change) if not usual.is_of(each)]
        usual = self.behaviour(program, CLEAN_RUNS) if other else usual
        if usual is None:
            return ""
        return next(
            (f"another result by {how}" for how, each in other if not usual.is_of(each)), ""
        )

    def _sanitizers(self) -> list[tuple[Way, list[str | Path], dict[str, str]]]:
        return [(SANITIZED, [self.myr, "omp"], {}), (CLANG, [], ARCHER)]

    def _reports(
        self,
        program: Program,
        change: Change,
        way: Way,
        command: list[str | Path],
        variables: dict[str, str],
    ) -> bool:
        built = self.builder.build(program, way, change)
        if built is None:
            return False
        for threads in SANITIZER_THREADS:
            words = [*command, built, *program.arguments]
            counted = WAITING | variables | {"OMP_NUM_THREADS": str(threads)}
            if RACE_TEXT in run(words, self.limit, counted).errors:
                return True
        return False

    def _is_clean(self, program: Program, way: Way) -> bool:
        (one,) = (each for each in self._sanitizers() if each[0] == way)
        return not any(self._reports(program, None, *one) for _ in range(CLEAN_RUNS))


class Checker:
    """`myr check`, on programs of gcc, and where it finds nothing, on those of clang: gcc copies a
    shared variable that a task only reads, so that its programs lack a race that the source has."""

    def __init__(self, builder: Builder, myr: Path) -> None:
        self.builder = builder
        self.myr = myr
        self.says = functools.cache(self._says)

    def _says(self, program: Program, way: Way, limit: float) -> str:
        return self.check(program, None, way, limit)[0]

    def check(self, program: Program, change: Change, way: Way, limit: float) -> tuple[str, str]:
        """What it says, in a word and in its first words."""
        built = self.builder.build(program, way, change)
        if built is None:
            return "not built", ""
        ended = run([self.myr, "check", built, *program.arguments], limit, {})
        if FOUND_TEXT in ended.errors:
            first = next(line for line in ended.errors.splitlines() if FOUND_TEXT in line)
            return "found", first.removeprefix("myr check: ")
        if ended.status is None:
            return "too slow", ""
        is_clean = any(text in ended.errors for text in CLEAN_TEXTS)
        if is_clean and ended.status == 0:
            return "none", ""
        return "failed", f"status {ended.status} {ended.errors[-100:]}"
