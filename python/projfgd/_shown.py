"""How messages quote what a user gave."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import _core

_LONGEST = 300  # characters: more than any name, less than a page


def shown(value: Any) -> str:
    """``repr(value)``, without its middle if it is too long to read."""
    text = repr(value)
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST // 2]} ... {text[-_LONGEST // 4 :]}"


def quoted(text: Any) -> str:
    """The text in double quotes, shortened in the same way."""
    return f'"{shown(str(text))[1:-1]}"'


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """" (did you mean b?)" for a name that is close to one of these, otherwise nothing."""
    text = name.encode(errors="replace").decode()  # lone surrogates have no place in C++
    return _core.did_you_mean(text, list(names))
