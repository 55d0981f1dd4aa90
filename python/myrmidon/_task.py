# SPDX-License-Identifier: Apache-2.0
"""@task and spawn(): functions whose calls are tasks."""

import functools
import inspect
import threading
from collections.abc import Callable
from typing import Annotated, Any, get_args, get_origin

from . import _core, _native
from ._core import Future, In, InOut, Out
from ._values import name_of

MODES = {In: 1, Out: 2, InOut: 3}
_VALUE = 0
_MISSING = object()
_KINDS = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _mode_of(annotation: object) -> int:
    if annotation in (In, Out, InOut):
        return MODES[annotation]
    if get_origin(annotation) is Annotated:
        for extra in get_args(annotation)[1:]:
            if extra in (In, Out, InOut):
                return MODES[extra]
    return _VALUE


def _annotations(function: Callable[..., object], name: str) -> dict[str, Any]:
    try:
        return inspect.get_annotations(function, eval_str=True)
    except Exception as error:
        plain = inspect.get_annotations(function)
        if not any(isinstance(text, str) for text in plain.values()):
            return plain
        raise TypeError(
            f"@task: the annotations of {name}() are texts that cannot be evaluated here ({error})"
        ) from error


def _parameters(function: Callable[..., object], name: str) -> tuple[tuple[Any, ...], ...]:
    annotations = _annotations(function, name)
    parameters = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in _KINDS:
            raise TypeError(
                f"@task: {name}() takes {parameter}, and a task has a fixed list of parameters: "
                "name each of them; for many arrays, one that is a list, `arrays: In`"
            )
        mode = _mode_of(annotations.get(parameter.name))
        default = parameter.default
        default = _MISSING if default is inspect.Parameter.empty else default
        parameters.append((parameter.name, mode, default, None))
    return tuple(parameters)


class Task(_core.Task):
    """A function whose calls are tasks; made by @task, spawn() and native().

    f(...) spawns and returns None at once. The next wait() of the spawner raises what the
    task raises. f.submit(...) is a spawn that returns a Future. f.function is the function.
    """

    __slots__ = ()

    def uses(self, *accesses: _core.Access, priority: int = 0) -> "Bound":
        """The same task with accesses that only order it, f.uses(In(x), InOut(token))(a, b).

        Parameters
        ----------
        *accesses
            In(x), Out(x) and InOut(x), for which the function gets no argument.
        priority
            Ready tasks with a higher one begin first; a wish.
        """
        return Bound(self, accesses, priority)


class Bound:
    """A task with accesses that only order, or with a priority."""

    __slots__ = ("_accesses", "_priority", "_task")

    def __init__(self, task: Task, accesses: tuple[_core.Access, ...], priority: int) -> None:
        self._task = task
        self._accesses = accesses
        self._priority = priority

    def __call__(self, *arguments: Any, **named: Any) -> None:
        self._task._spawn(self._accesses, self._priority, False, *arguments, **named)

    def submit(self, *arguments: Any, **named: Any) -> Future:
        return self._task._spawn(self._accesses, self._priority, True, *arguments, **named)


def _make(function: Callable[..., object], protect: bool) -> Task:
    name = name_of(function)
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        raise TypeError(f"@task: {name}() is a coroutine or a generator, whose call does nothing")
    made = Task(function, name, _parameters(function, name), _MISSING, protect, 0, "n")
    functools.update_wrapper(made, function, updated=())
    return made


def task(function: Any = None, /, *, protect: bool = True) -> Any:
    """Marks a function: its calls are tasks.

    Parameters
    ----------
    function
        A Python function whose parameters are annotated In, Out or InOut where they are NumPy
        arrays, lists of arrays, tokens or regions that it reads, writes, or both. Others are
        values: numbers, texts, tuples of such, futures (the function gets the result). It also
        takes what native() takes, for those that need no declaration of accesses.
    protect
        In arrays are read-only in the function, so that writing to one is an error.

    Returns
    -------
    Task
        A call of it returns at once. Bodies in Python run one at a time, as the interpreter has
        one lock, but where they call what releases it, as NumPy and SciPy do.

    Raises
    ------
    TypeError
        At the decorator: parameters that no task can have. At a call: arguments that do not fit.

    Notes
    -----
    Ownership: a task holds references to its arrays until it has ended. Threads: any thread may
    call; each waits for its own tasks. Cost of a call: one to two microseconds, and some tens of
    nanoseconds more for each row of an array that is not contiguous.
    """
    if function is None:
        return functools.partial(task, protect=protect)
    if isinstance(function, Task):
        return function
    if not callable(function) or isinstance(function, type):
        raise TypeError(f"@task marks functions, and got {function!r}")
    if _native.is_native(function):
        raise TypeError(
            f"@task: {name_of(function)} is native code, of which nobody knows what it reads and "
            "writes: write native(function, In, Out, ...), with a word for each parameter"
        )
    return _make(function, protect)


class _Spawned(threading.local):
    """Tasks that spawn() has made of functions, by function."""

    def __init__(self) -> None:
        self.tasks: dict[tuple[object, int], Task] = {}


_spawned = _Spawned()
_SPAWNED_MAX = 256


def _task_for(function: Callable[..., object], arguments: tuple[object, ...]) -> Task:
    if isinstance(function, Task):
        return function
    key = (function, len(arguments))
    found = _spawned.tasks.get(key)
    if found is not None:
        return found
    if _native.is_native(function):
        raise TypeError(f"spawn(): make a task of {name_of(function)} by native(...) first")
    try:
        made = _make(function, True)
    except (TypeError, ValueError):  # no signature, as NumPy's functions: what is passed counts
        parameters = tuple((f"{i}", _VALUE, _MISSING, None) for i in range(len(arguments)))
        made = Task(function, name_of(function), parameters, _MISSING, True, 0, "n")
    if len(_spawned.tasks) >= _SPAWNED_MAX:
        _spawned.tasks.clear()
    _spawned.tasks[key] = made
    return made


def spawn(function: Callable[..., object], /, *arguments: Any) -> None:
    """Spawns function(*arguments) as a task.

    Parameters
    ----------
    function
        Any function; it need not be marked.
    *arguments
        In(x), Out(x) and InOut(x) for arrays that it uses, and values. spawn(np.add, In(a), In(b),
        Out(c)) works, as NumPy returns c.
    """
    _task_for(function, arguments)(*arguments)
