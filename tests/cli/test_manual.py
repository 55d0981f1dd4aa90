# SPDX-License-Identifier: Apache-2.0
"""The man pages and completions that the build has made: each subcommand and each option of --help
stands in both, with its text.

Usage: test_manual.py FOLDER PROGRAM...     FOLDER: where they are
"""

import gzip
import re
import subprocess
import sys
import unittest
from pathlib import Path


def output(*words: object) -> str:
    command = [str(word) for word in words]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def plain(page: str) -> str:
    """A man page without the marks of its formatter."""
    text = re.sub(r"^\.(SH|TP|PP|RS|RE|nf|fi)\b ?", "", page, flags=re.M)
    text = re.sub(r"\\f[BR]", "", text).replace("\\&", "").replace("\\e", "\\")
    return text.replace("\\-", "-").replace("\\(ga", "`").replace("\\(aq", "'")


def subcommands(text: str) -> list[str]:
    _, _, listed = text.partition("\nSubcommands:\n")
    return re.findall(r"^  (\w+)", listed, re.M)


class Manual(unittest.TestCase):
    folder: Path
    programs: list[Path]

    def helps(self) -> list[tuple[str, str, str]]:
        """Of each program, and of each of its subcommands: its name, whose it is, what it says."""
        found = []
        for program in self.programs:
            text = output(program, "--help")
            found.append((program.name, "", text))
            for command in subcommands(text):
                found.append((program.name, command, output(program, command, "--help")))
        return found

    def page(self, name: str) -> str:
        return gzip.decompress((self.folder / f"{name}.1.gz").read_bytes()).decode()

    def test_there_are_subcommands_and_options(self) -> None:
        commands = {command for name, command, _ in self.helps() if name == "myr"}
        self.assertTrue({"run", "omp", "check", "doctor"} <= commands, commands)

    def test_each_line_of_help_is_in_the_page(self) -> None:
        for name, command, text in self.helps():
            page = " ".join(plain(self.page(name)).split())
            for line in text.splitlines():
                line = line.removeprefix("Usage: ") if not command else line
                if not line.strip() or line.startswith("Usage: ") or line.endswith(":"):
                    continue
                words = [" ".join(part.split()) for part in re.split(r" {2,}", line.strip())]
                for part in words:
                    with self.subTest(name=name, command=command, part=part):
                        self.assertIn(part.removeprefix(f"{name} ["), page)

    def test_each_option_is_proposed(self) -> None:
        for name, command, text in self.helps():
            script = (self.folder / name).read_text()
            function = f"_{name}_{command or 'options'}() {{"
            self.assertIn(function, script)
            body = script.split(function)[1].split("\n}\n")[0]
            proposed = set(re.findall(r'-W "([^"]*)"', body)[-1].split())
            options = set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", text, re.M))
            self.assertGreaterEqual(len(options), 1)
            self.assertEqual(options, {word for word in proposed if word.startswith("--")})
            for word in subcommands(text):
                self.assertRegex(script, rf'-W "[^"]*\b{word}\b')

    def test_bash_reads_the_completions(self) -> None:
        for program in self.programs:
            output("bash", "-n", self.folder / program.name)

    def test_an_option_with_a_value_is_followed_by_its_values(self) -> None:
        script = (self.folder / "myr").read_text()
        self.assertIn('--on) COMPREPLY=($(compgen -W "serial smp: tree: mpi: sim:"', script)
        self.assertIn("--trace) _filedir; return ;;", script)


if __name__ == "__main__":
    Manual.folder = Path(sys.argv[1])
    Manual.programs = [Path(word) for word in sys.argv[2:]]
    unittest.main(argv=sys.argv[:1])
