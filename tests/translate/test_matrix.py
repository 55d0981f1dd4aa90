# SPDX-License-Identifier: Apache-2.0
"""The cases under both compilers and all standards of C and C++ that myrcc stands in for.

Usage: test_matrix.py BUILD_FOLDER [--all]    default: a few files, each under one combination
"""

import argparse
import re
import shutil
import sys
import time
from pathlib import Path

from support import Tools, flags_of, in_parallel
from test_cases import FOLDER, Runner, jobs_of, read

COMPILERS = {".c": ("gcc", "clang-19"), ".cpp": ("g++", "clang++-19")}
STANDARDS = {".c": ("c99", "c11", "c17", "c2x"), ".cpp": ("c++17", "c++20", "c++23")}
# Language, compiler and standard differ in each.
SHORT = (
    ("arguments.c", "clang-19", "c99"),
    ("waits.c", "gcc", "c2x"),
    ("parameters.c", "gcc", "c99"),
    ("templates.cpp", "clang++-19", "c++23"),
    ("containers.cpp", "g++", "c++20"),
)


def combinations() -> list[tuple[str, str, str]]:
    """Of all files; a file's own standard is the oldest that it can do with."""
    found = []
    for path in sorted(FOLDER.iterdir()):
        own = re.search(r"-std=(\S+)", " ".join(flags_of(path)))
        for standard in STANDARDS.get(path.suffix, ()):
            if own is None or standard >= own.group(1):
                found += [(path.name, cc, standard) for cc in COMPILERS[path.suffix]]
    return found


def problems_of(build: Path, name: str, cc: str, standard: str) -> list[str]:
    seed = time.time_ns() // 1000 % 10**6
    runner = Runner(Tools(build), [f"--cc={cc}", f"-std={standard}"], seed)
    return [
        f"{cc} -std={standard}, seed {seed}: {case}: {problem}"
        for job in jobs_of([read(FOLDER / name)], None)
        for case, problem in runner.problems_of(job).items()
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("--all", action="store_true")
    arguments = parser.parse_args()
    # ./test has to do with one compiler; ./dev matrix installs the other.
    chosen = combinations() if arguments.all else [one for one in SHORT if shutil.which(one[1])]
    build = arguments.build.resolve()
    found = in_parallel(lambda combination: problems_of(build, *combination), chosen)
    problems = [problem for several in found for problem in several]
    for problem in problems:
        print(problem)
    print(f"{len(chosen)} combinations of file, compiler and standard, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
