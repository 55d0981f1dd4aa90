# SPDX-License-Identifier: Apache-2.0
"""The cases of cases/: each is a few lines of everyday C or C++ around tasks, and says what comes
of it. myrcc must get it right on every machine, or refuse it where the case says so.

Usage: test_cases.py BUILD_FOLDER [--only NAME] [--seed S] [--cc COMPILER] [--std STANDARD]

A file holds many cases behind a common head, so that they are compiled together:

    //: NAME             a case, up to the next such line; its function NAME() returns nothing
    //= TEXT             a line that it prints, also compiled without myrcc, which checks the case
    //! TEXT             the next line is refused, by an error that contains TEXT
    //? TEXT             as `//!`, or it is right and prints its lines

`flags: ...` in the head are options for the compiler; cases that are refused are compiled alone.
"""

import argparse
import re
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import CompletedProcess, TimeoutExpired
from tempfile import TemporaryDirectory

from support import HERE, MACHINES, Tools, flags_of, in_parallel, plain_compiler, run

FOLDER = HERE / "cases"


@dataclass
class Case:
    name: str
    first: int  # its lines, counted from 0
    last: int = 0
    prints: list[str] = field(default_factory=list)
    refused: tuple[int, str] | None = None  # line, counted from 1, and text
    may_pass: bool = False

    @property
    def output(self) -> str:
        return "".join(f"{line}\n" for line in [f"== {self.name}", *self.prints])


@dataclass
class Source:
    path: Path
    lines: list[str]
    head: int  # lines before the first case
    cases: list[Case]

    def program(self, cases: list[Case]) -> str:
        """The head and these cases on their own lines, and a main() that calls them."""
        lines = [*self.lines[: self.head], *[""] * (len(self.lines) - self.head)]
        calls = []
        for case in cases:
            lines[case.first : case.last] = self.lines[case.first : case.last]
            calls.append(f'  puts("== {case.name}"); {case.name}(); fflush(stdout);')
        return "\n".join([*lines, "#include <stdio.h>", "int main(void) {", *calls, "}", ""])


def read(path: Path) -> Source:
    lines = path.read_text().splitlines()
    cases: list[Case] = []
    for number, line in enumerate(lines):
        mark, _, rest = line.strip().partition(" ")
        if mark == "//:":
            cases.append(Case(rest.split()[0], number))
        elif mark == "//=":
            cases[-1].prints.append(rest)
        elif mark in ("//!", "//?"):
            cases[-1].refused = (number + 2, rest)
            cases[-1].may_pass = mark == "//?"
    for case, behind in zip(cases, [*cases[1:], None], strict=True):
        case.last = behind.first if behind else len(lines)
    return Source(path, lines, cases[0].first, cases)


class Runner:
    def __init__(self, tools: Tools, options: list[str], seed: int) -> None:
        self.tools = tools
        self.options = options
        self.seed = seed

    def problems_of(self, job: tuple[Source, list[Case]]) -> dict[str, str]:
        """What is wrong, by case. The cases of one job make one program, as long as it is right;
        those that are to blame are taken out, and the others tried again."""
        source, cases = job
        found: dict[str, str] = {}
        while cases:
            blamed = self.try_together(source, cases)
            if not blamed:
                break
            found |= blamed
            cases = [case for case in cases if case.name not in blamed]
        return found

    def try_together(self, source: Source, cases: list[Case]) -> dict[str, str]:
        with TemporaryDirectory() as folder:
            path = Path(folder, source.path.name)  # its own name, for messages
            path.write_text(source.program(cases))
            options = ["-O1", "-w", f"-I{FOLDER}", *flags_of(source.path), *self.options]
            try:
                if cases[0].refused:
                    return self.try_refusal(path, options, cases[0])
                return self.try_run(path, options, cases)
            except TimeoutExpired as expired:
                return {cases[0].name: f"or another of {source.path.name} hangs: {expired.cmd}"}

    def try_refusal(self, path: Path, options: list[str], case: Case) -> dict[str, str]:
        line, text = case.refused or (0, "")
        done = run(self.tools.myrcc, *options, "-c", path, "-o", "/dev/null")
        if done.returncode == 0:
            if case.may_pass:
                return self.try_run(path, options, [case])
            return {case.name: "not refused"}
        pattern = rf"^\S*{re.escape(path.name)}:{line}:\d+: error: .*{re.escape(text)}"
        if done.returncode == 1 and re.search(pattern, done.stderr, re.MULTILINE):
            return {}
        return {case.name: f"not refused in line {line} by '{text}':\n{done.stderr}"}

    def try_run(self, path: Path, options: list[str], cases: list[Case]) -> dict[str, str]:
        plain, translated = path.with_suffix(".plain"), path.with_suffix(".translated")
        done = run(self.tools.myrcc, *options, path, "-o", translated, "-lm")
        if done.returncode != 0:
            return blame_lines(path, cases, done.stderr)
        done = run(
            plain_compiler(path),
            *plain_options(options),
            path,
            "-o",
            plain,
            "-lm",
            *self.tools.runtime,
        )
        if done.returncode != 0:
            return blame_lines(path, cases, f"without myrcc:\n{done.stderr}")
        blamed = blame_output(cases, run(plain, MYR_ON="serial"), "without myrcc")
        for machine in MACHINES:
            if blamed:
                break
            variables = machine | ({"MYR_CHAOS": str(self.seed)} if "MYR_CHAOS" in machine else {})
            blamed = blame_output(cases, run(translated, **variables), str(variables))
        return blamed


def plain_options(options: list[str]) -> list[str]:
    """Those that are not myrcc's own."""
    return [option for option in options if not option.startswith("--cc=")]


def blame_lines(path: Path, cases: list[Case], messages: str) -> dict[str, str]:
    """The cases in whose lines there are errors; or all."""
    pattern = rf"{re.escape(path.name)}:(\d+):.*error"
    lines = [int(line) for line in re.findall(pattern, messages)]
    text = f"does not compile:\n{messages}"
    blamed = [case for case in cases if any(case.first < line <= case.last for line in lines)]
    return {case.name: text for case in blamed or cases}


def blame_output(cases: list[Case], seen: CompletedProcess, where: str) -> dict[str, str]:
    """The cases that print something else; or the one in which the program ended."""
    parts = re.split(r"^(?=== )", seen.stdout, flags=re.MULTILINE)[1:]
    text = f"{where}: status {seen.returncode}, prints\n%s{seen.stderr}instead of\n%s"
    wrong = {
        case.name: text % (part, case.output)
        for case, part in zip(cases, parts, strict=False)
        if part != case.output
    }
    if seen.returncode != 0 or len(parts) != len(cases):
        last = cases[min(max(len(parts), 1), len(cases)) - 1]
        wrong.setdefault(last.name, text % (parts[-1] if parts else "", last.output))
    return wrong


def jobs_of(sources: list[Source], only: str | None) -> list:
    jobs: list[tuple[Source, list[Case]]] = []
    for source in sources:
        cases = [case for case in source.cases if only in (None, case.name, source.path.name)]
        alone = [case for case in cases if case.refused]
        together = [case for case in cases if case not in alone]
        jobs += [(source, [case]) for case in alone]
        jobs += [(source, together)] if together else []
    return jobs


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("--only", metavar="NAME", help="a case, or a file")
    parser.add_argument("--seed", type=int, default=time.time_ns() // 1000 % 10**6)
    parser.add_argument("--cc", help="the compiler behind myrcc")
    parser.add_argument("--std", help="a standard other than the files' own; C or C++, not both")
    arguments = parser.parse_args()
    options = [f"--cc={arguments.cc}"] if arguments.cc else []
    options += [f"-std={arguments.std}"] if arguments.std else []
    paths = sorted(path for path in FOLDER.iterdir() if path.suffix in (".c", ".cpp"))
    if arguments.std:
        suffix = ".cpp" if "++" in arguments.std else ".c"
        paths = [path for path in paths if path.suffix == suffix]
    sources = [read(path) for path in paths]
    runner = Runner(Tools(arguments.build.resolve()), options, arguments.seed)
    found = in_parallel(runner.problems_of, jobs_of(sources, arguments.only))
    problems = {name: text for several in found for name, text in several.items()}
    count = sum(len(source.cases) for source in sources)
    for name, problem in problems.items():
        print(f"{name}: {problem}")
    print(f"seed={arguments.seed}: {count} cases, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
