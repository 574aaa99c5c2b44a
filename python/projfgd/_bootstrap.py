"""Resampling: intervals of any function of a state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ._estimate import Estimate
from ._typing import Array

#: 95% of a normal distribution lie within this many standard deviations.
_QUANTILE = 1.959964


class Bootstrap(NamedTuple):
    """A function of the state with its 95% interval by resampling."""

    value: Any  #: for the estimate
    low: Any  #: ends of the interval, in the shape of ``value``
    high: Any
    samples: Array  #: for each refit

    def __repr__(self) -> str:
        if np.ndim(self.value) == 0 and np.isrealobj(self.value):
            found = str(Estimate(self.value, (self.low, self.high)))
        else:
            found = f"value={self.value!r}, low={self.low!r}, high={self.high!r}"
        return f"Bootstrap({found}; {len(self.samples)} samples)"


def spectrum(rho: Array) -> Array:
    """The eigenvalues, largest first."""
    return np.linalg.eigvalsh(rho)[::-1]


def interval_of(
    samples: list[float], value: float, low: float, high: float, widened: float
) -> tuple[float, float]:
    """The interval of a number between ``low`` and ``high``; it contains the value."""
    centre = 2 * value - float(np.mean(samples))
    half = widened * _QUANTILE * float(np.std(samples, ddof=1))
    return min(max(centre - half, low), value), max(min(centre + half, high), value)


def bootstrap(
    rho: Array, refits: Array, function: Callable[[Array], Any], widened: float
) -> Bootstrap:
    """The mean of the refits shows the bias of the estimate, which is subtracted; their scatter is its
    error, ``widened`` times if the residuals of the data are so many times the noise of the refits."""
    samples = np.array([function(u @ u.conj().T) for u in refits])
    value = np.asarray(function(rho))
    centre = 2 * value - samples.mean(axis=0)
    half = widened * _QUANTILE * samples.std(axis=0, ddof=1)
    return Bootstrap(value[()], (centre - half)[()], (centre + half)[()], samples)
