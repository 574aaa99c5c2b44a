"""How many threads the library computes with."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from . import _core
from ._shown import shown

_chosen: int | None = None  # the library keeps a number for each Python thread


def set_threads(count: int) -> None:
    """Set the default number of threads; 0 means one per core.

    Results are the same, bit for bit. The initial value is OMP_NUM_THREADS, or one thread per core.
    """
    global _chosen
    _core.set_threads(_checked(count))
    _chosen = _core.threads()


def threads() -> int:
    """The default number of threads of a job."""
    return _core.threads() if _chosen is None else _chosen


@contextmanager
def using_threads(count: int | None = None) -> Iterator[int]:
    """Uses this many threads, by default those of :func:`set_threads`; afterwards as before."""
    before = _core.threads()
    _core.set_threads(threads() if count is None else _checked(count))
    try:
        yield _core.threads()
    finally:
        _core.set_threads(before)


def _checked(count: Any) -> int:
    try:
        number = operator.index(count)
    except TypeError:
        number = -1
    if not 0 <= number <= _core.most_threads or isinstance(count, (bool, np.bool_)):
        raise ValueError(
            f"threads: found {shown(count)}, expected an integer from 0 to {_core.most_threads}"
        )
    return number
