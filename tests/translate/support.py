# SPDX-License-Identifier: Apache-2.0
"""What the tests of myrcc share: running it and the plain compilers, in folders of their own."""

import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
# Where translations run: the variables. In chaos, as tasks left alone mostly run in order.
MACHINES = (
    {"MYR_ON": "serial"},
    {"MYR_ON": "smp:4", "MYR_CHAOS": "1"},
    {"MYR_ON": "tree:1+2", "MYR_CHAOS": "1"},
)


@dataclass(frozen=True)
class Tools:
    """The commands of a build."""

    build: Path

    @property
    def myrcc(self) -> Path:
        return self.build / "bin" / "myrcc"

    @property
    def runtime(self) -> list[str]:
        """Options of a plain compiler for a program that calls the runtime."""
        library = self.build / "lib"
        return [f"-I{ROOT / 'include'}", f"-L{library}", f"-Wl,-rpath,{library}", "-lmyrmidon"]


def run(*command: object, cwd: Path | None = None, **variables: str) -> subprocess.CompletedProcess:
    """A command with its output as text; it may fail."""
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=os.environ | {"LC_ALL": "C"} | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def succeed(*command: object, cwd: Path | None = None, **variables: str) -> str:
    """What a command prints; fails the test with all that it said if it fails."""
    done = run(*command, cwd=cwd, **variables)
    assert done.returncode == 0, f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def flags_of(source: Path) -> list[str]:
    """The options that a source asks for in a line `flags: ...`."""
    found = re.search(r"flags: (.*)", source.read_text())
    return found.group(1).split() if found else []


def plain_compiler(source: Path) -> str:
    return "gcc" if source.suffix == ".c" else "g++"


def in_parallel(function, items) -> list:
    """function(item) for all items, on as many threads as there are processors."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, items))
