# SPDX-License-Identifier: Apache-2.0
"""What a task of a Python program costs on Myrmidon, Dask (threads), joblib and Ray.

Usage: ./dev bench python [--runs 9] [--tasks 10000] [--threads 2] [--only PATTERN] [--json FILE]
       [--write README]

Each measurement is a process of its own (one.py); those of all cases are taken in random order, so
that what else the computer does falls upon all of them. The table has the medians, and half of the
distance between the quartiles. A runtime whose package is not installed is left out.
"""

import argparse
import importlib.util
import json
import os
import random
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

ONE = Path(__file__).with_name("one.py")
ROOT = ONE.parents[2]
RUNTIMES = ("myrmidon", "dask", "joblib", "ray")
GRAPHS = {
    "free": "independent",
    "chains": "8 chains",
    "wave": "a wave front: each after two others",
}
BODIES = {"native": "a function in C", "python": "an empty function of Python"}
MARKS = ("<!-- costs: made by ./dev bench python -->", "<!-- end of costs -->")

Case = tuple[str, str, str]  # runtime, graph, body


def measure(case: Case, tasks: int, threads: int) -> float | None:
    """Nanoseconds a task; None: the runtime has no such graph."""
    runtime, graph, body = case
    tasks = tasks if runtime == "myrmidon" else max(tasks // 10, 100)  # others take longer
    done = subprocess.run(
        [sys.executable, ONE, runtime, graph, body, str(tasks), str(threads)],
        env=os.environ | {"MYR_ON": ""},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"{case}: {done.stderr}")
    return json.loads(done.stdout.splitlines()[-1]).get("ns_per_task")


def spread(values: list[float]) -> float:
    if len(values) < 3:
        return 0
    quarters = statistics.quantiles(values, n=4)
    return (quarters[2] - quarters[0]) / 2


def shown(values: list[float]) -> str:
    if not values:
        return "-"
    return f"{statistics.median(values) / 1000:.2f} ± {spread(values) / 1000:.2f}"


def table(found: dict[Case, list[float]], runtimes: list[str]) -> str:
    lines = [
        "| graph | body | " + " | ".join(runtimes) + " | dask to myrmidon |",
        "| --- | --- |" + " --- |" * (len(runtimes) + 1),
    ]
    for graph, graph_text in GRAPHS.items():
        for body, body_text in BODIES.items():
            row = [found.get((runtime, graph, body), []) for runtime in runtimes]
            if not row[0]:
                continue
            ratio = "-"
            others = found.get(("dask", graph, body))
            if others:
                ratio = f"{statistics.median(others) / statistics.median(row[0]):.0f}"
            cells = " | ".join(map(shown, row))
            lines.append(f"| {graph_text} | {body_text} | {cells} | {ratio} |")
    return "\n".join(lines)


def versions(runtimes: list[str]) -> str:
    from importlib import metadata

    return ", ".join(f"{name} {metadata.version(name)}" for name in runtimes[1:])


def processor() -> str:
    text = Path("/proc/cpuinfo").read_text()
    name = re.search(r"model name\s*: (.*)", text)
    return f"{name.group(1).strip() if name else 'unknown'}, {os.cpu_count()} processors"


def text_of(
    found: dict[Case, list[float]], runtimes: list[str], options: argparse.Namespace
) -> str:
    commit = subprocess.run(
        ["git", "-C", ROOT, "rev-parse", "--short=9", "HEAD"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    command = f"./dev bench python --runs {options.runs} --tasks {options.tasks} --threads "
    return (
        f"{table(found, runtimes)}\n\n"
        f"Microseconds a task, {options.threads} threads; of Ray, processes. Commit {commit}, "
        f"{time.strftime('%Y-%m-%d')}, `{command}{options.threads}`: {options.runs} processes "
        f"each, in random order, the median ± half the distance between the quartiles. "
        f"{versions(runtimes)}, Python {sys.version.split()[0]}. {processor()}."
    )


def write(page: Path, text: str) -> None:
    before = page.read_text()
    first, last = (before.index(mark) for mark in MARKS)
    page.write_text(before[: first + len(MARKS[0])] + f"\n\n{text}\n\n" + before[last:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="", help="of the runtimes")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--write", type=Path, help="a page with the marks of a table")
    options = parser.parse_args()
    runtimes = [
        name
        for name in RUNTIMES
        if importlib.util.find_spec(name) and (name == "myrmidon" or options.only in name)
    ]
    if "myrmidon" not in runtimes:
        raise SystemExit("install the package first: pip install ./python")
    cases = [(r, g, b) for r in runtimes for g in GRAPHS for b in BODIES]
    plan = [case for case in cases for _ in range(options.runs)]
    random.shuffle(plan)
    found: dict[Case, list[float]] = {}
    for number, case in enumerate(plan):
        ns = measure(case, options.tasks, options.threads)
        if ns is not None:
            found.setdefault(case, []).append(ns)
        print(f"\r{number + 1} of {len(plan)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    text = text_of(found, runtimes, options)
    print(text)
    if options.json:
        rows = [
            {
                "bench": "python",
                "runtime": r,
                "graph": g,
                "body": b,
                "threads": options.threads,
                "ns_per_task": statistics.median(runs),
                "runs": runs,
            }
            for (r, g, b), runs in found.items()
        ]
        options.json.write_text("".join(json.dumps(row) + "\n" for row in rows))
    if options.write:
        write(options.write, text)


if __name__ == "__main__":
    main()
