# SPDX-License-Identifier: Apache-2.0
"""The index of decisions: docs/adr/README.md lists each page once, with its status."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tidy.source import Finding

INDEX = "docs/adr/README.md"

# A row: the number, which leads to the page; the decision; its status.
_ROW = re.compile(r"^\| \[(\d+)\]\((\d{4})-[\w-]+\.md\) \| [^|]+ \| (\w*)[^|]* \|$")
_STATUS = {"accepted", "proposed", "rejected", "replaced", "steps"}  # steps: some of them


def check_index(folder: Path) -> Iterator[Finding]:
    """Pages that are listed not once, and rows without a status or with another page's number."""
    listed: Counter[int] = Counter()
    for line, text in enumerate((folder / "README.md").read_text().splitlines(), start=1):
        row = _ROW.match(text)
        if row is None:
            if text.startswith("| ["):
                yield Finding(INDEX, line, "the row is not: number and page, decision, status")
            continue
        listed[int(row[2])] += 1
        if int(row[1]) != int(row[2]):
            yield Finding(INDEX, line, f"the row of {row[1]} leads to the page of {int(row[2])}")
        if row[3] not in _STATUS:
            yield Finding(INDEX, line, f"`{row[3]}` is no status")
    for page in sorted(folder.glob("[0-9]*.md")):
        number = int(page.name[:4])
        if listed[number] != 1:
            yield Finding(INDEX, 1, f"decision {number} is listed {listed[number]} times")
