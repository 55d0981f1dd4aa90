# SPDX-License-Identifier: Apache-2.0
"""At which sizes each kernel is measured; the kernels' READMEs say where the sizes are from.

Inputs of a paper are named in the kernel (`kernel_NAME --names`). Beside them stand sizes with
coarser or finer tasks, so that each kernel has a curve from tasks that cannot pay to tasks that
must.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    """Options of a kernel. `paper`: whose input it is, or None; `quick`: part of a short run."""

    options: str
    paper: int | None = None
    quick: bool = False

    @property
    def arguments(self) -> list[str]:
        return self.options.split()


def named(paper: int, *names: str, common: str = "", quick: tuple[str, ...] = ()) -> list[Size]:
    return [Size(f"--named {name} {common}".strip(), paper, name in quick) for name in names]


def tasks(common: str, *numbers: int, quick: tuple[int, ...] = ()) -> list[Size]:
    return [Size(f"{common} --task {number}".strip(), None, number in quick) for number in numbers]


def _streams() -> list[Size]:
    rounds = {
        "64": 200,
        "16x16": 200,
        "16x128": 100,
        "128x128": 20,
        "128x1024": 10,
        "4096x4096": 2,
    }
    return [
        Size(f"--named {name} --rounds {count}", 4, name in ("16x16", "128x1024"))
        for name, count in rounds.items()
    ]


BLOCKS = ("8", "16", "32", "64", "128", "256")
EMPTY_TASKS = [Size("--size 20000 --deps 1", 4, True), Size("--size 20000 --deps 15", 4)]
# Beside the paper's, a task of about 1, 10, 100 and 1,000 microseconds.
FILLED_TASKS = [
    Size(f"--size {count} --deps 1 --task {rounds}", None, rounds in (750, 7500, 75000))
    for count, rounds in ((20000, 75), (20000, 750), (5000, 7500), (500, 75000), (100, 750000))
]

SIZES: dict[str, list[Size]] = {
    "barnes_hut": tasks("--size 5000 --steps 3", 10, 50, 200, 800, quick=(10, 50, 800)),
    "barnes_hut_parts": tasks("--size 5000 --steps 3", 100, 300, quick=(100, 300)),
    "bitonic": tasks("--size 1048576", 1024, 4096, 16384, 65536, quick=(1024, 16384, 65536)),
    "black_scholes": [
        *named(4, *(f"4K-B{block}" for block in BLOCKS)),
        *named(4, *(f"16K-B{block}" for block in BLOCKS), quick=("16K-B8", "16K-B64", "16K-B256")),
        *named(3, "2M-B512", quick=("2M-B512",)),
    ],
    "cholesky": [
        *tasks("--size 2048", 32, 64, quick=(32,)),
        *named(3, "2K-128x128", quick=("2K-128x128",)),
        *tasks("--size 2048", 256, quick=(256,)),
    ],
    "colour_tracking": tasks("--size 640 --frames 10", 1, 8, 48, quick=(1, 8, 48)),
    "delaunay": [*tasks("--size 100000", 100, 400, 2000, 10000, quick=(100, 400, 2000))],
    "fast": tasks("--size 1024", 1, 8, 64, quick=(1, 8, 64)),
    "fft2d": [
        *tasks("--size 1024", 8, 16, quick=(8,)),
        *named(3, "1M-32", quick=("1M-32",)),
        *tasks("--size 1024", 128, quick=(128,)),
    ],
    "fib": [
        *tasks("--size 22", 0, 8, 14, quick=(0,)),
        *tasks("--size 32", 20, 25, quick=(20, 25)),
    ],
    "jacobi": tasks("--size 4096 --steps 4 --parts 32", 4, 16, 128, quick=(4, 128)),
    "jpeg": tasks("--size 1024", 1, 4, 16, quick=(1, 4, 16)),
    "k_means": tasks("--size 1000000 --steps 3", 256, 1024, 8192, 40000, quick=(256, 8192, 40000)),
    "linked_lists": [
        *tasks("--size 16", 100, 300, 3000, quick=(100, 300, 3000)),
        *named(2, "16x30000"),
    ],
    "matrix_multiply": tasks("--size 1024", 32, 64, 128, 256, quick=(32, 64, 256)),
    "poisson": [
        *named(4, "N128-B1", "N256-B1", "N512-B1", common="--steps 20", quick=("N512-B1",)),
        *tasks("--size 512 --steps 20", 16, 64, quick=(16, 64)),
    ],
    "ray_tracing": [
        Size("--size 240 --pixels 4 --levels 3", None, True),
        Size("--size 240 --pixels 30 --levels 3", None, True),
        Size("--size 240 --task 1 --levels 3", None, True),
        Size("--size 240 --task 1"),
        Size("--size 240 --task 4"),
    ],
    "sparse_lu": [
        *named(4, *(f"N32-M{side}" for side in (1, 2, 4, 8, 16)), quick=("N32-M4", "N32-M16")),
        *named(4, *(f"N128-M{side}" for side in (1, 2, 4, 8, 16))),
        *tasks("--size 32", 32, 64, quick=(32, 64)),
    ],
    "strassen": tasks("--size 512", 16, 64, 128, quick=(64, 128)),
    "stream_barr": _streams(),
    "stream_deps": _streams(),
    "task_chain": [*EMPTY_TASKS, *FILLED_TASKS],
    "task_free": [*EMPTY_TASKS, *FILLED_TASKS],
    "tiled_jacobi": [
        *tasks("--size 4096 --steps 4", 64, 128, quick=(64,)),
        *named(3, "4K-512x512", quick=("4K-512x512",)),
    ],
    "tiled_matmul": [
        *tasks("--size 1024", 32, quick=(32,)),
        *named(3, "1K-64x64", quick=("1K-64x64",)),
        *tasks("--size 1024", 128, quick=(128,)),
    ],
    "tree": tasks("--size 20", 14, 10, 6, quick=(14, 10, 6)),
    "viola_jones": tasks("--size 300", 1, 4, 16, quick=(1, 4, 16)),
}
