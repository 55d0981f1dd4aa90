# SPDX-License-Identifier: Apache-2.0
"""Real photographs in baseline JPEG files, as cameras and people wrote them."""

import subprocess
import sys
from pathlib import Path

import packages
import photo

CACHE = Path(__file__).resolve().parents[3] / ".cache" / "photos"
FROM_PYTHON = [
    ("scikit-learn", "sklearn/datasets/images/china.jpg"),
    ("scikit-learn", "sklearn/datasets/images/flower.jpg"),
    ("matplotlib", "matplotlib/mpl-data/sample_data/grace_hopper.jpg"),
]
DEBIAN_PACKAGE = "mate-backgrounds"
DEBIAN_FILES = "usr/share/backgrounds/mate/nature/*.jpg"
FROM_DEBIAN = ["Wood", "LadyBird", "TwoWings", "Storm", "Dune", "RainDrops"]


def large() -> list[Path]:
    """Those of several megapixels; none where Debian's packages cannot be had."""
    files = [CACHE / f"{name}.jpg" for name in FROM_DEBIAN]
    if not all(file.exists() for file in files):
        try:
            packages.copy_from_debian(DEBIAN_PACKAGE, DEBIAN_FILES, CACHE)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"without the large photographs: {error}", file=sys.stderr)
            return []
    return files


def small() -> list[Path]:
    return [photo.packaged(package, file) for package, file in FROM_PYTHON]
