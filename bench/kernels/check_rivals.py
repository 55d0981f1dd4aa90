#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the OpenMP versions of the kernels that were built, once each and small: their results must
be right.

Usage: check_rivals.py FOLDER     with the programs and rivals.txt, which says how each is run
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def failure(folder: Path, line: str) -> str | None:
    """What the program that a line names has against its result; None: nothing, or it was not
    built."""
    program, *arguments = line.split()
    if not (folder / program).exists():
        return None
    command = [str(folder / program), *arguments, "--repeat", "1"]
    environment = {**os.environ, "OMP_NUM_THREADS": "3", "MYR_ON": "serial"}
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, timeout=100, check=False
    )
    return None if done.returncode == 0 else f"{' '.join(command)}:\n{done.stdout}{done.stderr}"


def main(folder: Path) -> None:
    lines = (folder / "rivals.txt").read_text().splitlines()
    built = [line for line in lines if (folder / line.split()[0]).exists()]
    failures = [text for line in built if (text := failure(folder, line)) is not None]
    for text in failures:
        print(text)
    print(f"{len(built)} of {len(lines)} programs were built; {len(failures)} of them failed")
    if failures or not built:
        sys.exit(1)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
