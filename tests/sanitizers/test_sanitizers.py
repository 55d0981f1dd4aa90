#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a sanitizer says of programs that are compiled with it: nothing of right ones, on each
machine; and of wrong ones, each a function of racing.cpp or addresses.cpp, what is wrong.

Usage: test_sanitizers.py thread|address BIN
"""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

SANITIZER, BIN = sys.argv[1:3]
MACHINES = ["serial", "smp:2", "smp:8", "tree:1+2", "master:1+3"]
RIGHT = ["right", "loop", "pipeline", "reduction", "results", "sort", "tree"]
# Races show where two threads are sure to run at the same time; other mistakes anywhere.
WRONG = {
    "thread": ("racing.cpp", "WARNING: ThreadSanitizer: data race", ["smp:2", "smp:8"]),
    "address": ("addresses.cpp", "ERROR: AddressSanitizer: ", ["smp:2", "tree:1+2"]),
}


def run(name: str, machine: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [f"{BIN}/myr_{SANITIZER}_{name}", *arguments],
        env=os.environ | {"MYR_ON": machine},
        capture_output=True,
        text=True,
        timeout=120,
    )


class Sanitizers(unittest.TestCase):
    def test_right_programs(self) -> None:
        for name in RIGHT:
            said = set()
            for machine in MACHINES:
                with self.subTest(name, machine=machine):
                    ended = run(name, machine)
                    self.assertEqual(ended.stderr, "")
                    self.assertEqual(ended.returncode, 0)
                    said.add(ended.stdout)
            self.assertEqual(len(said), 1)

    def test_wrong_programs(self) -> None:
        source, said, machines = WRONG[SANITIZER]
        text = (Path(__file__).parent / source).read_text()
        names = re.findall(r'{"(\w+)", ', text)
        self.assertGreater(len(names), 5)
        for name in names:
            for machine in machines:
                with self.subTest(name, machine=machine):
                    ended = run("wrong", machine, name)
                    self.assertIn(said, ended.stderr)
                    self.assertNotEqual(ended.returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
