#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws block diagrams of the scheduler from its sources: which instances a module has, and which
of them drives which.

Usage: python3 hw/diagram.py          writes them into hw/README.md, between its marks
       python3 hw/diagram.py --check  status 1 if they are not those of the sources
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import readme

HW = Path(__file__).resolve().parent
# A diagram each.
SHOWN = ("picos_system", "picos_manager", "submission_handler", "manager_hub", "tracker")
INSTANCE = re.compile(r"^\s*(\w+)\s*(?:#\((.*?)\)\s*)?(u_\w+)\s*\((.*?)^\s*\);", re.M | re.S)
CONNECTION = re.compile(r"\.(\w+)\s*(?:\(((?:[^()]|\([^()]*\))*)\))?")


@dataclass(frozen=True)
class Instance:
    module: str
    name: str
    each: str  # of what there are so many, if it is inside of a loop: Cores, Managers
    drives: frozenset[str]  # signals
    reads: frozenset[str]


def signals(expression: str) -> frozenset[str]:
    """Names in an expression, without indices, sizes and packages."""
    bare = re.sub(r"\[[^\]]*\]|\w+::\w+|\d*'\w+", "", expression)
    return frozenset(re.findall(r"\b[a-z]\w*", bare))


def instances(module: str, known: set[str]) -> Iterator[Instance]:
    text = re.sub(r"//.*", "", (HW / f"rtl/{module}.sv").read_text())
    loops = [
        (loop.start(), text.find(f"\n{loop[1]}end", loop.start()), loop[3])
        for loop in re.finditer(r"\n( +)for \(genvar (\w+) = 0; \2 < (\w+);", text)
    ]
    for found in INSTANCE.finditer(text):
        if found[1] not in known:
            continue
        drives: set[str] = set()
        reads: set[str] = set()
        for port, expression in CONNECTION.findall(found[4]):
            (drives if port.endswith("_o") else reads).update(signals(expression or port))
        each = next((what for start, end, what in loops if start < found.start() < end), "")
        yield Instance(found[1], found[3], each, frozenset(drives), frozenset(reads))


def known_modules() -> set[str]:
    return {name.removesuffix(".sv") for name in (HW / "rtl/picos.f").read_text().split()}


def ends(text: str, module: str) -> tuple[frozenset[str], frozenset[str]]:
    """The module's own ports: inputs, outputs; but clock and reset."""
    head = text[: text.index(");", text.index(f"module {module}"))]
    inputs = set(re.findall(r"\binput\b[^,\n]*?(\w+)\s*,?\s*(?://.*)?$", head, re.M))
    outputs = set(re.findall(r"\boutput\b[^,\n]*?(\w+)\s*,?\s*(?://.*)?$", head, re.M))
    return frozenset(inputs - {"clk_i", "rst_ni"}), frozenset(outputs)


def through(text: str) -> dict[str, frozenset[str]]:
    """What assignments without a clock compute from what."""
    assigned: dict[str, frozenset[str]] = {}
    pairs = re.findall(r"assign\s+(\w+)[^=;]*=\s*([^;]+);", text)
    for block in re.findall(r"\n( +)always_comb begin\n(.*?)\n\1end", text, re.S):
        for statement in re.findall(
            r"(?:if \([^;]*?\) )?\b\w+(?:\[[^;]*?\])?\s=\s[^;]+;", block[1]
        ):
            condition, target, source = re.match(
                r"(?:if \((.*)\) )?(\w+)(?:\[.*?\])?\s=\s(.+);", statement, re.S
            ).groups()
            pairs.append((target, f"{condition or ''} {source}"))
    for target, source in pairs:
        assigned[target] = assigned.get(target, frozenset()) | signals(source)
    return assigned


def diagram(module: str, known: set[str]) -> str:
    """In Mermaid."""
    text = re.sub(r"//.*", "", (HW / f"rtl/{module}.sv").read_text())
    inside = list(instances(module, known))
    inputs, outputs = ends(text, module)
    assigned = through(text)

    def sources(read: frozenset[str]) -> frozenset[str]:
        """With what assignments stand for."""
        return read | frozenset(s for signal in read for s in assigned.get(signal, ()))

    lines = ["```mermaid", "flowchart LR"]
    for one in inside:
        times = f" × {one.each}" if one.each else ""
        lines.append(f'  {one.name}["{one.module}{times}<br/><small>{one.name}</small>"]')
    edges: dict[tuple[str, str], int] = {}

    def connect(start: str, end: str, shared: frozenset[str]) -> None:
        if shared and start != end:
            edges[start, end] = edges.get((start, end), 0) + len(shared)

    for one in inside:
        connect("inputs", one.name, sources(one.reads) & inputs)
        for other in inside:
            connect(one.name, other.name, one.drives & sources(other.reads))
        needed = frozenset().union(*(sources(frozenset({output})) for output in outputs))
        connect(one.name, "outputs", one.drives & needed)
    for (start, end), count in sorted(edges.items()):
        ends_text = {"inputs": "inputs([inputs])", "outputs": "outputs([outputs])"}
        lines.append(f"  {ends_text.get(start, start)} -->|{count}| {ends_text.get(end, end)}")
    return "\n".join([*lines, "```"])


def tree(module: str, known: set[str], indent: int = 0, each: str = "") -> Iterator[str]:
    """A line an instance; queues, which are everywhere, are counted."""
    times = {"Cores": " (one a core)", "Managers": " (one for eight cores)"}.get(each, "")
    inside = list(instances(module, known))
    queues = sum(one.module == "fifo" for one in inside)
    has = f", {queues} queue{'s' * (queues > 1)}" if queues else ""
    yield f"{'  ' * indent}{module}{times}{has}"
    for one in inside:
        if one.module != "fifo":
            yield from tree(one.module, known, indent + 1, one.each)


def section() -> str:
    known = known_modules()
    parts = ["\n".join(["```", *tree(SHOWN[0], known), "```"])]
    parts.append("An arrow's number is how many signals go that way; clock and reset are left out.")
    parts += [f"`{module}`:\n\n{diagram(module, known)}" for module in SHOWN]
    return "\n\n".join(parts)


if __name__ == "__main__":
    sys.exit(readme.keep_section("diagram.py", "the block diagrams", section))
