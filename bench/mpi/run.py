#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares tasks on MPI with the same kernels written by hand with MPI, on the same processes.

Runs both in turn, several times over, and counts what they send. Prints the tables; with --docs
also writes docs/mpi.md and its picture. What was measured with the same build is not measured
again.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import page
from cases import KERNELS, SHAPES, Case, cases
from harness import record as records
from harness import runs
from harness.cache import Cache
from measure import Result, measure

MPIS = ["openmpi", "mpich"]


def names_from(known: list[str]):
    def parse(text: str) -> list[str]:
        words = text.split(",")
        if not set(words) <= set(known):
            raise ValueError(text)
        return words

    return parse


def main(words: list[str]) -> None:
    machines = {shape.machine: shape for shape in SHAPES}
    parser = runs.make_parser("mpi", __doc__ or "")
    parser.set_defaults(runs=3)
    for option, known in (("mpis", MPIS), ("kernels", [*KERNELS]), ("machines", [*machines])):
        parser.add_argument(
            f"--{option}", type=names_from(known), default=known, help=",".join(known)
        )
    parser.add_argument("--docs", action="store_true", help="write docs/mpi.md, too")
    arguments = parser.parse_args(words)
    programs = arguments.programs
    built = [mpi for mpi in arguments.mpis if (programs / f"kernel_jacobi_{mpi}").exists()]
    if not built:
        sys.exit(f"no MPI version is in {programs}; libopenmpi-dev or libmpich-dev is needed")
    wanted = cases(built, arguments.kernels, [machines[name] for name in arguments.machines])
    all_cases = cases(MPIS, [*KERNELS], [*SHAPES])
    files = [programs / name for name in sorted({case.program for case in all_cases})]
    cache = Cache(runs.OUT / "mpi/measured.jsonl", [*files, *programs.parent.glob("lib/*.so")])
    results: dict[Case, Result] = {}
    for case in wanted:
        name = f"{case.mpi} {case.program} {case.shape.machine} {arguments.runs}"
        runs.show_progress(name)
        results[case] = Result.of(cache.get(name, lambda: measure(case, programs, arguments.runs)))
    runs.show_progress("")
    text = "\n".join(page.lines(results, " ".join(words))) + "\n"
    print(text)
    if arguments.json:
        head = records.head("mpi", runs=arguments.runs)
        lines = [
            {"case": vars(case) | {"shape": case.shape.machine}} | vars(one)
            for case, one in results.items()
        ]
        runs.write_lines(arguments.json, [head, *lines])
    picture = runs.ROOT / "docs/perf/mpi-overhead.png" if arguments.docs else arguments.plot
    if picture:
        runs.save_figure(page.draw(results), picture)
    if arguments.docs:
        (runs.ROOT / "docs/mpi.md").write_text(text)


if __name__ == "__main__":
    main(sys.argv[1:])
