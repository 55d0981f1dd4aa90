# SPDX-License-Identifier: Apache-2.0
"""At which sizes each kernel is measured; the kernels' READMEs say where the sizes are from.

A kernel that is not listed runs at its default size.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sizes:
    """Options of one kernel: those of all sizes, of the finest of its paper, of others."""

    common: str
    finest: tuple[str, ...]  # at which the runtimes are compared
    others: tuple[str, ...] = ()

    def arguments(self) -> list[tuple[list[str], bool]]:
        """The options of each size, and whether it is one of the finest."""
        finest = [(f"{self.common} {one}".split(), True) for one in self.finest]
        return finest + [(f"{self.common} {one}".split(), False) for one in self.others]


def tasks(*numbers: int) -> tuple[str, ...]:
    return tuple(f"--task {number}" for number in numbers)


def styles(number: int) -> tuple[str, ...]:
    return (f"--task {number} --style loops", f"--task {number} --style tasks")


DEFAULT = Sizes("", (), ("",))

STREAM = Sizes(
    "",
    finest=("--size 64 --task 8 --rounds 200", "--size 256 --task 32 --rounds 200"),
    others=(
        "--size 2048 --task 256 --rounds 100",
        "--size 16384 --task 2048 --rounds 20",
        "--size 131072 --task 16384 --rounds 5",
    ),
)

SIZES = {
    "barnes_hut": Sizes("--size 5000 --steps 3", tasks(50), tasks(200)),
    "black_scholes": Sizes("--size 16384", tasks(8, 16), tasks(64, 256)),
    "cholesky": Sizes("--size 1024", tasks(128), tasks(32, 64)),
    "delaunay": Sizes("--size 100000", tasks(400), tasks(2000)),
    "fast": Sizes("--size 1024", styles(1), styles(8)),
    "fft2d": Sizes("--size 1024", tasks(32), tasks(128)),
    "fib": Sizes("--size 22", (), tasks(0, 8, 14)),
    "jpeg": Sizes("--size 1024", styles(1), styles(4)),
    "poisson": Sizes("--steps 20", ("--size 128 --task 1", "--size 512 --task 1"), tasks(16)),
    "sparse_lu": Sizes("--size 32", tasks(1, 2), tasks(4, 8, 16)),
    "strassen": Sizes("--size 512", styles(16), styles(64)),
    "stream_barr": STREAM,
    "stream_deps": STREAM,
    "task_chain": Sizes("--size 20000", ("--deps 1", "--deps 15"), ("--deps 1 --task 300",)),
    "task_free": Sizes("--size 20000", ("--deps 1", "--deps 15"), ("--deps 1 --task 300",)),
    "tiled_jacobi": Sizes("--steps 4", ("--size 4096 --task 512",), ("--size 4096 --task 64",)),
    "tiled_matmul": Sizes("--size 1024", tasks(64), tasks(32, 128)),
    "tree": Sizes("--size 20", (), tasks(14, 10, 6)),
}
