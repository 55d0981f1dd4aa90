# SPDX-License-Identifier: Apache-2.0
"""Clusters the colours of a photograph, and draws the photograph in the colours of the clusters'
centres beside the original and the colours themselves.

usage: run.py [--photo FILE] [OPTION...]     FILE: any picture; default: the Summer Palace in
                                             Beijing. The other options are those of kernel_k_means,
                                             e.g. --clusters 8; with --size it clusters random
                                             points instead and draws nothing

MYR_BIN is the folder of the programs (default build/release/bin), MYR_OUT where the picture goes
(default out).
"""

import argparse
import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

FOLDER = Path(__file__).resolve().parent
sys.path.append(str(FOLDER.parents[1] / "common"))
import packages  # noqa: E402
import photo  # noqa: E402
import picture  # noqa: E402

CLUSTERS = 16
DOTS = 6000  # of the photo's pixels, in the picture's space of colours


def cluster(pixels: np.ndarray, options: list[str]) -> np.ndarray:
    """The centres that the kernel finds."""
    with tempfile.TemporaryDirectory() as folder:
        points, centres = Path(folder) / "points", Path(folder) / "centres"
        pixels.astype("<f4").tofile(points)
        files = ["--points", str(points), "--centres", str(centres)]
        picture.measure("k_means", [*files, *options])
        return np.fromfile(centres, "<f4").reshape(-1, 3)


def nearest(pixels: np.ndarray, centres: np.ndarray) -> np.ndarray:
    distances = [((pixels - centre) ** 2).sum(axis=1) for centre in centres]
    return np.argmin(distances, axis=0)


def draw_colours(axes: plt.Axes, pixels: np.ndarray, centres: np.ndarray, of: np.ndarray) -> None:
    """Pixels as dots in the space of red, green and blue; centres as balls."""
    chosen = np.random.default_rng(1).choice(len(pixels), min(DOTS, len(pixels)), replace=False)
    axes.scatter(*pixels[chosen].T, c=centres[of[chosen]] / 255, s=2, alpha=0.5, depthshade=False)
    share = np.bincount(of, minlength=len(centres)) / len(pixels)
    axes.scatter(*centres.T, c=centres / 255, s=60 + 1500 * share, edgecolors="black", linewidths=1)
    axes.set(xlabel="red", ylabel="green", zlabel="blue")
    axes.tick_params(labelsize=7)
    axes.view_init(elev=22, azim=-58)
    axes.set_box_aspect(None, zoom=0.87)


def draw(image: np.ndarray, centres: np.ndarray, path: Path) -> None:
    pixels = image.reshape(-1, 3).astype(float)
    of = nearest(pixels, centres)
    figure = plt.figure(figsize=(15, 4.3), layout="constrained")
    grid = figure.add_gridspec(1, 3, width_ratios=(1.15, 1.15, 1.05))
    for place, shown, title in (
        (0, image, f"{len(np.unique(pixels, axis=0)):,} colours"),
        (1, np.rint(centres[of].reshape(image.shape)).astype(np.uint8), f"{len(centres)} colours"),
    ):
        axes = figure.add_subplot(grid[place], title=title)
        axes.imshow(shown)
        axes.set_axis_off()
    draw_colours(figure.add_subplot(grid[2], projection="3d"), pixels, centres, of)
    figure.suptitle("K-means on Myrmidon: a photograph in the colours of its clusters")
    figure.savefig(path, dpi=110)


def main() -> int:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--photo", type=Path)
    parser.add_argument("--clusters", default=CLUSTERS)
    chosen, options = parser.parse_known_args()
    if any(option.split("=")[0] in {*picture.NO_PICTURE, "--size"} for option in options):
        picture.measure("k_means", sys.argv[1:])
        return 0
    if chosen.photo is None:
        packages.require(FOLDER / "requirements.txt")
        chosen.photo = photo.packaged("scikit-learn", "sklearn/datasets/images/china.jpg")
    image = np.asarray(Image.open(chosen.photo).convert("RGB"))
    options = ["--steps", "40", *options, "--clusters", str(chosen.clusters)]
    path = picture.path_of("colours.png")
    draw(image, cluster(image.reshape(-1, 3), options), path)
    print(f"picture     {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
