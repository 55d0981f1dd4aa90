# SPDX-License-Identifier: Apache-2.0
"""Every fault still fits the code that it is to be planted in."""

import unittest

import drawn
import mpi
from mutants import MUTANTS, ROOT


class MutantsTest(unittest.TestCase):
    def test_each_fault_changes_a_place_of_today(self) -> None:
        for mutant in MUTANTS + mpi.FAULTS:
            with self.subTest(mutant.name):
                self.assertNotEqual(mutant.text(), (ROOT / mutant.path).read_text())
                self.assertTrue((ROOT / (mutant.unit or mutant.path)).exists())

    def test_faults_are_drawn_in_code_that_does_something(self) -> None:
        text = """// a == b
bool f(int a) {
  MYR_ASSERT(a == 1);
  count(a);  // true
  if (a < 2) return true;
  log("1 + 1");
}
const char* T::broken_invariant() const {
  return a == b ? "no" : nullptr;
}
"""
        faults = {(text[begin:end].strip(), wrong) for begin, end, wrong in drawn.faults(text)}
        self.assertEqual(
            faults,
            {
                ("count(a);", ""), ('log("1 + 1");', ""), ("<", "<="), ("true", "false"),
                ("", "!"),
            },
        )  # fmt: skip


if __name__ == "__main__":
    unittest.main()
