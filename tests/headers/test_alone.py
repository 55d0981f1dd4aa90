# SPDX-License-Identifier: Apache-2.0
"""Does each public header compile when it is the only one that a program includes?

Usage: test_alone.py C_COMPILER CXX_COMPILER
"""

import subprocess
import sys
from pathlib import Path

INCLUDE = Path(__file__).parents[2] / "include"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def errors(header: Path, compiler: str, language: str, standard: str) -> str:
    """What the compiler says of a file that has nothing but the header."""
    done = subprocess.run(
        [
            compiler,
            "-x",
            language,
            f"-std={standard}",
            *WARNINGS,
            "-fsyntax-only",
            f"-I{INCLUDE}",
            "-",
        ],
        input=f"#include <myr/{header.name}>\n",
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if done.returncode == 0 else f"{header.name} as {standard}:\n{done.stderr}"


def main() -> int:
    c_compiler, cxx_compiler = sys.argv[1:]
    headers = sorted((INCLUDE / "myr").iterdir())
    said = [errors(header, cxx_compiler, "c++", "c++20") for header in headers]
    said += [errors(header, c_compiler, "c", "c11") for header in headers if header.suffix == ".h"]
    print("\n".join(filter(None, said)))
    print(f"{len(said)} compiled, {sum(map(bool, said))} with errors")
    return 1 if any(said) or not said else 0


if __name__ == "__main__":
    sys.exit(main())
