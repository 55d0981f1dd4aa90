# SPDX-License-Identifier: Apache-2.0
"""Processes of an MPI job run tasks of modules; how a job is started, and how not."""

import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from programs import run

PROGRAM = Path(__file__).with_name("mpi_program.py")
EXPECTED = """\
tiles 591872.0
lists 40000.0
native 6000.0
processes True
failure True
end
"""


class Jobs(unittest.TestCase):
    def launch(self, machine: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "myrmidon", "run", "--on", machine, PROGRAM],
            env=os.environ | {"MYR_ON": machine},  # which is no obstacle to the launcher
            capture_output=True,
            text=True,
            timeout=120,
        )

    def test_a_job(self) -> None:
        if shutil.which("mpirun") is None:
            self.skipTest("no mpirun")
        done = self.launch("mpi:1+3")
        self.assertEqual((done.stdout, done.returncode), (EXPECTED, 0), done.stderr)

    def test_the_same_without_one(self) -> None:
        done = self.launch("smp:2")
        self.assertEqual(done.stdout, EXPECTED.replace("processes True", "processes False"))

    def test_started_otherwise(self) -> None:
        done = run("wait()", machine="mpi:1+3", status=1)
        self.assertIn("python -m myrmidon run --on mpi:S+W", done.stderr)


if __name__ == "__main__":
    unittest.main()
