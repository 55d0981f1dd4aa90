# SPDX-License-Identifier: Apache-2.0
"""Real programs from Debian's packages on Myrmidon's libgomp.so.1: they must compute what they
compute on Debian's.

Usage: programs.py LIBRARY_FOLDER [--threads 1,2,4] [--only NAME,...] [--repeat N] [--folder FOLDER]

Prints a line for each program and status 1 if a result differs, or if it differs with the number of
threads where tools/openmp_programs.py does not say that it may.
"""

import argparse
import sys
from pathlib import Path

from openmp_programs import PROGRAMS, Place, Program

ROOT = Path(__file__).parents[2]


def judge(place: Place, program: Program, arguments: argparse.Namespace) -> str:
    """What is wrong, in a few words; nothing if all is well."""
    sums = set()
    for threads in arguments.threads:
        expected = place.run(program, None, threads)
        if expected.status != 0:
            return f"fails on Debian's library: {expected.status} {expected.text}"
        sums.add(expected.checksum)
        for _ in range(arguments.repeat):
            found = place.run(program, arguments.library.resolve(), threads)
            if found.status != 0:
                return f"{threads} threads: status {found.status} {found.text}"
            if found.checksum != expected.checksum:
                return f"{threads} threads: {found.checksum} instead of {expected.checksum}"
    if len(sums) > 1 and program.same_for_all_counts:
        return f"differs with the number of threads, on Debian's library too: {sums}"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("library", type=Path)
    parser.add_argument(
        "--threads", type=lambda text: [int(word) for word in text.split(",")], default=[1, 2, 4]
    )
    parser.add_argument("--only", type=lambda text: text.split(","), default=[])
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=ROOT / ".cache" / "openmp-programs")
    arguments = parser.parse_args()
    place = Place(arguments.folder)
    place.prepare()
    wanted = [one for one in PROGRAMS if not arguments.only or one.name in arguments.only]
    failed = 0
    for program in wanted:
        complaint = judge(place, program, arguments)
        failed += complaint != ""
        print(f"{program.name}: {complaint or 'the same'}", flush=True)
    print(
        f"{len(wanted) - failed} of {len(wanted)} programs compute what they do on Debian's library"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
