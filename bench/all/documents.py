# SPDX-License-Identifier: Apache-2.0
"""Places in documents that a program fills: between `<!-- NAME: ... -->` and `<!-- end of NAME
-->`."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PATHS = [DOCS / "performance.md", DOCS / "performance-openmp.md"]


def fill(text: str, name: str, lines: list[str]) -> str:
    """The text with the place's content replaced. Raises ValueError if it has no such place."""
    pattern = re.compile(
        rf"(<!-- {re.escape(name)}:[^>]*-->\n)(.*?)(<!-- end of {re.escape(name)} -->)", re.DOTALL
    )
    content = "\n" + "\n".join(lines) + "\n\n"
    filled, count = pattern.subn(lambda match: match[1] + content + match[3], text)
    if count != 1:
        raise ValueError(f"{count} places '{name}' instead of one")
    return filled


def fill_files(paths: list[Path], places: dict[str, list[str]]) -> list[Path]:
    """Fills each place where it stands, in one file at least; returns the files that changed."""
    changed = []
    missing = set(places)
    for path in paths:
        old = text = path.read_text()
        for name, lines in places.items():
            if f"<!-- {name}:" in text:
                text = fill(text, name, lines)
                missing.discard(name)
        if text != old:
            path.write_text(text)
            changed.append(path)
    if missing:
        raise ValueError(f"no document has a place for {', '.join(sorted(missing))}")
    return changed
