# SPDX-License-Identifier: Apache-2.0
"""The picture of a track: its way over one frame, and a strip of frames with what was marked."""

from pathlib import Path

import numpy as np

MARKED_MIN = 50  # pixels; below that the object counts as out of sight
STRIP = 6  # frames below the large one
LARGE = 2  # times the size of a frame


def _ellipse(sums: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Centre and the two half axes of the marked pixels, as far as their spread reaches."""
    count, x, y, xx, xy, yy = sums.astype(float)
    if count < MARKED_MIN:
        return None
    centre = np.array([x, y]) / count
    spread = np.array([[xx, xy], [xy, yy]]) / count - np.outer(centre, centre)
    lengths, directions = np.linalg.eigh(spread)
    return centre, 2 * np.sqrt(lengths) * directions


def _outline(centre: np.ndarray, axes: np.ndarray) -> np.ndarray:
    angle = np.linspace(0, 2 * np.pi, 90)
    return centre[:, None] + axes @ np.array([np.cos(angle), np.sin(angle)])


def draw(frames: list[np.ndarray], track: np.ndarray, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.collections import LineCollection

    height, width = frames[0].shape[:2]
    found = [(i, _ellipse(sums)) for i, sums in enumerate(track)]
    found = [(i, ellipse) for i, ellipse in found if ellipse is not None]
    strip_height = LARGE * height / STRIP
    size = np.array([LARGE * width, LARGE * height + strip_height])
    figure = plt.figure(figsize=size / 100, dpi=100, facecolor="#101216")
    colours = plt.get_cmap("plasma")

    def panel(x: float, y: float, scale: float, frame: np.ndarray, shade: float) -> plt.Axes:
        box = (x / size[0], y / size[1], scale * width / size[0], scale * height / size[1])
        axes = figure.add_axes(box)
        axes.imshow((frame * shade).astype(np.uint8), interpolation="lanczos")
        axes.set(xlim=(-0.5, width - 0.5), ylim=(height - 0.5, -0.5))
        axes.set_axis_off()
        return axes

    shown = np.linspace(0, len(frames) - 1, STRIP + 2).astype(int)[1:-1]
    large = panel(0, strip_height, LARGE, frames[shown[STRIP // 2]], 0.6)
    centres = np.array([centre for _, (centre, _) in found]).reshape(-1, 2)
    time = np.array([i for i, _ in found]) / max(1, len(frames) - 1)
    steps = np.stack([centres[:-1], centres[1:]], axis=1)
    for line_width, colour in ((7, "#00000090"), (3.5, colours(time[1:]))):
        large.add_collection(LineCollection(steps, colors=colour, lw=line_width, capstyle="round"))
    for panel_index, i in enumerate(shown):
        x = panel_index * size[0] / STRIP
        small = panel(x, 0, LARGE / STRIP, frames[i], 1)
        ellipse = dict(found).get(i)
        if ellipse is None:
            continue
        colour = colours(i / max(1, len(frames) - 1))
        outline = _outline(*ellipse)
        small.plot(*outline, color="black", lw=3.5)
        small.plot(*outline, color=colour, lw=2)
        large.plot(*ellipse[0], "o", color=colour, ms=9, mec="white", mew=1.2)
    figure.savefig(path, facecolor=figure.get_facecolor())
    plt.close(figure)
