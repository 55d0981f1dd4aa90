# SPDX-License-Identifier: Apache-2.0
"""Real photographs in baseline JPEG files, as cameras and people wrote them."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import photo

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "photos"
FROM_PYTHON = [
    ("scikit-learn", "sklearn/datasets/images/china.jpg"),
    ("scikit-learn", "sklearn/datasets/images/flower.jpg"),
    ("matplotlib", "matplotlib/mpl-data/sample_data/grace_hopper.jpg"),
]
DEBIAN_PACKAGE = "mate-backgrounds"
FROM_DEBIAN = ["Wood", "LadyBird", "TwoWings", "Storm", "Dune", "RainDrops"]


def _fetch_from_debian() -> None:
    """Unpacks the large photographs into CACHE; the package itself is not installed."""
    print(f"fetching the photographs of {DEBIAN_PACKAGE}", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        options = {"cwd": scratch, "check": True, "stdout": sys.stderr}
        subprocess.run(["apt-get", "-qq", "download", DEBIAN_PACKAGE], **options)
        package = next(Path(scratch).glob("*.deb"))
        subprocess.run(["dpkg-deb", "-x", package, "files"], **options)
        CACHE.mkdir(parents=True, exist_ok=True)
        for file in Path(scratch).glob("files/usr/share/backgrounds/mate/nature/*.jpg"):
            shutil.copy(file, CACHE)


def large() -> list[Path]:
    """Those of several megapixels; none where Debian's packages cannot be had."""
    files = [CACHE / f"{name}.jpg" for name in FROM_DEBIAN]
    if not all(file.exists() for file in files):
        try:
            _fetch_from_debian()
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"without the large photographs: {error}", file=sys.stderr)
            return []
    return files


def small() -> list[Path]:
    return [photo.packaged(package, file) for package, file in FROM_PYTHON]
