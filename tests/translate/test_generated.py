# SPDX-License-Identifier: Apache-2.0
"""Random programs (generate.py) must print on every machine, in random order, what they print
without myrcc.

Usage: test_generated.py BUILD_FOLDER [--count N] [--seed S] [--sanitize] [--keep FOLDER]

Every other batch is C, every other pair of batches is compiled with -O2. Program S is the same
whatever the count: `--seed S --count 1` makes it again, in both languages. What fails is cut down
to the steps that it takes to fail, and kept in FOLDER. --sanitize runs the programs themselves
under sanitizers, without myrcc: do they deserve their name?
"""

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from subprocess import TimeoutExpired
from tempfile import TemporaryDirectory

from generate import HEAD, HEAD_CXX, Program
from support import MACHINES, ROOT, Tools, in_parallel, plain_compiler, run

BATCH = 20
SANITIZERS = "-fsanitize=address,undefined"


@dataclass(frozen=True)
class Batch:
    """Programs that are compiled together."""

    seeds: tuple[int, ...]
    is_cxx: bool
    level: str
    kept: frozenset[int] | None = None  # steps; of one program

    def with_seeds(self, seeds: tuple[int, ...]) -> "Batch":
        return Batch(seeds, self.is_cxx, self.level)

    def with_steps(self, kept: frozenset[int]) -> "Batch":
        return Batch(self.seeds, self.is_cxx, self.level, kept)

    def text(self) -> str:
        kept = None if self.kept is None else set(self.kept)
        programs = [Program(seed, self.is_cxx, kept).text() for seed in self.seeds]
        calls = [f'  puts("== {seed}"); program_{seed}();' for seed in self.seeds]
        head = HEAD + (HEAD_CXX if self.is_cxx else "")
        return "\n".join([head, *programs, "int main(void) {", *calls, "}", ""])


class Tester:
    def __init__(self, tools: Tools, sanitizes: bool, keep: Path) -> None:
        self.tools = tools
        self.sanitizes = sanitizes
        self.keep = keep

    def problem_with(self, batch: Batch) -> str:
        """What is wrong with any of the programs; nothing: all is well."""
        with TemporaryDirectory() as folder:
            source = Path(folder, "generated.cpp" if batch.is_cxx else "generated.c")
            source.write_text(batch.text())
            try:
                return self.problem_with_source(source, batch.level)
            except TimeoutExpired as expired:
                return f"hangs: {expired.cmd}"

    def problem_with_source(self, source: Path, level: str) -> str:
        plain, translated = source.with_suffix(".plain"), source.with_suffix(".translated")
        extra = [SANITIZERS, "-fno-sanitize-recover=all"] if self.sanitizes else []
        options = ["-w", "-O1", *extra, source, "-o", plain, *self.tools.runtime]
        done = run(plain_compiler(source), *options)
        if done.returncode != 0:
            return f"is no program:\n{done.stderr}"
        expected = run(plain, MYR_ON="serial")
        if expected.returncode != 0:
            return f"fails by itself:\n{expected.stderr}"
        if self.sanitizes:
            return ""
        done = run(self.tools.myrcc, "-w", level, source, "-o", translated)
        if done.returncode != 0:
            return f"does not compile:\n{done.stderr}"
        for machine in MACHINES:
            seen = run(translated, **machine)
            if seen.returncode != 0 or seen.stdout != expected.stdout:
                return f"{machine}: status {seen.returncode}\n{seen.stderr}"
        return ""

    def report(self, batch: Batch) -> list[str]:
        """A line or more for each program that fails."""
        problem = self.problem_with(batch)
        if not problem:
            return []
        if len(batch.seeds) > 1:
            half = len(batch.seeds) // 2
            halves = (batch.seeds[:half], batch.seeds[half:])
            found = [text for seeds in halves for text in self.report(batch.with_seeds(seeds))]
            return found or [f"{batch}: fails only as a whole: {problem}"]
        smallest = self.shrink(batch)
        self.keep.mkdir(parents=True, exist_ok=True)
        kept = self.keep / f"generated_{batch.seeds[0]}.{'cpp' if batch.is_cxx else 'c'}"
        kept.write_text(smallest.text())
        return [f"--seed {batch.seeds[0]} --count 1, {batch.level}, kept as {kept}: {problem}"]

    def shrink(self, batch: Batch) -> Batch:
        """The program with no more steps than it takes to fail."""
        seed = batch.seeds[0]
        kept = frozenset(range(Program(seed, batch.is_cxx).step_count))
        smallest = batch.with_steps(kept)
        for step in sorted(kept):
            without = batch.with_steps((smallest.kept or kept) - {step})
            if self.problem_with(without):
                smallest = without
        return smallest


def batches(seed: int, count: int) -> list[Batch]:
    seeds = range(seed, seed + count)
    if count == 1:
        return [
            Batch((seed,), is_cxx, level) for is_cxx in (False, True) for level in ("-O0", "-O2")
        ]
    made = []
    for number, first in enumerate(range(0, count, BATCH)):
        chunk = tuple(seeds[first : first + BATCH])
        made.append(Batch(chunk, number % 2 == 1, "-O2" if number % 4 > 1 else "-O0"))
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=time.time_ns() // 1000 % 10**6)
    parser.add_argument("--sanitize", action="store_true")
    parser.add_argument("--keep", type=Path, default=ROOT / "out" / "generated")
    arguments = parser.parse_args()
    print(f"seed={arguments.seed} count={arguments.count}", flush=True)
    tester = Tester(Tools(arguments.build.resolve()), arguments.sanitize, arguments.keep)
    found = in_parallel(tester.report, batches(arguments.seed, arguments.count))
    problems = [text for several in found for text in several]
    for text in problems:
        print(text)
    print(f"{arguments.count} programs, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
