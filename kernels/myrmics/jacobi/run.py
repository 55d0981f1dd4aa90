# SPDX-License-Identifier: Apache-2.0
"""Measures the kernel, then lets a plate be warmed from its border and draws its temperatures.

usage: run.py [OPTION...]     the options are those of kernel_jacobi, e.g. --size 4096

MYR_BIN is the folder of the programs (default build/release/bin), MYR_OUT where the picture goes
(default out).
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[2] / "common"))
import picture  # noqa: E402

SIZE = 240
ITERATIONS = 60000  # from then on the temperatures hardly change


def draw(heat: np.ndarray, path: Path) -> None:
    figure, axes = plt.subplots(figsize=(8.4, 8), layout="constrained")
    image = axes.imshow(heat, cmap="inferno", vmin=0, vmax=1, interpolation="bicubic")
    levels = np.arange(0.05, 1, 0.05)
    axes.contour(heat, levels, colors="white", linewidths=0.7, alpha=0.55)
    axes.set(xticks=[], yticks=[])
    axes.set_title(f"A plate warmed from its border: {ITERATIONS:,} Jacobi iterations on Myrmidon")
    figure.colorbar(image, label="temperature", shrink=0.9, pad=0.02)
    figure.savefig(path, dpi=110)


def main() -> int:
    picture.measure("jacobi", sys.argv[1:])
    shape = ["--size", str(SIZE), "--task", "30", "--parts", "4", "--steps", str(ITERATIONS)]
    heat = picture.written_by("jacobi", [*shape, "--plate"])
    path = picture.path_of("plate.png")
    draw(np.frombuffer(heat, "<f4").reshape(SIZE, SIZE), path)
    print(f"picture     {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
