# SPDX-License-Identifier: Apache-2.0
"""Myrmidon: a serial Python program over NumPy arrays, run in parallel.

The functions that may run in parallel are marked as tasks, and say of each array whether they read
or write it. Which tasks must wait for which is worked out from that::

    import numpy as np
    from myrmidon import In, InOut, task, wait

    @task
    def add(x: In, y: InOut):
        y += x

    a, b = np.ones(1000), np.zeros(1000)
    add(a, b)          # spawned: runs after all that it depends on
    wait(In(b))        # now b may be read

docs/user/python.md is the ten-minute page.
"""

from importlib import metadata as _metadata

from . import _life
from ._core import (
    Access,
    Future,
    In,
    InOut,
    Misuse,
    Out,
    Region,
    StartError,
    Token,
    cycles,
    is_cancelled,
    unchecked,
    wait,
    work,
    worker_count,
    worker_index,
)
from ._life import finish, start
from ._loops import for_each, part
from ._native import native, strided
from ._task import spawn, task

__version__ = _metadata.version("myrmidon")
__all__ = [
    "Access",
    "Future",
    "In",
    "InOut",
    "Misuse",
    "Out",
    "Region",
    "StartError",
    "Token",
    "cycles",
    "finish",
    "for_each",
    "is_cancelled",
    "native",
    "part",
    "spawn",
    "start",
    "strided",
    "task",
    "unchecked",
    "wait",
    "work",
    "worker_count",
    "worker_index",
]
_life.prepare()
