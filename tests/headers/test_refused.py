# SPDX-License-Identifier: Apache-2.0
"""Do compilers say what is wrong in refused.cpp, in one line of the user's terms each?

Usage: test_refused.py COMPILER...    those that the machine does not have are left out
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SOURCE = HERE / "refused.cpp"


def expected() -> dict[int, str]:
    """What must be said, by line."""
    lines = SOURCE.read_text().splitlines()
    calls = [(number, line) for number, line in enumerate(lines, 1) if "  myr::" in line]
    return {number: line.split("// ")[1] for number, line in calls}


def said(compiler: str) -> dict[int, list[str]]:
    """The compiler's errors by the line that they are about."""
    options = ["-std=c++20", "-fsyntax-only", f"-I{HERE.parents[1] / 'include'}"]
    limit = ["-ferror-limit=0"] if "clang" in compiler else []
    done = subprocess.run(
        [compiler, *options, *limit, SOURCE], capture_output=True, text=True, check=False
    )
    found: dict[int, list[str]] = {}
    about, waiting = 0, ""  # GCC names the user's line before the error, Clang behind it
    for line in done.stderr.splitlines():
        place = re.search(rf"{SOURCE.name}:(\d+):\d+: .*(required from here|requested here)", line)
        if place and waiting:
            found.setdefault(int(place[1]), []).append(waiting)
            waiting = ""
        elif place:
            about = int(place[1])
        error = re.search(r"(\S+):(\d+):\d+: error: (.*)", line)
        if not error:
            continue
        if SOURCE.name in error[1]:
            found.setdefault(int(error[2]), []).append(error[3])
        elif about:
            found.setdefault(about, []).append(error[3])
        else:
            waiting = error[3]
    return found


def problems_of(compiler: str) -> list[str]:
    errors, wanted = said(compiler), expected()
    problems = [
        f"line {line}: unexpected: {errors[line]}" for line in errors.keys() - wanted.keys()
    ]
    for line, text in wanted.items():
        seen = errors.get(line, [])
        # GCC repeats itself, and so does Clang, of the overload and of the template.
        is_ours = [re.search("static assertion failed|is unavailable", error) for error in seen]
        texts = {re.sub(".*is unavailable: ", "", error) for error in seen}
        is_overloaded = any("overloaded function" in error for error in seen)
        one = len(texts) == 1 and all(is_ours)
        if not (one or is_overloaded) or not any(text in error for error in seen):
            problems.append(f"line {line}: expected one error with '{text}', got {seen}")
    return [f"{compiler}: {problem}" for problem in problems]


def main() -> int:
    compilers = [compiler for compiler in sys.argv[1:] if shutil.which(compiler)]
    problems = [problem for compiler in compilers for problem in problems_of(compiler)]
    for problem in problems:
        print(problem)
    print(f"{len(expected())} wrong uses, {compilers}, {len(problems)} problems")
    return 1 if problems or not compilers else 0


if __name__ == "__main__":
    sys.exit(main())
