# SPDX-License-Identifier: Apache-2.0
"""The reference of the site: the calls of the public headers, with what stands above them there."""

from __future__ import annotations

import re
from pathlib import Path

from docs.declarations import Entry, entries_of_c, entries_of_cpp, name_of, without_twins

INTRODUCTION = """# Reference

Every public call, out of the headers: what it does and, where it matters, what it costs, what it
throws or reports, and which threads may call it. If nothing is said of threads, main, tasks and
[other threads](../semantics.md#waits) may call it. [Semantics](../semantics.md) has the rules that
all of them follow.

"""
# Pages, with the headers that they are made of.
PAGES = {
    "tasks": ("Tasks and waits", "myr.hpp", "spawn.hpp"),
    "accesses": ("Accesses", "access.hpp", "each.hpp", "holds.hpp"),
    "regions": ("Regions", "region.hpp", "owned_region.hpp", "memory_resource.hpp"),
    "loops": ("Loops", "loop.hpp", "range.hpp", "grid.hpp", "view.hpp"),
    "reductions": ("Reductions", "reduction.hpp", "operations.hpp", "loop_reduction.hpp"),
    "algorithms": (
        "Algorithms",
        "algorithm.hpp",
        "fold.hpp",
        "parallel.hpp",
        "search.hpp",
        "sort.hpp",
    ),
    "futures": ("Futures, scopes, events", "future.hpp", "scope.hpp", "event.hpp"),
    "process": (
        "The process",
        "process.hpp",
        "arena.hpp",
        "recording.hpp",
        "exception.hpp",
        "serialize.hpp",
    ),
    "c": ("C", "myr.h", "process.h", "sim.h"),
    "spmd": ("SPMD programs in C", "spmd.h"),
}
DOCUMENT = re.compile(r"\bdocs/([\w/]+\.md)(?:, ([A-Z][\w ]*?)(?=[.:;,)]| for | says))?")
CODE = re.compile(r"`[^`]*`|(?<![\w/])(?:[\w]+::)*~?[\w]+\(\)|\b(?:myr|MYR)_\w+|\b\w+::[\w:]+")


def escaped(text: str) -> str:
    return re.sub(r"([*<>_\[\]|])", r"\\\1", text)


def with_code(line: str) -> str:
    """A line of a comment as Markdown: names are code, and the rest has no marks."""
    parts, end = [], 0
    for found in CODE.finditer(line):
        parts += [escaped(line[end : found.start()]), f"`{found.group().strip('`')}`"]
        end = found.end()
    return "".join([*parts, escaped(line[end:])])


def with_links(text: str) -> str:
    def link(found: re.Match[str]) -> str:
        place = f"#{found[2].lower().replace(' ', '-')}" if found[2] else ""
        return f"[{found[2] or Path(found[1]).stem}](../{found[1]}{place})"

    return DOCUMENT.sub(link, text)


def prose(comment: str) -> str:
    """A comment: paragraphs, and blocks of code, which are indented by two."""
    result: list[str] = []
    for paragraph in re.split(r"\n\n+", re.sub(r"clang-format o\w+\n?", "", comment)):
        code: list[str] = []
        for line in paragraph.splitlines():
            if line.startswith("  "):
                if not code:
                    result.append("")
                code.append(line[2:])
                continue
            result += fence(code)
            code = []
            result.append(with_links(with_code(line)))
        result += [*fence(code), ""]
    return re.sub(r"\n\n+", "\n\n", "\n".join(result)).strip()


def fence(code: list[str]) -> list[str]:
    return ["```cpp", *code, "```", ""] if code else []


def section(entry: Entry, mark: str, scope: str) -> str:
    declarations = without_twins(entry.declarations)
    names = list(dict.fromkeys(map(name_of, declarations)))
    title = ", ".join(f"{scope}{name}" for name in names)
    code = "\n".join(with_members(declarations, entry.members))
    text = f"{mark} {escaped(title)}\n\n```cpp\n{code}\n```\n\n{prose(entry.comment)}\n\n"
    for member in (member for member in entry.members if member.comment):
        text += section(member, f"{mark}#", f"{names[0]}::")
    return text


def with_members(declarations: list[str], members: list[Entry]) -> list[str]:
    """A class shows those of its members of which there is no more to say."""
    lines = [f"  {text};".replace("\n", "\n  ") for entry in members if not entry.comment
             for text in without_twins(entry.declarations)]  # fmt: skip
    result = list(declarations)
    for place, text in enumerate(result):
        if lines and re.search(r"^(?:class|struct) ", text, re.M):
            result[place] = "\n".join([f"{text} {{", *lines, "};"])
            break
    return result


def head_comment(text: str) -> str:
    """What a header says of itself."""
    if text.startswith("/*"):
        body = text[2 : text.index("*/")]
        lines = [re.sub(r"^ \* ?", "", line) for line in body.splitlines()]
    else:
        found = re.match(r"(?://.*\n)+", text)
        lines = [
            line[2:].removeprefix(" ") for line in (found.group() if found else "").split("\n")
        ]
    return "\n".join(line for line in lines if "SPDX" not in line).strip()


def page(folder: Path, title: str, headers: tuple[str, ...]) -> str:
    text = f"# {title}\n\n"
    for header in headers:
        source = (folder / header).read_text()
        entries = entries_of_c(source) if header.endswith(".h") else entries_of_cpp(source)
        if entries or header == "algorithm.hpp":
            text += f"## myr/{escaped(header)}\n\n{prose(head_comment(source))}\n\n"
            text += "".join(section(entry, "###", "") for entry in entries)
    return text


def pages(folder: Path) -> dict[str, str]:
    """The pages' names and texts, from the headers in that folder."""
    made = {
        f"docs/reference/{name}.md": page(folder, title, tuple(headers))
        for name, (title, *headers) in PAGES.items()
    }
    links = "".join(f"- [{title}]({name}.md)\n" for name, (title, *_) in PAGES.items())
    return made | {"docs/reference/README.md": INTRODUCTION + links}
