# SPDX-License-Identifier: Apache-2.0
"""Is a page's program the one in its file, and does it print on each machine what the page has?

The page has the file, without its head, in a ```cpp block, and what it prints in the next ```text
block.

Usage: test_program.py PAGE FILE PROGRAM [MACHINE...]
"""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from pages import fenced

LIMIT_S = 200


class Program(unittest.TestCase):
    def test_page_has_the_file(self) -> None:
        self.assertIn(f"```cpp\n{CODE}```\n", PAGE.read_text())

    def test_prints_what_the_page_says(self) -> None:
        expected = fenced("text")(PAGE.read_text().split(CODE)[-1])
        for machine in MACHINES:
            with self.subTest(machine=machine):
                done = subprocess.run(
                    [PROGRAM],
                    env=os.environ | {"MYR_ON": machine},
                    capture_output=True,
                    text=True,
                    check=False,
                    timeout=LIMIT_S,
                )
                self.assertEqual((done.returncode, done.stdout), (0, expected), done.stderr)


if __name__ == "__main__":
    PAGE, FILE, PROGRAM = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    CODE = re.sub(r"\A(?://.*\n)+", "", FILE.read_text())
    MACHINES = sys.argv[4:]
    unittest.main(argv=sys.argv[:1])
