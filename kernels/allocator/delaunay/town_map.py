# SPDX-License-Identifier: Apache-2.0
"""Draws a triangulation of the world's towns as light: edges glow, short ones bright and warm."""

from collections.abc import Iterator
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib import patheffects
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from scipy.ndimage import gaussian_filter, zoom
from towns import CUT_DEGREES, UNITS_PER_DEGREE, Towns

WIDTH, HEIGHT = 4000, 2100  # pixels
DPI = 100
SOUTH, NORTH = -58.0, 80.0  # degrees
EARTH_RADIUS_KM = 6371.0
BACKGROUND = np.array([0.012, 0.020, 0.045])
OUTLINE, GREY = "#0b1222", "#8f9bb3"
# Edge lengths in kilometres and their colours.
SHORTEST_KM, LONGEST_KM = 0.6, 900.0
FADED_KM = 5000.0  # longer edges are not seen
GLOW = LinearSegmentedColormap.from_list(
    "glow",
    "#fffdf2 #fff1c4 #ffd27a #ff9d4d #e8604f #a8457f #5b4a9c #2f5596 #1d4a78".split(),
)
CONTRAST = 200.0
SAMPLES_AT_ONCE = 1_000_000
LABELS = 60


def project(longitude: np.ndarray, latitude: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The Equal Earth projection (Savric, Patterson and Jenny, 2018), centred opposite the cut."""
    a1, a2, a3, a4 = 1.340264, -0.081106, 0.000893, 0.003796
    angle = np.arcsin(np.sqrt(0.75) * np.sin(np.radians(latitude)))
    square = angle * angle
    sixth = square**3
    slope = a1 + 3 * a2 * square + sixth * (7 * a3 + 9 * a4 * square)
    east = np.radians(longitude - CUT_DEGREES - 180)
    x = 2 * np.sqrt(3) / 3 * east * np.cos(angle) / slope
    return x, angle * (a1 + a2 * square + sixth * (a3 + a4 * square))


class Canvas:
    """Where the world lies in the picture."""

    def __init__(self) -> None:
        equator, _ = project(np.array([CUT_DEGREES, CUT_DEGREES + 360.0]), np.zeros(2))
        _, rims = project(np.zeros(2), np.array([SOUTH, NORTH]))
        self.scale = 0.985 * WIDTH / (equator[1] - equator[0])
        self.bottom = rims[0]
        self.offset_y = 0.5 * (HEIGHT - self.scale * (rims[1] - rims[0])) + 20

    def place(self, degrees: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Pixel coordinates, from the lower left corner."""
        x, y = project(degrees[..., 0], degrees[..., 1])
        return WIDTH / 2 + self.scale * x, self.offset_y + self.scale * (y - self.bottom)


def edges_of(triangles: np.ndarray) -> np.ndarray:
    """Each edge once, as a pair of indices."""
    pairs = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    pairs = np.sort(pairs.astype(np.int64), axis=1)
    keys = np.unique(pairs[:, 0] << 32 | pairs[:, 1])
    return np.stack([keys >> 32, keys & 0xFFFFFFFF], axis=1)


def lengths_km(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Great-circle distances of points in degrees."""
    longitude, latitude = np.radians(start).T
    longitude2, latitude2 = np.radians(end).T
    half = (
        np.sin((latitude2 - latitude) / 2) ** 2
        + np.cos(latitude) * np.cos(latitude2) * np.sin((longitude2 - longitude) / 2) ** 2
    )
    return 2 * EARTH_RADIUS_KM * np.arcsin(np.sqrt(np.clip(half, 0, 1)))


def tone_of(length: np.ndarray) -> np.ndarray:
    """0 for the shortest edges to 1 for the longest, on a logarithmic scale."""
    span = np.log(LONGEST_KM / SHORTEST_KM)
    return np.clip(np.log(np.maximum(length, 1e-3) / SHORTEST_KM) / span, 0, 1)


def samples(start: np.ndarray, end: np.ndarray, counts: np.ndarray) -> Iterator[tuple]:
    """Points evenly spread along each edge: batches of (degrees, index of the edge)."""
    ends = np.cumsum(counts)
    first = 0
    while first < len(counts):
        done = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, done + SAMPLES_AT_ONCE)))
        edge = np.repeat(np.arange(first, last), counts[first:last])
        before = (ends - counts)[edge] - done
        at = ((np.arange(len(edge)) - before + 0.5) / counts[edge])[:, None]
        yield start[edge] * (1 - at) + end[edge] * at, edge
        first = last


def splat(light: np.ndarray, x: np.ndarray, y: np.ndarray, colours: np.ndarray) -> None:
    """Adds light at places between pixels, shared among the four around."""
    left, low = np.floor(x - 0.5).astype(np.int64), np.floor(y - 0.5).astype(np.int64)
    right_share = (x - 0.5 - left).astype(np.float32)
    upper_share = (y - 0.5 - low).astype(np.float32)
    inside = (left >= 0) & (left < WIDTH - 1) & (low >= 0) & (low < HEIGHT - 1)
    for step_x, share_x in ((0, 1 - right_share), (1, right_share)):
        for step_y, share_y in ((0, 1 - upper_share), (1, upper_share)):
            pixel = ((low + step_y) * WIDTH + left + step_x)[inside]
            share = (share_x * share_y)[inside]
            for channel in range(3):
                np.add.at(light[channel], pixel, share * colours[inside, channel])


def shine(canvas: Canvas, degrees: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The light of all edges: three channels of pixels, without an upper limit."""
    start, end = degrees[edges[:, 0]], degrees[edges[:, 1]]
    longitude = np.stack([start[:, 0], end[:, 0]])
    shown = (longitude.max(0) >= CUT_DEGREES) & (longitude.min(0) < CUT_DEGREES + 360)
    start, end = start[shown], end[shown]
    length = lengths_km(start, end)
    tone = tone_of(length)
    x0, y0 = canvas.place(start)
    x1, y1 = canvas.place(end)
    pixels = np.hypot(x1 - x0, y1 - y0)
    counts = np.maximum(1, np.ceil(1.3 * pixels)).astype(np.int64)
    fade = np.clip(2 - 2 * length / FADED_KM, 0, 1)
    strength = fade * (0.05 + 0.5 * (1 - tone) ** 2.2)
    colours = GLOW(tone)[:, :3] ** 2.2 * (strength * pixels / counts)[:, None]
    colours = colours.astype(np.float32)
    light = np.zeros((3, WIDTH * HEIGHT), np.float32)
    for place, edge in samples(start, end, counts):
        inside = (place[:, 0] >= CUT_DEGREES) & (place[:, 0] < CUT_DEGREES + 360)
        x, y = canvas.place(place[inside])
        splat(light, x, y, colours[edge[inside]])
    return np.moveaxis(light.reshape(3, HEIGHT, WIDTH), 0, 2)


def develop(light: np.ndarray) -> np.ndarray:
    """Turns light into a picture, with halos, and brightness on a logarithmic scale."""
    step = 5
    coarse = light.reshape(HEIGHT // step, step, WIDTH // step, step, 3).mean((1, 3))
    halo = gaussian_filter(coarse, (2, 2, 0)) + 0.6 * gaussian_filter(coarse, (9, 9, 0))
    exposed = light + 0.1 * zoom(halo, (step, step, 1), order=1)
    peak = exposed.max(axis=2, keepdims=True)
    white = np.percentile(peak, 99.93)
    response = np.log1p(CONTRAST * peak / white) / np.log1p(CONTRAST)
    return np.clip(BACKGROUND + exposed / np.maximum(peak, 1e-9) * response, 0, 1) ** (1 / 1.7)


def label_towns(axes: Axes, canvas: Canvas, towns: Towns) -> None:
    """Names the largest towns, each unless a larger one's name is in the way."""
    x, y = canvas.place(towns.points[: len(towns.names)] / UNITS_PER_DEGREE)
    boxes: list[tuple[float, float, float, float]] = []
    for rank, name in enumerate(towns.names):
        size = 15.5 if rank < 12 else 12.5
        box = (x[rank] - 12, y[rank] - 16, x[rank] + 22 + 0.95 * size * len(name), y[rank] + 16)
        if any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in boxes):
            continue
        boxes.append(box)
        axes.plot(x[rank], y[rank], "o", ms=3.2, mfc="white", mec=OUTLINE, mew=1.2)
        text = axes.text(x[rank] + 13, y[rank], name, color="white", fontsize=size)
        text.set(
            va="center_baseline",
            path_effects=[patheffects.withStroke(linewidth=3.5, foreground=OUTLINE, alpha=0.75)],
        )
        if len(boxes) == LABELS:
            return


def draw_scale(axes: Axes, left: float, bottom: float) -> None:
    """What the colours mean."""
    width, height = 760, 14
    bar = GLOW(np.linspace(0, 1, width))[None, :, :3]
    axes.imshow(bar, extent=(left, left + width, bottom, bottom + height), aspect="auto")
    for length in (1, 3, 10, 30, 100, 300):
        at = left + width * float(tone_of(np.array(length)))
        text = axes.text(at, bottom - 14, f"{length} km", color=GREY, fontsize=11.5)
        text.set(ha="center", va="top")
    axes.text(left, bottom + 26, "from a town to its neighbour", color=GREY, fontsize=12.5)


def draw(towns: Towns, points: np.ndarray, triangles: np.ndarray, caption: str, path: Path) -> None:
    """Draws the triangles (indices of points) and writes the picture."""
    canvas = Canvas()
    picture = develop(shine(canvas, points / UNITS_PER_DEGREE, edges_of(triangles)))
    figure = plt.figure(figsize=(WIDTH / DPI, HEIGHT / DPI), dpi=DPI)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.imshow(picture, extent=(0, WIDTH, 0, HEIGHT), origin="lower", interpolation="nearest")
    label_towns(axes, canvas, towns)
    axes.text(150, 330, "Every town on Earth", color="#fff4d8", fontsize=46, va="baseline")
    axes.text(153, 268, caption, color="#aab4c8", fontsize=15.5, va="top", linespacing=1.6)
    draw_scale(axes, 153, 90)
    axes.set(xlim=(0, WIDTH), ylim=(0, HEIGHT))
    axes.set_axis_off()
    figure.savefig(path, dpi=DPI)
    plt.close(figure)
