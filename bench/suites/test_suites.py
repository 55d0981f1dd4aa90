# SPDX-License-Identifier: Apache-2.0
"""What the comparison makes of programs, outputs and times."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import run

SCRIPT = """#!/bin/sh
echo "threads $OMP_NUM_THREADS, library ${LD_LIBRARY_PATH:-none}"
[ -z "$LD_LIBRARY_PATH" ] && echo "took 2.0 s" || echo "took 3.0 s"
"""


def times(*seconds: float) -> run.Times:
    return run.Times(list(seconds))


class Suites(unittest.TestCase):
    def test_a_loss_is_bold_and_anything_else_is_not(self) -> None:
        self.assertEqual(run.ratio(times(2.0), [times(1.0), times(4.0)], 60), "**2.00**")
        self.assertEqual(run.ratio(times(1.02), [times(1.0)], 60), "1.02")
        self.assertEqual(run.ratio(times(0.5), [times(1.0)], 60), "0.50")
        noisy = times(1.0, 1.2, 2.0, 2.2)
        self.assertEqual(run.ratio(noisy, [times(1.4, 1.4, 1.4, 1.4)], 60), "1.14")
        self.assertEqual(run.ratio(times(60.0), [times(2.0)], 60), "**> 30.00**")
        self.assertEqual(run.ratio(times(6.0), [times(60.0)], 60), "< 0.10")
        self.assertEqual(run.ratio(None, [times(1.0)], 60), "-")

    def test_a_rival_that_failed_is_no_rival_and_our_failure_no_time(self) -> None:
        failed = run.Times([0.1], ["status 1"])
        self.assertEqual(run.ratio(times(2.0), [failed, times(1.0)], 60), "**2.00**")
        self.assertEqual(run.ratio(failed, [times(1.0)], 60), "-")
        self.assertEqual(run.text_of(failed, 60), "failed")

    def test_programs_of_a_folder_run_on_each_library(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "a.sh").write_text(SCRIPT)
            (folder / "a.sh").chmod(0o755)
            (folder / "bin").mkdir()
            (folder / "lib/openmp").mkdir(parents=True)
            (folder / "lib/openmp/libgomp.so.1").touch()
            (folder / "programs.toml").write_text(
                '[[program]]\nname = "right"\nversion = "1"\ngcc = ["./a.sh"]\n'
                "seconds = 'took ([0-9.]+)'\nright = 'threads 3'\n"
                '[[program]]\nname = "wrong"\nversion = "1"\ngcc = ["./a.sh"]\nright = "never"\n'
            )
            out, errors = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
                run.main([name, "--programs", f"{name}/bin", "--threads", "3", "--runs", "2"])
        lines = out.getvalue().splitlines()
        right = next(line for line in lines if line.startswith("| right | 3 ± 0 (2) | 2 ± 0 (2) |"))
        self.assertTrue(right.endswith("| **1.50** | - | - | - |"), right)
        wrong = next(line for line in lines if line.startswith("| wrong | failed | failed |"))
        self.assertTrue(wrong.endswith("| - | - | - | - |"), wrong)
        self.assertIn("wrong, gcc, on Myrmidon: the output has no 'never'", errors.getvalue())


if __name__ == "__main__":
    unittest.main()
