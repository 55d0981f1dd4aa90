#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every C++ example of a page stands word for word in a test, up to its indentation.

check_docs.py PAGE TEST_FOLDER
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path


def examples(page: str) -> list[tuple[int, str]]:
    """Returns the line number and the text of each ```cpp block."""
    found: list[tuple[int, str]] = []
    begin: int | None = None
    lines = page.splitlines()
    for number, line in enumerate(lines, 1):
        if begin is None and line == "```cpp":
            begin = number
        elif begin is not None and line == "```":
            found.append((begin + 1, "\n".join(lines[begin : number - 1])))
            begin = None
    return found


def stands_in(example: str, test: str) -> bool:
    """Looks for the example anywhere, where all its lines may be indented further."""
    wanted = example.splitlines()
    lines = test.splitlines()
    for start in range(len(lines) - len(wanted) + 1):
        piece = "\n".join(lines[start : start + len(wanted)])
        if textwrap.dedent(piece) == example:
            return True
    return False


def main() -> None:
    page, folder = Path(sys.argv[1]), Path(sys.argv[2])
    tests = [path.read_text() for path in sorted(folder.glob("*.cpp"))]
    all_examples = examples(page.read_text())
    missing = [line for line, text in all_examples if not any(stands_in(text, t) for t in tests)]
    for line in missing:
        print(f"{page}:{line}: this example stands in no test of {folder}")
    if missing or not all_examples:
        sys.exit(1)
    print(f"{len(all_examples)} examples stand in tests")


if __name__ == "__main__":
    main()
