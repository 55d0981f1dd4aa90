# SPDX-License-Identifier: Apache-2.0
"""Programs in good/ do the same compiled by a plain compiler, which ignores the pragmas, and by
myrcc on several machines. Programs in openmp/ do the same compiled by a compiler with -fopenmp, and
by myrcc with it and without. Sources in bad/ get the messages in the file of the same name with
.expected.

Usage: test_corpus.py BUILD_FOLDER [--bless]    --bless writes the .expected files anew
"""

import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from support import HERE, MACHINES, ROOT, Tools, flags_of, in_parallel, plain_compiler, run, succeed

OPENMP_MACHINES = ("serial", "smp:4", "tree:1+2")


def sources(folder: str) -> list[Path]:
    return sorted(path for path in (HERE / folder).iterdir() if path.suffix in (".c", ".cpp"))


class Corpus(unittest.TestCase):
    tools: Tools
    bless = False

    def check_good(self, source: Path) -> str:
        """What is wrong with a program's translation; nothing: all is well."""
        with TemporaryDirectory() as name:
            plain, translated = Path(name, "plain"), Path(name, "translated")
            options = ["-O1", *flags_of(source), source, "-lm", "-o"]
            compiler = plain_compiler(source)
            succeed(compiler, "-w", *options, plain, *self.tools.runtime)
            succeed(self.tools.myrcc, *options, translated)
            expected = succeed(plain, MYR_ON="serial")
            for machine in MACHINES:
                seen = succeed(translated, **machine)
                if seen != expected:
                    return f"{source.name} on {machine}:\n{seen}instead of\n{expected}"
        return ""

    def check_openmp(self, source: Path) -> str:
        """The same, for a program whose pragmas the plain compiler obeys."""
        with TemporaryDirectory() as name:
            plain, translated = Path(name, "plain"), Path(name, "translated")
            options = ["-O1", "-w", *flags_of(source), source, "-lm", "-o"]
            succeed(plain_compiler(source), "-fopenmp", *options, plain)
            expected = succeed(plain, OMP_NUM_THREADS="2")
            for flag in ([], ["-fopenmp"]):
                succeed(self.tools.myrcc, *flag, *options, translated)
                for machine in OPENMP_MACHINES:
                    seen = succeed(translated, MYR_ON=machine)
                    if seen != expected:
                        return f"{source.name} {flag} on {machine}:\n{seen}instead of\n{expected}"
        return ""

    def check_bad(self, source: Path) -> str:
        expected = source.with_suffix(source.suffix + ".expected")
        seen = run(
            self.tools.myrcc,
            *flags_of(source),
            "-c",
            source.name,
            "-o",
            "/dev/null",
            cwd=source.parent,
        )
        if self.bless:
            expected.write_text(seen.stderr)
        if "error" not in seen.stderr:
            return f"{source.name}: no error:\n{seen.stderr}"
        if seen.returncode != 1 or seen.stderr != expected.read_text():
            return f"{source.name}: status {seen.returncode}, and says\n{seen.stderr}"
        return ""

    def test_good_programs_do_what_they_do_without_tasks(self) -> None:
        wrong = in_parallel(self.check_good, sources("good"))
        self.assertEqual([text for text in wrong if text], [])

    def test_openmp_programs_do_what_they_do_with_openmp(self) -> None:
        wrong = in_parallel(self.check_openmp, sources("openmp"))
        self.assertEqual([text for text in wrong if text], [])

    def test_the_first_example_of_the_manual(self) -> None:
        manual = (ROOT / "docs" / "user" / "myrcc.md").read_text()
        example = manual.split("```c\n")[1].split("```")[0]
        with TemporaryDirectory() as folder:
            source, program = Path(folder, "example.c"), Path(folder, "example")
            source.write_text(example)
            succeed(self.tools.myrcc, "-Wall", "-Wextra", "-Werror", source, "-o", program)
            self.assertEqual(succeed(program, MYR_ON="smp:2"), "999000\n")

    def test_bad_sources_get_good_messages(self) -> None:
        wrong = in_parallel(self.check_bad, sources("bad"))
        self.assertEqual([text for text in wrong if text], [])


if __name__ == "__main__":
    Corpus.bless = "--bless" in sys.argv and not sys.argv.remove("--bless")
    Corpus.tools = Tools(Path(sys.argv.pop(1)).resolve())
    unittest.main()
