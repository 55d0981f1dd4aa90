# SPDX-License-Identifier: Apache-2.0
"""Checks model.pml exhaustively with Spin: all programs, all orders of delivery.

Usage: check.py LEVELS TASKS [DEFECT]    see the head of model.pml
With a defect built in, the check succeeds if Spin finds an error. To see the way to an error, run
the commands below by hand, then `spin -t -p -g` with the same definitions.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

MODEL = Path(__file__).with_name("model.pml")
DEPTH_MAX = 10_000
HASH_BITS = 21
# Safety only: the model has no property about endless runs. Collapse: states take half the memory.
COMPILE = ["cc", "-w", "-DSAFETY", "-DCOLLAPSE", "-o", "pan", "pan.c"]


def search(definitions: list[str], optimise: str) -> str:
    """Spin's report."""
    with TemporaryDirectory() as folder:
        for part in MODEL.parent.glob("*.pml"):
            shutil.copy(part, folder)
        subprocess.run(["spin", "-a", *definitions, MODEL.name], cwd=folder, check=True)
        subprocess.run([*COMPILE, optimise], cwd=folder, check=True)
        pan = ["./pan", f"-m{DEPTH_MAX}", f"-w{HASH_BITS}"]
        return subprocess.run(pan, cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout


def main(levels: str, tasks: str, defect: str | None = None) -> int:
    if shutil.which("spin") is None:
        print("check.py: spin is missing; `tools/setup test` installs it")
        return 1
    definitions = [f"-DLEVELS={levels}", f"-DTASKS={tasks}"]
    if defect is not None:
        definitions.append(f"-D{defect}")
    # A defect is found at once: compiling takes longer than searching.
    report = search(definitions, "-O1" if defect is None else "-O0")
    print(report)
    found = re.search(r"errors: (\d+)", report)
    is_whole = "Search not completed" not in report and "max search depth too small" not in report
    if found is None:
        return 1
    if defect is None:
        return 0 if found[1] == "0" and is_whole else 1
    return 0 if found[1] != "0" and "assertion violated" in report else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
