# SPDX-License-Identifier: Apache-2.0
"""What the scripts of the kernels that see have in common: their options, a run of the kernel on a
photo, and the photo as the ground of a picture."""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib
import numpy as np
import photo
import picture
from PIL import Image

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

# With these the kernel is run by itself: no photo of its own size, or nothing to compare with.
ALONE = {"-h", "--help", "--json", "--size"}


def parse(kernel: str, defaults: dict[str, int | str]) -> tuple[argparse.Namespace, list[str]]:
    """The options that the script knows, and those that are the kernel's alone. Runs the kernel and
    ends if it is to be run by itself. `defaults`: those options of the kernel that it knows."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--photo", type=Path)
    parser.add_argument("--write-reference", action="store_true")
    for name, default in defaults.items():
        parser.add_argument(f"--{name}", type=type(default), default=default)
    chosen, options = parser.parse_known_args()
    if any(option.split("=")[0] in ALONE for option in options):
        sys.exit(subprocess.run([picture.program(kernel), *sys.argv[1:]], check=False).returncode)
    return chosen, options


def read_grey(path: Path) -> np.ndarray:
    try:
        return photo.read_grey(path)
    except OSError as error:
        sys.exit(f"cannot read the photo: {error}")


def run_kernel(kernel: str, grey: np.ndarray, options: list[str], quiet: bool = False) -> str:
    """What the kernel finds in a photo. Ends this script like the kernel if that fails."""
    with tempfile.TemporaryDirectory() as folder:
        file, found = Path(folder) / "photo.pgm", Path(folder) / "found.txt"
        photo.write_pgm(file, grey)
        command = [picture.program(kernel), "--photo", file, "--out", found, *options]
        output = subprocess.DEVNULL if quiet else None
        status = subprocess.run(command, stdout=output, check=False).returncode
        if status != 0:
            sys.exit(status)
        return found.read_text()


def picture_of(path: Path, scale: int) -> tuple[Figure, Axes, np.ndarray]:
    """A figure of the photo's size times `scale`, axes in its pixels, and the photo, 0 to 1."""
    image = np.asarray(Image.open(path).convert("RGB")) / 255
    height, width = image.shape[:2]
    figure = plt.figure(figsize=(scale * width / 100, scale * height / 100), dpi=100)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(-0.5, width - 0.5), ylim=(height - 0.5, -0.5))
    axes.set_axis_off()
    return figure, axes, image
