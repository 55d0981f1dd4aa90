# SPDX-License-Identifier: Apache-2.0
"""Whole programs: which statements stand where, and how often."""

import random
import re
from collections.abc import Callable

from calls import (
    declared_call,
    group,
    method,
    myrmics,
    recursion,
    reducing_loop,
    spawner_call,
    taskloop,
)
from program import C_KINDS, CXX_KINDS, MOD, TYPES, Node, Program, Value
from statements import (
    Context,
    block,
    change,
    condition,
    lambda_calls,
    local,
    local_array,
    loop,
    parallel,
    short_task,
    statements,
    task,
    touch,
    wait,
    wait_on,
    walk,
)

MENU: dict[Callable[[Context], Node | None], int] = {
    task: 10,
    short_task: 5,
    loop: 4,
    walk: 2,
    touch: 4,
    change: 3,
    local: 3,
    condition: 2,
    block: 1,
    lambda_calls: 1,
    local_array: 1,
    wait: 2,
    wait_on: 3,
    declared_call: 4,
    spawner_call: 2,
    method: 2,
    myrmics: 1,
    recursion: 1,
    taskloop: 3,
    reducing_loop: 1,
    group: 1,
    parallel: 2,
}
SPAWNS = (task, short_task, loop, walk, lambda_calls, declared_call, spawner_call, method)
SPAWNS += (myrmics, recursion, taskloop, reducing_loop, group, parallel, local_array)


def menu_of(c: Context) -> dict[Callable[[Context], Node | None], int]:
    """What may stand here, and how often it should."""
    if len(c.scopes) > 7:
        return {touch: 4, change: 1, local: 1}
    if c.weak and c.depth < 3:
        return {task: 4, short_task: 4, declared_call: 3, walk: 2, loop: 2, condition: 1, block: 1}
    if c.depth >= 3:
        return {make: weight for make, weight in MENU.items() if make not in SPAWNS}
    if c.depth:
        return {m: w if m in SPAWNS else 3 * w for m, w in MENU.items()} | {touch: 30}
    return MENU


def pack(p: Program) -> Node:
    """The program's structure, in C++ with methods, or as a template."""
    template = p.cpp and p.chance(0.4)
    name, kind = f"Pack{p.number}", p.kind
    if template:
        name, kind = f"Any{p.number}", "T"
    lines = ["template <class T>"] if template else []
    lines += [f"struct {name} {{", f"  {kind} first;", "  short second;"]
    lines += ["  unsigned low : 8;", "  unsigned high : 8;", f"  {kind} list[4];"]
    if p.cpp:
        lines += ["#pragma omp task inout(first) in(list)", "  void mix(int v) {"]
        lines += [f"    first = (first * {p.constant()} + list[1] + v) % {MOD};", "  }"]
        lines += ["#pragma omp task inout(list[1;2], second)", "  void two(int v = 4) {"]
        lines += [f"    second = (second + list[2] + v) % {MOD};"]
        lines += [f"    list[1] = (list[1] + list[2] * 3 + second) % {MOD};", "  }"]
        lines += ["  void later(int v) {", "#pragma omp task inout(first) inout(this->second)"]
        both = f"first = (first + v) % {MOD}; second = (second + first) % {MOD};"
        lines += [f"    {{ {both} }}", "  }"]
    more = f"\nusing Pack{p.number} = {name}<{p.kind}>;" if template else ""
    return Node("\n".join([*lines, "};"]) + more)


def small_helpers(p: Program) -> list[Node]:
    head = f"static void set{p.number}({p.kind}* to, int v) {{"
    nodes = [Node(f"{head} *to = (*to * {p.constant()} + v) % {MOD}; }}")]
    if p.cpp:
        head = f"static void setr{p.number}({p.kind}& to, const int& v) {{"
        nodes.append(Node(f"{head} to = (to * {p.constant()} + v) % {MOD}; }}"))
    return nodes


def make_program(number: int, cpp: bool, seed: str) -> Program:
    """A random program."""
    rng = random.Random(seed)
    p = Program(number, cpp, rng, rng.choice(TYPES), menu_of=menu_of)
    p.header += [pack(p), *small_helpers(p)]
    c = Context(p, [], [], [{}])
    declares, printed, frees = [], [], []
    kinds = CXX_KINDS if cpp else C_KINDS
    for make in rng.choices(kinds, k=rng.randrange(3, 8)):
        variable = make(p)
        for name in re.findall(rf"\b[a-z]\d+(?:_{number})?\b", variable.declare):
            c.declare(name)
        c.give(variable.place, "inout")
        node = Node(variable.declare, keep=True)
        p.header.append(node) if variable.where == "file" else declares.append(node)
        printed += variable.printed
        frees += [Node(variable.free, keep=True)] if variable.free else []
    for _ in range(rng.randrange(1, 4)):
        name = p.fresh("v")
        c.values.append(Value(name, c.declare(name), True))
        declares.append(Node(f"int {name} = {rng.randrange(99)};", keep=True))
        printed.append(name)
    nodes = statements(c, rng.randrange(4, 10))
    final = [Node("#pragma omp taskwait", keep=True, waits=True)]
    final += [Node(show(number, printed[k : k + 8])) for k in range(0, len(printed), 8)]
    p.main = Node(f"static void program{number}(void) {{", declares + nodes + final + frees, "}")
    return p


def show(number: int, texts: list[str]) -> str:
    """A statement that prints some numbers."""
    values = ", ".join(f"(long)({text})" for text in texts)
    return f'printf("{number}| {texts[0]}:{" %ld" * len(texts)}\\n", {values});'
