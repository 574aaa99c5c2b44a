"""Resampling: intervals of any function of a state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ._typing import Array

#: The quantile of the normal distribution that 95% are within, on both sides.
_QUANTILE = 1.959964


class Bootstrap(NamedTuple):
    """A function of the state with its 95% interval by resampling."""

    value: Any  #: of the answer
    low: Any  #: ends of the interval, of the shape of ``value``
    high: Any
    samples: Array  #: of each refit


def spectrum(rho: Array) -> Array:
    """Largest first."""
    return np.linalg.eigvalsh(rho)[::-1]


def interval_of(
    samples: list[float], value: float, low: float, high: float
) -> tuple[float, float]:
    """The same for a number between ``low`` and ``high``; the interval holds the value."""
    centre, half = 2 * value - float(np.mean(samples)), _QUANTILE * float(np.std(samples, ddof=1))
    return min(max(centre - half, low), value), max(min(centre + half, high), value)


def bootstrap(rho: Array, refits: Array, function: Callable[[Array], Any]) -> Bootstrap:
    """The mean of the refits shows the bias of the answer, which is taken off, their scatter its
    error."""
    samples = np.array([function(u @ u.conj().T) for u in refits])
    value = np.asarray(function(rho))
    centre = 2 * value - samples.mean(axis=0)
    half = _QUANTILE * samples.std(axis=0, ddof=1)
    return Bootstrap(value[()], (centre - half)[()], (centre + half)[()], samples)
