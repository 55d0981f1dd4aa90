# SPDX-License-Identifier: Apache-2.0
"""Measures the kernel, then lets two galaxies collide and draws six moments of it.

usage: run.py [OPTION...]     the options are those of kernel_barnes_hut, e.g. --size 50000

MYR_BIN is the folder of the programs (default build/release/bin), MYR_OUT where the picture
goes (default out).
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[2] / "common"))
import picture  # noqa: E402

BODIES = 10000
STEPS_A_FRAME = 70
TIME_STEP = 0.05  # that of the kernel
# Families: halo and disk of the big, halo and disk of the small galaxy.
COLOURS = np.array([[1.0, 0.72, 0.42], [1.0, 0.86, 0.68], [0.36, 0.56, 1.0], [0.62, 0.80, 1.0]])
WEIGHTS = np.array([0.35, 1.0, 0.35, 1.0])
HALF_WIDTH = 7.2
PIXELS = 420


def split_snapshots(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """The family of each body and, for each snapshot, its position."""
    bodies, snapshots = np.frombuffer(data, np.int32, 2)
    families = np.frombuffer(data, np.int32, bodies, offset=8)
    positions = np.frombuffer(data, np.float32, offset=8 + 4 * bodies)
    return families, positions.reshape(snapshots, bodies, 3)


def blur(image: np.ndarray, radius: float) -> np.ndarray:
    """Smooths an image with a bell curve of the given radius in pixels."""
    reach = np.arange(-int(3 * radius), int(3 * radius) + 1)
    kernel = np.exp(-0.5 * (reach / radius) ** 2)
    kernel /= kernel.sum()
    for axis in (0, 1):
        image = np.apply_along_axis(np.convolve, axis, image, kernel, mode="same")
    return image


def glow(positions: np.ndarray, families: np.ndarray) -> np.ndarray:
    """Renders bodies as light: each adds its colour; the brightness scale is logarithmic."""
    edges = np.linspace(-HALF_WIDTH, HALF_WIDTH, PIXELS + 1)
    light = np.zeros((PIXELS, PIXELS, 3))
    for family, (colour, weight) in enumerate(zip(COLOURS, WEIGHTS)):
        chosen = positions[families == family]
        counts, _, _ = np.histogram2d(chosen[:, 1], chosen[:, 0], bins=(edges, edges))
        spread = 0.8 * blur(counts, 1.0) + 0.5 * blur(counts, 4.0)
        light += weight * spread[:, :, None] * colour
    peak = light.max(axis=2, keepdims=True)
    brightness = np.log1p(40 * peak) / np.log1p(40 * np.percentile(peak, 99.9))
    return np.clip(light / np.maximum(peak, 1e-9) * brightness, 0, 1)


def draw(families: np.ndarray, snapshots: np.ndarray, path: Path) -> None:
    figure, axes = plt.subplots(2, 3, figsize=(12, 8.5), facecolor="black")
    extent = (-HALF_WIDTH, HALF_WIDTH, -HALF_WIDTH, HALF_WIDTH)
    for index, (axis, positions) in enumerate(zip(axes.flat, snapshots)):
        image = glow(positions, families)
        axis.imshow(image, origin="lower", extent=extent, interpolation="bilinear")
        axis.set_axis_off()
        time = index * STEPS_A_FRAME * TIME_STEP
        axis.text(0.03, 0.95, f"t = {time:g}", color="0.8", transform=axis.transAxes, va="top")
    title = f"Two galaxies collide: {len(families):,} bodies, Barnes-Hut on Myrmidon"
    figure.suptitle(title, color="0.9", fontsize=15)
    figure.subplots_adjust(left=0.01, right=0.99, bottom=0.01, top=0.93, wspace=0.02, hspace=0.02)
    figure.savefig(path, dpi=110, facecolor="black")


def main() -> int:
    picture.measure("barnes_hut", sys.argv[1:])
    options = ["--size", str(BODIES), "--steps", str(STEPS_A_FRAME), "--snapshots"]
    path = picture.path_of("galaxies.png")
    draw(*split_snapshots(picture.written_by("barnes_hut", options)), path)
    print(f"picture     {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
