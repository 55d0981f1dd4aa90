# SPDX-License-Identifier: Apache-2.0
"""The folder from which the site is made: the repository's pages at their places, and beside them a
page for each file of code that one of them links to, since a site has no other way to show it.
"""

from __future__ import annotations

import re
from pathlib import Path

PAGES = ("*.md", "docs/**/*.md", "kernels/**/*.md", "bench/**/*.md", "hw/**/*.md", "python/*.md")
# Code, in which nothing is a link, or a link to what is in the tree, with what is behind a '#'.
LINK_OR_CODE = re.compile(
    r"^```.*?^```|^ {4}.*?$"
    r"|(?P<mark>!?)\[(?P<label>(?:[^\[\]]|\[[^\]]*\])*)\]"
    r"\((?P<goal>[^)#\s:]+)(?P<place>#[^)\s]*)?\)"
    r"|`[^`\n]*`",
    re.DOTALL | re.MULTILINE,
)
LANGUAGES = {
    ".c": "c",
    ".h": "c",
    ".cpp": "cpp",
    ".hpp": "cpp",
    ".py": "python",
    ".toml": "toml",
    ".f90": "fortran",
    ".rs": "rust",
}


class Layout:
    """Lays out the pages of `root` in the folder `target`. Files that stay the same are not
    touched, so that their pages need not be made again."""

    def __init__(self, root: Path, target: Path) -> None:
        self.root = root.resolve()
        self.target = target
        self.written: set[Path] = set()

    def write(self, more: dict[str, str] | None = None) -> None:
        """`more`: pages that are not in the repository, by name."""
        for pattern in PAGES:
            for path in self.root.glob(pattern):
                self.write_page(path)
        for name, text in (more or {}).items():
            self.put(Path(name), text.encode())
        for path in [path for path in self.target.rglob("*") if path.is_file()]:
            if path.relative_to(self.target) not in self.written:
                path.unlink()

    def put(self, name: Path, content: bytes) -> None:
        self.written.add(name)
        path = self.target / name
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def write_page(self, page: Path) -> None:
        def changed(found: re.Match[str]) -> str:
            return self.link(page, found) if found["goal"] else found.group()

        text = LINK_OR_CODE.sub(changed, page.read_text())
        self.put(page.relative_to(self.root), text.encode())

    def link(self, page: Path, link: re.Match[str]) -> str:
        """What a link becomes. What a site does not have, such as a folder, is only named."""
        mark, label, goal, place = link.group("mark", "label", "goal", "place")
        path = (page.parent / goal).resolve()
        if mark or not path.exists() or path.suffix == ".md":
            if path.is_file() and path.suffix != ".md":
                self.put(path.relative_to(self.root), path.read_bytes())
            return link.group()
        if path.is_dir():
            has_page = (path / "README.md").is_file()
            return f"[{label}]({goal.rstrip('/')}/README.md)" if has_page else label
        self.write_code(path)
        return f"[{label}]({goal}.md{place or ''})"

    def write_code(self, path: Path) -> None:
        name = path.relative_to(self.root)
        language = LANGUAGES.get(path.suffix, "text")
        head = f"---\norphan: true\nnosearch: true\n---\n# {name}\n\n"
        text = f"{head}`````{language}\n{path.read_text()}\n`````\n"
        self.put(name.with_name(f"{name.name}.md"), text.encode())
