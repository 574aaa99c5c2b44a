"""Pictures of results with Matplotlib, which is imported only when one is asked for.

Each function draws on the axes it is given, or on new ones, and returns them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._result import Result

#: Up to this dimension the axes of a density matrix carry the names of the basis states.
_NAMED_STATES = 32


def density_matrix(result: Any, axes: Sequence[Axes] | None = None) -> Array:
    """Real and imaginary part of a state as heat maps; returns the two Axes.

    ``result`` is what :func:`projfgd.tomography` returns, or an n x n array.

    >>> import matplotlib; matplotlib.use("Agg")
    >>> import projfgd
    >>> left, right = projfgd.plot.density_matrix([[0.5, 0.5], [0.5, 0.5]])
    >>> left.get_title()
    'real part'
    """
    rho = np.asarray(getattr(result, "density_matrix", result))
    if axes is None:
        import matplotlib.pyplot as plt

        axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")[1]
    both = np.asarray(axes)
    largest = float(np.abs(rho).max()) or 1.0
    for ax, part, title in zip(both, (rho.real, rho.imag), ("real part", "imaginary part")):
        image = ax.imshow(part, cmap="RdBu_r", vmin=-largest, vmax=largest)
        ax.set_title(title)
        _name_states(ax, len(rho))
    both[-1].figure.colorbar(image, ax=list(both), shrink=0.8)
    return both


def _name_states(ax: Axes, n: int) -> None:
    if n > _NAMED_STATES:
        return
    qubits = (n - 1).bit_length()
    names = [f"|{state:0{qubits}b}⟩" for state in range(n)]
    ax.set_xticks(range(n), names, rotation=90)
    ax.set_yticks(range(n), names)


def convergence(result: Result, ax: Axes | None = None, *, against: str = "iteration") -> Axes:
    """Objective, relative change and, where the truth is known, relative error of every iteration.

    ``against`` is the horizontal axis: "iteration" or "seconds".

    >>> import matplotlib; matplotlib.use("Agg")
    >>> import projfgd
    >>> r = projfgd.minimize(lambda U: (0.5 * (U @ U.T - 4)[0, 0] ** 2, (U @ U.T - 4) @ U), None, [1.0])
    >>> projfgd.plot.convergence(r).get_yscale()
    'log'
    """
    if against not in ("iteration", "seconds"):
        raise ValueError(f'against: found "{against}", expected "iteration" or "seconds"')
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots(layout="constrained")[1]
    trace = result.trace
    for name in ("objective", "relative_change", "relative_error"):
        values = np.asarray(trace[name])
        shown = np.isfinite(values) & (values > 0)
        if shown.any():
            ax.plot(np.asarray(trace[against])[shown], values[shown], label=name.replace("_", " "))
    ax.set_yscale("log")
    ax.set_xlabel("iterations" if against == "iteration" else "seconds")
    ax.grid(True, which="major", alpha=0.3)
    ax.legend()
    return ax


def image(result: Any, ax: Axes | None = None) -> Axes:
    """The modulus of a reconstructed image, or of a signal as a curve.

    ``result`` is what :func:`projfgd.phase` returns, or an array of one or two dimensions.

    >>> import matplotlib; matplotlib.use("Agg")
    >>> import projfgd
    >>> len(projfgd.plot.image([[0.0, 1.0], [1.0, 0.0]]).images)
    1
    """
    signal = np.abs(np.asarray(getattr(result, "signal", result)))
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots(layout="constrained")[1]
    if signal.ndim == 1:
        ax.plot(signal)
        ax.set_xlabel("entry")
        ax.set_ylabel("modulus")
    else:
        ax.imshow(signal, cmap="gray", vmin=0)
        ax.set_axis_off()
    return ax
