# SPDX-License-Identifier: Apache-2.0
"""Files of programs: what the plain compiler and myrcc make of them, and the smallest wrong one."""

import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from program import Node, Program

TIMEOUT = 60  # seconds, for a run
SHRINK_TRIES = 120


HEAD = """#include <stdio.h>
#include <stdlib.h>
{includes}#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define STEP(x, e) (x) = ((x) * 3 + (e)) % 251
#include "{header}"
"""
CXX_INCLUDES = ("array", "map", "memory", "string", "utility", "vector")
MAIN = """int main(int argc, char** argv) {{
  int only = argc > 1 ? atoi(argv[1]) : -1;
{calls}
  return 0;
}}
"""


@dataclass
class Tools:
    """Where things are."""

    build: Path
    folder: Path
    seed: int
    tries: int = SHRINK_TRIES

    def machines(self) -> list[dict[str, str]]:
        chaos = str(self.seed % 1000 + 1)
        names = ({"MYR_ON": "serial"}, {"MYR_ON": "smp:4", "MYR_CHAOS": chaos})
        return [*names, {"MYR_ON": "tree:1+2", "MYR_CHAOS": chaos}]


@dataclass
class Fault:
    """What is wrong with a program."""

    kind: str  # refused, reference, output, status, hung
    where: str
    text: str

    def same(self, other: "Fault | None") -> bool:
        if other is None or self.kind != other.kind:
            return False
        return self.kind != "refused" or brief(self.text) == brief(other.text)


def brief(message: str) -> str:
    """The first error of a compiler without places, names and numbers."""
    lines = [line for line in message.splitlines() if "error" in line] or [message[:200]]
    return re.sub(r"'[^']*'|`[^`]*`|\w*\d+\w*", "N", lines[0].split("error:")[-1]).strip()


def run(command: list[object], limit: int = TIMEOUT, **variables: str) -> tuple[int, str, str]:
    """The status, or 1000 if it hung, and what a command has said."""
    try:
        done = subprocess.run(
            [str(word) for word in command],
            env=os.environ | {"LC_ALL": "C"} | variables,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        return 1000, "", "no end"
    return done.returncode, done.stdout, done.stderr


def write(tools: Tools, name: str, programs: list[Program]) -> Path:
    """Writes a file with its header."""
    cpp = programs[0].cpp
    lines = []
    for p in programs:
        lines += [f"// program {p.number}", *[x for node in p.header for x in node.render()]]
    (tools.folder / f"{name}.h").write_text("\n".join(["#pragma once", *lines, ""]))
    includes = "".join(f"#include <{part}>\n" for part in CXX_INCLUDES) if cpp else ""
    text = HEAD.format(includes=includes, header=f"{name}.h")
    body = []
    for p in programs:
        nodes = [*p.top, p.main]
        body += [f"// program {p.number}", *[x for node in nodes for x in node.render()]]
    numbers_of = [p.number for p in programs]
    calls = "\n".join(f"  if (only < 0 || only == {n}) program{n}();" for n in numbers_of)
    source = tools.folder / f"{name}.{'cpp' if cpp else 'c'}"
    source.write_text(text + "\n".join(body) + "\n" + MAIN.format(calls=calls))
    return source


def compile_both(tools: Tools, source: Path) -> Fault | None:
    """Compiles by both compilers."""
    plain = "g++" if source.suffix == ".cpp" else "gcc"
    command = [plain, "-w", "-O0", "-o", source.with_suffix(".ref"), source]
    status, _, said = run(command, 10 * TIMEOUT)
    return Fault("reference", plain, said) if status else compile_myrcc(tools, source)


def compile_myrcc(tools: Tools, source: Path) -> Fault | None:
    """Compiles by myrcc."""
    myrcc = tools.build / "bin" / "myrcc"
    command = [myrcc, "-w", "-O1", "-o", source.with_suffix(".myr"), source]
    status, _, said = run(command, 10 * TIMEOUT)
    return Fault("hung" if status == 1000 else "refused", "myrcc", said) if status else None


def execute(tools: Tools, source: Path, arguments: tuple[str, ...] = ()) -> Fault | None:
    """Runs both, and compares."""
    _, expected, _ = run([source.with_suffix(".ref"), *arguments])
    for machine in tools.machines():
        status, got, said = run([source.with_suffix(".myr"), *arguments], **machine)
        where = " ".join(f"{name}={value}" for name, value in machine.items())
        if status:
            kind = "hung" if status == 1000 else "status"
            return Fault(kind, where, f"status {status}: {said[:500]}")
        if got != expected:
            return Fault("output", where, difference(expected, got))
    return None


def difference(expected: str, got: str) -> str:
    pairs = zip(expected.splitlines(), got.splitlines(), strict=False)
    lines = [f"  {a}   got: {b}" for a, b in pairs if a != b]
    return "\n".join(lines[:5]) or f"{len(expected)} bytes expected, {len(got)} printed"


def judge(tools: Tools, name: str, programs: list[Program], refused: bool = False) -> Fault | None:
    """What is wrong with some programs together; `refused` if only a refusal matters."""
    source = write(tools, name, programs)
    if refused:
        return compile_myrcc(tools, source) and compile_both(tools, source)
    return compile_both(tools, source) or execute(tools, source)


def owners(source: Path, programs: list[Program], said: str) -> list[tuple[Program, Fault]]:
    """The programs in whose lines a compiler has found errors."""
    found: dict[int, str] = {}
    for path in (source, source.with_suffix(".h")):
        owner = [0]
        for line in path.read_text().splitlines():
            mark = re.match(r"// program (\d+)", line)
            owner.append(int(mark.group(1)) if mark else owner[-1])
        pattern = rf"(?m)^{re.escape(str(path))}:(\d+):.*error.*(?:\n .*)*"
        for error in re.finditer(pattern, said):
            found.setdefault(owner[int(error.group(1))], error.group(0))
    return [(p, Fault("refused", "myrcc", found[p.number])) for p in programs if p.number in found]


def to_blame(tools: Tools, programs: list[Program]) -> list[tuple[Program, Fault]]:
    """The programs of a file that are wrong, each looked at by itself if the file is."""
    if not programs:
        return []
    source = write(tools, "unit", programs)
    fault = compile_both(tools, source)
    if fault:
        guilty = owners(source, programs, fault.text)
        bad = {p.number for p, _ in guilty}
        rest = [p for p in programs if p.number not in bad]
        return guilty + to_blame(tools, rest) if guilty else [(programs[0], fault)]
    if not execute(tools, source):
        return []
    alone = [(p, execute(tools, source, (str(p.number),))) for p in programs]
    again = [(p, judge(tools, "single", [p]) or found) for p, found in alone if found]
    return again or [(programs[0], Fault("output", "together", "each is right by itself"))]


# Making programs smaller


def droppable(p: Program) -> list[tuple[list[Node], int]]:
    """All statements that may go: where they stand."""
    found: list[tuple[list[Node], int]] = []

    def look(nodes: list[Node]) -> None:
        for k, node in enumerate(nodes):
            if not node.keep:
                found.append((nodes, k))
            look(node.body)

    for nodes in p.nodes():
        look(nodes)
    return found


def try_without(p: Program, nodes: list[Node], k: int, wrong: Callable[[], bool]) -> bool:
    """Whether the fault stays without a statement, of whose waits one is left."""
    node = nodes[k]
    if node is p.main:
        return False
    outside = nodes is p.top or nodes is p.header
    waits = not outside and any(inner.waits for inner in node.all())
    nodes[k] = Node("#pragma omp taskwait", keep=True, waits=True) if waits else Node("")
    if wrong():
        return True
    nodes[k] = node
    return False


def shrink(tools: Tools, p: Program, fault: Fault) -> Fault:
    """Drops statements, then clauses and unused variables, while the fault stays."""
    tries = 0

    def wrong() -> bool:
        nonlocal tries, fault
        tries += 1
        refused = fault.kind == "refused"
        found = judge(tools, "shrunk", [p], refused) if tries < tools.tries else None
        if found and fault.same(found):
            fault = found
            return True
        return False

    thin_out(p, wrong)
    progress = True
    while progress and tries < tools.tries:
        progress = False
        for nodes, k in droppable(p):
            if k < len(nodes) and nodes[k].head and not nodes[k].keep:
                progress |= try_without(p, nodes, k, wrong)
    for node in [node for nodes in p.nodes() for top in nodes for node in top.all()]:
        for option in list(node.options):
            node.options.remove(option)
            if not wrong():
                node.options.append(option)
    drop_unused(p, wrong)
    write(tools, "shrunk", [p])
    return fault


def thin_out(p: Program, wrong: Callable[[], bool]) -> None:
    """Drops whole stretches of statements."""
    for nodes in (p.main.body, p.top, p.header):
        size = len(nodes)
        while size > 1:
            size = (size + 1) // 2
            for first in range(0, len(nodes), size):
                old = nodes[first : first + size]
                gone = [node for node in old if not node.keep and node.head]
                waits = nodes is p.main.body and any(n.waits for node in gone for n in node.all())
                less = [node for node in old if node.keep]
                less += [Node("#pragma omp taskwait", keep=True, waits=True)] if waits else []
                less += [Node("")] * (len(old) - len(less))
                nodes[first : first + size] = less
                if len(gone) < 2 or not wrong():
                    nodes[first : first + size] = old


def drop_unused(p: Program, wrong: Callable[[], bool]) -> None:
    """Drops variables that nothing names but their own declarations."""
    everything = [node for nodes in p.nodes() for top in nodes for node in top.all()]
    for node in everything:
        text = "\n".join(line for nodes in p.nodes() for top in nodes for line in top.render())
        names = set(re.findall(r"\b[a-z]\d+\b", node.head))
        own = {name: len(re.findall(rf"\b{name}\b", node.head)) for name in names}
        if node.keep and not node.body and names and not node.head.startswith("#"):
            if all(len(re.findall(rf"\b{name}\b", text)) == own[name] for name in names):
                head, node.head = node.head, ""
                if not wrong():
                    node.head = head
