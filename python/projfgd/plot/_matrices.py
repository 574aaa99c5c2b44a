"""Density matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._typing import Array
from ._axes import axes, name_states, outer, require_few, state, state_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Both signs of a number, from blue to red.
_SIGNED = "RdBu_r"
#: A city of more qubits has over a thousand towers, which hide each other.
_CITY_QUBITS = 5
#: The squares of more are smaller than a point.
_HINTON_QUBITS = 6
_TITLES = ("real part", "imaginary part")


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
    rho = state(result)
    both = axes(ax, 2)
    largest = float(np.abs(rho).max())
    for one, part, title in zip(both, (rho.real, rho.imag), _TITLES):
        image = one.imshow(part, cmap=_SIGNED, vmin=-largest, vmax=largest)
        one.set_title(title)
        name_states(one, len(rho), *outer(one, both))
    both[-1].figure.colorbar(image, ax=list(both), shrink=0.8)
    return both


def city(result: Any, ax: Sequence[Axes] | None = None) -> Array:
    """Real and imaginary part of a state as towers over the plane; returns the two Axes.

    ``result`` is as for :func:`density_matrix`, of at most five qubits; ``ax`` is a pair of solid
    Axes, ``plt.subplots(1, 2, subplot_kw={"projection": "3d"})[1]``.

    >>> import matplotlib; matplotlib.use("Agg")
    >>> import projfgd
    >>> left, right = projfgd.plot.city([1, 0])
    >>> left.get_zlim() == right.get_zlim()
    True
    """
    from matplotlib import colormaps

    rho = state(result)
    require_few(rho, _CITY_QUBITS, "projfgd.plot.density_matrix")
    n, largest = len(rho), float(np.abs(rho).max())
    both = axes(ax, 2, solid=True)
    rows, columns = (grid.ravel() for grid in np.indices(rho.shape))
    shown, names = state_names(n)
    for one, part, title in zip(both, (rho.real, rho.imag), _TITLES):
        heights = part.ravel()
        colours = colormaps[_SIGNED](0.5 + 0.5 * heights / largest)
        width = 0.7
        one.bar3d(columns, rows, np.minimum(heights, 0), width, width, np.abs(heights),
                  color=colours, shade=True, edgecolor=(0, 0, 0, 0.25), linewidth=0.3)  # fmt: skip
        one.set_title(title)
        small = "small" if n <= 8 else "xx-small"
        for set_ticks in (one.set_xticks, one.set_yticks):
            set_ticks([k + width / 2 for k in shown], names, fontsize=small)
        one.set_zlim(min(-0.05 * largest, float(rho.real.min()), float(rho.imag.min())), largest)
        one.set_box_aspect((1, 1, 0.7))
        one.view_init(elev=32, azim=-52)
    return both


def hinton(result: Any, ax: Sequence[Axes] | None = None) -> Array:
    """Real and imaginary part of a state as squares whose areas show the values: white is
    positive, black is negative. Returns the two Axes.

    ``result`` and ``ax`` are as for :func:`density_matrix`; at most six qubits.

    >>> import matplotlib; matplotlib.use("Agg")
    >>> import projfgd
    >>> left, right = projfgd.plot.hinton([[0.5, -0.5j], [0.5j, 0.5]])
    >>> len(left.collections[0].get_paths()), len(right.collections[0].get_paths())
    (2, 2)
    """
    from matplotlib.collections import PolyCollection

    rho = state(result)
    require_few(rho, _HINTON_QUBITS, "projfgd.plot.density_matrix")
    both = axes(ax, 2)
    n, largest = len(rho), float(np.abs(rho).max())
    corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    for one, part, title in zip(both, (rho.real, rho.imag), _TITLES):
        rows, columns = np.nonzero(np.abs(part) > 0)
        values = part[rows, columns]
        sides = 0.95 * np.sqrt(np.abs(values) / largest)
        middles = np.stack([columns, rows], axis=1)
        squares = middles[:, None, :] + sides[:, None, None] * corners
        colours = np.where(values > 0, "white", "black")
        one.add_collection(PolyCollection(list(squares), facecolors=list(colours)))
        one.set_facecolor("gray")
        one.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5), aspect="equal", title=title)
        name_states(one, n, *outer(one, both))
    return both
