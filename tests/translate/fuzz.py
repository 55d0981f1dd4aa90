# SPDX-License-Identifier: Apache-2.0
"""Changes the programs of good/ at random, mostly their pragmas, and hands them to myrcc: it must
never crash or hang, and what it accepts must compile if the program without myrcc does.

Usage: fuzz.py BUILD_FOLDER [--count N] [--seed S] [--run] [--keep FOLDER]
--run runs the programs as well: serially, which must not change what they print; but a program that
reads what nobody wrote may do so. Half of the programs are changed only where that leaves the tasks
as they were (statements in braces, in macros, in live branches): these run on smp:4 and tree:1+2 in
random order, too, and must print the same there.
Each case has a number; `--seed S --count 1` makes case S again. Cases that fail are kept in FOLDER.
"""

import argparse
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from support import HERE, MACHINES, ROOT, Tools, flags_of, in_parallel, plain_compiler, run

Machines = Sequence[dict[str, str]]
PRAGMA = re.compile(r"^[ \t]*#pragma (?:omp|myrmics)(?:[^\\\n]|\\.|\\\n)*", re.MULTILINE)
TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
STATEMENT = re.compile(r"^[ \t]*[\w(*][^\n#]*;[ \t]*$", re.MULTILINE)
ODD_WORDS = (
    *"( ) [ ] { } , ; : ? * & . -> :: # \\ \" ' = + - 0 1 sizeof(x) (x,y) \n \\\n /* // */".split(
        " "
    ),
    *"in out inout region safe notransfer on depend if final shared private default none".split(),
)


class Mutator:
    """One changed program, decided by a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        sources = sorted((HERE / "good").glob("*.c"))
        if self.random.random() < 0.1:  # they take longer
            sources = sorted((HERE / "good").glob("*.cpp"))
        self.source = self.random.choice(sources)
        self.text = self.source.read_text()
        self.names = ["x"]
        self.is_harmless = self.random.random() < 0.5  # tasks stay what they are

    def mutated(self) -> str:
        changes: list[Callable[[], None]] = [
            self.change_token,
            self.change_token,
            self.new_pragma,
            self.new_pragma,
            self.move_pragma,
            self.drop_pragma,
            self.wrap_statement,
            self.brace_statement,
            self.skip_by_preprocessor,
            self.delete_text,
        ]
        harmless = [self.wrap_statement, self.brace_statement, self.skip_by_preprocessor]
        for _ in range(self.random.choice((1, 1, 1, 2, 3, 5))):
            self.random.choice(harmless if self.is_harmless else changes)()
        return self.text

    def pick(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = list(pattern.finditer(self.text))
        return self.random.choice(found) if found else None

    def look_around(self, place: re.Match[str]) -> None:
        """Takes names from the lines around, as most others are not in scope."""
        begin = max(0, place.start() - 600)
        self.names = sorted(set(re.findall(r"\b[a-z_]\w*\b", self.text[begin : place.end() + 200])))

    def replace(self, match: re.Match[str], text: str) -> None:
        self.text = self.text[: match.start()] + text + self.text[match.end() :]

    def change_token(self) -> None:
        if (pragma := self.pick(PRAGMA)) is None:
            return
        self.look_around(pragma)
        tokens = TOKEN.findall(pragma.group())
        index = self.random.randrange(len(tokens))
        match self.random.randrange(4):
            case 0:
                del tokens[index]
            case 1:
                tokens.insert(index, tokens[index])
            case 2:
                tokens[index] = self.random.choice(self.names)
            case 3:
                tokens.insert(index, self.random.choice(ODD_WORDS))
        self.replace(pragma, "".join(tokens))

    def expression(self, depth: int = 2) -> str:
        name = self.random.choice(self.names)
        if depth == 0:
            return name
        more = self.expression(depth - 1)
        forms = (
            name, name, name, str(self.random.randrange(5)), f"*{name}", f"&{name}",
            f"{name}[{more}]", f"{name}->{more}", f"{name}.{more}", f"({more})", f"{more} + 1",
            f"{name}({more})", f"{name} ? {more} : 0", f"(int){more}", "N",
        )  # fmt: skip
        return self.random.choice(forms)

    def item(self) -> str:
        shape = "".join(
            f"[{self.expression(1)}]" for _ in range(self.random.choice((0, 0, 0, 1, 2)))
        )
        section = ""
        for _ in range(self.random.choice((0, 0, 0, 1, 2, 3))):
            separator = self.random.choice((";", ":", ""))
            section += f"[{self.expression(1)}{separator}{self.expression(1) if separator else ''}]"
        return shape + self.expression(1) + section

    def new_pragma(self) -> None:
        place = self.pick(self.random.choice((PRAGMA, STATEMENT)))
        if place is None:
            return
        self.look_around(place)
        omp = self.random.random() < 0.7
        clauses = []
        for _ in range(self.random.choice((0, 1, 1, 2, 3))):
            names = (
                "in out inout input depend firstprivate shared private if final priority default"
                if omp
                else "in out inout safe notransfer region"
            )
            name = self.random.choice(names.split())
            items = ", ".join(self.item() for _ in range(self.random.choice((1, 1, 2, 4))))
            if name == "depend":
                items = f"{self.random.choice(('in', 'out', 'inout'))}: {items}"
            clauses.append(f"{name} inout({items})" if name == "region" else f"{name}({items})")
        kinds = (
            ("omp task", "omp task", "omp taskwait") if omp else ("myrmics task", "myrmics wait")
        )
        text = f"#pragma {self.random.choice(kinds)} {' '.join(clauses)}"
        self.replace(place, text + ("\n" + place.group() if place.re is STATEMENT else ""))

    def move_pragma(self) -> None:
        if (pragma := self.pick(PRAGMA)) is None:
            return
        self.replace(pragma, "")
        lines = self.text.split("\n")
        lines.insert(self.random.randrange(len(lines)), pragma.group())
        self.text = "\n".join(lines)

    def drop_pragma(self) -> None:
        if (pragma := self.pick(PRAGMA)) is not None:
            self.replace(pragma, "")

    def wrap_statement(self) -> None:
        if (statement := self.pick(STATEMENT)) is not None:
            body = statement.group().strip().removesuffix(";")
            self.replace(statement, f"SAME({body});")
            self.text = "#define SAME(...) __VA_ARGS__\n" + self.text

    def brace_statement(self) -> None:
        if (statement := self.pick(STATEMENT)) is not None:
            forms = ("{{ {} }}", "if (1) {}", "if (0) {{}} else {}", "for (;;) {{ {} break; }}")
            form = self.random.choice(forms)
            self.replace(statement, form.format(statement.group()))

    def skip_by_preprocessor(self) -> None:
        if (pragma := self.pick(PRAGMA)) is not None:
            conditions = ("1",) if self.is_harmless else ("0", "1", "defined(ABSENT)")
            condition = self.random.choice(conditions)
            self.replace(pragma, f"#if {condition}\n{pragma.group()}\n#endif")

    def delete_text(self) -> None:
        begin = self.random.randrange(len(self.text))
        end = begin + self.random.choice((1, 1, 2, 10, 100))
        self.text = self.text[:begin] + self.text[end:]


class Fuzz:
    def __init__(self, tools: Tools, keep: Path, runs: bool) -> None:
        self.tools = tools
        self.keep = keep
        self.runs = runs

    def problem_with(self, source: Path, flags: list[str], machines: Machines) -> str:
        """What myrcc did wrong; nothing: all is well."""
        try:
            done = run(self.tools.myrcc, *flags, "-fsyntax-only", source)
        except subprocess.TimeoutExpired:
            return "hangs"
        if done.returncode not in (0, 1):
            return f"status {done.returncode}\n{done.stderr}"
        if not self.compiles(source, flags):
            return ""
        if done.returncode == 0:
            lost = "the task changes a copy" in done.stderr  # so it does not do what it did
            return self.difference(source, flags, machines) if self.runs and not lost else ""
        emitted = run(self.tools.myrcc, *flags, "--emit", source)
        if emitted.returncode == 0:
            return f"the translation does not compile:\n{done.stderr}"
        return "" if ": error: " in done.stderr else f"refused without a word\n{done.stderr}"

    def compiles(self, source: Path, flags: list[str]) -> bool:
        include = f"-I{ROOT / 'include'}"
        done = run(plain_compiler(source), "-w", *flags, include, "-fsyntax-only", source)
        return done.returncode == 0

    def difference(self, source: Path, flags: list[str], machines: Machines) -> str:
        """How a program's output differs on any of the machines."""
        plain, translated = source.with_suffix(".plain"), source.with_suffix(".translated")
        options = ["-w", *flags, source, "-lm", "-o"]
        run(plain_compiler(source), *options, plain, *self.tools.runtime)
        run(self.tools.myrcc, *options, translated)
        for machine in machines:
            try:
                expected, seen = run(plain, MYR_ON="serial"), run(translated, **machine)
            except (subprocess.TimeoutExpired, FileNotFoundError, UnicodeDecodeError):
                return ""
            refused = "myrmidon: error: " in seen.stderr  # a mistake that the runtime noticed
            if expected.returncode == 0 and expected.stdout != seen.stdout and not refused:
                return f"{machine}: {seen.stdout}{seen.stderr}instead of\n{expected.stdout}"
        return ""

    def case(self, seed: int) -> str:
        mutator = Mutator(seed)
        flags = [*flags_of(mutator.source), f"-I{HERE / 'good'}"]
        with TemporaryDirectory() as folder:
            source = Path(folder) / f"case_{seed}{mutator.source.suffix}"
            source.write_text(mutator.mutated())
            machines = MACHINES if mutator.is_harmless else MACHINES[:1]
            problem = self.problem_with(source, flags, machines)
            if problem:
                self.keep.mkdir(parents=True, exist_ok=True)
                kept = self.keep / source.name
                kept.write_text(source.read_text())
                problem = f"--seed {seed} --count 1, kept as {kept}: {problem}"
        return problem


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=time.time_ns() // 1000 % 10**9)
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--keep", type=Path, default=ROOT / "out" / "fuzz")
    arguments = parser.parse_args()
    print(f"seed={arguments.seed} count={arguments.count}")
    fuzz = Fuzz(Tools(arguments.build.resolve()), arguments.keep, arguments.run)
    seeds = range(arguments.seed, arguments.seed + arguments.count)
    problems = [text for text in in_parallel(fuzz.case, seeds) if text]
    for text in problems:
        print(text)
    print(f"{arguments.count} cases, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
