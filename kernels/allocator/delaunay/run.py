# SPDX-License-Identifier: Apache-2.0
"""Triangulates all towns of the world and draws the result as a map.

usage: run.py [OPTION...]     the options are those of kernel_delaunay, e.g. --task 500; with --size
                              or --points it triangulates these points instead and draws nothing

MYR_BIN is the folder of the programs (default build/release/bin), MYR_OUT where the map goes
(default out). The towns are read once and kept in .cache.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

CACHE = Path(__file__).resolve().parents[3] / ".cache"
NO_MAP = ("-h", "--help", "--size", "--seed", "--points", "--json", "--named", "--names")


class Steps:
    """A bar on the terminal that tells how far we are; nothing where the output is no terminal."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.done = 0

    def begin(self, what: str) -> None:
        self._show("#" * (8 * self.done) + "." * (8 * (self.count - self.done)) + f" {what}")
        self.done += 1

    def finish(self) -> None:
        self._show("")

    def _show(self, text: str) -> None:
        if sys.stderr.isatty():
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def read_report(text: str) -> dict[str, str]:
    """The lines `label value` of a kernel's report."""
    lines = (line.partition(" ") for line in text.splitlines())
    return {label: value.strip() for label, _, value in lines}


def caption(report: dict[str, str], places: int, triangles: int) -> str:
    milliseconds = 1000 * float(report["parallel"].split()[0])
    return (
        f"{places:,} places, {triangles:,} Delaunay triangles\n"
        f"Bowyer-Watson as tasks over regions: {milliseconds:.0f} ms on {report['machine']}, "
        f"{report['speed-up']} times as fast as the serial program\n"
        "Myrmidon. Data: GeoNames, CC BY 4.0"
    )


def write_record(path: Path, report: dict[str, str], places: int, options: list[str]) -> None:
    """What the caption says, for documents that stand beside the map."""
    repeat = int(options[options.index("--repeat") + 1]) if "--repeat" in options else 3
    found = {
        "bench": "towns",
        "places": places,
        "machine": report["machine"],
        "parallel_ms": 1000 * float(report["parallel"].split()[0]),
        "spread_ms": 1000 * float(report["parallel"].split()[-1]),
        "speed_up": float(report["speed-up"]),
        "repeat": repeat,
    }
    path.write_text(json.dumps(found) + "\n")


def run_on_towns(program: Path, out: Path, options: list[str]) -> int:
    steps = Steps(3)
    steps.begin("reading the towns of the world")
    import towns

    all_towns = towns.load(CACHE)
    points = towns.plane(all_towns)
    places = len(np.unique(all_towns.points, axis=0))
    with tempfile.TemporaryDirectory() as folder:
        points_file, triangles_file = Path(folder) / "points", Path(folder) / "triangles"
        points.astype("<i4").tofile(points_file)
        steps.begin("triangulating, serially and with tasks")
        command = [program, "--points", points_file, "--out", triangles_file, *options]
        result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if result.returncode != 0:
            steps.finish()
            print(result.stdout, end="")
            return result.returncode
        triangles = np.fromfile(triangles_file, "<u4").reshape(-1, 3)
    steps.finish()
    twice = len(points) - len(all_towns.points)
    print(
        f"towns       {len(all_towns.points)} at {places} places; {twice} near the rim count twice"
    )
    print(result.stdout, end="", flush=True)
    steps.begin("drawing the map")
    import town_map

    out.mkdir(parents=True, exist_ok=True)
    path = out / "towns.png"
    shown = towns.count_once(points, triangles)
    text = caption(read_report(result.stdout), places, shown)
    town_map.draw(all_towns, points, triangles, text, path)
    write_record(out / "towns.json", read_report(result.stdout), places, options)
    steps.finish()
    print(f"map         {path}")
    return 0


def main() -> int:
    program = Path(os.environ.get("MYR_BIN", "build/release/bin")) / "kernel_delaunay"
    out = Path(os.environ.get("MYR_OUT", "out"))
    options = sys.argv[1:]
    if any(option.split("=")[0] in NO_MAP for option in options):
        return subprocess.run([program, *options], check=False).returncode
    return run_on_towns(program, out, options)


if __name__ == "__main__":
    sys.exit(main())
