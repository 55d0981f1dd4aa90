# SPDX-License-Identifier: Apache-2.0
"""Statements that touch memory, tasks, loops and waits, each where it may stand."""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from program import (
    DEPEND,
    MOD,
    SPELLED,
    WRITES,
    Grant,
    Index,
    Node,
    Place,
    Program,
    Value,
    numbers,
    plus,
    row,
    single,
)


@dataclass
class Context:
    """Where statements stand: a function, or a task in it."""

    program: Program
    grants: list[Grant]
    values: list[Value]
    scopes: list[dict[str, int]]
    indices: list[Index] = field(default_factory=list)
    depth: int = 0
    region: bool = False  # in a parallel region
    weak: bool = False  # only children touch memory
    pending: dict[str, str] = field(default_factory=dict)
    locals: set[str] = field(default_factory=set)  # roots of this task's own

    def resolve(self, name: str) -> int | None:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def declare(self, name: str) -> int:
        token = self.program.token()
        self.scopes[-1][name] = token
        return token

    def visible(self, place: Place) -> bool:
        return all(self.resolve(name) == token for name, token in place.names)

    def place(self, grant: Grant) -> Place | None:
        """Some place of a grant, if its names are in sight."""
        place = grant.source(self.program.rng, self.known())
        if not place.names:
            place = place.bound(lambda name: grant.names.get(name, self.resolve(name)))
        return place if self.visible(place) else None

    def known(self) -> list[Index]:
        return [i for i in self.indices if self.resolve(i.text) == i.token]

    def give(self, source: Callable[[random.Random, list[Index]], Place], mode: str) -> None:
        """Makes memory known, by the names that it has here."""
        names = {name: token for scope in self.scopes for name, token in scope.items()}
        root = source(self.program.rng, []).root
        self.grants.append(Grant(source, mode, root, names))

    def readable(self, banned: set[str]) -> list[str]:
        """Expressions that read memory which may be read now."""
        texts: list[str] = []
        for grant in self.grants if not self.weak else []:
            place = self.place(grant) if grant.mode in ("in", "inout") else None
            if place and self.pending.get(place.root) != "w" and place.root not in banned:
                texts += self.program.rng.sample(place.cells, min(2, len(place.cells)))
                texts += place.reads[:1]
        return texts

    def writable(self) -> list[Place]:
        """Places that may be written now."""
        places = []
        for grant in self.grants if not self.weak else []:
            place = self.place(grant) if grant.mode == "inout" else None
            if place and place.root not in self.pending:
                places.append(place)
        return places

    def plain_values(self) -> list[str]:
        known = [v.name for v in self.values if self.resolve(v.name) == v.token]
        return known + [i.text for i in self.known()]

    def expression(self, banned: set[str] = frozenset(), memory: bool = True) -> str:
        rng = self.program.rng
        pool = self.plain_values() * 2 + (self.readable(banned) if memory else [])
        terms = [str(rng.randrange(50))]
        for text in rng.sample(pool, min(len(pool), rng.randrange(3))):
            factor = rng.randrange(1, 6)
            terms.append(f"{factor} * {text}" if factor > 1 else text)
        rng.shuffle(terms)
        return " + ".join(terms)

    def used(self, place: Place, mode: str) -> None:
        """A task uses the place from now on."""
        writes = mode in WRITES
        self.pending[place.root] = "w" if writes else self.pending.get(place.root, "r")

    def inner(self) -> "Context":
        """The same task, in an inner scope."""
        copy = Context(**self.__dict__)
        copy.scopes = [*self.scopes, {}]
        copy.values, copy.indices = list(self.values), list(self.indices)
        copy.grants, copy.locals = list(self.grants), set()
        return copy

    def child(self, accesses: list[tuple[Place, str]], weak: bool) -> "Context":
        """A task with these accesses."""
        task = self.inner()
        task.grants = [Grant(fixed(a), settled(mode), a.root) for a, mode in accesses]
        task.values = [Value(v.name, v.token, False) for v in self.values]
        task.depth, task.weak, task.pending, task.locals = self.depth + 1, weak, {}, set()
        return task


def settled(mode: str) -> str:
    """How a task may use what it has declared, once it has written it."""
    return "inout" if mode == "out" else mode


def fixed(place: Place):
    """A grant of this place, or of a part of it; of an item that is many, only of parts."""

    def source(rng: random.Random, indices: list[Index]) -> Place:
        if place.item.startswith("{"):
            return rng.choice(place.parts)
        return rng.choice(place.parts) if place.parts and rng.random() < 0.4 else place

    return source


# Statements that touch memory


def assign(c: Context, place: Place, cell: str) -> Node:
    """A statement that changes a cell."""
    p, value = c.program, c.expression()
    form = p.rng.randrange(9)
    factor = p.constant()
    if form == 0 and place.loop and place.cells:
        name, first, count = place.loop
        k = p.fresh("k")
        text = f"{name}[{plus(first, k)}]"
        head = f"for (int {k} = 0; {k} < {count}; ++{k})"
        return Node(f"{head} {text} = ({text} * {factor} + {k} + {value}) % {MOD};")
    if form == 1:
        return Node(f"STEP({cell}, {value});")
    if form == 2 and place.kind == p.kind:
        return Node(f"set{p.number}(&{cell}, {value});")
    if form == 3 and p.cpp and place.kind == p.kind:
        return Node(f"setr{p.number}({cell}, {value});")
    if form == 4 and p.cpp:
        return Node(f"[&] {{ {cell} = ({cell} * {factor} + {value}) % {MOD}; }}();")
    if form == 5 and p.cpp and place.kind:
        other = p.fresh("q")
        return Node(f"{{\n  auto& {other} = {cell};\n  {other} = ({value} + {other}) % {MOD};\n}}")
    if form == 6 and place.kind:
        return Node(f"{cell} += {value};\n{cell} %= {MOD};")
    if form == 7 and place.grow:
        return Node(place.grow.format(value))
    return Node(f"{cell} = ({cell} * {factor} + {value}) % {MOD};")


def touch(c: Context) -> Node | None:
    """Writes something that may be written."""
    places = c.writable()
    if not places:
        return None
    place = c.program.rng.choice(places)
    if not place.cells:
        return Node(place.grow.format(c.expression()))
    return assign(c, place, c.program.rng.choice(place.cells))


def add(c: Context, place: Place, mode: str) -> Node:
    """A change that commutes with others of its kind."""
    cell = c.program.rng.choice(place.cells)
    value = c.expression({place.root})
    if mode == "add":
        return Node(f"{cell} = ({cell} + {value}) % {MOD};")
    return Node(f"{c.program.pragma('omp atomic')}\n{cell} += ({value}) % 16;")


def overwrite(c: Context, place: Place) -> Node:
    """Writes all of a place without reading it; what comes later relies on it."""
    lines = [f"{cell} = ({c.expression(memory=False)}) % {MOD};" for cell in place.cells]
    if place.loop and (c.program.chance(0.5) or not place.loop[2].isdigit()):
        name, first, count = place.loop
        k = c.program.fresh("k")
        text = f"{name}[{plus(first, k)}]"
        lines = [f"for (int {k} = 0; {k} < {count}; ++{k}) {text} = {k} * 3 + 1;"]
    return Node("\n".join(lines), keep=True)


def local(c: Context) -> Node:
    """A new local number, which may hide an outer variable of that name."""
    p = c.program
    value = c.expression()
    hidden = [name for scope in c.scopes[:-1] for name in scope if name not in c.scopes[-1]]
    name = p.rng.choice(hidden) if hidden and p.chance(0.3) else p.fresh("v")
    if re.search(rf"\b{name}\b", value):
        name = p.fresh("v")
    const = p.rng.choice(("const ", "", ""))
    c.values.append(Value(name, c.declare(name), not const))
    return Node(f"{const}int {name} = ({value}) % {MOD};", keep=True)


def change(c: Context) -> Node | None:
    """Changes a local number, of which tasks may have copies."""
    names = [v.name for v in c.values if v.mutable and c.resolve(v.name) == v.token]
    if not names:
        return None
    name = c.program.rng.choice(names)
    form = c.program.rng.choice(("{0} = ({0} * 3 + {1}) % {2};", "{0} = ({1}) % {2};"))
    return Node(form.format(name, c.expression(), MOD))


# Tasks


def clause(p: Program, place: Place, mode: str, weak: bool, region: bool) -> str:
    """One access."""
    use_depend = place.depend and p.chance(0.8 if region else 0.2) and not weak
    if not use_depend:
        name = ("weak" if weak else "") + SPELLED.get(mode, mode)
        return f"{name}({place.item})"
    kind = DEPEND.get(mode, mode)
    if place.depend.startswith("iterator"):
        modifier, item = place.depend.split("|")
        return f"depend({modifier}, {kind}: {item})"
    return f"depend({kind}: {place.depend})"


def clauses(c: Context, accesses: list[tuple[Place, str]], weak: bool = False) -> str:
    """All accesses, some of them in one clause."""
    p = c.program
    texts = [clause(p, place, mode, weak, c.region) for place, mode in accesses]
    joined: list[str] = []
    for text in texts:
        head, _, items = text.partition(": " if text.startswith("depend(") else "(")
        same = [k for k, old in enumerate(joined) if old.startswith(head + text[len(head)])]
        if same and "iterator" not in text and "iterator" not in joined[same[0]] and p.chance(0.6):
            joined[same[0]] = joined[same[0]][:-1] + ", " + items
        else:
            joined.append(text)
    named = [place.item for place, _ in accesses if re.fullmatch(r"[a-z]\d+", place.item)]
    if named and p.chance(0.1) and not weak:
        joined.append(f"shared({named[0]})")
    return p.rng.choice((" ", ", ")).join(joined)


def spawnable(c: Context) -> list[tuple[Place, str]]:
    """Places that a task may get, each with the most that it may do."""
    found = []
    for grant in c.grants:
        place = c.place(grant) if grant.mode in ("in", "inout") else None
        if place:
            found.append((place, grant.mode))
    return found


def passable(c: Context) -> list[tuple[Place, str]]:
    """Those that a task's call may name: elements of vectors of vectors are refused."""
    found = spawnable(c)
    return found


def pick(c: Context) -> list[tuple[Place, str]]:
    """Accesses for a task; something is written, if that is possible."""
    rng = c.program.rng
    found = spawnable(c)
    chosen = rng.sample(found, min(len(found), rng.choice((1, 2, 2, 3, 3, 4))))
    writable = [pair for pair in found if pair[1] == "inout"]
    if writable and not any(most == "inout" for _, most in chosen):
        chosen[0] = rng.choice(writable)
    accesses = []
    for place, most in chosen:
        modes = ("in", "inout", "inout", "inout", "out", "add", "atomic")
        mode = "in" if most == "in" else rng.choice(modes)
        shared = [other for other, _ in chosen if other.root == place.root]
        if mode in ("add", "atomic") and (len(shared) > 1 or not place.cells or place.grow):
            mode = "inout"
        if mode == "atomic" and not place.kind:
            mode = "inout"
        if mode == "out" and (place.grow or place.reads):
            mode = "inout"
        accesses.append((place, mode))
    return accesses


def options(c: Context) -> list[str]:
    """Clauses without influence on the result."""
    p = c.program
    values = c.plain_values()
    test = f"{p.rng.choice(values)} % {p.rng.randrange(2, 4)} == 0" if values else "1"
    possible = [
        f"priority({p.rng.randrange(-1, 9)})",
        f"if ({test})",
        f"if({p.rng.randrange(2)})",
        f"final({test})",
        "untied",
        "mergeable",
        f"label(t{p.number})",
        "cost(3)",
    ]
    mine = [v.name for v in c.values if c.resolve(v.name) == v.token]
    if mine:
        possible += [f"firstprivate({p.rng.choice(mine)})"] * 2
    if not p.chance(0.4):
        return []
    chosen = p.rng.sample(possible, p.rng.randrange(1, 3))
    return chosen[:1] if len({text[:2] for text in chosen}) < 2 else chosen


def prologue(child: Context, accesses: list[tuple[Place, str]]) -> list[Node]:
    """What a task does first: it writes what is out, and adds to what commutes."""
    nodes = []
    for place, mode in accesses:
        if mode == "out":
            nodes.append(overwrite(child, place))
        if mode in ("add", "atomic"):
            nodes.append(add(child, place, mode))
    return nodes


def own_copy(c: Context, child: Context, extra: list[str]) -> tuple[str, list[Node]]:
    """A variable for the task alone, by private or firstprivate, which it changes."""
    p = c.program
    if not p.chance(0.12):
        return "", []
    name, kind = p.fresh("o"), p.rng.choice(("private", "firstprivate"))
    extra.append(f"{kind}({name})")
    value = child.expression()
    token = child.declare(name)
    child.values.append(Value(name, token, True))
    first = Node(f"{name} = ({value}) % {MOD};", keep=True)
    return f"int {name} = {p.rng.randrange(9)};\n", [first]


def task(c: Context) -> Node | None:
    """A block that is a task."""
    p = c.program
    weak = c.depth < 2 and not c.region and p.chance(0.12)
    accesses = pick(c)
    if weak:
        accesses = [(a, "in" if m == "in" else "inout") for a, m in accesses]
    if not accesses:
        return None
    child = c.child(accesses, weak)
    extra: list[str] = []
    before, nodes = own_copy(c, child, extra)
    nodes += prologue(child, accesses)
    nodes += some_work(child) + ending(child)
    head = p.pragma(f"omp task {clauses(c, accesses, weak)} {' '.join(extra)}@")
    for place, mode in accesses:
        c.used(place, mode)
    node = Node(f"{head}\n{{", nodes, "}", options=options(c))
    if not before:
        return node
    return Node(f"{{\n{before}", [node], "}")


def short_task(c: Context) -> Node | None:
    """A statement or a call that is a task."""
    p = c.program
    accesses = [(place, mode) for place, mode in pick(c) if mode in ("in", "inout")]
    written = [(place, mode) for place, mode in accesses if mode == "inout" and place.cells]
    if not written:
        return None
    child = c.child(accesses, False)
    target = written[0][0]
    cell = p.rng.choice(target.cells)
    if target.kind == p.kind and p.chance(0.6):
        name = "setr" if p.cpp and p.chance(0.5) else "set"
        argument = cell if name == "setr" else f"&{cell}"
        work = f"{name}{p.number}({argument}, {child.expression()});"
    else:
        work = f"{cell} = ({cell} * {p.constant()} + {child.expression()}) % {MOD};"
    head = p.pragma(f"omp task {clauses(c, accesses)}@")
    for place, mode in accesses:
        c.used(place, mode)
    return Node(f"{head}\n{work}", options=options(c))


def ending(c: Context) -> list[Node]:
    """Waits for what uses the task's own variables, and now and then for all."""
    if c.locals & set(c.pending) or c.program.chance(0.15):
        c.pending.clear()
        return [Node(c.program.pragma("omp taskwait"), keep=True, waits=True)]
    return []


def wait(c: Context) -> Node | None:
    """Waits for all tasks."""
    if c.weak:
        return None
    c.pending.clear()
    text = c.program.rng.choice(("omp taskwait",) * 6 + ("omp taskwait noflush", "myrmics wait"))
    return Node(c.program.pragma(text), keep=True, waits=True)


def wait_on(c: Context) -> Node | None:
    """Waits for a part, and uses just that."""
    p = c.program
    found = [(a, m) for a, m in spawnable(c) if a.root in c.pending and a.cells and not a.grow]
    if not found or c.weak:
        return None
    place, most = p.rng.choice(found)
    items = [place.item]
    if p.chance(0.2):
        items += [other.item for other, m in found if other is not place and m == "inout"][:1]
    listed, form = ", ".join(items), "on({})"
    cell = p.rng.choice(place.cells)
    names = [v.name for v in c.values if v.mutable and c.resolve(v.name) == v.token]
    if names and (most == "in" or p.chance(0.5)):
        form = "in({})" if most == "in" or p.chance(0.4) else form
        name = p.rng.choice(names)
        after = Node(f"{name} = ({name} * 2 + {cell}) % {MOD};")
    elif most == "inout":
        form = "inout({})" if p.chance(0.3) else form
        after = Node(f"{cell} = ({cell} * {p.constant()} + 1) % {MOD};")
    else:
        return None
    return Node(f"{p.pragma(f'omp taskwait {form.format(listed)}')}\n{{", [after], "}")


# Loops, blocks, regions


def close(inner: Context, before: dict[str, str] | None = None) -> list[Node]:
    """What stands at the end of a scope; `before` if it may not be reached."""
    nodes = []
    if inner.locals & set(inner.pending):
        inner.pending.clear()
        nodes = [Node("#pragma omp taskwait", keep=True, waits=True)]
    if before is not None:
        for root, use in before.items():
            inner.pending[root] = "w" if use == "w" else inner.pending.get(root, use)
    return nodes


def next_round(c: Context) -> bool:
    """Whether a loop's body ends with a wait; if not, all may be in use when it begins."""
    if c.program.chance(0.3) and not c.weak:
        return True
    for grant in c.grants:
        if grant.mode == "inout":
            c.pending[grant.root] = "w"
    return False


def round_end(c: Context, waits: bool) -> list[Node]:
    if not waits:
        return close(c)
    c.pending.clear()
    return [Node(c.program.pragma("omp taskwait"), keep=True, waits=True)]


def counted(c: Context, count: int) -> tuple[Context, str]:
    """The inside of a loop, and the name of its variable, which may hide another."""
    p, inner = c.program, c.inner()
    name = p.rng.choice(("i", "j", "k", "n")) if p.chance(0.7) else p.fresh("i")
    inner.indices.append(Index(name, 0, count - 1, inner.declare(name)))
    return inner, name


def loop(c: Context) -> Node:
    """A loop with tasks in it."""
    p, count = c.program, c.program.rng.randrange(2, 5)
    inner, name = counted(c, count)
    waits = next_round(inner)
    nodes = statements(inner, p.rng.randrange(1, 4)) + round_end(inner, waits)
    kind = p.rng.choice(("int", "int", "long"))
    head = f"for ({kind} {name} = 0; {name} < {count}; ++{name}) {{"
    if p.chance(0.2):
        head = f"for ({kind} {name} = {count - 1}; {name} >= 0; {name}--) {{"
    return Node(head, nodes, "}")


def sides(c: Context) -> list[tuple[Place, str]]:
    """Places that are several elements side by side, with what may be done there."""
    return [
        (place, most)
        for place, most in spawnable(c)
        if place.loop and place.kind and place.loop[2].isdigit() and int(place.loop[2]) > 1
    ]


def walk(c: Context) -> Node | None:
    """A loop that moves a pointer, or a reference, along some elements."""
    p, found = c.program, sides(c)
    if not found:
        return None
    place, most = p.rng.choice(found)
    name, first, count = place.loop
    inner, index = counted(c, int(count))
    waits = next_round(inner)
    const = "const " if most == "in" else ""
    if p.cpp and not c.region and place.item == name and p.chance(0.5):
        other = p.fresh("e")
        inner.declare(other)
        inner.indices = [i for i in inner.indices if i.text != index]
        inner.give(single(other, place.root, place.kind), most)
        nodes = statements(inner, 2) + round_end(inner, waits)
        return Node(f"for ({const or ''}auto& {other} : {name}) {{", nodes, "}")
    other = p.fresh("w")
    inner.declare(other)
    inner.give(single(f"*{other}", place.root, place.kind), most)
    nodes = statements(inner, 2) + round_end(inner, waits)
    head = f"for (int {index} = 0; {index} < {count}; ++{index}) {{"
    nodes.append(Node(f"++{other};", keep=True))
    start_at = Node(f"{const}{place.kind}* {other} = &{name}[{first}];", keep=True)
    return Node("{", [start_at, Node(head, nodes, "}")], "}")


def condition(c: Context) -> Node:
    """An if, perhaps with an else."""
    p, before = c.program, dict(c.pending)
    test = f"({c.expression()}) % {p.rng.randrange(2, 4)} == 0"
    inner = c.inner()
    nodes = statements(inner, p.rng.randrange(1, 3))
    nodes += close(inner, before)
    if p.chance(0.6):
        return Node(f"if ({test}) {{", nodes, "}")
    other = c.inner()
    middle = dict(c.pending)
    c.pending.clear()
    c.pending.update(before)
    more = statements(other, p.rng.randrange(1, 3))
    more += close(other, middle)
    return Node("{", [Node(f"if ({test}) {{", nodes, ""), Node("} else {", more, "}")], "}")


def block(c: Context) -> Node:
    """A scope, or a lambda that is called at once."""
    p, inner = c.program, c.inner()
    nodes = statements(inner, p.rng.randrange(1, 4))
    nodes += close(inner)
    if p.cpp and p.chance(0.4) and not c.region:
        return Node("[&]() {", nodes, "}();")
    return Node("{", nodes, "}")


def lambda_calls(c: Context) -> Node | None:
    """A lambda with tasks, called a few times."""
    p = c.program
    if not p.cpp or c.region:
        return None
    inner, name = counted(c, 3)
    again = next_round(inner)
    inner.values = [Value(v.name, v.token, False) for v in inner.values]
    nodes = statements(inner, 2) + round_end(inner, again)
    function = p.fresh("f")
    kind = p.rng.choice(("int", "auto"))
    nodes = [Node(f"auto {function} = [&]({kind} {name}) {{", nodes, "};", keep=True)]
    waits = any(node.waits for node in nodes[0].all())
    nodes += [Node(f"{function}({k});", waits=waits) for k in p.rng.sample(range(3), 2)]
    return Node("{", nodes, "}")


def local_array(c: Context) -> Node | None:
    """An array of the task's own, for its children."""
    p = c.program
    if c.region or c.weak:
        return None
    name, size = p.fresh("l"), p.rng.randrange(2, 5)
    c.declare(name)
    c.locals.add(name)
    c.give(row(name, size, name, p.kind), "inout")
    return Node(f"{p.kind} {name}[{size}] = {{{numbers(p.rng, size)}}};", keep=True)


def parallel(c: Context) -> Node | None:
    """A parallel region of OpenMP with tasks in it."""
    p = c.program
    if c.region or c.depth or c.locals:
        return None
    inner = c.inner()
    inner.region = True
    inner.values = [Value(v.name, v.token, False) for v in c.values]
    nodes = statements(inner, p.rng.randrange(2, 5))
    c.pending.clear()
    one = p.rng.choice(("omp single", "omp single nowait", "omp master"))
    head = f"{p.pragma('omp parallel')}\n{p.pragma(one)}\n{{"
    return Node(head, nodes, "}", waits=True)


def statements(c: Context, count: int) -> list[Node]:
    """Some statements, one behind the other."""
    p, nodes, menu = c.program, [], c.program.menu_of(c)
    for _ in range(count):
        for _ in range(4):
            node = p.rng.choices(list(menu), list(menu.values()))[0](c)
            if node:
                nodes.append(node)
                break
    return nodes


def some_work(c: Context) -> list[Node]:
    """The statements of a task, of which at least one should do something."""
    nodes = statements(c, c.program.rng.randrange(1, 4))
    last = touch(c) or (short_task(c) if c.depth < 3 else None)
    return [*nodes, last] if last else nodes
