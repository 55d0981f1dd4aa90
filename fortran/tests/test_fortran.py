# SPDX-License-Identifier: Apache-2.0
"""What is said of mistakes in Fortran programs, at run time and by gfortran; places in reports;
the programs of the page; OpenMP programs of gfortran, on Myrmidon's library.

Usage: test_fortran.py BUILD_FOLDER GFORTRAN ARCHIVE
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(__file__).parent
PAGE = FOLDER.parents[1] / "docs" / "user" / "fortran.md"
BLOCK = re.compile(r"^```(fortran|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECONDS_MAX = 100

# What is said at the line with the mistake's name in a comment.
MISTAKES = {
    "rank": "an access names an array of rank 8; the most is 7",
    "unallocated": "an access names a pointer that is not associated, or an array that is not",
    "pieces": "an access names a section of more than 65536 separate pieces of 4 bytes",
    "value": "a value has at most 64 bytes; declare what is larger by myr_in()",
    "part": "myr_part() is for loops; a task takes a section of the array",
    "loop": "the loop runs from 0 to 1000, but the last dimension of the array of its access 1 "
    "from 1 to 1000",
    "before": "before and after of myr_part() are not negative",
    "commutative": "myr_concurrent() and myr_commutative() take what myr_inout() returns",
    "footprint": "",  # the library's own text
    "failure": "a task has failed: this task fails",
    "machine": "",
    "shape": "the shape in myr_allocate() has 1 elements, the array rank 2",
}
# What gfortran does not compile, behind the declarations of REFUSED.
REFUSED = """
program refused
  use, intrinsic :: iso_c_binding
  use myrmidon
  implicit none
  real(c_double), target :: a(10)
  real(c_double) :: no_target(10)
  integer :: i(2) = [1, 2]
  type(myr_access) :: access
  {line}
  print *, a(1), no_target(1), i
end program
"""
FITS = "access = myr_in(a(2:5))"
MISFITS = (
    "access = myr_in(no_target)",
    "access = myr_in(a + 1)",
    "access = myr_in(3)",
    "access = myr_in(a(i))",
    "access = myr_out('text')",
    "access = myr_part(a)",
)


class Programs(unittest.TestCase):
    build: Path
    gfortran: str
    archive: Path

    def run_program(self, *words: object, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(word) for word in words],
            env=os.environ | variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS_MAX,
        )

    def compile(self, source: Path, program: Path, *options: str) -> None:
        library = self.build / "lib"
        done = self.run_program(
            self.gfortran, "-frecursive", f"-I{self.build}/fortran/modules", f"-J{program.parent}",
            *options, source, self.archive, f"-L{library}", "-lmyrmidon",
            f"-Wl,-rpath,{library}", "-o", program,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_mistakes_are_told_with_their_lines(self) -> None:
        lines = (FOLDER / "mistakes.f90").read_text().splitlines()
        for mistake, text in MISTAKES.items():
            with self.subTest(mistake):
                line = 1 + next(i for i, line in enumerate(lines) if line.endswith(f"! {mistake}"))
                done = self.run_program(self.build / "bin/fortran_mistakes", mistake)
                self.assertEqual((done.returncode, done.stdout), (70, "before\n"), done)
                start = f"myrmidon: error: mistakes.f90:{line}: {text}"
                self.assertTrue(done.stderr.startswith(start), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)

    def test_a_failure_that_nobody_takes_is_told_at_the_end(self) -> None:
        done = self.run_program(self.build / "bin/fortran_mistakes", "lost")
        self.assertEqual(done.returncode, 70, done)
        self.assertIn("this task fails", done.stderr)

    def test_stat_in_place_of_an_end(self) -> None:
        for mistake, text in (("machine_stat", "nowhere"), ("twice", "a machine runs already")):
            done = self.run_program(self.build / "bin/fortran_mistakes", mistake)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, rf"^before\n-\d+ .*{text}")

    def test_bodies_of_other_kinds_and_ranks_are_found_by_gfortrans_checks(self) -> None:
        for mistake, text in (
            ("kind_of_body", "Unexpected type"),
            ("rank_of_body", "Invalid rank"),
        ):
            done = self.run_program(self.build / "bin/fortran_mistakes", mistake)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"Fortran runtime error: {text}", done.stderr)

    def test_what_is_no_variable_with_target_does_not_compile(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "refused.f90")
            for line in (FITS, *MISFITS):
                with self.subTest(line):
                    source.write_text(REFUSED.replace("{line}", line))
                    modules = f"-I{self.build}/fortran/modules"
                    done = self.run_program(
                        self.gfortran, modules, "-c", source, "-o", f"{folder}/refused.o"
                    )
                    self.assertEqual(done.returncode == 0, line == FITS, done.stderr)

    def test_reports_name_lines(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "heat")
            self.compile(FOLDER.parent / "examples" / "heat.f90", program, "-g")
            done = self.run_program(program, MYR_ON="smp:2", MYR_STATS="1")
            self.assertIn("34388.312", done.stdout)
            self.assertRegex(done.stderr, r"heat\.f90:\d+ +1600")

    def test_the_check_names_lines(self) -> None:
        myr = self.build / "bin" / "myr"
        if not any(self.build.glob("lib/check/libtsan.so.2")):
            self.skipTest("myr check is not built")
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "undeclared")
            options = ("-g", "-O1", "-fsanitize=thread", "-Wno-tsan")
            self.compile(FOLDER / "undeclared.f90", program, *options)
            done = self.run_program(myr, "check", program)
            self.assertEqual(done.returncode, 66, done)
            self.assertRegex(
                done.stderr, r"undeclared\.f90:13: .* undeclared\.f90:23 .*__bodies_MOD_other"
            )
            heat = Path(folder, "heat")
            self.compile(FOLDER.parent / "examples" / "heat.f90", heat, *options)
            done = self.run_program(myr, "check", heat)
            self.assertEqual((done.returncode, done.stdout), (0, "34388.312\n"), done)

    def test_programs_of_the_page(self) -> None:
        blocks = BLOCK.findall(PAGE.read_text())
        self.assertGreater(len(blocks), 4)
        with tempfile.TemporaryDirectory() as folder:
            printed = ""
            for number, (kind, text) in enumerate(blocks):
                with self.subTest(number):
                    if kind == "text":
                        self.assertEqual(printed, text)
                        continue
                    source, program = Path(folder, f"{number}.f90"), Path(folder, f"{number}")
                    source.write_text(text)
                    self.compile(source, program, "-O3", "-fcheck=all")
                    done = self.run_program(program, MYR_ON="smp:2")
                    self.assertEqual(done.stderr, "")
                    printed = done.stdout

    def test_openmp(self) -> None:
        library = str(self.build / "lib" / "openmp")
        for threads in ("1", "2", "4", "8"):
            for policy in ("passive", "active"):
                with self.subTest(threads=threads, policy=policy):
                    done = self.run_program(
                        self.build / "bin/omp_fortran",
                        LD_LIBRARY_PATH=library,
                        OMP_NUM_THREADS=threads,
                        OMP_WAIT_POLICY=policy,
                        OMP_CANCELLATION="true",
                    )
                    self.assertEqual((done.returncode, done.stdout), (0, "all right\n"), done)


if __name__ == "__main__":
    for name in ("MYR_ON", "MYR_CHAOS", "MYR_STATS"):
        os.environ.pop(name, None)
    Programs.archive = Path(sys.argv.pop())
    Programs.gfortran = sys.argv.pop()
    Programs.build = Path(sys.argv.pop())
    unittest.main()
