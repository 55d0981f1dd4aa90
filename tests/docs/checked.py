# SPDX-License-Identifier: Apache-2.0
"""What does `myr check` say of the programs of the cookbook and the tutorial? Nothing, it should.

They are compiled one after the other, which takes a minute: a part of `./dev night`.

Usage: checked.py BUILD_FOLDER
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("examples", "examples/cookbook")
# One has no tasks, one a library besides.
LEFT_OUT = ("heat_serial.cpp", "gpu_opencl.cpp")


def fault_of(source: Path, build: Path, program: Path) -> str:
    """What is wrong with it; empty if nothing is."""
    library = build / "lib"
    options = ["-std=c++20", "-O1", "-g", "-fsanitize=thread", f"-I{ROOT}/include"]
    link = [f"-L{library}", "-lmyrmidon", f"-Wl,-rpath,{library}", "-pthread"]
    words = (["g++", *options, "-o", program, source, *link], [build / "bin/myr", "check", program])
    for command in words:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return done.stdout + done.stderr
    return "" if "no mistakes" in done.stderr else f"says nothing: {done.stderr}"


def main() -> int:
    build = Path(sys.argv[1]).resolve()
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for source in sorted(path for name in FOLDERS for path in (ROOT / name).glob("*.cpp")):
            if source.name in LEFT_OUT:
                continue
            fault = fault_of(source, build, Path(folder, source.stem))
            print(f"{'FAILED' if fault else 'passed'}  {source.relative_to(ROOT)}\n{fault}", end="")
            faults += fault != ""
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
