# SPDX-License-Identifier: Apache-2.0
"""Runs every command of README, the tutorial and the user pages, literally and in order, where
nothing is installed but Debian 12: what a new user meets. Then CMake with each option of a
developer. Takes ten minutes; needs root, debootstrap and the network.

The system is in build/door.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

import bare_debian
from pages import ROOT, environment, run_pages

SYSTEM = ROOT / "build/door"
HOME = "/root"
SOURCES = "/root/myrmidon"
OPTIONS = (
    (),
    ("-DMYR_TRANSLATE=OFF",),
    ("-DMYR_DEVELOP=ON",),
    ("-DMYR_DEVELOP=ON", "-DMYR_KERNELS=OFF"),
    ("-DMYR_DEVELOP=ON", "-DMYR_KERNELS=fib"),
    ("-DMYR_DEVELOP=ON", "-DMYR_KERNELS=tree", "-DMYR_HW=ON"),
    ("-DMYR_DEVELOP=ON", "-DMYR_BENCH=OFF", "-DMYR_ONE_THREAD_TESTS=OFF", "-DMYR_UNITY=OFF"),
    ("-DMYR_DEVELOP=ON", "-DMYR_MODEL=ON", "-DMYR_CHECKED=ON"),
)


def copy_sources() -> None:
    """The files of this checkout as a clone would have them."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            cwd=ROOT, capture_output=True, check=True)  # fmt: skip
    for name in filter(None, listed.stdout.decode().split("\0")):
        target = Path(f"{SYSTEM}{SOURCES}", name)
        target.parent.mkdir(parents=True, exist_ok=True)
        if Path(ROOT, name).exists():
            shutil.copy2(Path(ROOT, name), target)


def variables() -> dict[str, str]:
    return environment(HOME, bare_debian.variables())


def check_options() -> int:
    faults = 0
    for options in OPTIONS:
        configure = ("cmake", "-S", ".", "-B", "/tmp/configured", "--fresh", *options)
        words = [*bare_debian.shell_words(SYSTEM, SOURCES), *configure]
        done = subprocess.run(words, env=variables(), capture_output=True, text=True, check=False)
        bad = done.returncode != 0
        print(f"{'FAILED' if bad else 'passed'}  cmake {' '.join(options)}", flush=True)
        if bad:
            print(done.stderr)
        faults += bad
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev door", description=__doc__)
    parser.add_argument("--keep", action="store_true", help="leaves the copy there at the end")
    keep = parser.parse_args().keep
    if missing := bare_debian.what_is_missing():
        print(f"door: {missing}", file=sys.stderr)
        return 2
    bare_debian.make_system(SYSTEM)
    copy_sources()
    inside = tuple(bare_debian.shell_words(SYSTEM, SOURCES))
    failed = run_pages(Path(f"{SYSTEM}{SOURCES}"), variables(), short=False, inside=inside)
    failed += check_options()
    if not keep:
        shutil.rmtree(SYSTEM)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
