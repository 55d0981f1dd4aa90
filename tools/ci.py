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


class Build:
    """A build of a preset. `aside`: with the processors' idle time only, and nothing is printed
    before it is waited for."""

    def __init__(self, preset: str, *, aside: bool) -> None:
        words = ["nice", "-n", "19"] if aside else []
        self.process = subprocess.Popen(
            [*words, ROOT / "tools/build", preset],
            stderr=subprocess.PIPE if aside else None,
            text=True,
        )

    def wait(self) -> bool:
        """True: it is built. Prints what went wrong."""
        _, errors = self.process.communicate()
        print(errors or "", end="", file=sys.stderr, flush=True)
        return self.process.returncode == 0


def run_tests(preset: str) -> Count:
    """Tests a preset that is built; the programs' output goes to our own."""
    start = time.monotonic()
    junit = ROOT / "build" / preset / "tests.xml"
    junit.unlink(missing_ok=True)
    command = ["ctest", "--preset", preset, "--output-junit", str(junit)]
    subprocess.run([*command, "-j", str(os.cpu_count())], cwd=ROOT, check=False)
    if not junit.exists():
        return Count(0, (f"{preset}: ctest ran no tests",))
    count = read_junit(junit.read_text(), preset)
    print(f"{preset}: {count} ({time.monotonic() - start:.0f} s)\n", flush=True)
    return count


def run_presets(presets: list[str]) -> Count:
    """One after the other; while one is tested, the next is built, as many tests mostly wait."""
    total = Count(0, ())
    build = Build(presets[0], aside=False)
    for number, preset in enumerate(presets, 1):
        start = time.monotonic()
        is_built = build.wait()
        waited = time.monotonic() - start
        if number < len(presets):
            build = Build(presets[number], aside=True)
        print(f"=== {preset} (waited {waited:.0f} s for its build)", flush=True)
        total += run_tests(preset) if is_built else Count(0, (f"{preset}: build",))
    return total


def main(presets: list[str]) -> int:
    start = time.monotonic()
    total = run_presets(presets or list(PRESETS))
    for name in total.failed:
        print(f"failed: {name}")
    print(f"all in {time.monotonic() - start:.0f} s")
    print(total)
    return 1 if total.failed or total.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
