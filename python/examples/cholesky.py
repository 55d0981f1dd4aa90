# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # Cholesky decomposition, tile by tile
#
# A symmetric positive definite matrix becomes the product of a lower triangle and its transpose.
# The matrix is cut into tiles; each step of the serial algorithm on tiles is a call of one of four
# functions, and these are tasks. Nothing else changes: which of them may run at once follows from
# the tiles that they read and write.

# %%
import numpy as np

from myrmidon import In, InOut, task, wait

TILES, SIZE = 8, 64


@task
def factor(tile: InOut):
    """The tile on the diagonal: its own decomposition."""
    tile[...] = np.linalg.cholesky(tile)


@task
def solve(diagonal: In, tile: InOut):
    """A tile below it."""
    tile[...] = np.linalg.solve(diagonal, tile.T).T


@task
def update(left: In, right: In, tile: InOut):
    """A tile further right: what the column gives it."""
    tile -= left @ right.T


# %% [markdown]
# The tiles are slices of one matrix, views that NumPy makes. A slice with strides is a tile:
# Myrmidon takes its rows one by one, so that tiles beside each other are no conflict.


# %%
def cholesky(matrix: np.ndarray, size: int) -> None:
    """Spawns the decomposition of the matrix's lower triangle, in place."""
    count = len(matrix) // size
    a = [[matrix[i * size :, j * size :][:size, :size] for j in range(count)] for i in range(count)]
    for k in range(count):
        factor(a[k][k])
        for i in range(k + 1, count):
            solve(a[k][k], a[i][k])
        for i in range(k + 1, count):
            for j in range(k + 1, i + 1):
                update(a[i][k], a[j][k], a[i][j])


# %%
rng = np.random.default_rng(1)
half = rng.random((TILES * SIZE, TILES * SIZE))
original = half @ half.T + TILES * SIZE * np.eye(TILES * SIZE)
matrix = original.copy()
cholesky(matrix, SIZE)
wait(In(matrix))

# %%
lower = np.tril(matrix)
error = np.abs(lower @ lower.T - original).max() / np.abs(original).max()
print(f"{TILES}x{TILES} tiles: " + ("right" if error < 1e-12 else f"wrong, by {error}"))
