# SPDX-License-Identifier: Apache-2.0
"""The tests of GCC's own OpenMP runtime, which nobody here wrote, on Myrmidon's libgomp.so.1.

Usage: suite.py LIBRARY_FOLDER [--threads 1,2,4,8] [--stock] [--only PATTERN] [--repeat N]
                [--jobs N] [--folder FOLDER]

Fetches Debian's source package gcc-12 into FOLDER (.cache/openmp), compiles the tests in C and C++
with gcc-12 and g++-12 once, and runs them with the library. --stock: with Debian's library, for
comparison. Prints each test that fails and the counts; status 1 if one fails that docs/user/
openmp.md does not list as an exception.
"""

import argparse
import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import debian_sources
from dejagnu import Test, read_test
from outcomes import Outcome, tell

ROOT = Path(__file__).parents[2]
LIBGOMP = "gcc-12.2.0/libgomp"  # one test includes its header, one what its configure writes
CONFIG = "#define HAVE_PTHREAD_AFFINITY_NP 1\n"
FOLDERS = (
    ("libgomp.c", "*.c", ("c",)),
    ("libgomp.c++", "*.C", ("c++",)),
    ("libgomp.c-c++-common", "*.c", ("c", "c++")),
)
COMPILERS = {"c": "gcc-12", "c++": "g++-12"}
SECONDS_MAX = 60


def fetch(folder: Path) -> Path:
    """The tests; only they are unpacked."""
    tests = folder / LIBGOMP / "testsuite"
    if not (tests / "libgomp.c").exists():
        place = folder / "gcc-12"
        debian_sources.fetch("gcc-12", folder, place, "--download-only")
        (outer,) = place.glob("gcc-12_*.orig.tar.*")
        with tarfile.open(outer) as archive:
            name = next(n for n in archive.getnames() if re.search(r"/gcc-12[^/]*\.tar\.xz$", n))
            archive.extract(name, place)
        subprocess.run(["tar", "xf", place / name, "-C", folder, LIBGOMP], check=True)
        (folder / "config.h").write_text(CONFIG)
    return tests


def tests_in(folder: Path) -> Iterator[Test]:
    for name, pattern, languages in FOLDERS:
        for source in sorted((folder / name).glob(pattern)):
            for language in languages:
                yield read_test(source, language)


def compile_test(test: Test, folder: Path) -> tuple[Path, str]:
    """The program, and what the compiler says if it fails. Compiled once."""
    program = folder / "bin" / test.name.replace(":", "-")
    program.parent.mkdir(parents=True, exist_ok=True)
    if program.exists():
        return program, ""
    command = [
        COMPILERS[test.language],
        "-fopenmp",
        "-w",
        "-I",
        test.source.parent,
        "-I",
        test.source.parents[2],
        "-I",
        folder,
        *test.flags,
    ]
    if test.kind == "compile":
        command.append("-c")
    done = subprocess.run(
        [*command, *test.sources, "-o", program, "-lm"],
        capture_output=True, text=True, errors="replace",
    )  # fmt: skip
    return program, "" if done.returncode == 0 else f"does not compile: {done.stderr[:200]}"


def run_test(test: Test, folder: Path, variables: dict[str, str]) -> Outcome:
    """Compiles if need be, and runs."""
    program, complaint = compile_test(test, folder)
    if complaint or test.kind != "run":
        return Outcome(test.name, (complaint == "") != test.refused, complaint)
    environment = {**os.environ, **variables, **test.variables}
    try:
        done = subprocess.run(
            [program], env=environment, cwd=folder, capture_output=True, text=True,
            errors="replace", timeout=SECONDS_MAX,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Outcome(test.name, False, f"still runs after {SECONDS_MAX} s")
    output = done.stdout + done.stderr
    if (done.returncode != 0) != test.fails:
        return Outcome(test.name, False, f"status {done.returncode} {output[-160:].strip()!r}")
    wrong = [p for p in test.output if not re.search(p, output)]
    return Outcome(test.name, not wrong, f"prints {output[:160]!r}" if wrong else "")


def exceptions() -> set[str]:
    """Tests whose failure is accepted, from the table in the user's page."""
    page = ROOT / "docs" / "user" / "openmp.md"
    text = page.read_text() if page.exists() else ""
    return set(re.findall(r"^\| `(libgomp\.\S+?)`", text, flags=re.MULTILINE))


def run_all(tests: list[Test], arguments: argparse.Namespace, threads: str) -> list[Outcome]:
    variables = {"OMP_NUM_THREADS": threads} if threads != "default" else {}
    if not arguments.stock:
        variables["LD_LIBRARY_PATH"] = str(arguments.library.resolve())
    with ThreadPoolExecutor(arguments.jobs) as pool:
        return list(pool.map(lambda t: run_test(t, arguments.folder.resolve(), variables), tests))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("library", type=Path)
    parser.add_argument("--threads", default="2")
    parser.add_argument("--stock", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--folder", type=Path, default=ROOT / ".cache" / "openmp")
    arguments = parser.parse_args()
    tests = [t for t in tests_in(fetch(arguments.folder)) if re.search(arguments.only, t.name)]
    wanted = [t for t in tests if t.kind != "skip"]
    print(f"{len(tests)} tests, {len(tests) - len(wanted)} not for this machine", flush=True)
    accepted = exceptions()
    surprises = 0
    for threads in arguments.threads.split(",") * arguments.repeat:
        outcomes = run_all(wanted, arguments, threads)
        surprises += tell(outcomes, threads, accepted.__contains__)
    return 1 if surprises and not arguments.stock else 0


if __name__ == "__main__":
    sys.exit(main())
