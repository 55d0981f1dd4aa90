# SPDX-License-Identifier: Apache-2.0
"""Do the models need every order? Takes each order, fence and wake-up of lock-free code away, one
at a time, and expects the models to fail.

Usage: orders.py BUILD_FOLDER [PART_OF_A_PATH...]    a build of the preset model

The operations are those that the models meet; an order is weakened by one step in each direction:
acq_rel to acquire and to release, acquire and release to relaxed. Nothing is built anew: the
explorer does it (src/explore/site.hpp). Prints what no model misses; the exit status says if any is
not in orders_kept.txt, which says why it is kept.
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
WEAKER = {
    "seq_cst": ("acq_rel",),
    "acq_rel": ("acquire", "release"),
    "acquire": ("relaxed",),
    "release": ("relaxed",),
    "fence": ("nothing",),
    "wake": ("nothing",),
}
LAYERS = ("omp", "graph", "sync", "transport")
SECONDS = 600


def run(program: Path, **variables: str) -> bool:
    """Do all models hold?"""
    try:
        return (
            0
            == subprocess.run(
                [program, "--abort-after=1"],
                env={**os.environ, **variables},
                timeout=SECONDS,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
            ).returncode
        )
    except subprocess.TimeoutExpired:
        return False


def sites(program: Path) -> list[tuple[str, str]]:
    """The operations that its models meet: place in the source and what stands there."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "sites"
        if not run(program, MYR_SITES=str(path)):
            sys.exit(f"{program.name} fails without any fault")
        lines = path.read_text().splitlines()
    found = [tuple(line.rsplit(" ", 1)) for line in lines]
    return [
        (place.removeprefix(f"{ROOT}/"), what)
        for place, what in found
        if not place.removeprefix(f"{ROOT}/").rsplit("/", 1)[1].split(".")[0].endswith("_model")
    ]


def code_at(place: str) -> str:
    """The line of a place, as orders_kept.txt names it: it may move, and must not change."""
    path, line = place.split(":")[:2]
    return f"{path}: {(ROOT / path).read_text().splitlines()[int(line) - 1].strip()}"


def kept() -> set[str]:
    lines = (Path(__file__).parent / "orders_kept.txt").read_text().splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def main() -> int:
    folder = Path(sys.argv[1]) / "bin"
    wanted = sys.argv[2:]
    known = kept()
    faults = {}  # by place and order: the programs that meet it
    for layer in LAYERS:
        program = folder / f"myr_{layer}_model"
        if not program.exists():
            continue
        for place, what in sites(program):
            if wanted and not any(part in place for part in wanted):
                continue
            for weaker in WEAKER[what]:
                faults.setdefault((place, what, weaker), []).append(program)

    def is_found(fault: tuple[str, str, str]) -> bool:
        place, _, weaker = fault
        return any(not run(program, MYR_WEAKEN=f"{place}={weaker}") for program in faults[fault])

    lost = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for fault, found in zip(sorted(faults), pool.map(is_found, sorted(faults)), strict=True):
            place, what, weaker = fault
            line = f"{code_at(place)} [{what} -> {weaker}]"
            if not found:
                print(f"{'kept' if line in known else 'NOT FOUND'}: {line} ({place})", flush=True)
                lost += line not in known
    print(f"{len(faults)} weaker orders, {lost} of which nothing finds")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
