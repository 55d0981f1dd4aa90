# SPDX-License-Identifier: Apache-2.0
"""Every fault still fits the code that it is to be planted in."""

import unittest

import mpi
from mutants import MUTANTS, ROOT


class MutantsTest(unittest.TestCase):
    def test_each_fault_changes_a_place_of_today(self) -> None:
        for mutant in MUTANTS + mpi.FAULTS:
            with self.subTest(mutant.name):
                self.assertNotEqual(mutant.text(), (ROOT / mutant.path).read_text())
                self.assertTrue((ROOT / (mutant.unit or mutant.path)).exists())


if __name__ == "__main__":
    unittest.main()
