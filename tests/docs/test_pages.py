# SPDX-License-Identifier: Apache-2.0
"""Are the commands of the pages read as they stand there? Do they do what the pages say, in a shell
of a user who has installed this build? (`./dev door` runs all of them, where nothing is installed.)

Usage: test_pages.py BUILD_FOLDER
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from commands import Command, Shell, commands_of
from pages import PAGES, ROOT, Page, environment, fault_of, run_pages, steps_of

SAMPLE = """# A page

    ./run --fast      # 1.500
    A=1 B=x myr run ./program

Text.

    #pragma omp task
    ./not_a_command
```
    ./fenced
```
    myr::spawn(f);

    myrmidon: 1 worker
    myr machines

    myr machines      # prints: 2.25
"""


class Reading(unittest.TestCase):
    def test_commands_are_found(self) -> None:
        expected = [
            Command(3, "./run --fast      # 1.500"),
            Command(4, "A=1 B=x myr run ./program"),
            Command(18, "myr machines      # prints: 2.25"),
        ]
        self.assertEqual(commands_of(SAMPLE), expected)
        self.assertEqual([command.shown for command in expected], ["1.500", None, "2.25"])

    def test_each_user_page_with_commands_is_run(self) -> None:
        folders = ("user", "tutorial", "cookbook", "start", "from")
        pages = [path for name in folders for path in (ROOT / "docs" / name).glob("*.md")]
        with_commands = {
            str(path.relative_to(ROOT))
            for path in (ROOT / "README.md", *pages)
            if commands_of(path.read_text())
        }
        self.assertEqual(with_commands, {page.name for page in PAGES})

    def test_a_program_is_made_before_it_is_used(self) -> None:
        page = Page("x", before={"./b": "gcc b.c"})
        steps = steps_of(page, "    ./a\n    ./test \n    ./b\n    ./b 1\n    ./run\n", short=True)
        self.assertEqual([step.text for step in steps], ["./a", "gcc b.c", "./b", "./b 1"])

    def test_faults(self) -> None:
        page = Page("x", prints=(("./program", "7"),))
        for status, text, output, fault in (
            (0, "./program", "77", ""),
            (0, "./program", "8", "does not print ['7']"),
            (1, "./program", "7", "status 1"),
            (0, "./other # 1.5", "1.4", "does not print ['1.5']"),
            (0, "gcc -o ./program x.c", "", ""),
        ):
            self.assertEqual(fault_of(page, Command(1, text), status, output), fault)


class Shells(unittest.TestCase):
    def test_a_command_finds_what_others_have_left(self) -> None:
        shell = Shell([], "/", dict(os.environ))
        self.addCleanup(shell.close)
        self.assertEqual(shell.run("export X=5; cd /tmp  # a word", 60), (0, ""))
        self.assertEqual(shell.run("echo $X; pwd >&2; read; false", 60), (1, "5\n/tmp\n"))
        self.assertEqual(shell.run("sleep 1000", 0.5)[0], 124)


class Pages(unittest.TestCase):
    build: Path

    def test_all_commands_but_slow_ones(self) -> None:
        with tempfile.TemporaryDirectory() as home:
            prefix = Path(home, "myrmidon")
            subprocess.run(
                ["cmake", "--install", self.build, "--prefix", prefix],
                stdout=subprocess.DEVNULL,
                check=True,
            )
            folder = Path(home, "work")
            folder.mkdir()
            variables = environment(home, dict(os.environ))
            self.assertEqual(run_pages(folder, variables, short=True), 0)


if __name__ == "__main__":
    Pages.build = Path(sys.argv.pop(1))
    unittest.main()
