# SPDX-License-Identifier: Apache-2.0
"""What a task may be given without an access: values that nobody can change behind its back."""

import dataclasses
import datetime
import decimal
import enum
import fractions
import pathlib
import types
from collections.abc import Callable

import numpy as np

_IMMUTABLE = (
    int,
    float,
    complex,
    str,
    bytes,
    bool,
    range,
    slice,
    type,
    type(None),
    type(...),
    enum.Enum,
    decimal.Decimal,
    fractions.Fraction,
    datetime.date,
    datetime.time,
    datetime.timedelta,
    pathlib.PurePath,
    np.dtype,
    np.generic,
    np.ufunc,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.ModuleType,
)


def _is_value(value: object) -> bool:
    if isinstance(value, _IMMUTABLE):
        return True
    if isinstance(value, tuple | frozenset):
        return all(map(_is_value, value))
    is_frozen = dataclasses.is_dataclass(value) and value.__dataclass_params__.frozen
    if is_frozen and not isinstance(value, type):
        return all(_is_value(getattr(value, field.name)) for field in dataclasses.fields(value))
    return False


def check(value: object, task: str, parameter: str) -> object:
    """Returns the value, or raises a TypeError that says what to write instead."""
    if _is_value(value):
        return value
    what = f"{task}(): the argument '{parameter}' is a {type(value).__qualname__}"
    if isinstance(value, list | tuple) and any(isinstance(item, np.ndarray) for item in value):
        raise TypeError(
            f"{what} with arrays that the task does not declare: annotate the parameter, "
            f"`{parameter}: In` (or Out, InOut), which names each of them"
        )
    raise TypeError(
        f"{what}, which the task would share with its caller, who may change it meanwhile. Pass a "
        "number, a text or a tuple of such; or unchecked(copy.deepcopy(x)); or unchecked(x), if "
        "something else orders those that use it, as a Token does"
    )


def name_of(function: Callable[..., object]) -> str:
    """What messages call a function."""
    return getattr(function, "__qualname__", None) or getattr(function, "__name__", repr(function))
