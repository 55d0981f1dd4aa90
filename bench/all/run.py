#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes all tables and pictures of docs/performance*.md again, in one night.

Runs one benchmark after the other and writes its tables into the documents as soon as it has
ended. Run it again to go on: what this commit has measured already is not measured anew. --quick
takes less than half an hour on two cores, and its tables say so.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from harness import record, runs

PICTURES = runs.ROOT / "docs" / "perf"
STEP_SECONDS_MAX = 12 * 3600


@dataclass(frozen=True)
class Step:
    """A benchmark: its script or program, and its arguments in a long and in a quick run."""

    name: str
    arguments: str
    quick: str
    picture: str | None = None  # in docs/perf
    program: str | None = None  # of the built ones; None: bench/SCRIPT/run.py
    script: str | None = None  # None: NAME

    def command(self, folder: Path, quick: bool) -> list[str]:
        results = ["--json", str(folder / f"{self.name}.json")]
        words = (self.quick if quick else self.arguments).split()
        if self.program is not None:
            return [str(programs() / self.program), *words, *results]
        plot = ["--plot", str(folder / f"{self.name}.png")] if self.picture else []
        built = ["--programs", str(programs())]
        return [
            sys.executable,
            str(runs.ROOT / f"bench/{self.script or self.name}/run.py"),
            *words,
            *results,
            *plot,
            *built,
        ]


METG_RUNTIMES = "--runtimes myrmidon,myrmidon-replay,libgomp,libomp,onetbb,onetbb-flow,rayon"
LOADS = f"--only stencil_1d/*,fft/*,nearest/* {METG_RUNTIMES}"
OVERHEAD_RUNTIMES = "--runtimes myrmidon,myrmidon-c++,libgomp,libomp,onetbb,rayon"
STEPS = [
    Step(
        "overhead",
        f"--threads 1,2 --runs 15 {OVERHEAD_RUNTIMES}",
        f"--threads 1,2 --runs 9 {OVERHEAD_RUNTIMES}",
        "overhead.png",
    ),
    Step("towns", "--repeat 15", "--repeat 9"),
    Step("kernels", "--runs 11", "--quick --runs 9", "kernels.png"),
    Step("alloc", "--runs 11", "--runs 9", program="myr_bench_alloc"),
    Step("reductions", "--runs 25", "--runs 9", program="myr_bench_reductions"),
    Step(
        "metg",
        f"--runs 9 {METG_RUNTIMES}",
        f"--quick --runs 9 {METG_RUNTIMES}",
        "metg-compute-2.png",
    ),
    Step("loads", f"--runs 9 {LOADS}", f"--runs 3 {LOADS}", script="metg"),
    Step("tree", "--runs 9", "--runs 9 --tasks 2000"),
    Step("openmp", "", "--quick", "openmp.png"),
    Step("busy", "--runs 9", "--runs 3"),
]


def programs() -> Path:
    return Path(os.environ.get("MYR_BIN", runs.ROOT / "build/release/bin"))


def parse_arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./dev bench all", description=__doc__.split("\n", maxsplit=1)[0]
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="less than half an hour: fewer sizes, shorter measurements",
    )
    parser.add_argument("--fresh", action="store_true", help="measure everything anew")
    parser.add_argument(
        "--only",
        choices=[step.name for step in STEPS],
        action="append",
        help="only this benchmark; may be given several times",
    )
    parser.add_argument(
        "--dry", action="store_true", help="measure, but leave the documents as they are"
    )
    return parser.parse_args(words)


class Night:
    """The folder of results, and what of it is complete."""

    def __init__(self, quick: bool, fresh: bool) -> None:
        self.quick = quick
        self.folder = runs.OUT / ("bench-quick" if quick else "bench")
        self.state = self.folder / "done.json"
        self.commit = record.commit()
        if fresh:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True, exist_ok=True)

    def done(self) -> list[str]:
        """The steps that this commit has completed."""
        try:
            found = json.loads(self.state.read_text())
        except (OSError, json.JSONDecodeError):
            return []
        return found["steps"] if found.get("commit") == self.commit else []

    def complete(self, name: str) -> None:
        steps = sorted({*self.done(), name})
        self.state.write_text(json.dumps({"commit": self.commit, "steps": steps}) + "\n")

    def results(self, step: Step) -> Path:
        return self.folder / f"{step.name}.json"

    def head(self, step: Step, count: int) -> dict[str, object]:
        words = step.quick if self.quick else step.arguments
        head = record.head(step.name, runs=count, quick=self.quick)
        return {**head, "command": f"./dev bench {step.script or step.name} {words}"}


def measure(night: Night, step: Step) -> bool:
    """Whether the step has ended well; its output goes to a log."""
    if step.name == "towns":
        return measure_towns(night, step)
    command = step.command(night.folder, night.quick)
    log = night.folder / f"{step.name}.log"
    with log.open("w") as file:
        done = subprocess.run(
            command, stdout=file, stderr=subprocess.STDOUT, timeout=STEP_SECONDS_MAX, check=False
        )
    if done.returncode != 0:
        print(f"{step.name}: status {done.returncode}; the end of {log}:", file=sys.stderr)
        print("\n".join(log.read_text().splitlines()[-15:]), file=sys.stderr)
    if not night.results(step).exists():
        return False
    give_head(night, step)
    # What a script could measure is good, even where it had to leave something out.
    return done.returncode == 0 or step.name == "kernels"


def give_head(night: Night, step: Step) -> None:
    """Programs write no conditions of their own; scripts do not know that the run was a quick
    one."""
    path = night.results(step)
    head, records = record.read(path)
    count = int(head["runs"]) if "runs" in head else _option(step, night.quick, "--runs")
    head = {**head, **night.head(step, count)}
    runs.write_lines(path, [head, *records])


def _option(step: Step, quick: bool, name: str) -> int:
    words = (step.quick if quick else step.arguments).split()
    return int(words[words.index(name) + 1])


def measure_towns(night: Night, step: Step) -> bool:
    """Draws the map with the same run whose times the text beside it gives."""
    script = runs.ROOT / "kernels/allocator/delaunay/run.py"
    words = (step.quick if night.quick else step.arguments).split()
    environment = {**os.environ, "MYR_BIN": str(programs()), "MYR_OUT": str(night.folder)}
    environment["MYR_ON"] = "smp:2"
    done = subprocess.run(
        [sys.executable, str(script), *words], env=environment, capture_output=True, check=False
    )
    if done.returncode != 0:
        print(done.stderr.decode() + done.stdout.decode(), file=sys.stderr)
        return False
    _, records = record.read(night.results(step))
    runs.write_lines(
        night.results(step), [night.head(step, _option(step, night.quick, "--repeat")), *records]
    )
    return True


def publish(night: Night, step: Step) -> None:
    """Writes the step's tables into the documents, and its pictures beside them."""
    import documents
    import pages

    places = pages.MAKERS[step.name](night.results(step))
    for path in documents.fill_files(documents.PATHS, places):
        print(f"{step.name}: {path.relative_to(runs.ROOT)} has new tables")
    if step.picture is not None:
        target = PICTURES / f"{step.name}.png"
        shutil.copy(night.folder / step.picture, target)
    if step.name == "towns":
        publish_map(night.folder / "towns.png", runs.ROOT / "docs/towns.jpg")


def publish_map(source: Path, target: Path) -> None:
    from PIL import Image

    with Image.open(source) as picture:
        width = 1200
        height = round(picture.height * width / picture.width)
        picture.convert("RGB").resize((width, height), Image.Resampling.LANCZOS).save(
            target, quality=88, optimize=True
        )


def main(words: list[str]) -> None:
    arguments = parse_arguments(words)
    night = Night(arguments.quick, arguments.fresh)
    failed = []
    for step in STEPS:
        if arguments.only and step.name not in arguments.only:
            continue
        start = time.monotonic()
        if step.name in night.done():
            print(f"{step.name}: measured already, at this commit")
        elif measure(night, step):
            night.complete(step.name)
            print(f"{step.name}: measured in {time.monotonic() - start:.0f} s", flush=True)
        else:
            failed.append(step.name)
            continue
        if not arguments.dry:
            publish(night, step)
    if failed:
        sys.exit(f"not measured: {', '.join(failed)}; run the same command again to go on")


if __name__ == "__main__":
    main(sys.argv[1:])
