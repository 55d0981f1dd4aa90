# SPDX-License-Identifier: Apache-2.0
"""Checks of one file by itself: its head, its size, its lines, its functions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tidy.source import Finding, Source

FILE_LINES_MAX = 800
FUNCTION_LINES_MAX = 70
COLUMNS_MAX = 100

_SPDX = "SPDX-License-Identifier: Apache-2.0"
_UNFINISHED = re.compile(r"(?://|#|\*).*(?:\bFIXME\b|\bXXX\b|\bTODO\b(?!\(\d+\)))")
_ATOMIC = re.compile(r"#\s*include\s*<atomic>")
_TEMPLATE = re.compile(r"\btemplate\s*<[^{}]*?>(?=\s*[\w:\[])")
_DECORATION = re.compile(r"\balignas\s*\([^)]*\)|\[\[[^\]]*\]\]|__attribute__\s*\(\(.*?\)\)")
_SCOPE = re.compile(r"\b(?:namespace|class|struct|union|enum)\b[^()=]*$|\bextern\s*$")
_INITIALISER = re.compile(r"\)[^(){}]*:(?!:).*[\w>]\s*$", re.DOTALL)


def check_head(source: Source) -> Iterator[Finding]:
    """The licence stands in the first line, or in the second after a `#!` line."""
    if not any(_SPDX in line for line in source.lines[:2]):
        yield source.finding(1, f"the head lacks {_SPDX}")


def check_lines(source: Source) -> Iterator[Finding]:
    """Length of the file and of its lines, unfinished business, atomics outside src/sync."""
    if len(source.lines) > FILE_LINES_MAX:
        yield source.finding(1, f"{len(source.lines)} lines, at most {FILE_LINES_MAX} allowed")
    sync_only = source.path.startswith("src/") and not source.path.startswith("src/sync/")
    for number, line in enumerate(source.lines, start=1):
        if len(line) > COLUMNS_MAX:
            yield source.finding(number, f"{len(line)} columns, at most {COLUMNS_MAX} allowed")
        if _UNFINISHED.search(line):
            yield source.finding(number, "unfinished: write TODO(issue number), or do it")
        if sync_only and _ATOMIC.match(line):
            yield source.finding(number, "only src/sync may include <atomic>; use its Atomic")


@dataclass
class _Brace:
    kind: str  # "scope", "function" or "other"
    line: int
    name: str
    outer_header: str = ""  # what to go on with after the brace of a member initialiser


def check_functions(source: Source) -> Iterator[Finding]:
    """Length of functions, by matching braces; a lambda counts with the function around it."""
    header = ""
    line = 1
    braces: list[_Brace] = []
    for character in _without_preprocessor(source.code):
        if character == "\n":
            line += 1
        if character == "{":
            braces.append(_opened(header, line, braces))
            header = ""
        elif character == "}" and braces:
            brace = braces.pop()
            header = brace.outer_header
            length = line - brace.line + 1
            if brace.kind == "function" and length > FUNCTION_LINES_MAX:
                text = f"{brace.name} has {length} lines, at most {FUNCTION_LINES_MAX} allowed"
                yield source.finding(brace.line, text)
        elif character == ";":
            header = ""
        else:
            header += character


def _opened(header: str, line: int, outside: list[_Brace]) -> _Brace:
    """Tells from the text before a `{` what it opens."""
    plain = _DECORATION.sub(" ", _TEMPLATE.sub(" ", header))
    if any(brace.kind == "function" for brace in outside):
        return _Brace("other", line, "")
    if _INITIALISER.search(plain):
        return _Brace("other", line, "", outer_header=header + "{}")
    if _SCOPE.search(plain):
        return _Brace("scope", line, "")
    if "(" in plain:
        first = line - header.lstrip().count("\n")
        name = re.findall(r"[\w:~]+(?=\s*\()", plain)
        return _Brace("function", first, name[0] if name else "a function")
    return _Brace("other", line, "")


def _without_preprocessor(code: str) -> str:
    """Blanks directives with their continuation lines: braces in macros need not match."""
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", _blank, code, flags=re.MULTILINE)


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group())
