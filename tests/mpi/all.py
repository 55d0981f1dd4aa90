# SPDX-License-Identifier: Apache-2.0
"""All that ./test does on jobs of processes, and what takes too long for it: each mistake of
tests/misuse, the programs of README and docs/semantics.md and random ones on 2 to 12 processes, and
many kills, with each MPI; for root also by a Slurm, and on two computers.

Usage: all.py BUILD [--kills N] [--only PATTERN]
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

MPIS = ("openmpi", "mpich")
SHAPES = ("1+1", "1+2", "1+1x3", "2+4", "1+5", "3+9")
# Conformance tests of what takes a million messages.
EXCLUDED = "--test-case-exclude=*million*"
HANG_S = 900
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def cases() -> Iterator[tuple[Path, str]]:
    for source in sorted((ROOT / "tests/misuse").glob("case_*.cpp")):
        for name in re.findall(r"// misuse: ([a-z_]+): ", source.read_text()):
            yield source, name


def commands(build: Path) -> Iterator[tuple[str, list[str], dict[str, str]]]:
    """Returns a name, the words and the environment of each."""
    binaries = build / "bin"
    myr = str(binaries / "myr")
    for shape in SHAPES:
        run = [myr, "run", "--on", f"mpi:{shape}"]
        yield f"tree.{shape}", [*run, str(binaries / "example_tree")], {}
        yield f"heat.{shape}", [*run, str(binaries / "example_heat")], {}
        yield f"conformance.{shape}", [*run, str(binaries / "myr_conformance"), EXCLUDED], {}
        yield f"random.{shape}", [*run, str(binaries / "myr_random_mixed"), "1", "100"], {}
        poison = {"MYR_POISON": "1"}
        yield f"poison.{shape}", [*run, str(binaries / "myr_random_mixed"), "5000", "100"], poison
        windows = str(binaries / "myr_random_windows")
        yield f"windows.{shape}", [*run, windows, "1", "100"], {}
        yield f"windows_poison.{shape}", [*run, windows, "5000", "100"], poison
    check = [sys.executable, str(ROOT / "tests/misuse/run_case.py"), str(binaries / "myr_misuse")]
    for source, case in cases():
        yield f"misuse.{case}", [*check, str(source), case, "--launch", myr], {}


def life(build: Path, mpi: str, kills: int) -> tuple[list[str], dict[str, str]]:
    programs = [str(build / "bin" / name) for name in ("myr_mpi_program", "myr_mpi_other_program")]
    script = str(ROOT / "tests/mpi/test_mpi.py")
    words = [sys.executable, script, mpi, str(build / "bin/myr"), *programs]
    return words, {"MYR_TEST_KILLS": str(kills)}


def passes(name: str, words: list[str], variables: dict[str, str]) -> bool:
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    began = time.monotonic()
    try:
        ended = subprocess.run(
            words,
            env=os.environ | root | variables,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=HANG_S,
            check=False,
        )
        errors = "" if ended.returncode == 0 else ended.stdout + ended.stderr
    except subprocess.TimeoutExpired:
        errors = "hangs\n"
    seconds = time.monotonic() - began
    print(f"{'FAILED' if errors else 'passed'} {seconds:6.1f} s  {name}", flush=True)
    if errors:
        print(errors, end="", flush=True)
    return not errors


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    count = failed = 0
    for mpi in MPIS:
        everything = [(f"life.{mpi}", *life(build, mpi, arguments.kills))]
        everything += [(f"{name}.{mpi}", words, more) for name, words, more in commands(build)]
        for name, words, more in everything:
            if re.search(arguments.only, name) is None:
                continue
            count += 1
            failed += not passes(name, words, more | {"MYR_MPI": mpi})
    for name in ("slurm", "computers") if os.geteuid() == 0 else ():
        if re.search(arguments.only, name) is not None:
            count += 1
            failed += not passes(name, [sys.executable, str(HERE / f"{name}.py"), str(build)], {})
    print(f"mpi: {count - failed} of {count} passed")
    sys.exit(failed != 0 or count == 0)


if __name__ == "__main__":
    main()
