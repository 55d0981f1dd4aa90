# SPDX-License-Identifier: Apache-2.0
"""Does each public header compile when it is the only one that a program includes? One that needs
C++20 must say so, and nothing else, to older standards.

Usage: test_alone.py C_COMPILER CXX_COMPILER
"""

import subprocess
import sys
from pathlib import Path

INCLUDE = Path(__file__).parents[2] / "include"
WARNINGS = "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wcast-qual -Werror".split()
CXX_WARNINGS = ["-Wsign-conversion", "-Wold-style-cast"]
# What programs of older standards include: myrcc writes them.
FOR_OLD = {"exception.hpp", "owner.hpp", "pragma.hpp", "sanitized.hpp"}
NEEDS = "Myrmidon's C++ interface needs C++20: compile with -std=c++20"


def compile_alone(
    header: Path, compiler: str, language: str, standard: str
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
        input=f"#include <myr/{header.name}>\nextern int something;\n",
        capture_output=True,
        text=True,
        check=False,
    )


def errors(header: Path, compiler: str, language: str, standard: str) -> str:
    """What the compiler says of a file that has nothing but the header."""
    done = compile_alone(header, compiler, language, standard)
    return "" if done.returncode == 0 else f"{header.name} as {standard}:\n{done.stderr}"


def old_standard(header: Path, compiler: str, standard: str) -> str:
    """What is wrong with what the compiler says of it in a standard that is too old."""
    said = compile_alone(header, compiler, "c++", standard).stderr
    lines = [line for line in said.splitlines() if "error:" in line]
    first, *rest = lines or [""]
    plain = NEEDS in first and len(rest) == 1 and "needs C++20" in rest[0]
    return "" if plain else f"{header.name} as {standard}:\n{said}"


def main() -> int:
    c_compiler, cxx_compiler = sys.argv[1:]
    headers = sorted((INCLUDE / "myr").iterdir())
    said = [
        errors(header, cxx_compiler, "c++", f"c++{year}") for header in headers for year in (20, 23)
    ]
    said += [errors(header, c_compiler, "c", "c11") for header in headers if header.suffix == ".h"]
    new = [header for header in headers if header.suffix == ".hpp" and header.name not in FOR_OLD]
    said += [
        old_standard(header, cxx_compiler, old) for header in new for old in ("c++98", "c++17")
    ]
    print("\n".join(filter(None, said)))
    print(f"{len(said)} compiled, {sum(map(bool, said))} with errors")
    return 1 if any(said) or not said else 0


if __name__ == "__main__":
    sys.exit(main())
