# SPDX-License-Identifier: Apache-2.0
"""Native functions as bodies: Numba's cfuncs, functions of ctypes and of cffi.

They run without the interpreter's lock, so as many at a time as there are workers.
"""

import ctypes
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ._core import In, InOut, Out
from ._values import name_of

Slot = tuple[str, int, str, int, bool]  # as src/task.cpp reads it: see read_slot()
_MISSING = object()


class strided:
    """In native(): an array of any layout. The function gets the address of its first element, and
    is to be passed the strides, as further numbers.

    strided(In) in place of In.
    """

    __slots__ = ("mode",)

    def __init__(self, mode: type) -> None:
        self.mode = mode


def _pointer(element: np.dtype | None) -> tuple[str, int, str, int]:
    if element is None:
        return ("p", 8, "*", 0)
    return ("p", 8, element.kind, element.itemsize)


def _number(kind: np.dtype) -> tuple[str, int, str, int]:
    return ("?" if kind.kind == "b" else kind.kind, kind.itemsize, "*", 0)


def _is_ctypes(function: object) -> bool:
    return isinstance(function, ctypes._CFuncPtr)


def _is_cffi(function: object) -> bool:
    backend = sys.modules.get("_cffi_backend")
    return backend is not None and isinstance(function, backend._CDataBase)


def _is_numba(function: object) -> bool:
    return hasattr(function, "address") and hasattr(function, "native_name")


def is_native(function: object) -> bool:
    """Whether it is one of those that native() takes."""
    return _is_ctypes(function) or _is_cffi(function) or _is_numba(function)


# ---- the signatures ------------------------------------------------------------------------------

Signature = tuple[int, list[tuple[str, int, str, int]], str]  # address, parameters, result


def _of_ctype(kind: Any, name: str) -> tuple[str, int, str, int]:
    if kind in (ctypes.c_void_p, ctypes.c_char_p):
        return _pointer(None)
    if isinstance(kind, type) and issubclass(kind, ctypes._Pointer):
        try:
            return _pointer(np.dtype(kind._type_))
        except TypeError:
            return _pointer(None)
    if hasattr(kind, "_ndim_") and hasattr(kind, "_dtype_"):  # np.ctypeslib.ndpointer
        return _pointer(kind._dtype_)
    if isinstance(kind, type) and issubclass(kind, ctypes._SimpleCData):
        dtype = np.dtype(kind)
        if dtype.kind in "iufb" and dtype.itemsize <= 8:
            return _number(dtype)
    raise TypeError(
        f"native(): {name} has a parameter of type {kind!r}; tasks can hand on numbers "
        "of up to 8 bytes, and pointers"
    )


def _result_of(dtype: np.dtype | None, name: str) -> str:
    if dtype is None:
        return "n"
    if dtype.kind in "iub":
        return "i"
    if dtype.kind == "f" and dtype.itemsize in (4, 8):
        return "d" if dtype.itemsize == 8 else "f"
    raise TypeError(f"native(): {name} returns a {dtype}; let it return a number, or nothing")


def _signature_of_ctypes(function: Any, name: str) -> Signature:
    if function.argtypes is None:
        raise TypeError(
            f"native(): {name} has no argtypes: set them, so that arguments can be "
            "checked and handed on"
        )
    if function._flags_ & 4:  # FUNCFLAG_PYTHONAPI
        raise TypeError(
            f"native(): {name} is of ctypes.pythonapi, and needs the interpreter's lock"
        )
    address = ctypes.cast(function, ctypes.c_void_p).value
    parameters = [_of_ctype(kind, name) for kind in function.argtypes]
    restype = function.restype
    is_number = isinstance(restype, type) and issubclass(restype, ctypes._SimpleCData)
    return address, parameters, _result_of(np.dtype(restype) if is_number else None, name)


_CFFI_KINDS = {"float": "f4", "double": "f8", "_Bool": "?"}


def _cffi_dtype(kind: Any) -> np.dtype | None:
    if kind.kind != "primitive":
        return None
    backend = sys.modules["_cffi_backend"]
    if kind.cname in _CFFI_KINDS:
        return np.dtype(_CFFI_KINDS[kind.cname])
    try:
        is_signed = int(backend.cast(kind, -1)) < 0
    except (TypeError, OverflowError):
        return None
    return np.dtype(f"{'i' if is_signed else 'u'}{backend.sizeof(kind)}")


def _of_cffi(kind: Any, name: str) -> tuple[str, int, str, int]:
    if kind.kind == "pointer":
        return _pointer(_cffi_dtype(kind.item))
    dtype = _cffi_dtype(kind)
    if dtype is None:
        raise TypeError(
            f"native(): {name} has a parameter of type {kind.cname}; tasks can hand on "
            "numbers of up to 8 bytes, and pointers"
        )
    return _number(dtype)


def _signature_of_cffi(function: Any, name: str) -> Signature:
    backend = sys.modules["_cffi_backend"]
    kind = backend.typeof(function)
    if kind.kind != "function" or kind.ellipsis:
        raise TypeError(
            f"native(): {name} is {kind.cname}, and must be a pointer to a function with "
            "a fixed list of parameters, ffi.addressof(lib, 'f')"
        )
    address = int(backend.cast(backend.new_primitive_type("uintptr_t"), function))
    parameters = [_of_cffi(parameter, name) for parameter in kind.args]
    result = None if kind.result.kind == "void" else _cffi_dtype(kind.result)
    return address, parameters, _result_of(result, name)


def _signature_of_numba(function: Any, name: str) -> Signature:
    from numba import types
    from numba.np import numpy_support

    def of(kind: Any) -> tuple[str, int, str, int]:
        if isinstance(kind, types.CPointer):
            try:
                return _pointer(np.dtype(numpy_support.as_dtype(kind.dtype)))
            except NotImplementedError:
                return _pointer(None)
        if kind is types.voidptr:
            return _pointer(None)
        if isinstance(kind, types.Integer | types.Float | types.Boolean):
            return _number(np.dtype(numpy_support.as_dtype(kind)))
        raise TypeError(
            f"native(): {name} has a parameter of type {kind}; tasks can hand on numbers "
            "of up to 8 bytes, and pointers, types.CPointer(float64)"
        )

    signature = function._sig
    result = signature.return_type
    dtype = None if result is types.void else np.dtype(numpy_support.as_dtype(result))
    return function.address, [of(kind) for kind in signature.args], _result_of(dtype, name)


def _signature(function: Any, name: str) -> Signature:
    if _is_numba(function):
        return _signature_of_numba(function, name)
    if _is_cffi(function):
        return _signature_of_cffi(function, name)
    return _signature_of_ctypes(function, name)


# ---- the task ------------------------------------------------------------------------------------


def _parameter(index: int, kind: tuple[str, int, str, int], use: object, name: str) -> tuple:
    from ._task import MODES

    takes_strides = isinstance(use, strided)
    use = use.mode if isinstance(use, strided) else use
    if use is None:
        mode = 0
    elif use in (In, Out, InOut):
        mode = MODES[use]
    else:
        raise TypeError(
            f"native(): parameter {index} of {name} is declared as {use!r}: write In, "
            "Out, InOut, strided(In) or the like, or None for a value"
        )
    if mode != 0 and kind[0] != "p":
        raise TypeError(
            f"native(): parameter {index} of {name} is a number, and no memory that "
            "could be declared: write None for it"
        )
    return (str(index), mode, _MISSING, (*kind, takes_strides))


def native(function: Any, /, *uses: Any, name: str | None = None) -> Callable[..., None]:
    """Makes a task of a native function.

    Parameters
    ----------
    function
        A function that numba.cfunc has compiled; one of ctypes, with its argtypes set; one of cffi,
        as ffi.addressof(lib, "f") or a pointer to a function. It must not use Python without
        taking the interpreter's lock, as ctypes' callbacks do.
    *uses
        A word for each parameter: In, Out or InOut for a pointer to the elements of an array that
        is C-contiguous; strided(In) and the like for one of any layout; None for a value.
    name
        What messages call it.

    Returns
    -------
    Task
        Called with arrays where pointers are declared, of the dtype that the pointer has, and with
        numbers. What the function returns is dropped by a call, and the result of submit()'s
        Future.

    Notes
    -----
    Cost of a call: about a microsecond. Threads: as many run at once as there are workers.
    """
    from ._task import Task

    name = name or name_of(function) if not _is_cffi(function) else name or "the function of cffi"
    if not is_native(function):
        raise TypeError(
            f"native() takes functions of numba.cfunc, ctypes and cffi, and got "
            f"{function!r}; a Python function is made a task by @task"
        )
    address, kinds, result = _signature(function, name)
    if len(uses) != len(kinds):
        raise TypeError(
            f"native(): {name} has {len(kinds)} parameters, and {len(uses)} are "
            "described: In, Out, InOut or None for each"
        )
    parameters = tuple(
        _parameter(i, kind, use, name)
        for i, (kind, use) in enumerate(zip(kinds, uses, strict=True))
    )
    made = Task(function, name, parameters, _MISSING, False, address, result)
    made.__module__ = sys._getframe(1).f_globals.get("__name__", "")  # where others find it
    made.__qualname__ = made.__name__ = name
    return made
