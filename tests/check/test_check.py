#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `myr check` says of wrong programs, each in a function of wrong.cpp, and of right ones.

Usage: test_check.py MYR WRONG RIGHT OPTIMIZED LIBRARY CERTIFIED BY_VALUE UNCHECKED STATIC
                     [--openmp WRONG RIGHT] [--clang WRONG RIGHT] [--fortran PROGRAM]
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from signal import SIGABRT

parser = argparse.ArgumentParser()
parser.add_argument("programs", nargs=9)
parser.add_argument("--openmp", nargs=2)  # where the compiler is gcc
parser.add_argument("--clang", nargs=2)  # where clang can link for ThreadSanitizer
parser.add_argument("--fortran")
options = parser.parse_args()
MYR, WRONG, RIGHT, OPTIMIZED, LIBRARY, *more = options.programs
CERTIFIED, BY_VALUE, UNCHECKED, STATIC = more
OPENMP, CLANG, FORTRAN = options.openmp, options.clang, options.fortran
FOUND = 66

# clang tells of x += 1 as of one write, adds reductions under a lock, and makes a loop of sections.
OF_CLANG = {
    "^reads": "(reads|writes)",
    "^atomically ": "",
    "in the sections": "in the parallel region",
}


def check(*command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [MYR, "check", *command],
        capture_output=True,
        text=True,
        timeout=100,
        env=os.environ | variables,
    )


def cases(source: str) -> dict[str, tuple[int, str]]:
    """Of each function: the line of its mistake, and what is to be said of it."""
    found: dict[str, tuple[int, str]] = {}
    name = ""
    lines = (Path(__file__).parent / source).read_text().splitlines()
    for number, line in enumerate(lines, 1):
        if begin := re.match(r"void (\w+)\(\) {", line):
            name = begin[1]
        if name and (said := re.search(r"(?:;.*|{|^#.*)  // (.*)$", line)):
            found.setdefault(name, (number, said[1]))
    return found


class Check(unittest.TestCase):
    def test_wrong_programs(self) -> None:
        self.judge(WRONG, "wrong.cpp")

    @unittest.skipUnless(OPENMP, "no OpenMP programs")
    def test_wrong_openmp_programs(self) -> None:
        self.judge(OPENMP[0], "omp_wrong.cpp")

    @unittest.skipUnless(CLANG, "no OpenMP programs of clang")
    def test_wrong_openmp_programs_of_clang(self) -> None:
        self.judge(CLANG[0], "omp_wrong.cpp", OF_CLANG)

    def judge(self, program: str, source: str, differences: dict[str, str] | None = None) -> None:
        found = cases(source)
        self.assertGreater(len(found), 10)
        for name, (line, said) in found.items():
            for text, other in (differences or {}).items():
                said = re.sub(text, other, said)
            with self.subTest(name):
                ended = check(program, name, OMP_CANCELLATION="true")
                self.assertRegex(ended.stderr, rf"myr check: \S*{source}:{line}: .*{said}")
                self.assertEqual(ended.returncode, FOUND)

    def test_optimized_programs(self) -> None:
        found = cases("wrong.cpp")
        for name in ("writes_a_global", "writes_by_memset", "main_reads_before_it_waits"):
            with self.subTest(name):
                ended = check(OPTIMIZED, name)
                self.assertRegex(ended.stderr, rf"wrong\.cpp:{found[name][0]}: .*{found[name][1]}")

    def test_calls_of_libraries(self) -> None:
        named = subprocess.run([LIBRARY], capture_output=True, text=True, timeout=100)
        self.assertGreater(len(named.stdout.split()), 50)
        for name in named.stdout.split():
            with self.subTest(name):
                ended = check(LIBRARY, name)
                self.assertRegex(ended.stderr, r"library\.cpp:\d+: .* at the same time")
                self.assertEqual(ended.returncode, FOUND)

    def test_right_programs(self) -> None:
        ended = check(RIGHT)
        self.assertEqual(ended.returncode, 0)
        self.assertRegex(
            ended.stderr,
            r"^myr check: no mistakes in \d+ tasks; the result may depend on the schedule, because "
            r"of locks \(\S*right.cpp:\d+\), [^\n]*\n$",
        )
        self.assertEqual(len(ended.stdout.splitlines()), 9)
        self.assertEqual(ended.stdout.splitlines()[-1], "99 b 40 125 12345 5")

    def test_what_is_said_of_other_schedules(self) -> None:
        found = cases("certified.cpp")
        self.assertGreater(len(found), 10)
        for name, (_, said) in found.items():
            with self.subTest(name):
                ended = check(CERTIFIED, name)
                self.assertRegex(
                    ended.stderr,
                    r"^myr check: no mistakes in \d+ tasks?; (with this input |the result may "
                    rf"depend on the schedule, because of .*){said}[^\n]*\n$",
                )
                self.assertEqual(ended.returncode, 0)

    def test_code_that_is_not_compiled_for_it(self) -> None:
        said = r"because of code that is not compiled for it, .* \((\S*unchecked.cpp|add_in_secret)"
        self.assertRegex(check(UNCHECKED).stderr, said)

    def test_a_program_with_the_runtime_in_it(self) -> None:
        self.judge(STATIC, "wrong.cpp")

    @unittest.skipUnless(OPENMP, "the compiler is not gcc")
    def test_structures_by_value(self) -> None:
        said = "because of structures by value, of which gcc tells nothing (make)"
        self.assertIn(said, check(BY_VALUE).stderr)

    def test_mistakes_for_programs(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "mistakes.json"
            check("--json", str(file), WRONG, "main_reads_before_it_waits")
            told = json.loads(file.read_text())
        self.assertEqual((told["count"], told["tasks"], told["doubts"]), (1, 1, []))
        (mistake,) = told["mistakes"]
        self.assertEqual(mistake["clause"], "wait(in(x))")
        self.assertRegex(mistake["place"], r"wrong\.cpp:\d+$")
        self.assertEqual((mistake["task"], mistake["bytes"]), ("main", 4))

    def test_mistakes_that_are_known(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "known"
            file.write_text("# known\nmain reads*of the variable x\n")
            ended = check("--suppressions", str(file), WRONG, "main_reads_before_it_waits")
            self.assertEqual(ended.returncode, 0)
            self.assertRegex(ended.stderr, r"^myr check: no mistakes in 1 task, 1 suppressed\n$")
            ended = check("--suppressions", str(file) + ".not", WRONG, "main_reads_before_it_waits")
            self.assertEqual(ended.returncode, 2)
            self.assertIn("cannot read", ended.stderr)

    @unittest.skipUnless(OPENMP, "no OpenMP programs")
    def test_races_for_programs(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "races.json"
            check("--json", str(file), OPENMP[0], "waits_for_no_task")
            told = json.loads(file.read_text())
        self.assertEqual((told["count"], told["tasks"], told["summary"]), (1, 0, "1 race"))
        (race,) = told["mistakes"]
        self.assertEqual((race["kind"], race["writes"], race["bytes"]), ("race", False, 4))
        self.assertRegex(race["place"], r"omp_wrong\.cpp:\d+$")
        self.assertRegex(race["other_place"], r"omp_wrong\.cpp:\d+$")
        self.assertRegex(race["task"], r"^in the parallel region at \S*omp_wrong\.cpp:\d+$")
        self.assertRegex(race["other"], r"^in the task at \S*omp_wrong\.cpp:\d+$")
        self.assertEqual(race["clause"], "depend clauses, or a taskwait between them")

    @unittest.skipUnless(OPENMP, "no OpenMP programs")
    def test_races_that_are_known(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "known"
            file.write_text("omp_wrong.cpp:*of the variable total, in the task\n")
            ended = check("--suppressions", str(file), OPENMP[0], "has_two_tasks")
            self.assertEqual(ended.stderr, "myr check: no races, 1 suppressed\n")
            self.assertEqual(ended.returncode, 0)
            ended = check("--suppressions", str(file), OPENMP[0], "takes_two_locks")
            self.assertEqual(ended.returncode, FOUND)
            ended = check("--suppressions", str(file) + ".not", OPENMP[0], "has_two_tasks")
            self.assertEqual(ended.returncode, 2)

    def test_ends_of_programs(self) -> None:
        for end in ("exit", "_exit", "_Exit", "quick_exit", "abort"):
            with self.subTest(end):
                ended = check(WRONG, end)
                self.assertRegex(ended.stderr, r"\nmyr check: 1 mistake in 3 tasks\n")
                self.assertEqual(ended.returncode, -SIGABRT if end == "abort" else FOUND)

    def test_results_are_as_without_a_check(self) -> None:
        for name, result in (
            ("reads_what_it_declares_as_out", "8\n"),
            ("reads_a_part_of_what_it_declares_as_out", "7\n"),
            ("lets_a_child_read_what_it_declares_as_out", "8\n"),
        ):
            self.assertEqual(check(WRONG, name).stdout, result)

    def test_what_is_one_mistake(self) -> None:
        for name in ("uses_what_many_reduce_into", "uses_what_is_weak"):
            self.assertRegex(check(WRONG, name).stderr, r"\nmyr check: 1 mistake in \d tasks\n$")

    def test_declarations_that_are_wasted(self) -> None:
        ended = check("--wasted", WRONG, "declares_too_much")
        self.assertEqual(ended.returncode, 0)
        for said in (
            "the variable token, is used by none of 4 tasks; they wait 3 times because of it",
            "the variable table, is the same for 4 tasks, each of which uses another part of it",
            "the variable numbers, is the same for 4 tasks, each of which uses another part of it; "
            "they wait 3 times",
            r"the variable number, is only read by 4 tasks: in\(number\) would do; they wait 3",
        ):
            self.assertRegex(ended.stderr, said)
        self.assertEqual(len(re.findall("wasted:", ended.stderr)), 4)

    @unittest.skipUnless(OPENMP, "no OpenMP programs")
    def test_right_openmp_programs(self) -> None:
        self.judge_right(OPENMP[1])

    @unittest.skipUnless(CLANG, "no OpenMP programs of clang")
    def test_right_openmp_programs_of_clang(self) -> None:
        self.judge_right(CLANG[1])

    @unittest.skipUnless(FORTRAN, "no OpenMP program in Fortran")
    def test_fortran(self) -> None:
        ended = check(FORTRAN)
        self.assertRegex(
            ended.stderr,
            r"^myr check: \S*omp_fortran.f90:38: reads 4 bytes of a local variable, [^\n]*; "
            r"\S*omp_fortran.f90:36 writes it [^\n]*\nmyr check: 1 race\n$",
        )
        self.assertEqual(ended.stdout.split()[:2], ["20110", "4"])

    def judge_right(self, program: str) -> None:
        for can_cancel in ("false", "true"):
            with self.subTest(can_cancel=can_cancel):
                ended = check(program, OMP_CANCELLATION=can_cancel)
                self.assertEqual(ended.stderr, "myr check: no races\n")
                self.assertEqual(ended.stdout, "done\n")
                self.assertEqual(ended.returncode, 0)

    def test_a_program_that_is_not_compiled_for_it(self) -> None:
        self.assertIn("-fsanitize=thread", check("true").stderr)

    def test_no_program(self) -> None:
        ended = check()
        self.assertEqual(ended.returncode, 2)
        self.assertIn("which program", ended.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
