# SPDX-License-Identifier: Apache-2.0
"""Tasks that gcc and clang cut out themselves, with what a translation would put before them
(outlined/), do on all machines what the serial programs do.

Usage: test_outlined.py BUILD_FOLDER
"""

import shutil
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from support import HERE, MACHINES, Tools, in_parallel, run, succeed

COMPILERS = {".c": ("gcc", "clang-19"), ".cpp": ("g++", "clang++-19")}
ALL_MACHINES = (*MACHINES, {"MYR_ON": "sim:formic-520"})
TWICE = """#include <myr/outlined.h>
int main(void) {
  const myr_next_task next = {NULL, 0, NULL, 0, 0};
  myr_hand_over(&next);
  myr_hand_over(&next);
}
"""


def with_tasks(compiler: str) -> list[str]:
    """Options for the compiler's tasks, which link no library of clang's: it may not be there."""
    return ["-Xclang", "-fopenmp"] if "clang" in compiler else ["-fopenmp"]


class Outlined(unittest.TestCase):
    tools: Tools

    def runtime(self) -> list[str]:
        """Options to link a program with Myrmidon, the archive first."""
        *others, library = self.tools.runtime
        return [*others, "-lmyrmidon-tasks", library]

    def check(self, source: Path, compiler: str) -> str:
        """What is wrong with a program; nothing: all is well."""
        with TemporaryDirectory() as name:
            serial, tasks = Path(name, "serial"), Path(name, "tasks")
            succeed(compiler, "-O1", "-w", source, "-o", serial)
            options = ["-O2", "-w", *with_tasks(compiler)]
            succeed(compiler, *options, source, *self.runtime(), "-o", tasks)
            expected = succeed(serial)
            for machine in ALL_MACHINES:
                done = run(tasks, **machine)
                if done.returncode != 0 or done.stdout != expected:
                    return f"{source.name}, {compiler}, {machine}: {done}, not {expected}"
        return ""

    def test_do_the_same_as_the_serial_program(self) -> None:
        """But for clang's own library, which need not be installed."""
        pairs = [
            (source, compiler)
            for source in sorted((HERE / "outlined").glob("*.c*"))
            for compiler in COMPILERS[source.suffix]
            if shutil.which(compiler) and (source.name != "both.c" or compiler == "gcc")
        ]
        wrong = in_parallel(lambda pair: self.check(*pair), pairs)
        self.assertEqual([text for text in wrong if text], [])

    def test_task_that_another_library_took_is_noticed(self) -> None:
        """Nothing takes the first one that is handed over here."""
        with TemporaryDirectory() as name:
            source, program = Path(name, "twice.c"), Path(name, "twice")
            source.write_text(TWICE)
            succeed("gcc", source, *self.runtime(), "-o", program)
            done = run(program)
            self.assertEqual(done.returncode, 70, done)
            self.assertIn("was made by another library", done.stderr)


if __name__ == "__main__":
    Outlined.tools = Tools(Path(sys.argv[1]).resolve())
    sys.argv[1:] = sys.argv[2:]
    unittest.main()
