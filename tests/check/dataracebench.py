#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges `myr check` by DataRaceBench: which races it finds, and which programs it accuses wrongly.

Usage: dataracebench.py FOLDER [--compiler gcc|clang-19] [--beside] [--only TEXT]

FOLDER has DataRaceBench's programs (its micro-benchmarks, or those in Fortran), whose names say
whether they have a race. The exit status is 0 if all answers are right. With --beside each program
runs under ThreadSanitizer, too, with GCC's libgomp, with ours, and with LLVM's libomp and Archer,
and without all of them, for the time; the result is a table.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

COMPILERS = {
    "gcc": {".c": "gcc", ".cpp": "g++", ".f95": "gfortran"},
    "clang-19": {".c": "clang-19", ".cpp": "clang++-19"},
}
SANITIZED = ("-fsanitize=thread",)
SHARED = ("-fsanitize=thread", "-shared-libsan")
ARCHER = {
    "OMP_TOOL_LIBRARIES": "/usr/lib/llvm-19/lib/libarcher.so",
    "TSAN_OPTIONS": "ignore_noninstrumented_modules=1",
}
THREADS = {"OMP_NUM_THREADS": "4"}


def myr_says(status: int, text: str) -> str:
    if ", in no order with this;" in text:
        return "found"
    clean = "myr check: no race" in text or "myr check: nothing was" in text
    return "none" if clean else f"status {status}"


def sanitizer_says(status: int, text: str) -> str:
    if "WARNING: ThreadSanitizer: data race" in text:
        return "found"
    return "none" if status >= 0 and "ThreadSanitizer:" not in text else f"status {status}"


@dataclasses.dataclass(frozen=True)
class Tool:
    name: str
    compiler: str
    options: tuple[str, ...]
    command: tuple[str, ...]
    environment: dict[str, str]
    says: Callable[[int, str], str]


@dataclasses.dataclass(frozen=True)
class Answer:
    outcome: str  # in a word
    seconds: float = 0
    said: str = ""


@dataclasses.dataclass(frozen=True)
class Judge:
    folder: Path
    kept: Path
    limit: float

    def build(self, source: Path, tool: Tool) -> Path | None:
        compiler = COMPILERS[tool.compiler].get(source.suffix)
        name = "".join((source.stem, ".", tool.compiler, *tool.options)).replace("=", "")
        program = self.kept / name
        if compiler is None or program.exists():
            return program if compiler else None
        command = [compiler, "-g", "-O0", "-fopenmp", "-w", *tool.options, "-o", program, source]
        if source.suffix == ".f95":
            command += ["-ffree-line-length-none"]
        if "polybench" in source.read_text(errors="replace"):
            command += ["-DPOLYBENCH_STACK_ARRAYS", "-Wno-implicit-function-declaration"]
            command += [self.folder / "utilities" / "polybench.c"]
        command += ["-I", self.folder, "-I", self.folder / "utilities", "-lm"]
        with tempfile.TemporaryDirectory() as scratch:  # for modules of Fortran
            built = subprocess.run(command, capture_output=True, timeout=100, cwd=scratch)
        return program if built.returncode == 0 else None

    def judge(self, source: Path, tool: Tool) -> Answer:
        program = self.build(source, tool)
        if program is None:
            return Answer("not built")
        begin = time.monotonic()
        try:
            ended = subprocess.run(
                [*tool.command, program],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                timeout=self.limit,
                env=os.environ | tool.environment,
            )
        except subprocess.TimeoutExpired as late:
            text = (late.stderr or b"").decode(errors="replace")
            outcome = tool.says(0, text)  # it may have found something by then
            return Answer(outcome if outcome == "found" else "too slow", self.limit, text[:200])
        seconds = time.monotonic() - begin
        text = ended.stderr.decode(errors="replace")
        return Answer(tool.says(ended.returncode, text), seconds, text[:200].replace("\n", " "))


def has_race(source: Path) -> bool:
    return source.stem.endswith("yes")


Tells = Callable[[Path, Answer], bool]


def is_wrong(source: Path, answer: Answer) -> bool:
    return answer.outcome != ("found" if has_race(source) else "none")


def run(judge: Judge, sources: list[Path], tool: Tool, tells: Tells) -> list[Answer]:
    answers = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for source, answer in zip(
            sources, pool.map(lambda source: judge.judge(source, tool), sources), strict=True
        ):
            answers.append(answer)
            if tells(source, answer):
                print(
                    f"{source.name}: {answer.outcome}  {answer.said}", file=sys.stderr, flush=True
                )
    return answers


def count(sources: list[Path], answers: list[Answer]) -> dict[tuple[bool, str], int]:
    counts: dict[tuple[bool, str], int] = {}
    for source, answer in zip(sources, answers, strict=True):
        key = (has_race(source), answer.outcome)
        counts[key] = counts.get(key, 0) + 1
    return counts


def row(sources: list[Path], tool: Tool, answers: list[Answer], plain: list[Answer]) -> str:
    counts = count(sources, answers)
    judged = sum(
        counts.get((race, said), 0) for race in (True, False) for said in ("found", "none")
    )
    times = [
        (answer.seconds, answer.seconds / without.seconds)
        for answer, without in zip(answers, plain, strict=True)
        if answer.outcome in ("found", "none") and without.outcome == "none"
    ]
    seconds = [each for each, _ in times] or [0]
    factors = [each for _, each in times] or [0]
    return (
        f"| {tool.name} | {counts.get((True, 'found'), 0)} | {counts.get((True, 'none'), 0)} "
        f"| {counts.get((False, 'found'), 0)} | {len(answers) - judged} "
        f"| {statistics.median(seconds):.2f} s | {max(seconds):.1f} s "
        f"| {statistics.median(factors):.1f} | {max(factors):.0f} |"
    )


def compare(judge: Judge, sources: list[Path], tools: list[Tool]) -> None:
    plain = Tool(
        "alone", "gcc", (), (), THREADS, lambda status, _: "none" if status >= 0 else "died"
    )
    without = run(judge, sources, plain, lambda *_: False)
    print(
        "| | found | missed | accused | not judged | median | largest | beside it alone | largest |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for tool in tools:
        print(row(sources, tool, run(judge, sources, tool, is_wrong), without), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--myr", default="build/release/bin/myr")
    parser.add_argument("--compiler", default="gcc", choices=COMPILERS)
    parser.add_argument("--beside", action="store_true", help="compare with others, in a table")
    parser.add_argument("--only", default="")
    parser.add_argument("--kept", type=Path, help="where programs that are built stay")
    parser.add_argument("--limit", type=float, default=60, help="seconds a program may run")
    parser.add_argument("--all", action="store_true", help="print right answers, too")
    options = parser.parse_args()
    kinds = ("DRB*.c", "DRB*.cpp", "DRB*.f95")
    sources = [source for kind in kinds for source in sorted(options.folder.resolve().glob(kind))]
    sources = [source for source in sources if options.only in source.name]
    myr = options.myr
    clang = options.compiler == "clang-19"
    check = Tool(
        "`myr check`",
        options.compiler,
        SHARED if clang else SANITIZED,
        (myr, "check"),
        {},
        myr_says,
    )
    others = [
        Tool("ThreadSanitizer, GCC's libgomp", "gcc", SANITIZED, (), THREADS, sanitizer_says),
        Tool("ThreadSanitizer, `myr omp`", "gcc", SANITIZED, (myr, "omp"), THREADS, sanitizer_says),
        Tool("Archer", "clang-19", SANITIZED, (), THREADS | ARCHER, sanitizer_says),
    ]
    with tempfile.TemporaryDirectory() as temporary:
        kept = (options.kept or Path(temporary)).resolve()
        kept.mkdir(parents=True, exist_ok=True)
        judge = Judge(options.folder.resolve(), kept, options.limit)
        if options.beside:
            compare(judge, sources, [check, *others])
            return 0
        answers = run(judge, sources, check, (lambda *_: True) if options.all else is_wrong)
    for (race, outcome), number in sorted(count(sources, answers).items()):
        print(f"{'with a race' if race else 'without one'}: {number} {outcome}")
    return 1 if any(map(is_wrong, sources, answers)) else 0


if __name__ == "__main__":
    sys.exit(main())
