#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `myr check` says of wrong programs, each in a function of wrong.cpp, and of right ones.

Usage: test_check.py MYR WRONG RIGHT
"""

import re
import subprocess
import sys
import unittest
from pathlib import Path

MYR, WRONG, RIGHT = sys.argv[1:4]
FOUND = 66


def check(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([MYR, "check", *command], capture_output=True, text=True, timeout=100)


def cases() -> dict[str, tuple[int, str]]:
    """Of each function: the line of its mistake, and what is to be said of it."""
    found: dict[str, tuple[int, str]] = {}
    name = ""
    lines = (Path(__file__).parent / "wrong.cpp").read_text().splitlines()
    for number, line in enumerate(lines, 1):
        if begin := re.match(r"void (\w+)\(\) {", line):
            name = begin[1]
        elif name and (said := re.search(r";.*  // (.*)$|{  // (.*)$", line)):
            found.setdefault(name, (number, said[1] or said[2]))
    return found


class Check(unittest.TestCase):
    def test_wrong_programs(self) -> None:
        found = cases()
        self.assertGreater(len(found), 10)
        for name, (line, said) in found.items():
            with self.subTest(name):
                ended = check(WRONG, name)
                self.assertRegex(ended.stderr, rf"myr check: \S*wrong\.cpp:{line}: .*{said}")
                self.assertEqual(ended.returncode, FOUND)

    def test_right_programs(self) -> None:
        ended = check(RIGHT)
        self.assertEqual(ended.returncode, 0)
        self.assertRegex(ended.stderr, r"^myr check: no mistakes in \d+ tasks[^\n]*\n$")
        self.assertEqual(len(ended.stdout.splitlines()), 7)

    def test_a_program_that_is_not_compiled_for_it(self) -> None:
        self.assertIn("-fsanitize=thread", check("true").stderr)

    def test_no_program(self) -> None:
        ended = check()
        self.assertEqual(ended.returncode, 2)
        self.assertIn("which program", ended.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
