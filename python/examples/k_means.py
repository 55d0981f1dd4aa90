# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # k-means
#
# Points in a plane are divided among the nearest of some centres, and each centre moves to the
# middle of its points, until nothing changes much. The points are cut into parts: a task for each
# finds the nearest centres and adds up, and one more task moves the centres.

# %%
import numpy as np

from myrmidon import In, InOut, Out, task, wait

PARTS, POINTS, CENTRES, STEPS = 16, 40_000, 5, 12


@task
def assign(points: In, centres: In, sums: Out, counts: Out):
    """The points of a part: how many are nearest to each centre, and their sum."""
    distances = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
    nearest = distances.argmin(axis=1)
    counts[...] = np.bincount(nearest, minlength=CENTRES)
    for axis in range(2):
        sums[:, axis] = np.bincount(nearest, weights=points[:, axis], minlength=CENTRES)


@task
def move(sums: In, counts: In, centres: InOut):
    """The centres, from what all parts have found: lists of arrays, each of which is named."""
    count = sum(counts)
    centres[...] = sum(sums) / np.maximum(count, 1)[:, None]


# %% [markdown]
# No step waits for the one before: `assign` reads the centres that `move` writes, which reads what
# `assign` has written.


# %%
def k_means(points: np.ndarray, centres: np.ndarray) -> None:
    """Spawns all steps."""
    parts = np.array_split(points, PARTS)
    sums = [np.empty((CENTRES, 2)) for _ in parts]
    counts = [np.empty(CENTRES) for _ in parts]
    for _ in range(STEPS):
        for part, own_sums, own_counts in zip(parts, sums, counts, strict=True):
            assign(part, centres, own_sums, own_counts)
        move(sums, counts, centres)


# %%
rng = np.random.default_rng(2)
true_centres = np.array([[0, 0], [4, 0], [0, 4], [4, 4], [2, 8.0]])
points = true_centres[rng.integers(CENTRES, size=POINTS)] + rng.normal(0, 0.4, (POINTS, 2))
centres = true_centres + rng.normal(0, 0.8, (CENTRES, 2))
k_means(points, centres)
wait(In(centres))

# %%
error = np.abs(centres - true_centres).max()
print(f"{CENTRES} centres: " + ("found" if error < 0.05 else f"wrong, by {error:.2f}"))
