# SPDX-License-Identifier: Apache-2.0
"""Measures the kernel, then draws two galaxies as recursive bisection has parted them.

usage: run.py [OPTION...]     the options are those of kernel_barnes_hut_parts, e.g. --trees level

MYR_BIN is the folder of the programs (default build/release/bin), MYR_OUT where the picture goes
(default out).
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle

sys.path.append(str(Path(__file__).resolve().parents[2] / "common"))
import picture  # noqa: E402

BODIES = 16000
PARTS = 32
STEPS = 50
HALF_WIDTH = 7


def colours(count: int) -> np.ndarray:
    """Bright colours, so that neighbours in the order of the parts differ."""
    return plt.get_cmap("hsv")(np.arange(count) * 0.381966 % 1) * 0.6 + 0.4


def draw(places: np.ndarray, parts: np.ndarray, path: Path) -> None:
    figure = plt.figure(figsize=(9, 9), facecolor="black")
    axes = figure.add_axes((0, 0, 1, 0.95), facecolor="black")
    for part, colour in enumerate(colours(PARTS)):
        mine = places[parts == part]
        axes.scatter(*mine.T, s=2.5, color=colour, alpha=0.9, linewidths=0)
        low, high = mine.min(axis=0), mine.max(axis=0)
        box = Rectangle(low, *(high - low), fill=False, color=colour, alpha=0.45, linewidth=0.8)
        axes.add_patch(box)
    axes.set(xlim=(-HALF_WIDTH, HALF_WIDTH), ylim=(-HALF_WIDTH, HALF_WIDTH))
    axes.set_axis_off()
    title = f"{len(places):,} bodies in {PARTS} parts of equal cost, by recursive bisection"
    figure.suptitle(title, color="0.9", y=0.98)
    figure.savefig(path, dpi=110, facecolor="black")


def main() -> int:
    picture.measure("barnes_hut_parts", sys.argv[1:])
    options = ["--size", str(BODIES), "--task", str(BODIES // PARTS), "--steps", str(STEPS)]
    data = picture.written_by("barnes_hut_parts", [*options, "--repeat", "1", "--snapshot"])
    numbers = np.frombuffer(data, "<f4").reshape(-1, 3)
    path = picture.path_of("parts.png")
    draw(numbers[:, :2], numbers[:, 2].astype(int), path)
    print(f"picture     {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
