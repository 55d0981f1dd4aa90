# SPDX-License-Identifier: Apache-2.0
"""OpenMP programs of our kernels and of other people's suites: which sources they have, and how
they are built in several ways, with one source replaced by a changed one."""

from __future__ import annotations

import functools
import hashlib
import os
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CPP = {".cpp", ".cc", ".C"}
# The frame around all kernels, which has no pragmas and takes long to compile.
FRAME = ("libmyr_kernel_common.a", "libmyr_command_line.a")
DROPPED = {"-MD", "-c", "ccache", "-DNDEBUG"}
DROPPED_WITH_NEXT = {"-MT", "-MF", "-o"}
BUILD_SECONDS = 120


@dataclass(frozen=True)
class Way:
    """A compiler, and what makes its programs fit for a tool."""

    name: str
    c: str
    cpp: str
    options: tuple[str, ...]


PLAIN = Way("plain", "gcc", "g++", ("-O1",))
# Without builtins also copies of constant length are seen.
CHECKED = ("-g", "-O1", "-fno-builtin", "-fsanitize=thread")
SANITIZED = Way("gcc", "gcc", "g++", CHECKED)
CLANG = Way("clang", "clang-19", "clang++-19", CHECKED)
CLANG_SHARED = Way("clang", "clang-19", "clang++-19", (*CHECKED, "-shared-libsan"))


@dataclass(frozen=True)
class Unit:
    source: Path
    options: tuple[str, ...]
    is_planted: bool  # may a fault be there?


@dataclass(frozen=True)
class Program:
    name: str
    units: tuple[Unit, ...]
    libraries: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()


def _compiles(words: list[str]) -> Unit | None:
    """What a command compiles, with its options except for those that a way decides."""
    if "-c" not in words:
        return None
    options: list[str] = []
    rest = iter(words[:-1])
    for word in rest:
        if word in DROPPED_WITH_NEXT:
            next(rest)
        elif word not in DROPPED and not word.startswith(("-O", "-W", "-g", "-fdiagnostics")):
            options.append(word)
    first = next(place for place, word in enumerate(options) if word.startswith("-"))
    return Unit(Path(words[-1]), tuple(options[first:]), "-fopenmp" in options)


def _output(words: list[str]) -> str:
    return words[words.index("-o") + 1] if "-o" in words else ""


def _commands(build: Path, name: str) -> list[list[str]]:
    text = subprocess.run(
        ["ninja", "-C", build, "-t", "commands", f"bin/{name}"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    return [shlex.split(line) for line in text.splitlines()]


def kernel(build: Path, name: str, arguments: list[str]) -> Program:
    """A program of kernels_openmp, as ninja's commands would make it."""
    units: dict[str, Unit] = {}
    archives: dict[str, list[str]] = {}
    link: list[str] = []
    for words in _commands(build, name):
        if unit := _compiles(words):
            units[_output(words)] = unit
        elif "qc" in words:
            place = words.index("qc") + 1
            archives[words[place]] = [word for word in words[place:] if word.endswith(".o")]
        elif _output(words) == f"bin/{name}":
            link = words[2 : words.index("&&", 2)]
    objects, libraries = [], []
    for word in link:
        if word.endswith(".o"):
            objects.append(word)
        elif archives.get(word, [""])[0].startswith("kernels/") and not word.endswith(FRAME):
            objects += archives[word]
        elif word.endswith((".a", ".so")) or ".so." in word:
            libraries.append(str(build / word))
        elif word.startswith(("-l", "-Wl,-rpath")):
            libraries.append(word)
    short = "kernels." + name.removeprefix("kernel_").replace("_libgomp", "")
    return Program(short, tuple(units[o] for o in objects), tuple(libraries), tuple(arguments))


def kernels(build: Path) -> Iterator[Program]:
    runs = build / "bin" / "rivals.txt"
    for line in runs.read_text().splitlines() if runs.exists() else []:
        name, *arguments = shlex.split(line)
        if "_libgomp" in name:
            yield kernel(build, name, arguments)


def listed(file: Path, folder: Path) -> Iterator[Program]:
    """The programs that a list names, of those suites that are there."""
    for name, suite in tomllib.loads(file.read_text()).items():
        place = folder / suite["folder"]
        programs = suite.get("program", {})
        if "each" in suite:
            programs = {
                path.stem: {"sources": [path]} for path in sorted(place.glob(suite["each"]))
            }
        for short, given in programs.items():
            both = {
                key: [
                    str(word).replace("FOLDER", str(place))
                    for word in (*suite.get(key, ()), *given.get(key, ()))
                ]
                for key in ("sources", "others", "options", "arguments")
            }
            options = ("-fopenmp", *both["options"])
            units = [
                Unit((place / word).resolve(), options, key == "sources")
                for key in ("sources", "others")
                for word in both[key]
            ]
            if all(unit.source.exists() for unit in units):
                arguments = tuple(both["arguments"])
                yield Program(f"{name}.{short}", tuple(units), ("-lm",), arguments)


class Builder:
    """Builds into a folder; objects that are there already are taken."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def build(self, program: Program, way: Way, changed: tuple[Path, str] | None) -> Path | None:
        """The program, with one source's text changed; None if a compiler refuses."""
        text = changed[1] if changed else ""
        objects = []
        for unit in program.units:
            is_changed = changed is not None and unit.source == changed[0]
            made = self._object(unit, way, text if is_changed else None)
            if made is None:
                return None
            objects.append(made)
        is_cpp = any(unit.source.suffix in CPP for unit in program.units)
        link = [way.cpp if is_cpp else way.c, "-fopenmp", *way.options, *map(str, objects)]
        return self._made([*link, *program.libraries], "")

    def _object(self, unit: Unit, way: Way, text: str | None) -> Path | None:
        compiler = way.cpp if unit.source.suffix in CPP else way.c
        command = [compiler, *unit.options, *way.options, "-w", "-c"]
        if text is None:
            return self._made([*command, str(unit.source)], unit.source.read_text(errors="replace"))
        key = hashlib.sha1(text.encode()).hexdigest()[:16]
        copy = self.folder / key / unit.source.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(f'#line 1 "{unit.source}"\n{text}')
        return self._made([*command, "-iquote", str(unit.source.parent), str(copy)], "")

    def _made(self, command: list[str], content: str) -> Path | None:
        key = hashlib.sha1("\0".join([*command, content]).encode()).hexdigest()[:16]
        made = self.folder / f"{key}.o"
        if made.exists():
            return made
        scratch = self.folder / f"{key}.{os.getpid()}.{id(command)}"
        try:
            done = subprocess.run(
                [*command, "-o", scratch], capture_output=True, timeout=BUILD_SECONDS
            )
        except subprocess.TimeoutExpired:
            return None
        if done.returncode != 0:
            return None
        scratch.rename(made)
        return made


@functools.cache
def active_lines(unit: Unit) -> set[int]:
    """The lines of a source whose pragmas the compiler sees."""
    compiler = PLAIN.cpp if unit.source.suffix in CPP else PLAIN.c
    done = subprocess.run(
        [compiler, *unit.options, "-w", "-E", unit.source], capture_output=True, text=True
    )
    lines: set[int] = set()
    file, number = "", 0
    for text in done.stdout.splitlines():
        if text.startswith("# "):
            marker = text.split('"')
            number, file = int(text.split()[1]) - 1, marker[1] if len(marker) > 1 else file
            continue
        number += 1
        if text.lstrip().startswith("#pragma omp") and Path(file) == unit.source:
            lines.add(number)
    return lines
