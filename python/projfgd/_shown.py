"""What a message repeats of what a user gave."""

from __future__ import annotations

from typing import Any

_LONGEST = 300  # characters: more than any name, less than a page


def shown(value: Any) -> str:
    """``repr(value)`` without the middle of what is too long to read."""
    text = repr(value)
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST // 2]} ... {text[-_LONGEST // 4 :]}"


def quoted(text: Any) -> str:
    """The same of a text, in double quotes."""
    return f'"{shown(str(text))[1:-1]}"'
