# SPDX-License-Identifier: Apache-2.0
"""Loops of tasks, reductions, and functions that are tasks or spawn some."""

import re

from program import MOD, Grant, Helper, Node, Place, Program, Value
from statements import (
    Context,
    clauses,
    counted,
    ending,
    fixed,
    options,
    passable,
    prologue,
    settled,
    sides,
    some_work,
    spawnable,
)


def reducible(c: Context) -> str | None:
    """A number to reduce into: free, and named by itself."""
    found = [a.item for a in c.writable() if a.kind and len(a.cells) == 1]
    names = [item for item in found if re.fullmatch(r"[xr]\d+", item)]
    return c.program.rng.choice(names) if names else None


def combine(operation: str, name: str, value: str) -> str:
    if operation in ("max", "min"):
        return f"if ({name} {'<' if operation == 'max' else '>'} {value}) {name} = {value};"
    return f"{name} {operation}= {value};"


def taskloop(c: Context) -> Node | None:
    """A loop whose parts are tasks."""
    p, found = c.program, [pair for pair in sides(c) if pair[0].loop[1] == "0"]
    targets = [place for place, most in found if most == "inout" and int(place.loop[2]) > 2]
    if not targets or c.weak:
        return None
    target = p.rng.choice(targets)
    others = [place for place, _ in found if place.root != target.root]
    name, _, count = target.loop
    inner, index = counted(c, int(count))
    others = [place for place in others if inner.visible(place)]
    if not inner.visible(target):
        return None
    inner.pending = {grant.root: "w" for grant in c.grants}
    limit, terms, lists = int(count), [inner.expression()], [f"inout({name}[{index}])"]
    low = 0
    for other in p.rng.sample(others, min(len(others), p.rng.randrange(3))):
        around = p.chance(0.5) and int(other.loop[2]) > 2
        source = other.loop[0]
        limit = min(limit, int(other.loop[2]) - around)
        low = max(low, int(around))
        near = f"{source}[{index} - 1] + {source}[{index} + 1]"
        terms.append(near if around else f"{source}[{index}]")
        lists.append(f"in({source}[{index}-1;3])" if around else f"in({source}[{index}])")
        c.used(other, "in")
    c.used(target, "inout")
    group = p.chance(0.5)
    sizes = (f"grainsize({p.rng.randrange(1, 4)})", f"num_tasks({p.constant()})", "")
    extra = [p.rng.choice(sizes)] + ([] if group else ["nogroup"])
    head = p.pragma(f"omp taskloop {' '.join(lists)} {' '.join(extra)}")
    text = f"{name}[{index}]"
    body = f"{text} = ({text} * {p.constant()} + {' + '.join(terms)}) % {MOD};"
    head += f"\nfor (int {index} = {low}; {index} < {limit}; ++{index}) {{"
    if group:
        c.pending.clear()
    return Node(head, [Node(body)], "}", waits=group)


def reducing_loop(c: Context) -> Node | None:
    """A taskloop that reduces."""
    p, name = c.program, reducible(c)
    if not name or c.weak:
        return None
    inner, index = counted(c, 9)
    inner.grants = []
    operation = p.rng.choice(("+", "^", "|", "max", "min", "&"))
    value = f"(({inner.expression()} + {index} * {p.constant()}) % 97)"
    size = p.rng.choice((" grainsize(2)", " num_tasks(3)", ""))
    head = p.pragma(f"omp taskloop reduction({operation}: {name}){size}")
    head += f"\nfor (int {index} = 0; {index} < {p.rng.randrange(3, 12)}; ++{index})"
    c.pending.clear()
    node = Node(f"{head}\n{combine(operation, name, value)}", waits=True)
    return Node("{", [node, Node(f"{name} %= {MOD};", keep=True)], "}", waits=True)


def group(c: Context) -> Node | None:
    """A taskgroup whose tasks take part in a reduction."""
    p, name = c.program, reducible(c)
    if not name or c.weak:
        return None
    operation = p.rng.choice(("+", "^", "|", "max", "min", "&"))
    inner, index = counted(c, 4)
    accesses = [(a, "in") for a, _ in spawnable(inner) if not re.search(rf"\b{name}\b", a.item)]
    accesses = [pair for pair in accesses if root_of(c, name) != pair[0].root][:1]
    child = inner.child(accesses, False)
    value = f"(({child.expression()}) % 97)"
    head = f"omp task in_reduction({operation}: {name}) {clauses(inner, accesses)}@"
    body = Node(f"{p.pragma(head)}\n{{", [Node(combine(operation, name, value))], "}")
    body.options = options(inner)
    top = p.pragma(f"omp taskgroup task_reduction({operation}: {name})")
    repeat = Node(f"for (int {index} = 0; {index} < 4; ++{index}) {{", [body], "}")
    c.pending.clear()
    node = Node(f"{top}\n{{", [repeat], "}", waits=True)
    return Node("{", [node, Node(f"{name} %= {MOD};", keep=True)], "}", waits=True)


def root_of(c: Context, name: str) -> str:
    """The memory that a name stands for."""
    for grant in c.grants:
        for _ in range(9):
            place = c.place(grant)
            if place and place.item == name:
                return place.root
    return name


# Functions


def parameter(c: Context, kind: str, mode: str, number: int) -> tuple[str, Place]:
    """A parameter of a function, and the place that it stands for."""
    p = c.program
    const = "const " if mode == "in" else ""
    name = {"vector": "c"}.get(kind, "z") + f"9{number}"
    c.declare(name)
    c.declare(f"m{number}")
    if kind == "range":
        item = p.rng.choice((f"[m{number}]{name}", f"{name}[0;m{number}]"))
        part = Place(f"{name}[0]", (f"{name}[0]",), name, p.kind)
        loop = (name, "0", f"m{number}")
        place = Place(item, part.cells, name, p.kind, "", loop, (part,))
        return f"{const}{p.kind}* {name}, int m{number}", place
    if kind == "vector":
        item = name
        place = Place(item, (f"{name}[0]", f"{name}[2]"), name, p.kind)
        return f"{const}std::vector<{p.kind}>& {name}", place
    cell = name if kind == "reference" else f"*{name}"
    star = "&" if kind == "reference" else "*"
    return f"{const}{p.kind}{star} {name}", Place(cell, (cell,), name, p.kind, cell)


def make_helper(p: Program, style: str) -> Helper:
    """A function that is a task, or that spawns tasks."""
    kinds = ["pointer", "range"] + (["reference", "vector"] if p.cpp else [])
    modes = ["in", "inout", "inout"] + (["out"] if style == "task" else [])
    params = [(p.rng.choice(kinds), p.rng.choice(modes)) for _ in range(p.rng.randrange(1, 4))]
    params = [(k, "inout" if k == "vector" and m == "out" else m) for k, m in params]
    c = Context(p, [], [], [{}], depth=1 if style == "task" else 2)
    made = [parameter(c, kind, mode, k) for k, (kind, mode) in enumerate(params)]
    c.values = [Value("value", c.declare("value"), True)]
    accesses = [(place.bound(c.resolve), mode) for (_, place), (_, mode) in zip(made, params)]
    c.grants = [Grant(fixed(a), settled(mode), a.root) for a, mode in accesses]
    if style == "spawner":
        c.pending = {grant.root: "w" for grant in c.grants}
    nodes = prologue(c, accesses) + some_work(c) + ending(c)
    helper = Helper(f"{style}{p.number}_{p.fresh('')}", style, params, p.cpp and p.chance(0.3))
    typed = ", ".join(text for text, _ in made)
    value = "int value = 4" if helper.default else "int value"
    pragma = f"omp task {clauses(c, accesses)}"
    pragma = p.pragma(pragma)
    emit(p, helper, pragma, f"{typed}, {value}", nodes)
    p.helpers.append(helper)
    return helper


def emit(p: Program, helper: Helper, pragma: str, typed: str, nodes: list[Node]) -> None:
    """Writes a function down: at once, as a template, or declared first."""
    pragma = f"{pragma}\n" if helper.style == "task" else ""
    form = p.rng.choice(("plain", "declared", "template" if p.cpp else "plain"))
    name, where = helper.name, p.header if p.chance(0.4) else p.top
    body = "\n".join(line for node in nodes for line in node.render())
    alone = not re.search(rf"(task|spawner|divide){p.number}", body)
    if form == "template":
        kind = rf"\b{p.kind}(?=[*&>])"
        typed = re.sub(kind, "T", typed)
        line = "template <class T>\n"
        p.top.append(Node(f"{pragma}{line}void {name}({typed}) {{", nodes, "}"))
        return
    if form == "declared":
        where.append(Node(f"{pragma}static void {name}({typed});"))
        pragma, typed = "", typed.replace(" = 4", "")
    place = where if form == "plain" and alone else p.top
    place.append(Node(f"{pragma}static void {name}({typed}) {{", nodes, "}"))


def argument(c: Context, kind: str, mode: str, taken: set[str]) -> tuple[str, Place] | None:
    """What a call may pass for such a parameter."""
    p, fitting = c.program, []
    for place, most in passable(c):
        if place.kind != p.kind or place.root in taken or (most == "in" and mode != "in"):
            continue
        if kind == "range" and place.loop and place.loop[2] != "0":
            name, first, count = place.loop
            fitting.append((f"&{name}[{first}], {count}", place))
        elif kind == "vector" and re.fullmatch(r"(c\d+)(\[0[;:].*)?", place.item):
            if len(place.cells) > 2 or place.item.startswith("c9"):
                fitting.append((place.item.partition("[")[0], place))
        elif kind in ("pointer", "reference"):
            cell = p.rng.choice(place.cells)
            fitting.append((cell if kind == "reference" else f"&{cell}", place))
    return p.rng.choice(fitting) if fitting else None


def call(c: Context, style: str) -> Node | None:
    """Calls a function that is a task, or one that spawns some."""
    p = c.program
    if style == "spawner" and c.weak:
        return None
    known = [helper for helper in p.helpers if helper.style == style]
    inside = c.scopes[0].get("value") is not None
    if not inside and (not known or p.chance(0.3)):
        known = [make_helper(p, style)]
    if not known:
        return None
    helper, taken, texts = p.rng.choice(known), set(), []
    places = []
    for kind, mode in helper.params:
        found = argument(c, kind, mode, taken)
        if not found:
            return None
        texts.append(found[0])
        taken.add(found[1].root)
        places.append((found[1], mode))
    if not helper.default or p.chance(0.5):
        texts.append(c.expression(memory=style != "task"))  # refused if it is declared
    for place, mode in places:
        c.used(place, mode)
    if p.chance(0.15) and not helper.default and style == "task":
        pointer = p.fresh("f")
        return pointer_call(p, helper, pointer, ", ".join(texts))
    return Node(f"{helper.name}({', '.join(texts)});")


def pointer_call(p: Program, helper: Helper, pointer: str, texts: str) -> Node:
    """The same by a pointer to the function."""
    types = {"pointer": f"{p.kind}*", "range": f"{p.kind}*, int", "reference": f"{p.kind}&"}
    types["vector"] = f"std::vector<{p.kind}>&"
    typed = [("const " if mode == "in" else "") + types[kind] for kind, mode in helper.params]
    declare = f"void (*{pointer})({', '.join(typed)}, int) = {helper.name};"
    return Node(f"{{\n  {declare}\n  {pointer}({texts});\n}}")


def method(c: Context) -> Node | None:
    """Calls a method that is a task, or has one."""
    p = c.program
    whole = [a for a, most in spawnable(c) if most == "inout" and len(a.cells) == 6]
    whole = [place for place in whole if place.cells[0].endswith("first")]
    if not p.cpp or not whole:
        return None
    place = p.rng.choice(whole)
    c.used(place, "inout")
    prefix = place.cells[0].removesuffix("first")
    name = p.rng.choice(("mix", "two", "later"))
    value = "" if name == "two" and p.chance(0.5) else c.expression(memory=False)
    return Node(f"{prefix}{name}({value});")


def myrmics(c: Context) -> Node | None:
    """A call that is a task in Myrmics' notation."""
    p = c.program
    found = [(a, m) for a, m in spawnable(c) if a.kind == p.kind and m == "inout"]
    if not found:
        return None
    place, _ = p.rng.choice(found)
    cell, name = p.rng.choice(place.cells), p.fresh("y")
    value = c.expression()
    c.used(place, "inout")
    word = p.rng.choice(("task ", ""))
    pragma = p.pragma(f"myrmics {word}inout({name})")
    first = Node(f"{p.kind}* {name} = &{cell};", keep=True)
    return Node("{", [first, Node(f"{pragma}\nset{p.number}({name}, {value});")], "}")


def recursion(c: Context) -> Node | None:
    """Calls a function that divides an array, and spawns tasks for its halves."""
    p = c.program
    found = [a for a, most in sides(c) if most == "inout" and a.kind == p.kind]
    if not found or c.region or c.weak:
        return None
    if not p.recursion:
        make_recursion(p)
    place = p.rng.choice(found)
    name, first, count = place.loop
    value = c.expression(memory=False)
    c.used(place, "inout")
    return Node(f"{p.recursion}(&{name}[{first}], {count}, {value});")


def make_recursion(p: Program) -> None:
    name = p.recursion = f"divide{p.number}"
    declared = p.chance(0.5)
    weak = "" if declared else p.rng.choice(("", "weak"))
    first = f"#pragma omp task {weak}inout(a[0;half])"
    second = f"#pragma omp task {weak}inout([n - half]b)"
    halves = ["", ""] if declared else [first, second]
    leaf = "" if declared else "  #pragma omp task inout([n]a)\n".replace("  #", "#")
    body = f"for (int i = 0; i < n; ++i) a[i] = (a[i] * {p.constant()} + d + i) % {MOD};"
    last = f"#pragma omp taskwait\n  a[0] = (a[0] + a[n - 1]) % {MOD};\n"
    last = "" if weak else p.rng.choice(("", last))
    head = "#pragma omp task inout([n]a)\n" if declared else ""
    text = f"{head}static void {name}({p.kind}* a, int n, int d) {{\n  if (n <= 2) {{\n{leaf}"
    text += f"    {body}\n    return;\n  }}\n  int half = n / 2;\n  {p.kind}* b = a + half;\n"
    text += f"{halves[0]}\n  {name}(a, half, d % 9 + 1);\n"
    text += f"{halves[1]}\n  {name}(b, n - half, d % 7 + 2);\n  {last}}}"
    p.top.append(Node("\n".join(line for line in text.splitlines() if line.strip())))


def declared_call(c: Context) -> Node | None:
    return call(c, "task")


def spawner_call(c: Context) -> Node | None:
    return call(c, "spawner")
