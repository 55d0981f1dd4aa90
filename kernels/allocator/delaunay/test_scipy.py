# SPDX-License-Identifier: Apache-2.0
"""Compares the kernel's triangles with those of scipy.spatial.Delaunay (Qhull).

usage: test_scipy.py KERNEL_DELAUNAY [--all]     --all: all towns, not only those around the Alps

Where four or more points lie on one circle, both libraries may cut it up in their own ways. So
neighbouring triangles with exactly the same circle are joined first, by integer arithmetic: the
polygons that come out are the same for every Delaunay triangulation.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import towns
from scipy.spatial import Delaunay

CACHE = Path(__file__).resolve().parents[3] / ".cache"
Polygons = set[frozenset[int]]


def run_kernel(program: str, points: np.ndarray, task: int) -> np.ndarray:
    with tempfile.TemporaryDirectory() as folder:
        points_file, triangles_file = Path(folder) / "points", Path(folder) / "triangles"
        points.astype("<i4").tofile(points_file)
        options = ["--points", points_file, "--out", triangles_file, "--task", str(task)]
        subprocess.run([program, *options, "--repeat", "1", "--check"], check=True)
        return np.fromfile(triangles_file, "<u4").reshape(-1, 3).astype(np.int64)


def run_scipy(points: np.ndarray) -> np.ndarray:
    triangles = Delaunay(points - points.mean(axis=0)).simplices.astype(np.int64)
    a, b, c = (points[triangles[:, i]].astype(np.int64) for i in range(3))
    area = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    triangles[area < 0] = triangles[area < 0][:, ::-1]
    return triangles[area != 0]


def on_circle(a: list[int], b: list[int], c: list[int], d: list[int]) -> bool:
    """Whether d lies on the circle through a, b and c, exactly."""
    (ax, ay), (bx, by), (cx, cy) = ((p[0] - d[0], p[1] - d[1]) for p in (a, b, c))
    determinant = (
        (ax * ax + ay * ay) * (bx * cy - by * cx)
        + (bx * bx + by * by) * (cx * ay - cy * ax)
        + (cx * cx + cy * cy) * (ax * by - ay * bx)
    )
    return determinant == 0


def polygons_of(points: list[list[int]], triangles: Iterable[list[int]]) -> Polygons:
    """The corners of each triangle, together with those of its neighbours on the same circle."""
    polygons: list[set[int]] = []
    root: list[int] = []
    edges: dict[tuple[int, int], tuple[int, int]] = {}

    def find(i: int) -> int:
        while root[i] != i:
            root[i] = root[root[i]]
            i = root[i]
        return i

    for number, (a, b, c) in enumerate(triangles):
        polygons.append({a, b, c})
        root.append(number)
        for start, end, apex in ((a, b, c), (b, c, a), (c, a, b)):
            edges[start, end] = (number, apex)
            if (end, start) not in edges:
                continue
            other, opposite = edges[end, start]
            if on_circle(points[start], points[end], points[apex], points[opposite]):
                here, there = find(number), find(other)
                if here != there:
                    polygons[here] |= polygons[there]
                    root[there] = here
    return {frozenset(polygons[i]) for i in range(len(root)) if root[i] == i}


def compare(name: str, program: str, points: np.ndarray, task: int) -> bool:
    """REQUIRES: the points differ."""
    ours = run_kernel(program, points, task)
    theirs = run_scipy(points)
    exact = points.tolist()
    difference = polygons_of(exact, ours.tolist()) ^ polygons_of(exact, theirs.tolist())
    print(f"{name}: {len(ours)} triangles, scipy {len(theirs)}; {len(difference)} polygons differ")
    return not difference


def main() -> int:
    program = sys.argv[1]
    random = np.random.default_rng(1)
    world = np.unique(towns.load(CACHE).points, axis=0)
    if "--all" not in sys.argv:
        x, y = world.T / towns.UNITS_PER_DEGREE
        world = world[(x > 5) & (x < 17) & (y > 44) & (y < 49)]
    clouds = {
        "random": np.unique(random.integers(-(2**29), 2**29, (20000, 2)), axis=0),
        "small grid": np.unique(random.integers(0, 90, (4000, 2)), axis=0),
        "towns": world,
    }
    return 0 if all([compare(name, program, points, 500) for name, points in clouds.items()]) else 1


if __name__ == "__main__":
    sys.exit(main())
