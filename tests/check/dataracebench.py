#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges `myr check` by DataRaceBench: which races it finds, and which programs it accuses wrongly.

Usage: dataracebench.py FOLDER [--myr FILE] [--compiler gcc|clang-19] [--only TEXT] [--kept FOLDER]

FOLDER has DataRaceBench's C and C++ programs (its micro-benchmarks), whose names say whether they
have a race. The exit status is 0 if all answers are right.
"""

import argparse
import concurrent.futures
import dataclasses
import subprocess
import sys
import tempfile
from pathlib import Path

FLAGS = ["-g", "-O0", "-fopenmp", "-fsanitize=thread", "-w"]


@dataclasses.dataclass(frozen=True)
class Judge:
    folder: Path
    kept: Path
    myr: str
    compiler: str
    limit: float

    def build(self, source: Path) -> Path | None:
        program = self.kept / f"{source.stem}.{self.compiler}"
        if program.exists():
            return program
        names = {"gcc": "g++", "clang-19": "clang++-19"}
        compiler = names[self.compiler] if source.suffix == ".cpp" else self.compiler
        command = [compiler, *FLAGS, "-DPOLYBENCH_STACK_ARRAYS", "-o", program, source]
        if "polybench" in source.read_text(errors="replace"):
            command += [self.folder / "utilities" / "polybench.c"]
        command += ["-I", self.folder, "-I", self.folder / "utilities", "-lm"]
        if self.compiler != "gcc":
            command += ["-shared-libsan"]
        built = subprocess.run(command, capture_output=True, timeout=100)
        return program if built.returncode == 0 else None

    def judge(self, source: Path) -> tuple[str, str]:
        """What has come out, in a word, and what was said of it."""
        program = self.build(source)
        if program is None:
            return "not built", ""
        try:
            ended = subprocess.run(
                [self.myr, "check", program],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                timeout=self.limit,
            )
            text, outcome = ended.stderr, f"status {ended.returncode}"
        except subprocess.TimeoutExpired as late:
            text, outcome = late.stderr or b"", "too slow"
        lines = text.decode(errors="replace").splitlines()
        said = [line for line in lines if line.startswith("myr check: ")]
        if any(", in no order with this;" in line for line in said):
            return "found", said[0]
        if any(line.startswith(("myr check: no race", "myr check: nothing was")) for line in said):
            return "none", ""
        return outcome, " ".join(lines[-2:])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--myr", default="build/release/bin/myr")
    parser.add_argument("--compiler", default="gcc", choices=["gcc", "clang-19"])
    parser.add_argument("--only", default="")
    parser.add_argument("--kept", type=Path, help="where programs that are built stay")
    parser.add_argument("--limit", type=float, default=20, help="seconds a program may run")
    parser.add_argument("--all", action="store_true", help="print right answers, too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        kept = options.kept or Path(temporary)
        kept.mkdir(parents=True, exist_ok=True)
        return run(
            Judge(options.folder, kept, options.myr, options.compiler, options.limit), options
        )


def run(judge: Judge, options: argparse.Namespace) -> int:
    sources = sorted(judge.folder.glob("DRB*.c")) + sorted(judge.folder.glob("DRB*.cpp"))
    sources = [source for source in sources if options.only in source.name]
    counts: dict[tuple[bool, str], int] = {}
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for source, (outcome, said) in zip(sources, pool.map(judge.judge, sources), strict=True):
            has_race = source.stem.endswith("yes")
            counts[has_race, outcome] = counts.get((has_race, outcome), 0) + 1
            is_right = outcome == ("found" if has_race else "none")
            wrong += not is_right
            if options.all or not is_right:
                print(f"{source.name}: {outcome}  {said}", flush=True)
    for (has_race, outcome), count in sorted(counts.items()):
        print(f"{'with a race' if has_race else 'without one'}: {count} {outcome}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
