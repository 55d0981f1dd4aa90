# SPDX-License-Identifier: Apache-2.0
"""Tasks that travel to other processes of an MPI job, and what they are there."""

import importlib
import pickle
import sys
from typing import Any

import numpy as np

from . import _values


class _Array:
    """An array on its way: where it lies is said apart, since that is another place there."""

    __slots__ = ("dtype", "index", "shape", "strides", "writable")

    def __init__(self, array: np.ndarray, index: int) -> None:
        self.index = index
        self.shape = array.shape
        self.strides = array.strides
        self.dtype = array.dtype
        self.writable = array.flags.writeable

    def __getstate__(self) -> tuple[Any, ...]:
        return (self.index, self.shape, self.strides, self.dtype, self.writable)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.index, self.shape, self.strides, self.dtype, self.writable = state

    def at(self, address: int) -> np.ndarray:
        """The array there."""
        low = sum(min(0, (n - 1) * s) for n, s in zip(self.shape, self.strides, strict=True))
        high = sum(max(0, (n - 1) * s) for n, s in zip(self.shape, self.strides, strict=True))
        if 0 in self.shape:
            return np.empty(self.shape, self.dtype)
        memory = _Memory(address + low, high - low + self.dtype.itemsize)
        array = np.ndarray(
            self.shape, self.dtype, np.asarray(memory), offset=-low, strides=self.strides
        )
        array.flags.writeable = self.writable
        return array


class _Memory:
    """Bytes at an address, as NumPy takes them."""

    def __init__(self, address: int, count: int) -> None:
        self.__array_interface__ = {
            "shape": (count,),
            "typestr": "|u1",
            "data": (address, False),
            "version": 3,
        }


class _Stays(Exception):
    """The task cannot travel."""


def _name_of(task: Any) -> tuple[str, str]:
    module = getattr(task, "__module__", None)
    name = getattr(task, "__qualname__", None)
    if not module or not name or module == "__main__":
        raise _Stays
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is not task:
        raise _Stays
    return module, name


def _packed(value: Any, addresses: list[int]) -> Any:
    if isinstance(value, np.ndarray):
        addresses.append(value.__array_interface__["data"][0])
        return _Array(value, len(addresses) - 1)
    if type(value) is list:
        return [_packed(item, addresses) for item in value]
    if _values._is_value(value):
        return value
    raise _Stays


def _unpacked(value: Any, addresses: tuple[int, ...]) -> Any:
    if isinstance(value, _Array):
        return value.at(addresses[value.index])
    if type(value) is list:
        return [_unpacked(item, addresses) for item in value]
    return value


def describe(
    task: Any, arguments: tuple[Any, ...], file: str, line: int
) -> tuple[bytes, tuple[int, ...]] | None:
    """What another process needs to run the task; None: it stays in this one."""
    addresses: list[int] = []
    try:
        packed = [_packed(argument, addresses) for argument in arguments]
        return pickle.dumps((*_name_of(task), packed, file, line), 5), tuple(addresses)
    except (_Stays, pickle.PicklingError, TypeError, AttributeError):
        return None


def load(description: bytes, addresses: tuple[int, ...]) -> tuple[Any, list[Any], str, int]:
    """There: the task, its arguments, and where it was spawned."""
    module, name, packed, file, line = pickle.loads(description)
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found, [_unpacked(argument, addresses) for argument in packed], file, line


def flush() -> None:
    """Behind a task: a process of the job ends without Python's knowledge."""
    sys.stdout.flush()
    sys.stderr.flush()
