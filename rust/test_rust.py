# SPDX-License-Identifier: Apache-2.0
"""Runs `cargo test` on the crate, on several machines, and its examples: they print the same on
each. Nothing is loaded from anywhere: the crate uses no other one.

Usage: test_rust.py LIBRARY_FOLDER TARGET_FOLDER CARGO
"""

import os
import subprocess
import sys
from pathlib import Path

CRATE = Path(__file__).parent
MACHINES = ("serial", "smp:1", "smp:2", "smp:4", "tree:1+2")
EXAMPLES = {"kd_tree": "all found\n"}


def main() -> int:
    library, target, cargo = sys.argv[1:]
    beside = Path(cargo).parent
    variables = os.environ | {
        "MYRMIDON_LIBRARY": library,
        "LD_LIBRARY_PATH": library,
        "CARGO_TARGET_DIR": target,
        "RUSTC": str(beside / "rustc"),
        "RUSTDOC": str(beside / "rustdoc"),
    }
    failed = 0
    for machine in MACHINES:
        # The examples of the documents are compiled for one machine only: that takes seconds.
        what = ("--tests", "--examples") if machine != "smp:2" else ()
        for words, expected in (
            (("test", *what), None),
            *((("run", "--example", name), text) for name, text in EXAMPLES.items()),
        ):
            done = subprocess.run(
                [cargo, *words, "--quiet", "--offline", "--locked"],
                cwd=CRATE,
                env=variables | {"MYR_ON": machine},
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode != 0 or expected not in (None, done.stdout):
                failed += 1
                print(f"failed on {machine}: cargo {' '.join(words)}\n{done.stdout}{done.stderr}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
