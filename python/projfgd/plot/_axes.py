"""Axes to draw on, and what the pictures of states share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._data import numbers, require_finite
from .._simulation import Simulation
from .._typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: As many basis states have their names beside a picture, at equal distances.
_NAMED_STATES = 16
#: Inches of a picture of its own, by the number of Axes in it.
_SIZES = {1: None, 2: (10.0, 4.2)}


def axes(ax: Any, count: int, solid: bool = False) -> Array:
    """So many Axes: those given, or new ones; solid ones have three dimensions."""
    if ax is None:
        import matplotlib.pyplot as plt

        rows = -(-count // 4)  # at most four side by side
        columns = -(-count // rows)
        ax = plt.subplots(
            rows,
            columns,
            figsize=_SIZES.get(count, (3.0 * columns, 3.2 * rows)),
            layout="constrained",
            subplot_kw={"projection": "3d"} if solid else {},
        )[1]
        for unused in np.ravel(np.asarray(ax, dtype=object))[count:]:
            unused.remove()
        return np.ravel(np.asarray(ax, dtype=object))[:count]
    found = np.ravel(np.asarray(ax, dtype=object))
    for one in found:
        if not hasattr(one, "imshow"):
            raise TypeError(f"ax: found {type(one).__name__}, expected Axes of Matplotlib")
        if solid and not hasattr(one, "get_zlim"):
            raise TypeError(
                'ax: found 2D Axes, expected 3D ones: subplot_kw={"projection": "3d"}'
            )
    if len(found) != count:
        words = {1: "one", 2: "two, as of plt.subplots(1, 2)[1]"}
        raise ValueError(f"ax: found {len(found)} Axes, expected {words.get(count, count)}")
    return found


def state(result: Any) -> Array:
    """The density matrix of a result, a simulation, a state of another package, or amplitudes."""
    if hasattr(result, "signal") or getattr(result, "is_image", False):
        raise TypeError("result: found an image, expected a state; projfgd.plot.image shows images")
    if isinstance(result, Simulation):
        rho: Array = result.truth @ result.truth.conj().T
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
        raise ValueError("result: found only zeros, expected a state")
    return rho


def require_few(rho: Array, qubits: int, instead: str) -> None:
    """Refuses more qubits than a picture can show."""
    found = len(rho).bit_length() - 1
    if found > qubits:
        raise ValueError(
            f"result: found {found} qubits, expected at most {qubits} here; {instead} shows more, "
            "and r.reduced_state(...) is the state of a few of them"
        )


def factor(rho: Array) -> Array:
    """U with rho = U U^H."""
    values, vectors = np.linalg.eigh(rho)
    return np.ascontiguousarray(vectors * np.sqrt(np.maximum(values, 0)), dtype=np.complex128)


def state_names(n: int) -> tuple[range, list[str]]:
    """Places along an axis of n basis states, and their names."""
    qubits = (n - 1).bit_length()
    shown = range(0, n, -(-n // _NAMED_STATES))
    return shown, [f"|{state:0{qubits}b}⟩" for state in shown]


def name_states(ax: Axes, n: int, columns: bool, rows: bool) -> None:
    shown, names = state_names(n)
    ax.set_xticks(shown, names if columns else [""] * len(shown), rotation=90)
    ax.set_yticks(shown, names if rows else [""] * len(shown))


def outer(ax: Axes, both: Array) -> tuple[bool, bool]:
    """Whether nothing of the two lies below, and nothing to the left: names there would cover it."""
    places = [one.get_position() for one in both]
    own = ax.get_position()
    below = any(p.y1 <= own.y0 and p.x0 < own.x1 and own.x0 < p.x1 for p in places)
    left = any(p.x1 <= own.x0 and p.y0 < own.y1 and own.y0 < p.y1 for p in places)
    return not below, not left
