# SPDX-License-Identifier: Apache-2.0
"""Does each public header compile when it is the only one that a program includes, and do all of
them together with C++23? One that needs C++20 must say so, and nothing else, to older standards.

Usage: test_alone.py C_COMPILER CXX_COMPILER
"""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

INCLUDE = Path(__file__).parents[2] / "include"
WARNINGS = "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wcast-qual -Werror".split()
CXX_WARNINGS = ["-Wsign-conversion", "-Wold-style-cast"]
# What programs of older standards include: myrcc writes them.
FOR_OLD = {"exception.hpp", "owner.hpp", "pragma.hpp", "sanitized.hpp"}
NEEDS = "Myrmidon's C++ interface needs C++20: compile with -std=c++20"


def compile_headers(
    headers: list[Path], compiler: str, language: str, standard: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            compiler,
            "-x",
            language,
            f"-std={standard}",
            *WARNINGS,
            *(CXX_WARNINGS if language == "c++" else []),
            "-fsyntax-only",
            f"-I{INCLUDE}",
            "-",
        ],
        input="".join(f"#include <myr/{one.name}>\n" for one in headers)
        + "extern int something;\n",
        capture_output=True,
        text=True,
        check=False,
    )


def errors(headers: list[Path], compiler: str, language: str, standard: str) -> str:
    """What the compiler says of a file that has nothing but these."""
    done = compile_headers(headers, compiler, language, standard)
    names = " ".join(one.name for one in headers)
    return "" if done.returncode == 0 else f"{names} as {standard}:\n{done.stderr}"


def old_standard(header: Path, compiler: str, standard: str) -> str:
    """What is wrong with what the compiler says of it in a standard that is too old."""
    said = compile_headers([header], compiler, "c++", standard).stderr
    lines = [line for line in said.splitlines() if "error:" in line]
    first, *rest = lines or [""]
    plain = NEEDS in first and len(rest) == 1 and "needs C++20" in rest[0]
    return "" if plain else f"{header.name} as {standard}:\n{said}"


def main() -> int:
    c_compiler, cxx_compiler = sys.argv[1:]
    headers = sorted((INCLUDE / "myr").iterdir())
    new = [header for header in headers if header.suffix == ".hpp" and header.name not in FOR_OLD]
    with ThreadPoolExecutor(max_workers=2) as pool:
        asked = [pool.submit(errors, [one], cxx_compiler, "c++", "c++20") for one in headers]
        asked.append(pool.submit(errors, headers, cxx_compiler, "c++", "c++23"))
        asked += [
            pool.submit(errors, [one], c_compiler, "c", "c11")
            for one in headers
            if one.suffix == ".h"
        ]
        asked += [
            pool.submit(old_standard, one, cxx_compiler, old)
            for one in new
            for old in ("c++98", "c++17")
        ]
        said = [one.result() for one in asked]
    print("\n".join(filter(None, said)))
    print(f"{len(said)} compiled, {sum(map(bool, said))} with errors")
    return 1 if any(said) or not said else 0


if __name__ == "__main__":
    sys.exit(main())
