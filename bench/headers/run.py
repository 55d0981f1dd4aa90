# SPDX-License-Identifier: Apache-2.0
"""What a spawn costs in compilation: time, and bytes of code.

Programs with many different spawns of a kind, and one with none, are compiled in turn, in random
order; what a spawn takes is the difference divided by their number, of the fastest runs. Times
depend on the machine and on what else it does, bytes only on the compiler.

Usage: ./dev bench headers [--compilers g++,clang++-19] [--runs 5] [--include FOLDER] [--json FILE]
  --include FOLDER  the headers of another version, to compare
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SPAWNS = 100
# What one of them is, by its number.
THREE = (
    "[](const int& a, int& b, int& c) {{ c = a + b + {i}; }}, "
    "myr::in(z), myr::inout(x), myr::out(y)"
)
KINDS = {
    "a task that uses one variable": "myr::spawn([](int& a) {{ a += {i}; }}, myr::inout(x));",
    "one that uses three": f"myr::spawn({THREE});",
    "the same, for later": f"myr::spawn(myr::later, {THREE});",
    "a result": "auto f{i} = myr::async([](const int& a) {{ return a + {i}; }}, myr::in(x));",
    "a loop over a vector": "myr::for_each(myr::range(v.size()), myr::inout(v, myr::part), "
    "[](auto i, auto all) {{ all[i] += {i}; }});",
}
PROGRAM = """#include <myr/myr.hpp>
#include <vector>
void program(int& x, int& y, int& z, std::vector<int>& v) {{
  static_cast<void>(v);
  {body}
  myr::wait(myr::in(x), myr::in(y), myr::in(z));
}}
"""


def text_bytes(path: Path) -> int:
    """Of the sections that are code or read-only data."""
    lines = subprocess.run(["size", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    return int(lines.splitlines()[1].split()[0])


def compile_once(compiler: str, include: Path, source: Path) -> tuple[float, int]:
    out = source.with_suffix(".o")
    begin = time.monotonic()
    command = [compiler, "-std=c++20", "-O2", f"-I{include}", "-c", source, "-o", out]
    subprocess.run(command, check=True)
    return time.monotonic() - begin, text_bytes(out)


def measure(compilers: list[str], include: Path, runs: int) -> list[dict]:
    with tempfile.TemporaryDirectory() as folder:
        sources = {}
        for number, (kind, line) in enumerate({"nothing": "", **KINDS}.items()):
            body = "\n  ".join(line.format(i=i) for i in range(SPAWNS)) if line else ""
            sources[kind] = Path(folder) / f"{number}.cpp"
            sources[kind].write_text(PROGRAM.format(body=body))
        order = [(one, kind) for one in compilers for kind in sources] * runs
        random.shuffle(order)
        taken: dict[tuple[str, str], list[tuple[float, int]]] = {}
        for number, (compiler, kind) in enumerate(order):
            if sys.stderr.isatty():
                print(f"\r{number}/{len(order)}", end="", file=sys.stderr)
            one = compile_once(compiler, include, sources[kind])
            taken.setdefault((compiler, kind), []).append(one)
    records = []
    for compiler in compilers:
        base_time, base_bytes = min(taken[compiler, "nothing"])
        records.append({"compiler": compiler, "kind": "nothing", "seconds": base_time})
        for kind in KINDS:
            seconds, size = min(taken[compiler, kind])
            records.append(
                {
                    "compiler": compiler,
                    "kind": kind,
                    "milliseconds": (seconds - base_time) / SPAWNS * 1000,
                    "bytes": (size - base_bytes) / SPAWNS,
                }
            )
    return records


def show(records: list[dict]) -> None:
    compilers = list(dict.fromkeys(one["compiler"] for one in records))
    print(f"| what is compiled | {' | '.join(compilers)} |")
    print(f"| --- |{' --- |' * len(compilers)}")
    for kind in ["nothing", *KINDS]:
        ones = [one for one in records if one["kind"] == kind]
        cells = [
            f"{one['seconds']:.2f} s"
            if kind == "nothing"
            else f"{one['milliseconds']:.1f} ms, {one['bytes']:.0f} bytes"
            for one in ones
        ]
        name = "a file with `#include <myr/myr.hpp>` and a wait" if kind == "nothing" else kind
        print(f"| {name} | {' | '.join(cells)} |")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--compilers", default="g++,clang++-19")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--include", type=Path, default=ROOT / "include")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    records = measure(options.compilers.split(","), options.include, options.runs)
    show(records)
    if options.json is not None:
        options.json.write_text(json.dumps(records, indent=1) + "\n")


if __name__ == "__main__":
    main()
