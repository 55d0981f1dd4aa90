# SPDX-License-Identifier: Apache-2.0
"""Tasks that processes of an MPI job find by module and name."""

import ctypes
import os

from myrmidon import In, InOut, Out, native, task


@task
def add(x: InOut, value):
    x += value


@task
def who(x: Out):
    x[0] = os.getpid()


@task
def fail(x: InOut):
    raise KeyError("far away")


@task
def total(parts: In, result: Out):
    result[0] = sum(part.sum() for part in parts)


@task
def branch(x: InOut, depth):
    """Spawns where it runs."""
    if depth == 0:
        add(x, 1)
        return
    branch(x[: len(x) // 2], depth - 1)
    branch(x[len(x) // 2 :], depth - 1)


_memcpy = ctypes.CDLL(None).memcpy
_memcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
_memcpy.restype = None
copy = native(_memcpy, Out, In, None, name="copy")
