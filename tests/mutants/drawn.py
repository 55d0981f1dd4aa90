# SPDX-License-Identifier: Apache-2.0
"""How much do the tests of a layer see? Draws changes to its code, one at a time: another operator
or constant, a condition turned round, a statement left out; and runs the tests until one fails.

Usage: drawn.py BUILD_FOLDER LAYER [--count N] [--seed S]    a build without MYR_UNITY, such as dev

All sites of the layer's .cpp files are as likely; headers, which many files compile, are left out,
and so are assertions. What the compiler refuses is drawn anew.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from mutants import ROOT, Runtime

SLOWER = 10  # a test that takes so many times as long as without a fault hangs
ASIDE_S = 20

# What stands there, in code without comments and strings, and what may stand there instead.
OPERATORS = tuple(
    (re.compile(pattern), wrong)
    for pattern, wrong in (
        (r"(?<= )==(?= )", "!="),
        (r"(?<= )!=(?= )", "=="),
        (r"(?<= )<(?= )", "<="),
        (r"(?<= )>(?= )", ">="),
        (r"(?<= )<=(?= )", "<"),
        (r"(?<= )>=(?= )", ">"),
        (r"(?<= )&&(?= )", "||"),
        (r"(?<= )\|\|(?= )", "&&"),
        (r"(?<= )\+(?= )", "-"),
        (r"(?<= )-(?= )", "+"),
        (r"(?<= )\+=(?= )", "-="),
        (r"(?<= )-=(?= )", "+="),
        (r"(?<= )\|=(?= )", "&="),
        (r"(?<= )&=(?= )", "|="),
        (r"\+\+", "--"),
        (r"(?<!-)--", "++"),
        (r"\btrue\b", "false"),
        (r"\bfalse\b", "true"),
        (r"\bstd::min\b", "std::max"),
        (r"\bstd::max\b", "std::min"),
        (r"(?<![\w.])0(?![\w.])", "1"),
        (r"(?<![\w.])1(?![\w.])", "2"),
        (r"(?<=\bif \()(?=\w)", "!"),
        (r"(?<=\bif \()!(?=\w)", ""),
        (r"(?<=\breturn )(?=[\w.:]+\()", "!"),
        # A statement that is a line, and what ends or goes on early.
        (r"(?<=[;{}\n\0]\n) +(?!return|using|const|auto|static_cast)[A-Za-z_][\w.>:-]*"
         r"(?:\(|\[| [-+|&]?= )[^\n\0]*;(?=[\n\0])", ""),
        (r"(?<=\) )(?:return|continue|break);(?=[\n\0])", ";"),
    )
)  # fmt: skip
# Comments, what is in quotes, assertions, and functions that look for what is wrong.
UNSEEN = re.compile(
    r"//.*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'|#include.*|^template.*|^enum.*"
    r"|(?:MYR_ASSERT|MYR_DCHECK|static_assert)\([^;]*;"
    r"|^\S[^\n;]*\bbroken_\w+\([^;]*?\{\n(?s:.*?)^\}",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Site:
    path: str  # of the source, from the root of the tree
    begin: int
    end: int
    wrong: str
    unit: str = ""

    def text(self) -> str:
        """The file with the fault."""
        text = (ROOT / self.path).read_text()
        return text[: self.begin] + self.wrong + text[self.end :]

    def __str__(self) -> str:
        text = (ROOT / self.path).read_text()
        line = text.count("\n", 0, self.begin) + 1
        before = text.rfind("\n", 0, self.begin) + 1
        after = text.find("\n", self.end)
        fault = f"{text[before : self.begin]}[{text[self.begin : self.end]} -> {self.wrong}]"
        return f"{self.path}:{line}: {(fault + text[self.end : after]).strip()}"


@dataclass(frozen=True)
class Test:
    program: str
    words: str = ""
    on: str = ""
    chaos: str = ""

    def __str__(self) -> str:
        return " ".join(word for word in (self.program, self.words, self.on) if word)


def on(machines: str, *programs: str) -> tuple[Test, ...]:
    """Programs with the arguments that ./test gives them."""
    return tuple(Test(program, on=machine) for machine in machines.split() for program in programs)


KINDS = ("myr_random_mixed", "myr_random_windows", "myr_random_replay", "myr_random_loops")
NODE = (
    Test("myr_graph_test"),
    Test("myr_engine_test"),
    *on("smp:2", "myr_conformance"),
    Test("myr_random", "--seed 1", "smp:4", "7"),
    *on("smp:4", *KINDS),
    *on("smp:1 smp:8", "myr_conformance"),
)
LAYERS = {
    "graph": NODE,
    "engine": NODE,
    "sched": (
        Test("myr_sched_test"),
        Test("myr_sim_defects_test"),
        Test("myr_dst", "--seed 1"),
        *on("tree:1+2 tree:3+6", "myr_conformance"),
        *on("tree:3+4", *KINDS),
        Test("myr_sim_scripts_test"),
    ),
}


def code_only(text: str) -> str:
    """The text, with blanks for what no fault is planted in."""
    return UNSEEN.sub(lambda unseen: re.sub(r"[^\n]", " ", unseen[0]), text)


def faults(text: str) -> Iterator[tuple[int, int, str]]:
    """What may be replaced, from where to where, by what."""
    # Blanks at the end of a line are none, so that a pattern sees where a statement ends.
    text = re.sub(r" +(?=\n)", lambda blanks: "\0" * len(blanks[0]), code_only(text))
    for right, wrong in OPERATORS:
        for found in right.finditer(text):
            yield found.start(), found.end(), wrong


def sites(layer: str) -> list[Site]:
    files = sorted((ROOT / "src" / layer).rglob("*.cpp"))
    return [
        Site(str(path.relative_to(ROOT)), *fault)
        for path in files
        if not re.search(r"_(test|model|stress)\.cpp$", path.name)
        for fault in faults(path.read_text())
    ]


class Finder:
    """Runs tests with the library of a folder."""

    def __init__(self, build: Path, tests: tuple[Test, ...]) -> None:
        self.build = build
        self.tests = tests
        self.limits: dict[Test, float] = {}

    def measure(self) -> None:
        for test in self.tests:
            began = time.monotonic()
            if self.fails(test, self.build / "bin", self.build / "lib", 600):
                sys.exit(f"without any fault, this fails: {test}")
            self.limits[test] = SLOWER * (time.monotonic() - began) + ASIDE_S

    def fails(self, test: Test, binaries: Path, library: Path, limit_s: float) -> bool:
        variables = {"MYR_ON": test.on, "MYR_CHAOS": test.chaos, "LD_LIBRARY_PATH": str(library)}
        try:
            done = subprocess.run(
                [binaries / test.program, *test.words.split()],
                env=os.environ | {name: value for name, value in variables.items() if value},
                capture_output=True, check=False, timeout=limit_s,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return True
        return done.returncode != 0

    def finder(self, runtime: Runtime) -> Test | None:
        """The first test that fails."""
        for test in self.tests:
            binaries = runtime.folder if runtime.make_program(test.program) else self.build / "bin"
            if self.fails(test, binaries, runtime.folder, self.limits[test]):
                return test
        return None


def try_one(site: Site, finder: Finder) -> str:
    """Who finds it; empty: it cannot be compiled."""
    with TemporaryDirectory() as folder:
        runtime = Runtime(finder.build, Path(folder), subprocess.DEVNULL)
        try:
            runtime.make(site)
        except subprocess.CalledProcessError:
            return ""
        test = finder.finder(runtime)
        return f"found by {test}" if test else "SURVIVED"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("layer", choices=LAYERS)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    finder = Finder(arguments.build.resolve(), LAYERS[arguments.layer])
    finder.measure()
    drawn = sites(arguments.layer)
    random.Random(arguments.seed).shuffle(drawn)
    found = tried = 0
    for site in drawn:
        if tried == arguments.count:
            break
        if not (verdict := try_one(site, finder)):
            continue
        tried += 1
        found += verdict != "SURVIVED"
        print(f"{verdict}: {site}", flush=True)
    print(f"{arguments.layer}, seed {arguments.seed}: {found} of {tried} faults were found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
