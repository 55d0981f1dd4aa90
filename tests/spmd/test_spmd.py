# SPDX-License-Identifier: Apache-2.0
"""SPMD programs on one MPI: what goes right, and the message for each thing that goes wrong.

Usage: test_spmd.py MPI MYR PROGRAM
"""

import os
import subprocess
import sys
import unittest

MISTAKES = {
    "counts": "myr_spmd_receive: worker 0 sends 1 region.* and 0 object.*, and 0 and 0",
    "both": "myr_spmd_exchange: this worker and worker 1 both send what lies at 0x",
    "root": "myr_region_free: region 0 is the root region",
    "twice": "myr_region_free: there is no region 0x",
    "free": "myr_free: no live object starts at 0x",
    "inside": "myr_free: no live object starts at 0x",
    "realloc": "myr_realloc: no live object starts at 0x",
    "freed": "myr_alloc: there is no region 0x",
    "packed": "myr_spmd_send: there is no region 0x",
    "self": "myr_spmd_send: 0 is no other worker; there are 0 to 1, and this is 0",
    "memory": "myr_alloc: out of memory: asked for 1 object",
    "spawn": "this spawns a task, but .* there are no tasks",
}


class Spmd(unittest.TestCase):
    mpi: str
    myr: str
    program: str

    def run_on(self, machine: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("MYR_")}
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        # Open MPI's launcher otherwise waits for a second before it kills what is left of a job.
        root["OMPI_MCA_odls_base_sigkill_timeout"] = "0"
        return subprocess.run(
            [self.myr, "run", "--on", machine, self.program, *arguments],
            env=clean | root | {"MYR_MPI": self.mpi},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=120,
        )

    def test_regions_and_objects_travel(self) -> None:
        for shape in "1+1", "1+3", "3+4":
            ended = self.run_on(f"spmd:{shape}")
            self.assertEqual(
                (ended.returncode, ended.stdout), (0, "all is as it should be\n"), ended
            )

    def test_each_worker_runs_main(self) -> None:
        ended = self.run_on("spmd:2+3", "ranks")
        self.assertEqual(ended.returncode, 3, ended.stderr)
        lines = sorted(line for line in ended.stdout.splitlines() if line.startswith("worker"))
        self.assertEqual(lines, [f"worker {i} of 3" for i in range(3)])

    def test_main_may_compute_for_long(self) -> None:
        ended = self.run_on("spmd:1+2", "silent")
        self.assertEqual(ended.returncode, 0, ended.stderr)

    def test_mistakes_are_one_message_with_a_place(self) -> None:
        for name, message in MISTAKES.items():
            with self.subTest(name):
                ended = self.run_on("spmd:1+2", name)
                self.assertNotEqual(ended.returncode, 0)
                own = [line for line in ended.stderr.splitlines() if "myrmidon: error:" in line]
                self.assertEqual(len(own), 1, ended.stderr)
                self.assertRegex(own[0], r"program\.cpp:\d+: " + message)

    def test_on_another_machine_the_message_says_how(self) -> None:
        ended = self.run_on("smp:1")
        self.assertEqual(ended.returncode, 70)
        self.assertIn("myr run --on spmd:1+4 PROGRAM", ended.stderr)


if __name__ == "__main__":
    Spmd.mpi, Spmd.myr, Spmd.program = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
