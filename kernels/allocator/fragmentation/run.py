# SPDX-License-Identifier: Apache-2.0
"""Runs the fragmentation measurements and draws them like figure 4a to 4c of paper 2.

usage: run.py [OPTION...]     the options are those of kernel_fragmentation, e.g. --steps 1000000

MYR_BIN is the folder of the programs (default build/release/bin), MYR_OUT where the picture and
the table go (default out).
"""

import csv
import os
import subprocess
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

TITLES = {
    "one_size": "(a) 192 B, 60 % of the steps allocate",
    "phases": "(b) 192 B, phases",
    "six_sizes": "(c) six sizes, the same phases",
}
FULL, PARTIAL, ASKED = "#1f6f3f", "#c8511b", "0.45"


def read_runs(path: Path) -> dict[str, dict[str, list[int]]]:
    """Returns the columns of each run."""
    runs: dict[str, dict[str, list[int]]] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            columns = runs.setdefault(row.pop("run"), {name: [] for name in row})
            for name, value in row.items():
                columns[name].append(int(value))
    return runs


def draw_run(bytes_axis: Axes, title: str, run: dict[str, list[int]], first: bool, last: bool):
    """Draws bytes asked for on the left axis, slabs on the right; returns the three lines."""
    slab_axis = bytes_axis.twinx()
    steps = [step / 1000 for step in run["step"]]
    megabytes = [count / 1e6 for count in run["requested_bytes"]]
    (asked,) = bytes_axis.plot(steps, megabytes, color=ASKED, linestyle=":", linewidth=1.8)
    (full,) = slab_axis.plot(steps, run["full_slabs"], color=FULL, linewidth=1.6)
    (partial,) = slab_axis.plot(steps, run["partial_slabs"], color=PARTIAL, linewidth=1.6)
    bytes_axis.set_title(title, fontsize=11)
    bytes_axis.set_xlabel("allocations and frees (thousands)")
    # On one scale the full slabs' line would cover what is asked.
    bytes_axis.set_ylim(0, 1.15 * max(megabytes))
    slab_axis.set_ylim(0, 1.35 * max(megabytes) * 1e6 / 4096)
    bytes_axis.set_xlim(0, steps[-1])
    bytes_axis.grid(alpha=0.25)
    if first:
        bytes_axis.set_ylabel("bytes of live objects, as asked (MB)")
    if last:
        slab_axis.set_ylabel("slabs of 4 KB")
    return asked, full, partial


def draw(runs: dict[str, dict[str, list[int]]], path: Path) -> None:
    figure, axes = plt.subplots(1, len(TITLES), figsize=(14, 4.6))
    for index, (name, title) in enumerate(TITLES.items()):
        lines = draw_run(axes[index], title, runs[name], index == 0, index == len(TITLES) - 1)
    figure.legend(
        lines,
        ["bytes asked (left)", "full slabs (right)", "partial slabs (right)"],
        loc="lower center",
        ncols=3,
        frameon=False,
    )
    figure.suptitle("A region under random allocations and frees", fontsize=13)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    figure.savefig(path, dpi=120)


def main() -> int:
    program = Path(os.environ.get("MYR_BIN", "build/release/bin")) / "kernel_fragmentation"
    out = Path(os.environ.get("MYR_OUT", "out"))
    out.mkdir(parents=True, exist_ok=True)
    table = out / "fragmentation.csv"
    measured = subprocess.run([program, "--csv", table, *sys.argv[1:]], check=False)
    if measured.returncode != 0 or {"-h", "--help"} & set(sys.argv):
        return measured.returncode
    draw(read_runs(table), out / "fragmentation.png")
    print(f"picture: {out / 'fragmentation.png'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
