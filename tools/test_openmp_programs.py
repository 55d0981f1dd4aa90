# SPDX-License-Identifier: Apache-2.0
"""Tests of what is compared of real programs; none of them runs here."""

import tempfile
import unittest
from pathlib import Path

import openmp_inputs
import openmp_programs
from openmp_programs import Program


class OpenMpPrograms(unittest.TestCase):
    def test_inputs_are_the_same_each_time(self) -> None:
        texts = []
        for _ in range(2):
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                openmp_inputs.write_sequences(folder)
                texts.append([path.read_text() for path in sorted(folder.iterdir())])
        self.assertEqual(texts[0], texts[1])
        self.assertEqual(len(texts[0]), 3)

    def test_times_that_a_program_prints_do_not_count(self) -> None:
        program = Program("p", "p", "p")
        sums = {
            openmp_programs.checksum(program, text, Path())
            for text in (b"result 42\nTime: 0.31\n", b"result 42\nTime: 0.35\n")
        }
        self.assertEqual(len(sums), 1)
        other = openmp_programs.checksum(program, b"result 43\nTime: 0.31\n", Path())
        self.assertNotIn(other, sums)

    def test_files_and_kept_lines_count(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            program = Program("p", "p", "p", ("out",))
            missing = openmp_programs.checksum(program, b"", folder)
            (folder / "out").write_text("x")
            self.assertNotEqual(openmp_programs.checksum(program, b"", folder), missing)
        kept = Program("p", "p", "p", keep="ENERGY")
        one = openmp_programs.checksum(kept, b"noise 1\nENERGY -4.2\n", Path())
        self.assertEqual(one, openmp_programs.checksum(kept, b"noise 2\nENERGY -4.2\n", Path()))


if __name__ == "__main__":
    unittest.main()
