# SPDX-License-Identifier: Apache-2.0
"""Finds the FAST corners of a photograph, compares them with OpenCV's and draws them.

usage: run.py [--photo FILE] [OPTION...]     FILE: any picture; default: a street in Madrid.
                                             The other options are those of kernel_fast.
       run.py --write-reference              lets OpenCV write the list that the tests compare with

MYR_BIN is the folder of the programs (default build/release/bin), MYR_OUT where the picture goes
(default out).
"""

import sys
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent
sys.path.append(str(FOLDER.parents[1] / "common"))

import packages  # noqa: E402
import photo  # noqa: E402
import picture  # noqa: E402
import vision  # noqa: E402

THRESHOLD = 40  # also that of the tests
BRIGHT_SCORE = 120


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
    np.savetxt(FOLDER / "sample_corners.txt", corners, fmt="%d", header=note)


def kernel_corners(grey: np.ndarray, options: list[str], quiet: bool = False) -> np.ndarray:
    text = vision.run_kernel("fast", grey, options, quiet)
    return np.array(text.split(), dtype=int).reshape(-1, 3)


def compare(corners: np.ndarray, grey: np.ndarray, threshold: int, suppress: str) -> bool:
    theirs = opencv_corners(grey, threshold, suppress == "yes")
    columns = 3 if suppress == "yes" else 2
    same = np.array_equal(corners[:, :columns], theirs[:, :columns])
    kind = "best of their neighbours" if suppress == "yes" else "all"
    verdict = "the same as ours, in the same order" if same else "WRONG: ours differ"
    print(f"opencv      {len(theirs)} corners ({kind}): {verdict}")
    return same


def draw(source: Path, corners: np.ndarray, path: Path) -> None:
    """The photo, darkened, with each corner as a dot, brighter and larger with its score."""
    scale = 2
    figure, axes, image = vision.picture_of(source, scale)
    axes.imshow(image.mean(axis=2) * 0.55, cmap="gray", vmin=0, vmax=1, interpolation="bicubic")
    x, y, score = corners[np.argsort(corners[:, 2])].T
    strength = np.clip(score / BRIGHT_SCORE, 0, 1)
    size = (scale * (1.2 + 2.2 * strength)) ** 2
    axes.scatter(x, y, s=size, c=strength, cmap="plasma", vmin=-0.1, vmax=1, lw=0)
    figure.savefig(path)


def main() -> int:
    chosen, options = vision.parse("fast", {"threshold": THRESHOLD, "suppress": "yes"})
    packages.require(FOLDER / "requirements.txt")
    if chosen.write_reference:
        write_reference()
        return 0
    source = chosen.photo or photo.packaged("ultralytics", "ultralytics/assets/bus.jpg")
    grey = vision.read_grey(source)
    other = "no" if chosen.suppress == "yes" else "yes"
    options.append(f"--threshold={chosen.threshold}")
    corners = kernel_corners(grey, [*options, f"--suppress={chosen.suppress}"])
    others = kernel_corners(grey, [*options, f"--suppress={other}"], quiet=True)
    same = compare(corners, grey, chosen.threshold, chosen.suppress)
    same &= compare(others, grey, chosen.threshold, other)
    path = picture.path_of("corners.png")
    draw(source, corners, path)
    print(f"picture     {path}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
