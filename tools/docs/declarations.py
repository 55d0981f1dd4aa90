# SPDX-License-Identifier: Apache-2.0
"""Public declarations and the comments above them, out of headers that clang-format has laid out.

What is in a namespace `detail`, private, refused (MYR_REFUSED) or without a comment is left out; a
declaration without a comment that follows another one without an empty line shares its comment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

PLACE = r"__builtin_source_location\(\)"
NOISE = re.compile(
    r"\[\[(?:nodiscard|gnu::\w+)\]\] ?|\binline |\bexplicit |MYR_(?:PROCESS_)?API |"
    rf",? *const void\* site = (?:{PLACE}|nullptr)|"
    rf",? *detail::(?:CallSite|Here) \w+ = detail::(?:CallSite|Here)\({PLACE}\)"
)
# Strings, characters and comments, in which braces do not count.
QUOTED = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|//.*|/\*.*?\*/')
IS_USUAL = re.compile(
    r"^(?:constexpr )?(?:~?\w+\(\)|\w+\((?:const )?\w+&&? \w+\)|\w+\(\w+ \w+\))"
    r"(?: noexcept)?(?: = default)?$"
    r"|operator=\(|^using |^struct \w+$"
)
NAME_BEFORE_PARENTHESIS = re.compile(r"(operator\S+|~?\w+)\s*\(")


@dataclass
class Entry:
    """One comment, and the declarations below it."""

    comment: str
    declarations: list[str] = field(default_factory=list)
    members: list[Entry] = field(default_factory=list)


def name_of(declaration: str) -> str:
    """What a declaration declares."""
    text = re.sub(r"^template <.*?>\n(?!template)|^template <.*> ", "", declaration, flags=re.S)
    if text.startswith("enum {"):
        found = re.search(r"\b([A-Z]\w+)", text)
    elif text.startswith("typedef"):
        found = re.match(r"typedef struct (\w+) \{", text)
        found = found or re.search(r"\(\*(\w+)\)", text) or re.search(r"(\w+);?$", text)
    else:
        found = re.match(r"(?:class|struct|enum|concept) (\w+)", text)
        found = found or re.search(r"\b(operator (?:\w|[:<> ])+?)\(", text)
        found = found or NAME_BEFORE_PARENTHESIS.search(text.replace("decltype(auto)", "auto"))
    if found:
        return found[1]
    words = re.findall(r"\w+", re.split(r"[={;[]", text)[0])
    return words[-1] if words else ""


def balance(line: str, opening: str, closing: str) -> int:
    text = QUOTED.sub("", line)
    return sum(text.count(c) for c in opening) - sum(text.count(c) for c in closing)


def head_of(lines: list[str]) -> str:
    """A declaration without its body, and without what only the library's authors read."""
    text = "\n".join(line.split("  // ")[0].rstrip() for line in without_constraints(lines))
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        is_constructor = letter == ":" and depth == 0 and text[place - 1 : place + 2] == ") :"
        if depth == 0 and (letter in "{;" or text[place : place + 4] == ") : "):
            text = text[: place + (letter == ")")]
            break
        if depth == 0 and (is_constructor or re.match(r"\)(?: noexcept)?\s+: ", text[place:])):
            text = text[: place + 1]
            break
    return plain(text)


def without_constraints(lines: list[str]) -> list[str]:
    """Without those that begin a line; one behind the arguments goes up to the body."""
    kept: list[str] = []
    in_constraint = False
    for line in lines:
        in_constraint = line.lstrip().startswith("requires") or (in_constraint and line[:1] == " ")
        if not in_constraint:
            kept.append(line)
        elif line.endswith(" {") or line == "  {":
            in_constraint = False
            kept.append("{")
    return kept


def plain(head: str) -> str:
    """In one line behind the line of its template, without names of `detail`."""
    text = NOISE.sub("", " ".join(line.strip() for line in head.splitlines()))
    text = re.sub(
        r"^template <.*?> (?!template)",
        lambda found: re.sub(r"detail::\w+(?:<\w+>)?(?= \w+[,>])", "class", found[0]),
        text,
    )
    text = text.replace("class A, class B, class C, class D, class... More", "class... Args")
    text = text.replace("A&& a, B&& b, C&& c, D&& d, More&&... more", "Args&&... args")
    text = re.sub(r",\s*\)", ")", re.sub(r"\(\s+", "(", " ".join(text.split())))
    text = re.sub(r"^(template <[^()]*?>) (?=[\w~:]|::)(?!>)", r"\1\n", text)
    text = re.sub(r"(^|\n)(constexpr )?detail::\w+(?:<.*>)? (?=\w+\()", r"\1\2auto ", text)
    return text.replace("detail::", "")


def without_twins(declarations: list[str]) -> list[str]:
    """Of overloads, the one that takes any number of arguments stands for the others."""
    general = {name_of(text) for text in declarations if "..." in text}
    return [text for text in declarations if "..." in text or name_of(text) not in general]


class Scanner:
    """Reads lines of one scope, in which declarations begin in the first column."""

    def __init__(self, lines: list[str], in_class: bool = False) -> None:
        self.lines = lines
        self.in_class = in_class
        self.entries: list[Entry] = []
        self.current: Entry | None = None  # to which further declarations belong
        self.comment: list[str] = []
        self.at = 0

    def scan(self) -> list[Entry]:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if not line.strip():
                self.comment, self.current = [], None
            elif line.startswith("//"):
                if self.current is not None:
                    self.current = None
                self.comment.append(line[2:].removeprefix(" "))
            elif line.startswith("#"):
                while self.lines[self.at].endswith("\\"):
                    self.at += 1
            elif found := re.match(r"namespace (.*\bdetail) \{", line):
                self.skip_to(f"}}  // namespace {found[1]}")
                self.comment, self.current = [], None
            elif line.rstrip() in ("public:", "private:", "protected:", " public:", " private:"):
                if "private" in line:
                    break
            elif not line.startswith(("namespace", "}")):
                self.declaration()
                continue
            self.at += 1
        return self.entries

    def skip_to(self, end: str) -> None:
        while self.lines[self.at].rstrip() != end:
            self.at += 1

    def declaration(self) -> None:
        """Takes all lines of one declaration."""
        begin, depth = self.at, 0
        while self.at < len(self.lines):
            line = self.lines[self.at]
            depth += balance(line, "({[", ")}]")
            self.at += 1
            ends = QUOTED.sub("", line).rstrip().endswith((";", "}"))
            if depth == 0 and ends and not line.startswith("  requires"):
                break
        self.take(self.lines[begin : self.at])

    def take(self, lines: list[str]) -> None:
        text = "\n".join(lines)
        is_hidden = re.match(r"(?:friend|static_assert|using namespace)\b", lines[0])
        if is_hidden or "MYR_REFUSED" in text or re.search(r"= (?:delete|default);$", text):
            return
        if self.comment:
            self.current = Entry("\n".join(self.comment))
            self.entries.append(self.current)
            self.comment = []
        if self.current is None and not self.in_class:
            return
        if self.current is None:
            self.current = Entry("")
            self.entries.append(self.current)
        head = head_of(lines)
        if re.match(r"(?:template <.*>\s*)?(?:class|struct) \w+;?$", head) and text.endswith(";\n"):
            return
        if head not in self.current.declarations:
            self.current.declarations.append(head)
        is_type = re.search(r"^(?:class|struct) ", head, re.M) is not None
        if is_type and len(lines) > 1 and not self.in_class:
            self.current.members += members_of(lines)


def members_of(lines: list[str]) -> list[Entry]:
    """The public ones of a class; copies, moves and ends only if something is said of them."""
    opening = (
        place for place, line in enumerate(lines) if QUOTED.sub("", line).rstrip()[-1:] == "{"
    )
    begin = next(opening, len(lines)) + 1
    body = [line[2:] if line.startswith("  ") else line for line in lines[begin:-1]]
    if any(line.startswith("class ") for line in lines[:begin]):
        public = [place for place, line in enumerate(body) if "public:" in line]
        body = body[public[0] + 1 :] if public else []
    members = Scanner(body, in_class=True).scan()
    for member in members:
        said = [text for text in member.declarations if not IS_USUAL.search(text)]
        member.declarations = said or (member.declarations if member.comment else [])
    return [member for member in members if member.declarations]


def entries_of_cpp(text: str) -> list[Entry]:
    lines = text.splitlines()
    begin = next(place for place, line in enumerate(lines) if line.startswith("namespace myr"))
    return [entry for entry in Scanner(lines[begin:]).scan() if entry.declarations]


COMMENT_OF_C = re.compile(r"^/\*((?:(?!\*/).)*)\*/\n", re.M | re.S)
DECLARATION_OF_C = re.compile(
    r"#define (?P<macro>myr_\w+)(?:[^\n]*\\\n)*[^\n]*\n"
    r"|(?:static inline|MYR_\w*API)[^;{]*(?:;\n|\{.*?^\}\n)"
    r"|(?:typedef|enum|struct)[^;{]*(?:;|\{.*?^\}[^;\n]*;)[^\n]*\n",
    re.M | re.S,
)


def entries_of_c(text: str) -> list[Entry]:
    """Functions, types and macros with a comment in front. The types of a macro's arguments are
    those of the function of its name."""
    functions = {
        name_of(head): head
        for found in re.finditer(r"^MYR_\w*API [^;]*;", text, re.M)
        for head in [head_of(found[0].splitlines())]
    }
    macros = set(re.findall(r"^#define (myr_\w+)", text, re.M))
    entries: list[Entry] = []
    for found in COMMENT_OF_C.finditer(text):
        lines = found[1].strip().splitlines()
        entry = Entry("\n".join(re.sub(r"^ *\* ?", "", line) for line in lines))
        place = found.end()
        while declared := DECLARATION_OF_C.match(text, place):
            place = declared.end()
            source = declared[0].strip()
            if macro := declared["macro"]:
                source = functions.get(macro) or re.sub(
                    r"^#define (.*?\)).*", r"\1", source, flags=re.S
                )
                source = re.sub(r"\s*\\\n\s*", " ", source)
            elif not source.startswith(("typedef", "enum", "struct")):
                source = head_of(source.splitlines())
                if name_of(source).endswith("_at") or name_of(source) in macros:
                    continue
            entry.declarations.append(source)
        if entry.declarations:
            entries.append(entry)
    return entries
