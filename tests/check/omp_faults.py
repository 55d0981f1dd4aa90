# SPDX-License-Identifier: Apache-2.0
"""The faults that can be planted into a text with OpenMP's pragmas, each of one kind and at one
place. What is planted leaves all lines where they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

COMMENT_OR_STRING = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL
)
PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+omp\b(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
WORD = re.compile(r"[\s,\\]*(\w+)\s*")
BLANKS = " \t\n\\"
LOOP_VARIABLE = re.compile(r"\s*for\s*\(\s*(?:[\w:]+[\s*&]+)*(\w+)\s*[=(]")
CONSTRUCTS = set(
    "parallel for sections section single master masked task taskloop simd taskwait taskgroup"
    " barrier critical atomic ordered teams distribute loop scope target".split()
)
# Their pragma alone goes; the statement behind it, if there is one, stays.
REMOVED = {"taskwait", "barrier", "taskgroup", "atomic", "critical", "ordered"}
SHARING = {"parallel", "task", "taskloop", "teams"}  # may have a clause shared
SHARED_WORK = {"for", "sections", "single"}


@dataclass(frozen=True)
class Fault:
    kind: str
    line: int
    what: str
    begin: int  # of the text that is replaced
    end: int
    text: str

    def planted(self, source: str) -> str:
        lost = source.count("\n", self.begin, self.end) - self.text.count("\n")
        # Inside a pragma lines stay joined; a pragma that is gone leaves empty ones.
        kept = ("\\\n" if self.kind not in REMOVED or self.text else "\n") * lost
        return source[: self.begin] + self.text + kept + source[self.end :]


@dataclass(frozen=True)
class Clause:
    name: str
    begin: int
    end: int
    inner: tuple[int, int] | None  # between the parentheses


@dataclass(frozen=True)
class Directive:
    names: tuple[str, ...]
    clauses: tuple[Clause, ...]
    begin: int
    end: int
    line: int
    last_line: int

    def has(self, *names: str) -> bool:
        return any(clause.name in names for clause in self.clauses)


def without_comments(source: str) -> str:
    """The same text with blanks for comments, and for what strings contain."""
    return COMMENT_OR_STRING.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), source)


def closing(text: str, begin: int, end: int) -> int:
    """The place behind the parenthesis that closes the one at `begin`."""
    depth = 0
    for place in range(begin, end):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place + 1
    return end


def directives(source: str) -> Iterator[Directive]:
    text = without_comments(source)
    for found in PRAGMA.finditer(text):
        end = found.start() + len(found[0].rstrip())
        names: list[str] = []
        clauses: list[Clause] = []
        place = found.start() + re.match(r"\s*#\s*pragma\s+omp", found[0]).end()
        while word := WORD.match(text, place, end):
            place = word.end()
            has_inner = place < end and text[place] == "("
            if not clauses and word[1] in CONSTRUCTS and (not has_inner or word[1] == "critical"):
                names.append(word[1])
                place = closing(text, place, end) if has_inner else place
                continue
            begin = word.start(1)
            inner = None
            if has_inner:
                inner = (place + 1, closing(text, place, end) - 1)
                place = inner[1] + 1
            clauses.append(Clause(word[1], begin, place, inner))
        line = text.count("\n", 0, found.start()) + 1
        last = line + found[0].count("\n")
        yield Directive(tuple(names), tuple(clauses), found.start(), end, line, last)


def items(text: str, begin: int, end: int) -> list[tuple[int, int]]:
    """The parts between commas that are in no parentheses or brackets."""
    places, depth = [begin], 0
    for place in range(begin, end):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[place], 0)
        if text[place] == "," and depth == 0:
            places.append(place + 1)
    return list(zip(places, [*(place - 1 for place in places[1:]), end], strict=True))


def with_comma(text: str, clause: Clause) -> int:
    """Where a clause begins, or a comma before it, which must not remain alone."""
    before = re.search(r",[\s\\]*$", text[: clause.begin])
    return before.start() if before else clause.begin


def faults(source: str) -> Iterator[Fault]:
    for directive in directives(source):
        if not directive.names or "target" in directive.names:
            continue
        yield from removals(source, directive)
        yield from additions(directive)
        for clause in directive.clauses:
            if clause.name == "depend" and clause.inner:
                yield from of_depend(source, directive, clause)
            elif clause.name in ("private", "firstprivate", "lastprivate") and clause.inner:
                yield from of_private(source, directive, clause)
            elif clause.name == "reduction" and clause.inner:
                yield from of_reduction(source, directive, clause)


def removals(source: str, directive: Directive) -> Iterator[Fault]:
    name, begin, end = directive.names[0], directive.begin, directive.end
    if name not in REMOVED or len(directive.names) > 1 or directive.has("task_reduction"):
        return
    # A wait for an iteration that never says it is done lasts for ever.
    if not re.search(r"\(\s*source\b", source[begin:end]):
        yield Fault(name, directive.line, f"{name} removed", begin, end, "")


def additions(directive: Directive) -> Iterator[Fault]:
    end = directive.end
    if directive.names[0] in SHARED_WORK and not directive.has("nowait", "copyprivate"):
        yield Fault("nowait", directive.line, "nowait added", end, end, " nowait")
    if directive.names[-1] == "taskloop" and not directive.has("nogroup", "reduction"):
        yield Fault("taskgroup", directive.line, "nogroup added", end, end, " nogroup")


def of_depend(source: str, directive: Directive, clause: Clause) -> Iterator[Fault]:
    begin, end = clause.inner
    kind = re.match(r"(?:\s*iterator\s*\(.*?\)\s*,)?\s*(\w+)\s*:", source[begin:end], re.DOTALL)
    if not kind or kind[1] in ("sink", "depobj"):
        return
    line = source.count("\n", 0, clause.begin) + 1
    inside = source[begin:end]
    if directive.names[0] != "taskwait":  # which without the clause would wait for all
        whole = (with_comma(source, clause), clause.end)
        yield Fault("depend", line, f"depend({inside}) dropped", *whole, "")
    if kind[1] in ("out", "inout"):
        span = (begin + kind.start(1), begin + kind.end(1))
        yield Fault("weakened", line, f"depend({inside}) weakened to in", *span, "in")
    listed = items(source, begin + kind.end(), end)
    for first, last in listed if len(listed) > 1 else []:
        behind = last + 1 if last < end else last
        before = first - 1 if last == end else first
        what = f"{source[first:last].strip()} dropped from depend({inside})"
        yield Fault("item", line, what, before, behind, "")


def of_private(source: str, directive: Directive, clause: Clause) -> Iterator[Fault]:
    begin, end = clause.inner
    if SHARED_WORK.isdisjoint(directive.names) and SHARING.isdisjoint(directive.names):
        return
    loop = LOOP_VARIABLE.match(source, directive.end)
    listed = items(source, begin, end)
    for first, last in listed:
        item = source[first:last].strip(BLANKS)
        if not re.fullmatch(r"\w+", item) or (loop and item == loop[1]):
            continue
        kept = (source[a:b].strip(BLANKS) for a, b in listed if (a, b) != (first, last))
        others = ", ".join(kept)
        text = f"{clause.name}({others})" if others else ""
        if not SHARING.isdisjoint(directive.names):
            text += f" shared({item})"
        line = source.count("\n", 0, clause.begin) + 1
        place = clause.begin if text else with_comma(source, clause)
        yield Fault("shared", line, f"{clause.name}({item}) made shared", place, clause.end, text)


def of_reduction(source: str, directive: Directive, clause: Clause) -> Iterator[Fault]:
    begin, end = clause.inner
    inside = source[begin:end]
    if re.match(r"\s*(task|inscan)\s*,", inside) or "taskloop" in directive.names:
        return
    if "for" not in directive.names and "parallel" not in directive.names:
        return
    listed = inside[inside.rindex(":") + 1 :] if inside.count(":") == 1 else ""
    text = f"shared({listed.strip()})" if "parallel" in directive.names and listed else ""
    line = source.count("\n", 0, clause.begin) + 1
    place = clause.begin if text else with_comma(source, clause)
    yield Fault("reduction", line, f"reduction({inside}) dropped", place, clause.end, text)
