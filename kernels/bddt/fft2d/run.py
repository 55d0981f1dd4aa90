# SPDX-License-Identifier: Apache-2.0
"""Transforms a photograph, compares with numpy, and draws its spectrum and what the spectrum tells.

usage: run.py [OPTION...]     the options are those of kernel_fft2d, e.g. --task 16; with --size or
                              --input it transforms that instead and draws nothing

MYR_BIN is the folder of the programs (default build/release/bin), MYR_OUT where the picture goes
(default out).
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[2] / "common"))

import photo  # noqa: E402

NO_PICTURE = ("-h", "--help", "--size", "--input", "--output", "--json")
SIDE = 512
KEPT = 0.01  # of the numbers, the largest ones: what the right-hand picture is made of


def square_of(grey: np.ndarray, side: int) -> np.ndarray:
    """The middle of the upper edge: where a portrait has its face."""
    left = (grey.shape[1] - side) // 2
    return grey[:side, left : left + side].astype(float)


def transform(program: Path, square: np.ndarray, options: list[str]) -> np.ndarray | None:
    """The kernel's transform; None: its check failed."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "photo", Path(folder) / "spectrum"
        square.tofile(source)
        command = [program, "--size", str(len(square)), "--input", source, "--output", target]
        if subprocess.run([*command, *options], check=False).returncode != 0:
            return None
        return np.fromfile(target, complex).reshape(square.shape)


def compare(spectrum: np.ndarray, square: np.ndarray) -> bool:
    theirs = np.fft.fft2(square)
    error = np.abs(spectrum - theirs).max() / np.abs(theirs).max()
    same = error < 1e-12
    print(f"numpy       {'the same' if same else 'WRONG: differs'}, largest difference {error:.1e}")
    return bool(same)


def strongest(spectrum: np.ndarray, share: float) -> np.ndarray:
    """The spectrum with only its largest numbers left."""
    magnitude = np.abs(spectrum)
    return np.where(magnitude >= np.quantile(magnitude, 1 - share), spectrum, 0)


def draw(square: np.ndarray, spectrum: np.ndarray, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    rebuilt = np.fft.ifft2(strongest(spectrum, KEPT)).real
    shown = np.log1p(np.abs(np.fft.fftshift(spectrum)))
    low, high = np.quantile(shown, (0.02, 0.9999))
    panels = (
        (square, "gray", 0, 255, "a photograph"),
        (shown, "inferno", low, high, "its spectrum: slow waves in the middle, fast ones outside"),
        (rebuilt, "gray", 0, 255, f"rebuilt from the strongest {KEPT:.0%} of the waves"),
    )
    figure, all_axes = plt.subplots(1, 3, figsize=(16.2, 5.7), facecolor="black")
    for axes, (image, colours, dark, bright, title) in zip(all_axes, panels, strict=True):
        axes.imshow(image, cmap=colours, vmin=dark, vmax=bright, interpolation="lanczos")
        axes.set_title(title, color="white", fontsize=12)
        axes.axis("off")
    figure.subplots_adjust(left=0.008, right=0.992, top=0.93, bottom=0.01, wspace=0.025)
    figure.savefig(path, dpi=120, facecolor=figure.get_facecolor())


def main() -> int:
    program = Path(os.environ.get("MYR_BIN", "build/release/bin")) / "kernel_fft2d"
    out = Path(os.environ.get("MYR_OUT", "out"))
    options = sys.argv[1:]
    if any(option.split("=")[0] in NO_PICTURE for option in options):
        return subprocess.run([program, *options], check=False).returncode
    square = square_of(photo.read_sample(), SIDE)
    spectrum = transform(program, square, options)
    if spectrum is None or not compare(spectrum, square):
        return 1
    out.mkdir(parents=True, exist_ok=True)
    path = out / "spectrum.png"
    draw(square, spectrum, path)
    print(f"picture     {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
