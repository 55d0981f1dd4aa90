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

PICOS = Sizes("--size 20000", ("--deps 1", "--deps 15"), ("--deps 1 --task 300",))

SIZES = {
    "barnes_hut": Sizes("--size 5000 --steps 3", (), tasks(50, 200)),
    "barnes_hut_parts": Sizes(
        "--size 5000 --steps 3", ("--task 100 --trees part", "--task 100 --trees level")
    ),
    "bitonic": Sizes("--size 1048576", tasks(65536), tasks(1024, 4096, 16384)),
    "black_scholes": Sizes("--size 16384", tasks(8, 16), tasks(64, 256)),
    "cholesky": Sizes("--size 2048", tasks(128), tasks(32, 64)),
    "colour_tracking": Sizes("--size 640 --frames 10", styles(1), styles(8)),
    "delaunay": Sizes("--size 100000", (), tasks(100, 400, 2000)),
    "fast": Sizes("--size 1024", styles(1), styles(8)),
    "fft2d": Sizes("--size 1024", tasks(32), tasks(16, 128)),
    "fib": Sizes("--size 22", (), tasks(0, 8, 14)),
    "jacobi": Sizes("--size 4096 --steps 4", tasks(128), tasks(4, 16)),
    "jpeg": Sizes("--size 1024", styles(1), styles(4)),
    "k_means": Sizes("--size 1000000 --steps 3", tasks(40000), tasks(256, 1024)),
    "linked_lists": Sizes("--size 16", tasks(30000), tasks(300, 3000)),
    "matrix_multiply": Sizes("--size 1024", tasks(256), tasks(32, 64)),
    "poisson": Sizes("--steps 20", ("--size 128 --task 1", "--size 512 --task 1"), tasks(16)),
    "ray_tracing": Sizes("--size 240", tasks(1), ("--task 1 --levels 3", "--task 4")),
    "sparse_lu": Sizes("--size 32", tasks(1, 2), tasks(4, 8, 16)),
    "strassen": Sizes("--size 512", styles(16), styles(64)),
    "stream_barr": STREAM,
    "stream_deps": STREAM,
    "task_chain": PICOS,
    "task_free": PICOS,
    "tiled_jacobi": Sizes("--size 4096 --steps 4", tasks(512), tasks(64, 128)),
    "tiled_matmul": Sizes("--size 1024", tasks(64), tasks(32, 128)),
    "tree": Sizes("--size 20", (), tasks(14, 10, 6)),
    "viola_jones": Sizes("--size 300", styles(1), styles(4)),
}
