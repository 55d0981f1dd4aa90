# SPDX-License-Identifier: Apache-2.0
"""Compares what libmyrmidon.so exports with symbols.txt: what was linked once keeps running.

Usage: test_abi.py LIBRARY     prints the difference, if any; status 1 then
"""

import subprocess
import sys
from pathlib import Path


def exported(library: str) -> set[str]:
    """Names of the symbols that the library defines for others, without their version."""
    command = ["nm", "--dynamic", "--defined-only", "--extern-only", "--format=posix", library]
    lines = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True
    ).stdout.splitlines()
    symbols = [line.split() for line in lines]
    return {name.split("@")[0] for name, kind, *_ in symbols if kind != "A"}


def main(library: str) -> int:
    listed = set(Path(__file__).with_name("symbols.txt").read_text().split())
    found = exported(library)
    for name in sorted(listed - found):
        print(f"{name} is gone: programs that use it no longer start")
    for name in sorted(found - listed):
        print(f"{name} is new: add it to symbols.txt if it belongs to the interface, else hide it")
    return 1 if listed != found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
