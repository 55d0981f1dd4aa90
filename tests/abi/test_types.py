# SPDX-License-Identifier: Apache-2.0
"""Compares the types of the C interface, as libabigail sees them, with those of the last release: a
program that was compiled against that one goes on running.

Usage: test_types.py C_COMPILER           prints the difference, if any; status 1 then
       test_types.py C_COMPILER --write   for a release: these are the types from now on
"""

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
INCLUDE = HERE.parents[1] / "include"
RELEASED = HERE / "interface.abi"
HEADERS = ("frontend.h", "openmp.h", "outlined.h", "process.h", "sim.h", "spmd.h")
DUMP = ["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs"]


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, check=False)


def build(compiler: str, folder: Path) -> Path:
    """A library with a pointer to each function that is exported, and thus with all types."""
    symbols = (HERE / "symbols.txt").read_text().split()
    lines = [f"#include <myr/{name}>" for name in HEADERS]
    lines += [f"__typeof__({symbol})* const pointer_to_{symbol};" for symbol in symbols]
    source = folder / "interface.c"
    source.write_text("\n".join(lines) + "\n")
    library = folder / "interface.so"
    command = [compiler, "-std=gnu11", "-g", "-shared", "-fPIC", f"-I{INCLUDE}", source]
    subprocess.run([*command, "-o", library], check=True)
    return library


def main(compiler: str, *options: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        library = build(compiler, Path(folder))
        if options == ("--write",):
            RELEASED.write_text(run(*DUMP, library).stdout)
            return 0
        difference = run("abidiff", "--no-added-syms", RELEASED, library)
    if difference.returncode == 0:
        return 0
    print(difference.stdout + difference.stderr)
    print("programs compiled against the last release may not run with this library; what is new")
    print("goes behind the last member of a structure that begins with its size")
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
