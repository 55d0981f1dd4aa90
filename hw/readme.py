# SPDX-License-Identifier: Apache-2.0
"""Sections of hw/README.md that scripts make from the sources, each between marks of its own."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

README = Path(__file__).resolve().parent / "README.md"


def keep_section(script: str, what: str, make: Callable[[], str]) -> int:
    """Writes the section of hw/`script`; with `--check`, says only whether `what` it shows is
    that of the sources. Returns the exit status."""
    parser = argparse.ArgumentParser(prog=script, description=f"Writes {what} into hw/README.md.")
    parser.add_argument("--check", action="store_true", help="status 1 if that would change it")
    check = parser.parse_args().check
    begins, ends = f"<!-- hw/{script} begins -->", f"<!-- hw/{script} ends -->"
    text = README.read_text()
    start, end = text.index(begins), text.index(ends)
    now = f"{text[:start]}{begins}\n\n{make()}\n\n{text[end:]}"
    if check and now != text:
        print(f"hw/README.md: {what} are not those of the sources: run hw/{script}")
        return 1
    if not check:
        README.write_text(now)
    return 0
