# SPDX-License-Identifier: Apache-2.0
"""What a random program is made of: places, variables, and who may touch them."""

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

MOD = 251  # all values are below, so they fit into each type
TYPES = ("int", "long", "unsigned", "short", "unsigned char")
WRITES = {"out", "inout", "add", "atomic"}
SPELLED = {"add": "commutative", "atomic": "concurrent"}
DEPEND = {"add": "mutexinoutset", "atomic": "inoutset"}


@dataclass
class Node:
    """A statement with those in it. The shrinker may drop it, unless others rely on it."""

    head: str
    body: list["Node"] = field(default_factory=list)
    tail: str = ""
    keep: bool = False
    waits: bool = False  # those behind rely on its waiting
    options: list[str] = field(default_factory=list)  # clauses that may be dropped, at "@"

    def render(self, indent: int = 0) -> Iterator[str]:
        head = self.head.replace("@", "".join(f" {option}" for option in self.options))
        for line in head.splitlines():
            yield line if line.startswith("#") else "  " * indent + line
        for node in self.body:
            yield from node.render(indent + 1)
        if self.tail:
            yield "  " * indent + self.tail

    def all(self) -> Iterator["Node"]:
        yield self
        for node in self.body:
            yield from node.all()


@dataclass(frozen=True)
class Index:
    """An expression for an index, and the values that it may have."""

    text: str
    low: int
    high: int
    token: int


@dataclass(frozen=True)
class Place:
    """Memory that an access may name, and the integers in it."""

    item: str
    cells: tuple[str, ...]
    root: str
    kind: str = ""  # the type of the cells, if all are of one
    depend: str = ""  # as an item of depend()
    loop: tuple[str, str, str] | None = None  # elements side by side: name, first, number
    parts: tuple["Place", ...] = ()
    reads: tuple[str, ...] = ()  # other expressions that read it
    grow: str = ""  # a statement that writes it otherwise
    names: tuple[tuple[str, int], ...] = ()  # what its identifiers mean

    def bound(self, meaning: Callable[[str], int | None]) -> "Place":
        """The same, with what its names mean here."""
        texts = " ".join((self.item, *self.cells, self.grow, *self.reads, *(self.loop or ())))
        known = {name: meaning(name) for name in re.findall(r"[A-Za-z_]\w*", texts)}
        names = tuple((name, what) for name, what in known.items() if what is not None)
        parts = tuple(part.bound(meaning) for part in self.parts)
        changed = {**self.__dict__, "names": names, "parts": parts}
        return Place(**changed)


@dataclass(frozen=True)
class Variable:
    """A variable of a program: how it is declared, printed, and which places it has."""

    declare: str
    place: Callable[[random.Random, list[Index]], Place]
    printed: tuple[str, ...]
    where: str = "function"  # or "file"
    free: str = ""


@dataclass
class Grant:
    """What a function or a task may do with some memory."""

    source: Callable[[random.Random, list[Index]], Place]
    mode: str
    root: str
    names: dict[str, int] = field(default_factory=dict)  # what its names mean


@dataclass(frozen=True)
class Value:
    """An integer that tasks get by value."""

    name: str
    token: int
    mutable: bool


@dataclass
class Helper:
    """A function with its parameters: kind and mode of each."""

    name: str
    style: str  # "task" or "spawner"
    params: list[tuple[str, str]]
    default: bool = False


@dataclass
class Program:
    """One program: functions that stand before it, in a header or not, and its own."""

    number: int
    cpp: bool
    rng: random.Random
    kind: str = "int"
    top: list[Node] = field(default_factory=list)
    header: list[Node] = field(default_factory=list)
    main: Node = field(default_factory=lambda: Node(""))
    helpers: list[Helper] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    count: int = 0
    recursion: str = ""
    menu_of: Callable = dict  # what may stand in a Context, and how often it should

    def fresh(self, prefix: str = "v") -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def token(self) -> int:
        self.count += 1
        return self.count

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def constant(self) -> int:
        return self.rng.randrange(1, 10)

    def pragma(self, text: str) -> str:
        """A pragma as a line, or by a macro."""
        text = re.sub(r" +", " ", text)
        return f"PRAGMA({text})" if self.chance(0.12) else f"#pragma {text}"

    def nodes(self) -> list[list[Node]]:
        return [self.header, self.top, [self.main]]


# Places of variables


def start(rng: random.Random, size: int, span: int, indices: list[Index]) -> str:
    """An index from which on `span` elements lie in an array of `size`."""
    room = size - span
    fitting = [i for i in indices if i.low >= 0 and i.high <= room]
    if fitting and rng.random() < 0.7:
        index = rng.choice(fitting)
        more = rng.randrange(room - index.high + 1)
        if rng.random() < 0.2 and index.high <= room:
            return f"{room} - {index.text}"
        return f"{index.text} + {more}" if more and rng.random() < 0.5 else index.text
    return str(rng.randrange(room + 1))


def plus(first: str, more: int | str) -> str:
    if more in (0, "0"):
        return first
    if first.isdigit() and isinstance(more, int):
        return str(int(first) + more)
    return f"{first} + {more}"


def elements(name: str, first: str, span: int, root: str, kind: str) -> tuple[Place, ...]:
    """Single elements as places."""
    texts = [f"{name}[{plus(first, k)}]" for k in range(span)]
    return tuple(Place(text, (text,), root, kind, text) for text in texts)


def row(name: str, size: int, root: str, kind: str, whole: bool = True):
    """The places of an array, a vector or what a pointer points to; `whole`: its name is all."""

    def place(rng: random.Random, indices: list[Index]) -> Place:
        span = rng.choice((1, 1, 1, 2, 3, size))
        span = min(span, size)
        first = start(rng, size, span, indices)
        parts = elements(name, first, span, root, kind)
        cells = tuple(part.item for part in parts)
        loop = (name, first, str(span))
        if span == 1 and rng.random() < 0.8:
            return Place(cells[0], cells, root, kind, cells[0], loop)
        forms = [f"{name}[{first};{span}]", f"{name}[{first}:{plus(first, span - 1)}]"]
        if span < size or rng.random() < 0.3:
            forms.append(f"{{{name}[q], q={first};{span}}}")
        if first == "0" and span == size and whole:
            forms += [name] * 3
        item = rng.choice(forms)
        depend = name if item == name else f"{name}[{first}:{span}]"
        if item.startswith("{"):
            depend = f"iterator(q={first}:{plus(first, span)})|{name}[q]"
        return Place(item, cells, root, kind, depend, loop, parts)

    return place


def matrix(name: str, rows: int, columns: int, root: str, kind: str):
    """The places of an array of arrays: elements, rows, tiles."""

    def place(rng: random.Random, indices: list[Index]) -> Place:
        form = rng.choice(("element", "row", "tile", "tile", "whole"))
        height = {"element": 1, "row": 1, "whole": rows}.get(form) or rng.randrange(1, rows + 1)
        width = {"element": 1, "row": columns, "whole": columns}.get(form)
        width = width or rng.randrange(1, columns + 1)
        top = start(rng, rows, height, indices)
        left = start(rng, columns, width, indices)
        lines = [f"{name}[{plus(top, r)}]" for r in range(height)]
        parts = tuple(p for line in lines for p in elements(line, left, width, root, kind))
        cells = tuple(part.item for part in parts)
        semi = f"{name}[{top};{height}][{left};{width}]"
        last = plus(top, height - 1), plus(left, width - 1)
        colon = f"{name}[{top}:{last[0]}][{left}:{last[1]}]"
        item = {"element": cells[0], "row": lines[0], "whole": name}.get(form)
        depend = item or f"{name}[{top}:{height}][{left}:{width}]"
        item = item or rng.choice((semi, colon))
        return Place(item, cells, root, kind, depend, None, parts)

    return place


def structure(name: str, arrow: str, root: str, kind: str):
    """The places of a structure: all of it, or a member."""

    def place(rng: random.Random, indices: list[Index]) -> Place:
        dot = f"{name}{arrow}"
        array = row(f"{dot}list", 4, root, kind)(rng, indices)
        member = Place(f"{dot}first", (f"{dot}first",), root, kind, f"{dot}first")
        second = Place(f"{dot}second", (f"{dot}second",), root, "", f"{dot}second")
        fields = ("first", "second", "low", "high", "list[1]", "list[3]")
        item = name if arrow == "." else f"*{name}"
        whole = Place(item, tuple(f"{dot}{f}" for f in fields), root, "", item, None, (member,))
        return rng.choice((array, member, second, whole, whole))

    return place


def single(item: str, root: str, kind: str, cell: str = ""):
    place = Place(item, (cell or item,), root, kind, item)
    return lambda rng, indices: place


def among(choices: list[Callable[[random.Random, list[Index]], Place]]):
    """The places of one of several names for the same memory."""
    return lambda rng, indices: rng.choice(choices)(rng, indices)


# Variables


def numbers(rng: random.Random, count: int) -> str:
    return ", ".join(str(rng.randrange(MOD)) for _ in range(count))


def scalar(p: Program) -> Variable:
    """A number: of the file, of the function, static, volatile, with a second name."""
    kind = p.kind if p.chance(0.7) else p.rng.choice(TYPES)
    form = p.rng.choice(("file", "static", "plain", "plain", "alias", "alias"))
    name = p.fresh("h" if form == "static" else "x")  # h: no reductions
    name = f"{name}_{p.number}" if form == "file" else name
    volatile = "volatile " if form == "plain" and p.chance(0.15) else ""
    static = "static " if form in ("file", "static") else ""
    declare = f"{static}{volatile}{kind} {name} = {p.rng.randrange(MOD)};"
    if form == "static":
        declare += f"\n{name} = {p.rng.randrange(MOD)};"
    places = [single(name, name, "" if volatile else kind)]
    if form == "alias":
        declare, places = alias(p, declare, name, kind, places)
    where = "file" if form == "file" else "function"
    return Variable(declare, among(places), (name,), where)


def alias(p: Program, declare: str, name: str, kind: str, places: list):
    """Another name for a variable, by a pointer or a reference."""
    other = p.fresh("r")
    if p.cpp and p.chance(0.5):
        auto = p.rng.choice((kind, "auto"))
        declare += f"\n{auto}& {other} = {name};"
        return declare, [*places, single(other, name, kind)]
    const = p.rng.choice(("", " const"))
    declare += f"\n{kind}*{const} {other} = &{name};"
    return declare, [*places, single(f"*{other}", name, kind)]


def array(p: Program) -> Variable:
    name, size = p.fresh("a"), p.rng.randrange(3, 9)
    where = "file" if p.chance(0.2) else "function"
    name = f"{name}_{p.number}" if where == "file" else name
    static = "static " if where == "file" else ""
    declare = f"{static}{p.kind} {name}[{size}] = {{{numbers(p.rng, size)}}};"
    places = [row(name, size, name, p.kind)]
    if p.chance(0.3) and where == "function":
        other = p.fresh("p")
        declare += f"\n{p.kind}* {other} = {name};"
        places.append(row(other, size, name, p.kind, whole=False))
        text = f"[{size}]{other}"
        parts = elements(other, "0", size, name, p.kind)
        cells = tuple(part.item for part in parts)
        shaped = Place(text, cells, name, p.kind, "", (other, "0", str(size)), parts)
        places.append(lambda rng, indices: shaped)
    printed = tuple(f"{name}[{k}]" for k in range(size))
    return Variable(declare, among(places), printed, where)


def vla(p: Program) -> Variable:
    """In C an array of variable length, or memory of malloc()."""
    name, size = p.fresh("a"), p.rng.randrange(3, 8)
    fill = f"for (int k = 0; k < {size}; ++k) {name}[k] = (k * {p.constant()} + 1) % {MOD};"
    printed = tuple(f"{name}[{k}]" for k in range(size))
    if p.chance(0.5):
        length = p.fresh("n")
        declare = f"int {length} = {size};\n{p.kind} {name}[{length}];\n{fill}"
        place = row(name, size, name, p.kind)
        return Variable(declare, place, printed)
    declare = f"{p.kind}* {name} = malloc({size} * sizeof *{name});\n{fill}"
    place = row(name, size, name, p.kind, whole=False)
    return Variable(declare, place, printed, free=f"free({name});")


def grid(p: Program) -> Variable:
    name, rows, columns = p.fresh("m"), p.rng.randrange(2, 5), p.rng.randrange(2, 5)
    lines = ", ".join(f"{{{numbers(p.rng, columns)}}}" for _ in range(rows))
    static = p.rng.choice(("", "", "static "))
    declare = f"{static}{p.kind} {name}[{rows}][{columns}] = {{{lines}}};"
    place = matrix(name, rows, columns, name, p.kind)
    printed = tuple(f"{name}[{r}][{c}]" for r in range(rows) for c in range(columns))
    if static:
        declare += "".join(f"\n{text} = {p.rng.randrange(MOD)};" for text in printed[::2])
    return Variable(declare, place, printed)


def record(p: Program) -> Variable:
    """A structure, alone, behind a pointer, or in an array or a vector."""
    name, kind = p.fresh("s"), f"{'' if p.cpp else 'struct '}Pack{p.number}"
    form = p.rng.choice(("alone", "pointer", "array") + (("vector",) if p.cpp else ()))
    fields = ("first", "second", "low", "high", "list[0]", "list[1]", "list[2]", "list[3]")
    if form in ("alone", "pointer"):
        declare = f"{kind} {name} = {{{numbers(p.rng, 5)}}};"
        places = [structure(name, ".", name, p.kind)]
        if form == "pointer":
            other = p.fresh("p")
            declare += f"\n{kind}* {other} = &{name};"
            places.append(structure(other, "->", name, p.kind))
        return Variable(declare, among(places), tuple(f"{name}.{f}" for f in fields))
    declare = f"{kind} {name}[3] = {{{{{numbers(p.rng, 2)}}}, {{{numbers(p.rng, 3)}}}}};"
    if form == "vector":
        declare = f"std::vector<{kind}> {name}(3);"

    def place(rng: random.Random, indices: list[Index]) -> Place:
        return structure(f"{name}[{start(rng, 3, 1, indices)}]", ".", name, p.kind)(rng, indices)

    printed = tuple(f"{name}[{k}].{f}" for k in range(3) for f in fields)
    return Variable(declare, place, printed)


def container(p: Program) -> Variable:
    """A std::vector or a std::array of numbers."""
    name, size = p.fresh("c"), p.rng.randrange(3, 9)  # c: helpers know a vector by its name
    kind = f"std::vector<{p.kind}>"
    if p.chance(0.3):
        name, kind = p.fresh("b"), f"std::array<{p.kind}, {size}>"
    declare = f"{kind} {name}{{{numbers(p.rng, size)}}};"
    places = [row(name, size, name, p.kind)]
    if p.chance(0.3):
        other = p.fresh("r")
        declare += f"\nauto& {other} = {name};"
        places.append(row(other, size, name, p.kind))
    printed = tuple(f"{name}[{k}]" for k in range(size))
    return Variable(declare, among(places), printed)


def nested(p: Program) -> Variable:
    """A vector of vectors, whose inner vectors tasks use."""
    name, rows, columns = p.fresh("w"), p.rng.randrange(2, 4), p.rng.randrange(2, 4)
    lines = ", ".join(f"{{{numbers(p.rng, columns)}}}" for _ in range(rows))
    declare = f"std::vector<std::vector<{p.kind}>> {name}{{{lines}}};"
    if rows == columns == 2:
        declare = f"std::vector<std::vector<{p.kind}>> {name}(2, std::vector<{p.kind}>(2, 7));"

    def place(rng: random.Random, indices: list[Index]) -> Place:
        inner = f"{name}[{start(rng, rows, 1, indices)}]"
        return row(inner, columns, name, p.kind)(rng, indices)

    printed = tuple(f"{name}[{r}][{c}]" for r in range(rows) for c in range(columns))
    return Variable(declare, place, printed)


def growing(p: Program) -> Variable:
    """A vector or a text that tasks make longer; always named as a whole."""
    name = p.fresh("g")
    if p.chance(0.4):
        declare = f'std::string {name} = "go";'
        grow = f"{name} += static_cast<char>('a' + ({{}}) % 26);"
        reads = (f"static_cast<int>({name}.size())", f"static_cast<int>({name}.back())")
        place = Place(name, (), name, "", name, reads=reads, grow=grow)
        return Variable(declare, lambda rng, indices: place, reads)
    declare = f"std::vector<{p.kind}> {name}{{{numbers(p.rng, 2)}}};"
    grow = f"{name}.push_back(static_cast<{p.kind}>(({{}}) % {MOD}));"
    reads = (f"static_cast<int>({name}.size())", f"{name}.back()", f"{name}[1]")
    place = Place(name, (f"{name}[0]",), name, "", name, reads=reads, grow=grow)
    return Variable(declare, lambda rng, indices: place, (*reads, f"{name}[0]"))


def smart(p: Program) -> Variable:
    """A number behind a smart pointer, in a map, or a part of a pair with names of its own."""
    name, form = p.fresh("u"), p.rng.choice(("unique", "shared", "map", "binding"))
    if form == "map":
        table = p.fresh("t")
        declare = f"std::map<int, {p.kind}> {table}{{{{1, 5}}, {{2, 6}}}};"
        declare += f"\nauto& {name} = {table}[1];"
        return Variable(declare, single(name, name, p.kind), (name,))
    if form == "binding":
        pair, other = p.fresh("t"), p.fresh("u")
        declare = f"std::pair<{p.kind}, {p.kind}> {pair}{{{numbers(p.rng, 2)}}};"
        declare += f"\nauto& [{name}, {other}] = {pair};"
        places = [single(name, pair, p.kind), single(other, pair, p.kind)]
        return Variable(declare, among(places), (f"{pair}.first", f"{pair}.second"))
    declare = f"auto {name} = std::make_{form}<{p.kind}>({p.rng.randrange(MOD)});"
    return Variable(declare, single(f"*{name}", name, p.kind), (f"*{name}",))


C_KINDS = (scalar, scalar, array, array, vla, grid, record)
CXX_KINDS = (scalar, scalar, array, container, container, grid, record, nested, growing, smart)
