# SPDX-License-Identifier: Apache-2.0
"""Checks the source tree against its rules: layers, heads, lengths, memory orders, words.

Usage: python3 -m tidy [ROOT]     prints `path:line: what` for each broken rule, status 1 if any
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from tidy import decisions, layers, limits, links, orders, words
from tidy.source import CPP_ENDINGS, Finding, Source

CODE_FOLDERS = (
    "src",
    "include",
    "translate",
    "kernels",
    "bench",
    "tests",
    "examples",
    "hw",
    "fortran",
    "rust",
    "tools",
)


def check_file(source: Source, root: Path, table: layers.LayerTable) -> Iterator[Finding]:
    """All findings of one file, by its kind."""
    name = Path(source.path).name
    if name == "CMakeLists.txt":
        yield from layers.check_links(source, table)
    elif name.endswith(".md"):
        yield from links.check_links_of_document(source, root)
    elif source.is_cpp or name.endswith((".py", ".f90", ".rs")):
        yield from limits.check_head(source)
        yield from limits.check_lines(source)
    if source.is_cpp:
        yield from layers.check_includes(source, table)
        yield from limits.check_functions(source)


def sources(root: Path) -> Iterator[Source]:
    """The files to check; the tree need not be a git checkout."""
    files = [*root.glob("*.md"), *root.glob("docs/**/*.md")]
    for folder in CODE_FOLDERS:
        files += (root / folder).rglob("*")
    wanted = CPP_ENDINGS | {".py", ".md", ".f90", ".rs"}
    for file in sorted(files):
        if file.is_file() and (file.suffix in wanted or file.name == "CMakeLists.txt"):
            yield Source(file.relative_to(root).as_posix(), file.read_text())


def check_map(root: Path) -> Iterator[Finding]:
    """Folders of the tree that CONTRIBUTING.md, the map, does not name."""
    text = (root / "CONTRIBUTING.md").read_text()
    folders = [f"{folder}/" for folder in ("include/myr", *CODE_FOLDERS[2:])]
    folders += sorted(f"src/{layer.name}" for layer in (root / "src").iterdir() if layer.is_dir())
    for folder in folders:
        if f"`{folder}`" not in text:
            yield Finding("CONTRIBUTING.md", 1, f"the map does not name `{folder}`")


def main(arguments: list[str]) -> int:
    root = Path(arguments[0]) if arguments else Path(__file__).parents[2]
    table = layers.LayerTable.load(Path(__file__).with_name("layers.toml"))
    files = list(sources(root))
    findings = [finding for source in files for finding in check_file(source, root, table)]
    findings += check_map(root)
    findings += layers.check_cycles(source for source in files if source.is_cpp)
    findings += words.check_words(
        filter(words.is_subject, files),
        (root / words.GLOSSARY).read_text(),
        (root / words.WORDS).read_text(),
    )
    findings += decisions.check_index(root / "docs/adr")
    findings += orders.check_orders(source for source in files if orders.is_subject(source))
    for finding in sorted(findings):
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
