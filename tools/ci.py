# SPDX-License-Identifier: Apache-2.0
"""Builds the presets, runs their tests, and closes with one count over all of them.

Usage: python3 -m ci [PRESET...]     default: all but `dev`, whose checks are those of `asan`
The last line is `N passed, N failed`; a preset that does not build counts as one failed test.
"""

import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PRESETS = ("release", "asan", "tsan", "model")


@dataclass(frozen=True)
class Count:
    """Tests that passed, and the names of those that failed."""

    passed: int
    failed: tuple[str, ...]

    def __add__(self, other: "Count") -> "Count":
        return Count(self.passed + other.passed, self.failed + other.failed)

    def __str__(self) -> str:
        return f"{self.passed} passed, {len(self.failed)} failed"


def read_junit(text: str, preset: str) -> Count:
    """Counts what ctest wrote. A test that could not be started has failed."""
    cases = list(ElementTree.fromstring(text).iter("testcase"))
    failed = [f"{preset}: {case.get('name')}" for case in cases if case.get("status") != "run"]
    return Count(len(cases) - len(failed), tuple(failed))


def run_preset(preset: str) -> Count:
    """Builds and tests one preset; the programs' output goes to our own."""
    start = time.monotonic()
    if subprocess.run([ROOT / "tools/build", preset], check=False).returncode != 0:
        return Count(0, (f"{preset}: build",))
    built = time.monotonic()
    junit = ROOT / "build" / preset / "tests.xml"
    junit.unlink(missing_ok=True)
    command = ["ctest", "--preset", preset, "--output-junit", str(junit)]
    subprocess.run([*command, "-j", str(os.cpu_count())], cwd=ROOT, check=False)
    if not junit.exists():
        return Count(0, (f"{preset}: ctest ran no tests",))
    count = read_junit(junit.read_text(), preset)
    spent = f"build {built - start:.0f} s, tests {time.monotonic() - built:.0f} s"
    print(f"{preset}: {count} ({spent})\n", flush=True)
    return count


def main(presets: list[str]) -> int:
    total = Count(0, ())
    for preset in presets or PRESETS:
        print(f"=== {preset}", flush=True)
        total += run_preset(preset)
    for name in total.failed:
        print(f"failed: {name}")
    print(total)
    return 1 if total.failed or total.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
