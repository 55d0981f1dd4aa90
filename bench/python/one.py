# SPDX-License-Identifier: Apache-2.0
"""One measurement: what a task of one graph costs on one runtime, in this process.

Usage: one.py RUNTIME GRAPH BODY TASKS THREADS

Prints a JSON object. Each graph is played once to warm up, and then as often as the median is of.
Building what a runtime needs to know of the graph is part of the cost, as spawning is.
"""

import ctypes
import json
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

REPEATS = 3
CHAINS = 8  # of the graph `chains`
CELLS = 64


def c_noop() -> object:
    """A function in C that does next to nothing: memmove of no bytes, and a pointer to ignore."""
    function = ctypes.CDLL(None).memmove
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
    function.restype = None
    return function


NOOP = c_noop()


def wave_cells(count: int) -> int:
    """A square of tiles, each of which needs the one above and the one on the left."""
    return max(int(count**0.5), 1)


# ---- Myrmidon ------------------------------------------------------------------------------------


def myrmidon(graph: str, body: str, count: int, threads: int) -> Callable[[], None]:
    import myrmidon as myr
    from myrmidon import In, InOut

    myr.start("smp", workers=threads)

    @myr.task
    def python_one(x: InOut):
        pass

    @myr.task
    def python_read(x: In):
        pass

    @myr.task
    def python_two(x: In, y: In, z: InOut):
        pass

    if body == "native":
        one = myr.native(NOOP, InOut, None, None, None)
        read = myr.native(NOOP, In, None, None, None)
        two = myr.native(NOOP, In, In, None, InOut)
    else:
        one, read, two = python_one, python_read, python_two
    rest = (None, 0, None) if body == "native" else ()
    if graph == "wave":
        side = wave_cells(count)
        grid = [[np.zeros(8) for _ in range(side + 1)] for _ in range(side + 1)]

        def play_native() -> None:
            for i in range(1, side + 1):
                for j in range(1, side + 1):
                    two(grid[i - 1][j], grid[i][j - 1], 0, grid[i][j])
            myr.wait()

        def play_python() -> None:
            for i in range(1, side + 1):
                for j in range(1, side + 1):
                    two(grid[i - 1][j], grid[i][j - 1], grid[i][j])
            myr.wait()

        return play_native if body == "native" else play_python
    call = read if graph == "free" else one  # reading conflicts with nobody
    cells = [np.zeros(8) for _ in range(CELLS if graph == "free" else CHAINS)]

    def play() -> None:
        for number in range(count):
            call(cells[number % len(cells)], *rest)
        myr.wait()

    return play


# ---- the others ----------------------------------------------------------------------------------


def python_body(body: str) -> Callable[..., int]:
    if body == "native":

        def call(*_: object) -> int:
            NOOP(None, None, 0, None)
            return 0

        return call
    return lambda *_: 0


def dask(graph: str, body: str, count: int, threads: int) -> Callable[[], None]:
    from dask.threaded import get

    call = python_body(body)

    def play() -> None:
        """Dask's threaded scheduler, given the graph as it likes it best: a dictionary."""
        tasks: dict[object, tuple[object, ...]] = {}
        if graph == "wave":
            side = wave_cells(count)
            for i in range(side + 1):
                tasks[i, 0] = tasks[0, i] = (call,)
            for i in range(1, side + 1):
                for j in range(1, side + 1):
                    tasks[i, j] = (call, (i - 1, j), (i, j - 1))
            get(tasks, (side, side), num_workers=threads)
            return
        for number in range(count):
            before = number - CHAINS
            key = ("t", number)
            tasks[key] = (call, ("t", before)) if graph == "chains" and before >= 0 else (call,)
        last = range(count - CHAINS, count) if graph == "chains" else range(count)
        get(tasks, [("t", number) for number in last], num_workers=threads)

    return play


def joblib(graph: str, body: str, count: int, threads: int) -> Callable[[], None] | None:
    import joblib as library

    if graph != "free":
        return None  # it has no dependences
    call = python_body(body)
    pool = library.Parallel(n_jobs=threads, backend="threading")
    return lambda: pool(library.delayed(call)(number) for number in range(count)) and None


def ray(graph: str, body: str, count: int, threads: int) -> Callable[[], None]:
    import ray as library

    library.init(
        num_cpus=threads, include_dashboard=False, log_to_driver=False, logging_level="ERROR"
    )
    call = library.remote(python_body("python"))
    if body == "native":

        def native(*_: object) -> int:
            c_noop()(None, None, 0, None)
            return 0

        call = library.remote(native)

    def play() -> None:
        if graph == "wave":
            side = wave_cells(count)
            row = [call.remote() for _ in range(side + 1)]
            for _ in range(side):
                left = row[0]
                for j in range(1, side + 1):
                    left = row[j] = call.remote(row[j], left)
            library.get(row)
            return
        cells: list[object] = [None] * CHAINS
        made = []
        for number in range(count):
            one = call.remote(cells[number % CHAINS]) if graph == "chains" else call.remote()
            cells[number % CHAINS] = one
            made.append(one)
        library.get(made)

    return play


RUNTIMES = {"myrmidon": myrmidon, "dask": dask, "joblib": joblib, "ray": ray}


def main() -> None:
    runtime, graph, body, tasks, threads = sys.argv[1:]
    play = RUNTIMES[runtime](graph, body, int(tasks), int(threads))
    if play is None:
        print(json.dumps({"none": True}))
        return
    count = wave_cells(int(tasks)) ** 2 if graph == "wave" else int(tasks)
    play()
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        play()
        times.append(time.perf_counter() - begin)
    print(json.dumps({"ns_per_task": statistics.median(times) / count * 1e9}))


if __name__ == "__main__":
    main()
