"""The call of a job as text, for its summary and its report."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

#: Longer values are cut to this many characters.
_LONGEST = 60


def call_text(function: Callable[..., Any], given: Mapping[str, Any]) -> str:
    """``given`` are the ``locals()`` at the start of the function; defaults are left out."""
    parts = []
    for name, parameter in inspect.signature(function).parameters.items():
        value = given[name]
        if parameter.kind is parameter.VAR_KEYWORD:
            parts += [f"{option}={_short(item)}" for option, item in value.items()]
        elif parameter.default is parameter.empty:
            parts.append(_short(value))
        elif value is not parameter.default:
            parts.append(f"{name}={_short(value)}")
    return f"projfgd.{function.__name__}({', '.join(parts)})"


def keyword_text(name: str, given: Mapping[str, Any]) -> str:
    """A call with these keywords; those that are None are left out."""
    parts = (f"{key}={_short(value)}" for key, value in given.items() if value is not None)
    return f"{name}({', '.join(parts)})"


def _short(value: Any) -> str:
    """A number, a text or a short list as Python writes it; for anything else its type and size."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, (str, int, float, complex, type(None))):
        text = repr(value)
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
    if isinstance(value, (list, tuple)) and all(isinstance(v, (str, int, float)) for v in value):
        if len(text := repr(value)) <= _LONGEST:
            return text
    kind = type(value).__name__
    if isinstance(shape := getattr(value, "shape", None), tuple) and shape:
        return f"<{kind} of {' x '.join(map(str, shape))}>"
    if isinstance(value, (Mapping, list, tuple)):
        return f"<{kind} of {len(value)}>"
    return f"<{kind}>"
