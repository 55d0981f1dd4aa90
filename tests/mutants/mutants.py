# SPDX-License-Identifier: Apache-2.0
"""Do the tests of order have teeth? Plants one fault at a time into the code that orders tasks,
links the runtime anew, and expects the tests, in random order, to fail.

Usage: mutants.py BUILD_FOLDER [--only NAME]    a build without MYR_UNITY, such as dev

A fault is a line of code and what stands there instead; if the line has changed, the fault has to
be written anew here. It counts as found if any of the tests fails, crashes or hangs on the machines
whose code it is in.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

ROOT = Path(__file__).parents[2]
SMP = ("smp:1", "smp:4")
TREE = ("tree:1+2", "tree:2x2x2", "sim:formic-520:1+4")
SCC_TREE = ("sim:scc-48-tree:2+6",)
SECONDS = 240  # for one test; they take some seconds


class Fault(Protocol):
    path: str
    unit: str  # of a header: the file that is compiled with it

    def text(self) -> str:
        """The file with the fault."""
        ...


@dataclass(frozen=True)
class Mutant:
    name: str
    path: str
    right: str
    wrong: str
    machines: tuple[str, ...]
    unit: str = ""  # of a header: the file that is compiled with it

    def text(self) -> str:
        """The file with the fault."""
        text = (ROOT / self.path).read_text()
        if text.count(self.right) != 1:
            raise ValueError(f"{self.path}: the code of '{self.name}' has changed: write it anew")
        return text.replace(self.right, self.wrong)


MUTANTS = (
    Mutant(
        "a worker of the tree on the SCC does not invalidate", "src/cluster/sim/task_memory.cpp",
        "  caches_.invalidate();\n",
        "",
        SCC_TREE,
    ),
    Mutant(
        "a worker of the tree on the SCC does not flush", "src/cluster/sim/task_memory.cpp",
        "  caches_.flush_by_reading(scc::own_controller(core_), bursts);\n",
        "",
        SCC_TREE,
    ),
    Mutant(
        "every eighth edge is lost", "src/graph/linker.cpp",
        "  free_edge_->task = TaskArena::granule(&waiter_);\n",
        "  static thread_local unsigned count = 0;\n  if (++count % 8 == 0) return;\n"
        "  free_edge_->task = TaskArena::granule(&waiter_);\n",
        SMP,
    ),
    Mutant(
        "a writer does not wait for the readers before it", "src/graph/users.cpp",
        "  report_all(group, sink);\n  group.clear();\n",
        "  static_cast<void>(sink);\n  group.clear();\n",
        SMP,
    ),
    Mutant(
        "the end of a range is forgotten", "src/deps/range_map.hpp",
        "        bytes.begin, bytes.end,\n        [&](auto& piece) {\n",
        "        bytes.begin, (bytes.begin + bytes.end + 1) / 2,\n        [&](auto& piece) {\n",
        SMP, unit="src/graph/domain.cpp",
    ),
    Mutant(
        "a task begins one predecessor too early", "src/engine/worker_spawn.cpp",
        "  return task->waiting.commit(linked) ||\n",
        "  return task->waiting.commit(linked > 2 ? linked - 1 : linked) ||\n",
        SMP,
    ),
    Mutant(
        "children of an ended task are not waited for", "src/engine/worker_run.cpp",
        "    linker.inherit(*task);\n", "", SMP,
    ),
    Mutant(
        "a reader joins a writer", "src/deps/queue_tree.cpp",
        "  if (entry.use.mode == Mode::Read && !is_behind_writes) return true;\n",
        "  if (entry.use.mode == Mode::Read) return true;\n",
        TREE,
    ),
    Mutant(
        "readers below do not keep a writer away", "src/deps/queue_tree.cpp",
        "(use.mode == Mode::Read || node.below.reads == 0)", "(use.mode == Mode::Read || true)",
        TREE,
    ),
    Mutant(
        "a writer of a range does not wait for its readers", "src/sched/sibling_ranges.hpp",
        "      if (writes) report_all(readers, sink);\n", "", TREE,
        unit="src/sched/sibling_ranges.cpp",
    ),
    Mutant(
        "what is below a node overtakes those who wait for it", "src/deps/queue_tree.cpp",
        "  if (is_behind) {\n", "  if (is_behind && use.task == 0) {\n", TREE,
    ),
    Mutant(
        "accesses that go together count as one", "src/deps/queue_tree.cpp",
        "  node.from_above.of(use.mode) += count;\n", "  node.from_above.of(use.mode) += 1;\n",
        TREE,
    ),
)  # fmt: skip


def commands(build: Path) -> list[list[str]]:
    return [
        [str(build / "bin" / "myr_conformance")],
        [str(build / "bin" / "myr_random"), "--seed", "1", "--count", "150"],
    ]


def fails(command: list[str], machine: str, library: str) -> bool:
    variables = {"MYR_ON": machine, "MYR_CHAOS": "1", "LD_LIBRARY_PATH": library}
    try:
        done = subprocess.run(
            command, env=os.environ | variables, capture_output=True, check=False, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def finders(build: Path, machines: tuple[str, ...], library: str) -> list[str]:
    """Who fails: test and machine."""
    return [
        f"{Path(command[0]).name.removeprefix('myr_')} on {machine}"
        for command in commands(build)
        for machine in machines
        if fails(command, machine, library)
    ]


@cache
def link_words(build: Path, target: str) -> tuple[str, ...]:
    """How a build links a library or a program."""
    done = subprocess.run(
        ["ninja", "-C", build, "-t", "commands", target],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    last = [line for line in done.stdout.splitlines() if line.startswith(": && ")][-1]
    return tuple(shlex.split(last.removeprefix(": && ").split(" && ")[0]))


class Runtime:
    """libmyrmidon.so of a build, with one file replaced; the build stays as it is."""

    def __init__(self, build: Path, folder: Path, errors: int | None = None) -> None:
        """`errors`: where those of the compiler go."""
        self.build = build
        self.folder = folder
        self.errors = errors
        self.made = folder / "mutant.o"
        commands = json.loads((build / "compile_commands.json").read_text())
        self.compile = {entry["file"]: entry["command"] for entry in commands}

    def make(self, mutant: Fault) -> None:
        """Without optimising across files: the objects hold machine code as well."""
        # Where headers are found by the names that others include them by.
        source = self.folder / Path(mutant.path).relative_to("src")
        source.parent.mkdir(parents=True)
        source.write_text(mutant.text())
        unit = str(ROOT / (mutant.unit or mutant.path))
        compiler, *words = shlex.split(self.compile[unit])
        place = words[words.index("-o") + 1]
        replaced = {place: str(self.made)}
        if not mutant.unit:
            replaced[unit] = str(source)
        words = [replaced.get(word, word) for word in words]
        self.run([compiler, f"-I{self.folder}", *words, "-w", f"-I{Path(unit).parent}"])
        link = link_words(self.build, "libmyrmidon.so")
        words = [str(self.made) if word == place else word for word in link]
        words[words.index("-o") + 1] = str(self.folder / "libmyrmidon.so.0")
        self.run([*words, "-fno-lto"])

    def make_program(self, name: str) -> bool:
        """A program into which the library is linked; False: it is one that loads the library."""
        compiler, *words = link_words(self.build, name)
        if "lib/libmyrmidon.a" not in words:
            return False
        words[words.index("-o") + 1] = str(self.folder / name)
        self.run([compiler, str(self.made), *words])  # whose names are not looked for further on
        return True

    def run(self, words: list[str]) -> None:
        subprocess.run(words, cwd=self.build, stderr=self.errors, check=True)


def run_with(mutant: Mutant, build: Path) -> list[str]:
    with TemporaryDirectory() as folder:
        Runtime(build, Path(folder)).make(mutant)
        return finders(build, mutant.machines, folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("--only", metavar="NAME")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    if false_alarms := finders(build, SMP + TREE, str(build / "lib")):
        sys.exit(f"without any fault, these fail: {', '.join(false_alarms)}")
    missed = 0
    for mutant in MUTANTS:
        if arguments.only not in (None, mutant.name):
            continue
        found = run_with(mutant, build)
        missed += not found
        verdict = f"found by {', '.join(found)}" if found else "NOT FOUND"
        print(f"{mutant.name}: {verdict}", flush=True)
    print(f"{missed} faults were not found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
