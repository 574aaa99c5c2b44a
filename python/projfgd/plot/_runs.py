"""How a run converged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._typing import Array
from ._axes import axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def convergence(result: Any, ax: Axes | None = None, *, against: str = "iteration") -> Axes:
    """Objective, relative change and, where the truth is known, relative error of every iteration.

    ``result`` is what a job or :func:`projfgd.minimize` returns, its ``trace``, or a list of what a
    callback was given; ``against`` is the horizontal axis: "iteration" or "seconds".

    >>> import matplotlib; matplotlib.use("Agg")
    >>> import projfgd
    >>> r = projfgd.minimize(lambda U: (0.5 * (U @ U.T - 4)[0, 0] ** 2, (U @ U.T - 4) @ U), None, [1.0])
    >>> projfgd.plot.convergence(r).get_yscale()
    'log'
    """
    if against not in ("iteration", "seconds"):
        raise ValueError(f'against: found "{against}", expected "iteration" or "seconds"')
    trace = result.trace if hasattr(result, "summary") else result
    names = ("objective", "relative_change", "relative_error")
    try:
        along, *columns = (_column(trace, name) for name in (against, *names))
    except (TypeError, LookupError, ValueError, AttributeError):
        found = type(result).__name__
        raise TypeError(f"result: found {found}, expected a result or its trace") from None
    (ax,) = axes(ax, 1)
    for name, values in zip(names, columns):
        shown = np.isfinite(values) & (values > 0)
        if shown.any():
            ax.plot(along[shown], values[shown], label=name.replace("_", " "))
    ax.set_yscale("log")
    ax.set_xlabel("iterations" if against == "iteration" else "seconds")
    ax.grid(True, which="major", alpha=0.3)
    ax.legend()
    return ax


def _column(trace: Any, name: str) -> Array:
    """Of a trace, or of a list of its rows."""
    if isinstance(trace, list) and trace:
        return np.asarray([getattr(row, name) for row in trace])
    return np.asarray(trace[name])
