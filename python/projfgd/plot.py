"""Pictures of results with Matplotlib, which is imported only when one is asked for.

Each function draws on the axes it is given, or on new ones, and returns them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._data import numbers, require_finite
from ._simulation import Simulation
from ._typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["convergence", "density_matrix", "image"]

#: As many basis states have their names beside a density matrix, at equal distances.
_NAMED_STATES = 16


def __dir__() -> list[str]:
    return __all__


def density_matrix(result: Any, ax: Sequence[Axes] | None = None) -> Array:
    """Real and imaginary part of a state as heat maps; returns the two Axes.

    ``result`` is what :func:`projfgd.tomography` returns, 2^q x 2^q numbers or 2^q amplitudes, a
    state of Qiskit or QuTiP, or a simulation; ``ax`` is a pair of Axes, such as
    ``plt.subplots(1, 2)[1]``.

    >>> import matplotlib; matplotlib.use("Agg")
    >>> import projfgd
    >>> left, right = projfgd.plot.density_matrix([[0.5, 0.5], [0.5, 0.5]])
    >>> left.get_title()
    'real part'
    """
    if hasattr(result, "signal") or getattr(result, "masks", None) is not None:
        raise TypeError("result: found an image, expected a state; projfgd.plot.image shows images")
    if isinstance(result, Simulation):
        rho = result.truth @ result.truth.conj().T
    else:
        known = hasattr(result, "density_matrix")
        rho = result.density_matrix if known else numbers(result, "result")
    shape = rho.shape
    if rho.ndim == 1 or shape[1:] == (1,):  # amplitudes
        rho = np.outer(rho, rho.conj())
    if rho.ndim != 2 or len(rho) != rho.shape[1] or len(rho) < 2 or len(rho).bit_count() != 1:
        raise ValueError(
            f"result: found shape {shape}, expected 2^q amplitudes or a 2^q x 2^q density matrix"
        )
    require_finite(rho, "result")
    if not np.any(rho):
        raise ValueError("result: found zeros alone, expected a state")
    both = _axes(ax, 2)
    largest = float(np.abs(rho).max())
    for one, part, title in zip(both, (rho.real, rho.imag), ("real part", "imaginary part")):
        image = one.imshow(part, cmap="RdBu_r", vmin=-largest, vmax=largest)
        one.set_title(title)
        _name_states(one, len(rho), *_outer(one, both))
    both[-1].figure.colorbar(image, ax=list(both), shrink=0.8)
    return both


def _axes(ax: Any, count: int) -> Array:
    """So many Axes: those given, or new ones."""
    if ax is None:
        import matplotlib.pyplot as plt

        size = (10, 4.2) if count == 2 else None
        ax = plt.subplots(1, count, figsize=size, layout="constrained")[1]
    found = np.ravel(np.asarray(ax, dtype=object))
    for one in found:
        if not hasattr(one, "imshow"):
            raise TypeError(f"ax: found {type(one).__name__}, expected Axes of Matplotlib")
    if len(found) != count:
        expected = "two, as of plt.subplots(1, 2)[1]" if count == 2 else "one"
        raise ValueError(f"ax: found {len(found)} Axes, expected {expected}")
    return found


def _outer(ax: Axes, both: Array) -> tuple[bool, bool]:
    """Whether nothing of the two lies below, and nothing to the left: names there would cover it."""
    places = [one.get_position() for one in both]
    own = ax.get_position()
    below = any(p.y1 <= own.y0 and p.x0 < own.x1 and own.x0 < p.x1 for p in places)
    left = any(p.x1 <= own.x0 and p.y0 < own.y1 and own.y0 < p.y1 for p in places)
    return not below, not left


def _name_states(ax: Axes, n: int, columns: bool, rows: bool) -> None:
    qubits = (n - 1).bit_length()
    shown = range(0, n, -(-n // _NAMED_STATES))
    names = [f"|{state:0{qubits}b}⟩" for state in shown]
    ax.set_xticks(shown, names if columns else [""] * len(shown), rotation=90)
    ax.set_yticks(shown, names if rows else [""] * len(shown))


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
    (ax,) = _axes(ax, 1)
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


def image(result: Any, ax: Axes | None = None) -> Axes:
    """The modulus of a reconstructed image, or of a signal as a curve.

    ``result`` is what :func:`projfgd.phase` returns, or an array of n, height x width or height x
    width x 3 numbers: red, green and blue, or a simulation. The largest modulus is the brightest.

    >>> import matplotlib; matplotlib.use("Agg")
    >>> import projfgd
    >>> len(projfgd.plot.image([[0.0, 1.0], [1.0, 0.0]]).images)
    1
    """
    simulated = isinstance(result, Simulation)
    if hasattr(result, "density_matrix") or (simulated and result.masks is None):
        raise TypeError("result: found a state, expected an image; see projfgd.plot.density_matrix")
    signal = np.abs(numbers(result.truth if simulated else result, "result"))
    if signal.size == 0 or not (1 <= signal.ndim <= 2 or signal.shape[2:] == (3,)):
        raise ValueError(
            f"result: found shape {signal.shape}, expected n, height x width or height x width x 3 "
            "numbers"
        )
    require_finite(signal, "result")
    (ax,) = _axes(ax, 1)
    if signal.ndim == 1:
        ax.plot(signal)
        ax.set_xlabel("entry")
        ax.set_ylabel("modulus")
    else:
        if signal.ndim == 3:  # of colours Matplotlib's brightest is 1
            signal = signal / (signal.max() or 1.0)
        ax.imshow(signal, cmap="gray", vmin=0)
        ax.set_axis_off()
    return ax
