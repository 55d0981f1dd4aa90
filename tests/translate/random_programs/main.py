# SPDX-License-Identifier: Apache-2.0
"""Random C and C++ programs with tasks: what myrcc makes of them against the plain compiler.

Usage: random_programs/main.py BUILD_FOLDER [--count N] [--seed S] [--only-cxx | --only-c]
           [--seconds T] [--tries N] [--keep FOLDER]

Every program is right by construction, as docs/user/myrcc.md has it: a task declares all that it
touches, a caller that has given memory to a task waits before it touches it, and what commutes in
any order commutes. So the program that gcc or g++ makes of it, which ignore the pragmas, says what
it prints. Programs are functions, ten to a file. Each file is run on three machines, two of them in
random order. The smallest part of a wrong function that is still wrong is printed.

The status is 1 if a program printed something else, ended by a signal or a message, hung, or was
refused, unless the page says that such a thing is refused (DOCUMENTED).
"""

import argparse
import re
import sys
import tempfile
import time
from pathlib import Path

from generate import make_program
from judge import SHRINK_TRIES, Fault, Tools, shrink, to_blame, write
from program import Program

PER_FILE = 10
DOCUMENTED: tuple[str, ...] = (
    "may read too early what the task declares",
)  # messages of refusals that the page lists


def report(tools: Tools, p: Program, fault: Fault, small: bool) -> None:
    """Prints a fault with its smallest program."""
    language = "C++" if p.cpp else "C"
    print(f"program {p.number} ({language}): {fault.kind} on {fault.where}", flush=True)
    if small:
        fault = shrink(tools, p, fault)
        lines = [line for nodes in p.nodes() for top in nodes for line in top.render()]
        print("\n".join(line for line in lines if line.strip()))
    print(fault.text[:1500], flush=True)


def keep_files(tools: Tools, p: Program, folder: Path | None) -> None:
    """Copies the smallest program to a folder of the user's."""
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        name = f"seed{tools.seed}_{p.number}"
        source = write(tools, name, [p])
        header = source.with_suffix(".h").read_text()
        text = source.read_text().replace(f'#include "{name}.h"', header)
        (folder / source.name).write_text(text.replace("#pragma once\n", ""))


def test(tools: Tools, options_of: argparse.Namespace) -> tuple[int, int, int]:
    """Runs all programs; how many there were, how many were refused, and how many wrong."""
    refused = wrong = 0
    seen: list[Fault] = []
    end = time.monotonic() + options_of.seconds
    for first in range(0, options_of.count, PER_FILE):
        if time.monotonic() > end:
            return first, refused, wrong
        cpp = not options_of.only_c and (options_of.only_cxx or (first // PER_FILE) % 2 == 0)
        last = min(first + PER_FILE, options_of.count)
        seeds = [(n, f"{tools.seed}/{n}") for n in range(first, last)]
        programs = [make_program(n, cpp, seed) for n, seed in seeds]
        for p, fault in to_blame(tools, programs):
            known = any(fault.same(other) for other in seen)
            if any(re.search(pattern, fault.text) for pattern in DOCUMENTED):
                continue
            if fault.kind == "refused":
                refused += 1
            else:
                wrong += 1
            fresh = fault.kind != "refused" and (not known or len(seen) < 12)
            report(tools, p, fault, fresh)
            if fresh:
                keep_files(tools, p, options_of.keep)
                seen.append(fault)
    return options_of.count, refused, wrong


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only-cxx", action="store_true")
    parser.add_argument("--only-c", action="store_true")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no file after them")
    parser.add_argument("--tries", type=int, default=SHRINK_TRIES, help="for each smaller program")
    parser.add_argument("--keep", type=Path, help="a folder for the smallest wrong programs")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(given.build, Path(folder), given.seed, given.tries)
        count, refused, wrong = test(tools, given)
    print(f"seed={given.seed}: {count} programs, {refused} refused, {wrong} wrong")
    return 1 if wrong or refused else 0


if __name__ == "__main__":
    sys.exit(main())
