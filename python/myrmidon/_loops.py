# SPDX-License-Identifier: Apache-2.0
"""for_each(): a loop as tasks, each with its part of the arrays."""

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _core
from ._core import In, InOut, Out
from ._task import Task, _task_for
from ._values import name_of

_PARTS_PER_WORKER = 4


class part:
    """Of an array in a for_each(): only the elements that belong to the iterations, along axis 0.

    Parameters
    ----------
    array
        Its element i, array[i], belongs to iteration i.
    before, after
        So many elements more on either side, as far as there are such.
    """

    __slots__ = ("after", "array", "before")

    def __init__(self, array: np.ndarray, before: int = 0, after: int = 0) -> None:
        if not isinstance(array, np.ndarray) or array.ndim == 0:
            raise TypeError(f"part(x): x is {type(array).__name__}, and must be an array with rows")
        if before < 0 or after < 0:
            raise ValueError("part(x, before, after): both are 0 or more")
        self.array = array
        self.before = before
        self.after = after

    def of(self, begin: int, end: int) -> np.ndarray:
        """What iterations begin to end - 1 use."""
        return self.array[max(begin - self.before, 0) : end + self.after]


def _check(numbers: range, arguments: tuple[object, ...], name: str) -> None:
    if numbers.step != 1 or numbers.start < 0:
        raise ValueError(f"for_each(): {numbers} must begin at 0 or later, and go up by 1")
    for argument in arguments:
        inner = argument.object if isinstance(argument, In | Out | InOut) else argument
        if isinstance(argument, part):
            raise TypeError(f"for_each(): part(x) is passed to {name}() as In(part(x)) or the like")
        if isinstance(inner, part) and len(inner.array) < numbers.stop:
            raise ValueError(
                f"for_each(): an array of {len(inner.array)} rows has none for iteration "
                f"{numbers.stop - 1}"
            )


def _arguments(arguments: tuple[object, ...], begin: int, end: int) -> list[object]:
    made: list[object] = []
    for argument in arguments:
        is_part = isinstance(argument, In | Out | InOut) and isinstance(argument.object, part)
        made.append(type(argument)(argument.object.of(begin, end)) if is_part else argument)
    return made


def for_each(
    numbers: range | int,
    function: Callable[..., object] | Task,
    /,
    *arguments: Any,
    grain: int = 0,
) -> None:
    """Runs a loop as tasks: function(begin, end, *arguments) for parts of the numbers.

    Parameters
    ----------
    numbers
        The iterations: range(n), range(1, n), or n for range(n).
    function
        Called with the first number of a part, the one behind its last, and the arguments. It is a
        task like any other: parts that write what others use run in order, and at once otherwise.
    *arguments
        In(part(x)), Out(part(x)) and InOut(part(x)), for which a part gets its rows of x; In(x) and
        the like, for which all get all of x; values.
    grain
        So many iterations a part, at least 1; 0: as many as give four parts for each worker.

    Notes
    -----
    Returns at once, as a spawn does. A part's view of x begins at x[begin - before], or at x[0].
    """
    numbers = range(numbers) if isinstance(numbers, int) else numbers
    if grain < 0:
        raise ValueError("for_each(): grain is 0 or more")
    if len(numbers) == 0:
        return
    task = _task_for(function, (0, 0, *arguments))
    _check(numbers, arguments, name_of(function))
    if grain == 0:
        parts = _PARTS_PER_WORKER * _core.worker_count()
        grain = max(1, -(-len(numbers) // parts))
    for begin in range(numbers.start, numbers.stop, grain):
        end = min(begin + grain, numbers.stop)
        task(begin, end, *_arguments(arguments, begin, end))
