# SPDX-License-Identifier: Apache-2.0
"""Photographs from Python packages, and as grey files that the kernels read.

usage: photo.py FILE     writes the sample photograph of the tests and benchmarks: Grace Hopper,
                         taken by the US Navy, which Matplotlib brings along
"""

import sys
from importlib.metadata import distribution
from pathlib import Path

import numpy as np
from PIL import Image


def packaged(package: str, file: str) -> Path:
    """A file of an installed package, which need not be importable."""
    return Path(distribution(package).locate_file(file))


def read_grey(path: Path) -> np.ndarray:
    """The luminance of a picture; of a JPEG file the plane that it has."""
    with Image.open(path) as image:
        image.draft("L", image.size)
        return np.asarray(image.convert("L"))


def read_sample() -> np.ndarray:
    return read_grey(packaged("matplotlib", "matplotlib/mpl-data/sample_data/grace_hopper.jpg"))


def write_pgm(path: Path, grey: np.ndarray) -> None:
    height, width = grey.shape
    path.write_bytes(f"P5\n{width} {height}\n255\n".encode() + grey.tobytes())


if __name__ == "__main__":
    write_pgm(Path(sys.argv[1]), read_sample())
