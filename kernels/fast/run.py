# SPDX-License-Identifier: Apache-2.0
"""Finds the FAST corners of a photograph, compares them with OpenCV's and draws them.

usage: run.py [--photo FILE] [OPTION...]     FILE: any picture; default: a street in Madrid.
                                             The other options are those of kernel_fast.
       run.py --write-reference              lets OpenCV write the list that the tests compare with

MYR_BIN is the folder of the programs (default build/release/bin), MYR_OUT where the picture goes
(default out).
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent
sys.path.append(str(FOLDER.parent / "common"))

import packages  # noqa: E402
import photo  # noqa: E402

REFERENCE = FOLDER / "sample_corners.txt"
THRESHOLD = 40


def opencv_corners(grey: np.ndarray, threshold: int, suppress: bool) -> np.ndarray:
    """Rows of x, y and score, which OpenCV tells only if it suppresses."""
    import cv2

    found = cv2.FastFeatureDetector_create(threshold, suppress).detect(grey)
    corners = [(*corner.pt, corner.response) for corner in found]
    return np.array(corners, dtype=int).reshape(-1, 3)


def write_reference() -> None:
    import cv2

    corners = opencv_corners(photo.read_sample(), THRESHOLD, True)
    note = f"Column, row and score of each corner, from OpenCV {cv2.__version__}; see run.py."
    np.savetxt(REFERENCE, corners, fmt="%d", header=note)


class Kernel:
    """Runs kernel_fast on one photo."""

    def __init__(self, scratch: Path, grey: np.ndarray, options: list[str]) -> None:
        self.program = Path(os.environ.get("MYR_BIN", "build/release/bin")) / "kernel_fast"
        self.corners = scratch / "corners.txt"
        photo.write_pgm(scratch / "photo.pgm", grey)
        self.options = ["--photo", scratch / "photo.pgm", "--out", self.corners, *options]

    def run(self, *options: str, **how: object) -> np.ndarray:
        """The corners. Ends this program like the kernel if that fails."""
        command = [self.program, *self.options, *options]
        status = subprocess.run(command, check=False, **how).returncode
        if status != 0:
            sys.exit(status)
        return np.loadtxt(self.corners, dtype=int, ndmin=2).reshape(-1, 3)


def compare(corners: np.ndarray, grey: np.ndarray, threshold: int, suppress: bool) -> bool:
    theirs = opencv_corners(grey, threshold, suppress)
    columns = 3 if suppress else 2
    same = np.array_equal(corners[:, :columns], theirs[:, :columns])
    kind = "best of their neighbours" if suppress else "all"
    verdict = "the same as ours, in the same order" if same else "WRONG: ours differ"
    print(f"opencv      {len(theirs)} corners ({kind}): {verdict}")
    return same


def draw(source: Path, corners: np.ndarray, path: Path) -> None:
    """The photo, darkened, with each corner as a ring, brighter and larger with its score."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from PIL import Image

    image = np.asarray(Image.open(source).convert("RGB")) / 255
    height, width = image.shape[:2]
    scale = 2 * max(1, round(800 / width))
    figure = plt.figure(figsize=(scale * width / 100, scale * height / 100), dpi=100)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.imshow(image.mean(axis=2) * 0.55, cmap="gray", vmin=0, vmax=1, interpolation="bicubic")
    x, y, score = corners[np.argsort(corners[:, 2])].T
    strength = np.clip(score / 120, 0, 1)
    size = (scale * (1.2 + 2.2 * strength)) ** 2
    axes.scatter(x, y, s=size, c=strength, cmap="plasma", vmin=-0.1, vmax=1, lw=0)
    axes.set(xlim=(-0.5, width - 0.5), ylim=(height - 0.5, -0.5))
    axes.set_axis_off()
    figure.savefig(path)
    plt.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--photo", type=Path)
    parser.add_argument("--threshold", type=int, default=THRESHOLD)
    parser.add_argument("--write-reference", action="store_true")
    chosen, options = parser.parse_known_args()
    program = Path(os.environ.get("MYR_BIN", "build/release/bin")) / "kernel_fast"
    if {"-h", "--help", "--json", "--size"} & set(options):  # what is no run on one photo
        return subprocess.run([program, *sys.argv[1:]], check=False).returncode
    packages.require(FOLDER / "requirements.txt")
    if chosen.write_reference:
        write_reference()
        return 0
    source = chosen.photo or photo.packaged("ultralytics", "ultralytics/assets/bus.jpg")
    grey = photo.read_grey(source)
    out = Path(os.environ.get("MYR_OUT", "out"))
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        kernel = Kernel(Path(scratch), grey, ["--threshold", str(chosen.threshold), *options])
        corners = kernel.run("--suppress", "yes")
        every = kernel.run("--suppress", "no", "--repeat", "1", stdout=subprocess.DEVNULL)
    same = [
        compare(corners, grey, chosen.threshold, True),
        compare(every, grey, chosen.threshold, False),
    ]
    draw(source, corners, out / "corners.png")
    print(f"picture     {out / 'corners.png'}")
    return 0 if all(same) else 1


if __name__ == "__main__":
    sys.exit(main())
