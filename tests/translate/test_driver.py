# SPDX-License-Identifier: Apache-2.0
"""myrcc as a compiler: what compilers accept, it accepts, and what is said about the source, by it,
by the compiler, by the runtime or by the debugger's data, is said about the user's own files.

Usage: test_driver.py BUILD_FOLDER
"""

import shutil
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from support import HERE, MACHINES, Tools, run, succeed

TASKS = """\
#include "bump.h"
#include <stdio.h>

int main(void) {
  int x = 1;
#pragma omp task inout(x)
  bump(&x);
#pragma omp taskwait
  printf("%d %s:%d\\n", x, __FILE__, __LINE__);
  return 0;
}
"""
BUMP = "void bump(int* x) { *x += 41; }\n"


class Driver(unittest.TestCase):
    tools: Tools

    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "some sources").mkdir()
        self.write("some sources/main.c", TASKS)
        self.write("some sources/bump.h", "void bump(int* x);\n")
        self.write("bump.c", BUMP)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def myrcc(self, *words: object) -> str:
        return succeed(self.tools.myrcc, *words, cwd=self.folder)

    def check(self, program: str = "a.out", expected: str = "42 some sources/main.c:9\n") -> None:
        for machine in MACHINES:
            self.assertEqual(succeed(self.folder / program, **machine), expected)

    def test_compiles_and_links_at_once(self) -> None:
        self.myrcc("-O2", "-Wall", "-Werror", "some sources/main.c", "bump.c", "-o", "out")
        self.check("out")

    def test_compiles_and_links_apart(self) -> None:
        self.myrcc("-c", "some sources/main.c", "bump.c")
        self.myrcc("main.o", "bump.o")
        self.check()

    def test_makes_assembly_and_preprocessed_text(self) -> None:
        self.myrcc("-S", "-g", "some sources/main.c", "-omain.s")
        assembly = (self.folder / "main.s").read_text()
        self.assertIn("main.c", assembly)
        self.assertNotIn("/myrcc-", assembly)
        self.myrcc("-E", "some sources/main.c", "-o", "main.i")
        self.myrcc("main.i", "bump.c")
        self.check()

    def test_reads_standard_input_and_files_of_words(self) -> None:
        self.write("words", '-x c "some sources/main.c"\n-x none \'bump.c\' -DX=\\"\\"')
        self.myrcc("@words")
        self.check()
        text = TASKS.replace("bump.h", "some sources/bump.h")
        self.write("text", text)
        succeed("sh", "-c", f"{self.tools.myrcc} -xc -c -o in.o - <text", cwd=self.folder)
        self.myrcc("in.o", "bump.c")
        self.check(expected="42 <stdin>:9\n")

    def test_lists_what_a_source_depends_on(self) -> None:
        self.write("some sources/bump.h", "#pragma omp task inout(*x)\nvoid bump(int* x);\n")
        self.myrcc("-MMD", "-c", "some sources/main.c", "-o", "m.o")
        listed = (self.folder / "m.d").read_text()
        self.assertIn("m.o: some\\ sources/main.c some\\ sources/bump.h", listed)
        self.assertNotIn("/myrcc-", listed)
        self.myrcc("-MD", "-MF", "deps", "-c", "some sources/main.c")
        self.assertNotIn("/myrcc-", (self.folder / "deps").read_text())
        self.assertIn("main.o: some\\ sources/main.c", self.myrcc("-MM", "some sources/main.c"))

    def test_compiles_cxx(self) -> None:
        self.write("main.cpp", TASKS.replace("bump.h", "some sources/bump.h"))
        self.write("bump.cc", BUMP)
        self.myrcc("-std=c++14", "main.cpp", "bump.cc")
        self.check(expected="42 main.cpp:9\n")

    def test_leaves_openmp_to_the_compiler(self) -> None:
        self.write(
            "both.c",
            """#include <omp.h>
#include <stdio.h>
int main(void) {
  int sum = 0, x = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(2)
  for (int i = 0; i < 100; i++) sum += i * omp_get_num_threads();
#pragma omp task out(x)
  x = sum + _OPENMP / 1000000;
#pragma omp taskwait
  printf("%d\\n", x);
}
""",
        )
        self.myrcc("-fopenmp", "both.c")
        self.check(expected="9900\n")

    def test_turns_openmp_on_for_tasks_only(self) -> None:
        loop = "#pragma omp simd\n  for (int i = 0; i < 8; ++i) x += i == 9;\n#pragma omp task"
        self.write("bump.h", "void bump(int* x);\n")
        self.write("simd.c", TASKS.replace("#pragma omp task", loop, 1))
        for options, left in (([], False), (["-fopenmp-simd"], True), (["-fopenmp"], True)):
            emitted = self.myrcc(*options, "--emit", "simd.c")
            self.assertEqual("#pragma omp simd" in emitted, left, options)
        self.myrcc("-Werror", "simd.c", "bump.c")
        self.assertNotIn("gomp", succeed("ldd", self.folder / "a.out"))
        for option in ("-save-temps", "-flto"):
            self.myrcc(option, "simd.c", "bump.c")
            self.check(expected="42 simd.c:11\n")

    def test_runs_published_programs(self) -> None:
        self.myrcc("-w", "--main", HERE / "by_hand.c", "-o", "by_hand")
        for machine in MACHINES:
            for tile_count in (3, 20, 600):
                expected = sum(10 * i + 45 for i in range(tile_count))
                seen = succeed(self.folder / "by_hand", "10", tile_count, **machine)
                self.assertEqual(seen, f"{expected}\n")
        done = run(self.folder / "by_hand", "10", "x")
        self.assertEqual(done.returncode, 2)
        self.assertIn("size tile_count", done.stderr)

    def test_messages_of_the_compiler_name_the_source(self) -> None:
        self.write("wrong.c", TASKS.replace("bump(&x)", "bump(3)").replace("bump.h", "bump2.h"))
        self.write("bump2.h", "void bump(int* x);")
        done = run(self.tools.myrcc, "-c", "wrong.c", cwd=self.folder)
        self.assertIn("wrong.c:7:8: warning", done.stderr)
        self.assertNotIn("/myrcc-", done.stderr)

    def test_messages_of_the_runtime_name_the_source(self) -> None:
        self.write(
            "late.c", TASKS.replace("bump.h", "some sources/bump.h").replace("taskwait", "x")
        )
        # The task is still running, or not begun, when main returns: it never ends.
        self.write("stuck.c", "#include <unistd.h>\nvoid bump(int* x) { (void)x, pause(); }\n")
        self.myrcc("late.c", "stuck.c")
        done = run(self.folder / "a.out", MYR_ON="smp:2")
        self.assertEqual(done.returncode, 70)
        self.assertIn("late.c:7: ", done.stderr)

    def test_programs_can_be_checked(self) -> None:
        if not (self.tools.build / "lib/check/libtsan.so.2").exists():
            self.skipTest("without `myr check`")
        self.myrcc("-g", "-O1", "-fsanitize=thread", "some sources/main.c", "bump.c")
        command = (self.tools.build / "bin/myr", "check", self.folder / "a.out")
        self.assertIn("1 task; with this input every schedule", run(*command).stderr)
        self.write("bump.h", "void bump(int* x);\n")
        self.write("wrong.c", TASKS.replace("#pragma omp taskwait\n", ""))
        self.myrcc("-g", "-O1", "-fsanitize=thread", "wrong.c", "bump.c")
        self.assertIn("spawned at wrong.c:7", run(*command).stderr)

    def test_wraps_a_compiler(self) -> None:
        compile_command = ("--wrap", "ccache", "gcc", "-c", "some sources/main.c")
        self.myrcc(*compile_command)
        self.myrcc("--cc=gcc", "main.o", "bump.c")
        self.check()

    def test_compiles_before_there_is_a_library(self) -> None:
        (self.folder / "bin").mkdir()
        myrcc = shutil.copy(self.tools.myrcc, self.folder / "bin")
        shutil.copytree(self.tools.build / "libexec", self.folder / "libexec")
        succeed(myrcc, "-c", "some sources/main.c", cwd=self.folder)
        done = run(myrcc, "main.o", "bump.c", cwd=self.folder)
        self.assertIn("cannot find Myrmidon's library", done.stderr)

    def test_explains_itself(self) -> None:
        self.assertIn("--emit", self.myrcc("--help"))
        self.assertRegex(self.myrcc("--version"), r"^myrcc \d")
        emitted = self.myrcc("--emit", "some sources/main.c", "bump.c")
        self.assertIn("myr_hand_over", emitted)
        self.assertIn(BUMP, emitted)

    def test_fails_like_a_compiler(self) -> None:
        for words in (
            ("absent.c",),
            ("-c", "bump.c", "--cc=absent"),
            ("--cc",),
            ("--main=f", "bump.c"),
        ):
            done = run(self.tools.myrcc, *words, cwd=self.folder)
            self.assertEqual(done.returncode, 1, words)
            self.assertIn("myrcc: error: ", done.stderr)
        done = run(self.tools.myrcc, "-c", "-fno-such-option", "bump.c", cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no-such-option", done.stderr)

    def test_includes_as_the_preprocessor_does(self) -> None:
        self.write("once.h", "#pragma once\n#pragma omp task inout(*x)\nvoid bump(int* x);\n")
        include = '#ifdef NEVER\n#include "once.h"\n#endif\n#include "once.h"\n'
        self.write("dead.c", include + '#include "../a/once.h"\n' + TASKS.split("\n", 1)[1])
        (self.folder / "a").mkdir()
        (self.folder / "a" / "once.h").symlink_to(self.folder / "once.h")
        self.write("a/dead.c", '#include "../dead.c"\n')
        self.myrcc("-Werror", "-I.", "a/dead.c", "bump.c")
        self.check(expected="42 a/../dead.c:13\n")

    def test_leaves_a_source_without_tasks_alone(self) -> None:
        self.write(
            "plain.c", "#define H <stdio.h>\n#include H\nint main(void) { puts(__FILE__); }\n"
        )
        self.myrcc("-g", "-c", "plain.c", "-o", "ours.o")
        succeed("gcc", "-g", "-c", "plain.c", "-o", "theirs.o", cwd=self.folder)
        ours, theirs = ((self.folder / name).read_bytes() for name in ("ours.o", "theirs.o"))
        self.assertEqual(ours, theirs)

    def test_loads_clang_for_tasks_only(self) -> None:
        self.assertNotIn("clang", succeed("ldd", self.tools.myrcc))

    def test_takes_byte_order_marks(self) -> None:
        mark = "\N{ZERO WIDTH NO-BREAK SPACE}"
        self.write("bump.h", mark + "#pragma omp task inout(*x)\nvoid bump(int* x);\n")
        self.write("main.c", mark + TASKS.replace("#pragma omp task inout(x)\n", ""))
        self.write("bump.c", mark + BUMP)
        self.myrcc("-Werror", "main.c", "bump.c")
        self.check(expected="42 main.c:8\n")

    def test_takes_a_standard_of_the_other_language(self) -> None:
        self.write("main.cc", TASKS.replace("bump.h", "some sources/bump.h"))
        self.write("bump.cc", BUMP)
        self.myrcc("-w", "-std=gnu99", "main.cc", "bump.cc")
        self.check(expected="42 main.cc:9\n")

    def test_overlooks_no_pragma(self) -> None:
        self.write("hidden.h", "#pragma omp task inout(*x)\nvoid bump(int* x);\n")
        self.write("macro.c", '#define H "hidden.h"\n#include H\nvoid f(int* x) { bump(x); }\n')
        done = run(self.tools.myrcc, "-c", "macro.c", cwd=self.folder)
        self.assertIn("hidden.h:1: this pragma would be overlooked", done.stderr)
        self.write("headers.c", "#include <stdio.h>\n" + BUMP)
        for source in ("bump.c", "headers.c"):
            done = run(self.tools.myrcc, "-c", "-include", "hidden.h", source, cwd=self.folder)
            self.assertIn("hidden.h:1: this pragma would be overlooked", done.stderr)


if __name__ == "__main__":
    Driver.tools = Tools(Path(sys.argv.pop(1)).resolve())
    unittest.main()
