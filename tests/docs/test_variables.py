# SPDX-License-Identifier: Apache-2.0
"""Are the environment variables of the sources' table, of the page, and of the code that reads them
the same? Is one that is mistyped named, once, on each machine?

Usage: test_variables.py MYR PROGRAM [MPI...]
"""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "src/base/variables.cpp"
PAGE = ROOT / "docs/user/variables.md"
# A call that reads a variable, in C++ or Python; scripts of shells are few and short.
READS = re.compile(
    r"""(?:(?:getenv|variable|number_in|environ(?:\.get|\.setdefault)?)[(\[]"""
    r"""|read_number\(variable, )"(MYR_\w+)\""""
)


def known() -> set[str]:
    return set(re.findall(r'^    "(MYR_\w+)",$', TABLE.read_text(), re.M))


class Variables(unittest.TestCase):
    def test_the_page_has_those_of_the_table(self) -> None:
        environment = PAGE.read_text().split("## For CMake")[0]
        self.assertEqual(set(re.findall(r"^\| `(MYR_\w+)` \|", environment, re.M)), known())

    def test_what_is_read_is_in_the_table_and_the_other_way_round(self) -> None:
        read = {
            name
            for folder in ("src", "translate", "tests", "kernels", "bench", "tools", "hw")
            for suffix in ("*.cpp", "*.hpp", "*.c", "*.py")
            for path in (ROOT / folder).rglob(suffix)
            for name in READS.findall(path.read_text(errors="replace"))
        }
        self.assertEqual(read, known())

    def test_a_mistyped_one_is_named_once(self) -> None:
        machines = ["serial", "smp:2", "tree:1+2", "master:1+2", "sim:formic-520:1+4"]
        jobs = [("mpi:1+2", mpi) for mpi in MPIS]
        for machine, mpi in [(machine, "") for machine in machines] + jobs:
            with self.subTest(machine=machine, mpi=mpi):
                variables = {"MYR_ON": machine, "MYR_MPI": mpi, "MYR_SPINN": "5"}
                done = subprocess.run(
                    [MYR, "run", PROGRAM],
                    env=os.environ | variables,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                self.assertEqual(done.returncode, 0, done.stderr)
                said = "MYR_SPINN is unknown and has no effect; did you mean MYR_SPIN?"
                self.assertEqual(done.stderr.count(said), 1, done.stderr)


if __name__ == "__main__":
    MYR, PROGRAM, *MPIS = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
