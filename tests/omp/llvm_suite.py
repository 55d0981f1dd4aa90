# SPDX-License-Identifier: Apache-2.0
"""The tests of LLVM's own OpenMP runtime, which nobody here wrote, on Myrmidon's libomp.so.5.

Usage: llvm_suite.py LIBRARY_FOLDER [--threads 2,4] [--stock] [--only PATTERN] [--jobs N]
                     [--folder FOLDER]

Fetches Debian's source package llvm-toolchain-19 into FOLDER (.cache/openmp), compiles each test
with clang-19 once for each of its compile commands, and runs it as its RUN lines say. --stock:
with Debian's library, for comparison. Prints each test that fails and the counts; status 1 if one
fails that docs/user/openmp.md does not list as an exception.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import partial
from pathlib import Path

import debian_sources
from outcomes import Outcome, tell

ROOT = Path(__file__).parents[2]
RUNTIME = "llvm-toolchain-19_19.1.7/openmp/runtime"
HEADER = "src/kmp_platform.h"  # that some tests include
# ompt: an interface for tools, which is not offered. target, transform: tests of other libraries.
OTHER_FOLDERS = {"ompt", "target", "transform"}
# What holds here, of what tests require; the compiler is of no version that a test leaves out.
FEATURES = {"linux", "affinity", "multicpu", "x86-target-arch", "x86_64-target-arch", "clang"}
FLAGS = ["-w", "-fno-omit-frame-pointer", "-fopenmp"]
SECONDS_MAX = 60


@dataclass
class Test:
    name: str
    source: Path
    commands: list[str] = field(default_factory=list)
    why: str = ""  # it is left out
    fails: bool = False  # its author expects that


def fetch(folder: Path) -> Path:
    """The tests; only they are unpacked. They sleep less than they did."""
    tests = folder / RUNTIME / "test"
    if not tests.exists():
        place = folder / "llvm-toolchain-19"
        debian_sources.fetch("llvm-toolchain-19", folder, place, "--download-only")
        (archive,) = place.glob("llvm-toolchain-19_*.orig.tar.*")
        wanted = [f"{RUNTIME}/{name}" for name in ("test", HEADER)]
        subprocess.run(["tar", "xf", archive, "-C", folder, *wanted], check=True)
    header = tests / "omp_testsuite.h"
    text = re.sub(r"(#define REPETITIONS) \d+", r"\1 2", header.read_text())
    header.write_text(text)
    return tests


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def read_test(source: Path, folder: Path) -> Test:
    test = Test(str(source.relative_to(folder)), source)
    unfinished = ""
    for line in source.read_text(errors="replace").splitlines():
        found = re.search(r"\b(RUN|REQUIRES|UNSUPPORTED|XFAIL):\s*(.*?)(\*/)?\s*$", line)
        if not found:
            continue
        key, value = found[1], found[2].strip()
        if key == "RUN":
            unfinished += value.removesuffix("\\")
            if not value.endswith("\\"):
                test.commands.append(unfinished)
                unfinished = ""
        elif key == "REQUIRES":
            missing = [n for n in _names(value) if n.lstrip("!") not in FEATURES]
            test.why = test.why or (f"needs {missing[0]}" if missing else "")
        elif any(name in FEATURES or name == "true" for name in _names(value)):
            if key == "UNSUPPORTED":
                test.why = test.why or "left out by its author"
            test.fails = test.fails or key == "XFAIL"
    if any("HIDDEN_HELPER" in command for command in test.commands):
        test.why = test.why or "needs hidden-helper"
    if not test.commands:
        test.why = test.why or "no test"
    return test


def tests_in(folder: Path) -> Iterator[Test]:
    for source in sorted(folder.rglob("*")):
        if source.suffix in (".c", ".cpp") and (
            source.relative_to(folder).parts[0] not in OTHER_FOLDERS
        ):
            yield read_test(source, folder)


def expand(command: str, test: Test, folder: Path, program: Path) -> str:
    """The command of a RUN line, with what lit would put in place of its words."""
    flags = " ".join([*FLAGS, f"-I{folder}"])
    clang, clang_xx = f"clang-19 {flags}", f"clang++-19 {flags}"
    build = "%s -o %t -lm -latomic"
    words = {
        r"%libomp-(\w+-)?(\w+-)?compile-and-run": r"%libomp-\1\2compile && %libomp-run",
        "%libomp-cxx-compile-c": f"{clang_xx} -std=c++17 -x c++ {build}",
        "%libomp-cxx20-compile": f"{clang_xx} -std=c++20 {build}",
        "%libomp-cxx-compile": f"{clang_xx} -std=c++17 {build}",
        "%libomp-irbuilder-compile": f"{clang} -fopenmp-enable-irbuilder {build}",
        "%libomp-c99-compile": f"{clang} -std=c99 {build}",
        "%libomp-compile": f"{clang} {build}",
        "%libomp-run": "%t",
        "%clangXX": "clang++-19",
        "%clang": "clang-19",
        "%openmp_flags": "-fopenmp",
        "%flags-use-compiler-omp-h": f"-I{folder}",
        "%flags": f"-I{folder}",
        "%python": sys.executable,
        r"\bFileCheck\b": "FileCheck-19",
        "%s": str(test.source),
        "%S": str(test.source.parent),
        "%t": str(program),
        "%T": str(program.parent),
    }
    for word, meaning in words.items():
        command = re.sub(word, meaning, command)
    return command


def run_test(test: Test, folder: Path, bin_folder: Path, environment: dict[str, str]) -> Outcome:
    program = bin_folder / test.name
    program.parent.mkdir(parents=True, exist_ok=True)
    script = "set -o pipefail\n" + "\n".join(
        f"{{ {expand(command, test, folder, program)} ; }} || exit 1" for command in test.commands
    )
    try:
        done = subprocess.run(
            ["timeout", str(SECONDS_MAX), "bash", "-c", script], env=environment,
            cwd=program.parent, capture_output=True, text=True, errors="replace",
        )  # fmt: skip
    except OSError as error:
        return Outcome(test.name, False, str(error))
    if done.returncode == 124:
        return Outcome(test.name, False, f"still runs after {SECONDS_MAX} s")
    passed = (done.returncode == 0) != test.fails
    return Outcome(
        test.name, passed, (done.stdout + done.stderr)[-200:].strip().replace("\n", " | ")
    )


def exceptions() -> list[str]:
    """Patterns of tests whose failure is accepted, from the tables in the user's page."""
    text = (ROOT / "docs" / "user" / "openmp.md").read_text()
    rows = re.findall(r"^\| (`.*?) \|", text, flags=re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`([a-z_]+/\S+?\.c(?:pp)?)`", row)]


def environment_of(arguments: argparse.Namespace, threads: str) -> dict[str, str]:
    unset = ("OMP_", "KMP_", "GOMP_", "LIBOMP_")
    environment = {n: v for n, v in os.environ.items() if not n.startswith(unset)}
    if not arguments.stock:
        environment["LD_LIBRARY_PATH"] = str(arguments.library.resolve())
    if threads != "default":
        environment["OMP_NUM_THREADS"] = threads
    return environment


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("library", type=Path)
    parser.add_argument("--threads", default="default")
    parser.add_argument("--stock", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--folder", type=Path, default=ROOT / ".cache" / "openmp")
    arguments = parser.parse_args()
    folder = fetch(arguments.folder.resolve())
    tests = [t for t in tests_in(folder) if re.search(arguments.only, t.name)]
    if shutil.which("FileCheck-19") is None:
        for test in tests:
            if any("FileCheck" in command for command in test.commands):
                test.why = test.why or "needs FileCheck-19 (Debian's llvm-19-tools)"
    wanted = [t for t in tests if not t.why]
    print(f"{len(tests)} tests, {len(tests) - len(wanted)} not for this machine", flush=True)
    accepted, surprises = exceptions(), 0

    def is_accepted(name: str) -> bool:
        return any(fnmatch(name, pattern) for pattern in accepted)

    for threads in arguments.threads.split(","):
        run = partial(
            run_test, folder=folder, bin_folder=arguments.folder.resolve() / "llvm-bin",
            environment=environment_of(arguments, threads),
        )  # fmt: skip
        with ThreadPoolExecutor(arguments.jobs) as pool:
            outcomes = list(pool.map(run, wanted))
        surprises += tell(outcomes, threads, is_accepted)
    return 1 if surprises and not arguments.stock else 0


if __name__ == "__main__":
    sys.exit(main())
