# SPDX-License-Identifier: Apache-2.0
"""That the provers can say no: a queue that is always ready is refuted in both ways."""

import shutil
import tempfile
import unittest
from pathlib import Path

import prove

FIFO = prove.PROOFS[0]
CYCLES = 6  # to fill a queue of three, and one word more


class Refuted(unittest.TestCase):
    def test_a_queue_that_takes_one_more(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(prove.HW / "rtl", Path(folder) / "rtl")
            fifo = Path(folder) / "rtl/fifo.sv"
            right = "assign in_ready_o  = count_q != CountWidth'(Depth);"
            text = fifo.read_text()
            self.assertIn(right, text)
            fifo.write_text(text.replace(right, "assign in_ready_o = 1'b1;"))
            self.assertIn("FAILED", prove.prove_bounded(FIFO, CYCLES, Path(folder)))
            self.assertIn("was asserted", prove.prove_unbounded(FIFO, Path(folder)))

    def test_the_queue(self) -> None:
        self.assertEqual(prove.prove_bounded(FIFO, CYCLES), "")
        self.assertEqual(prove.prove_unbounded(FIFO), "")


if __name__ == "__main__":
    unittest.main()
