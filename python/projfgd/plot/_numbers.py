"""Numbers of a state: expectations, Bloch vectors, eigenvalues."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._estimate import Estimate
from .._typing import Array
from ._axes import axes, factor, state

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: All 4^q strings up to as many qubits; of more those with at most two letters beside I.
_ALL_STRINGS = 6
#: Eigenvalues below it are rounding, and not drawn.
_SMALLEST = 1e-12


def paulis(result: Any, ax: Axes | None = None, *, largest: int = 20) -> Axes:
    """The largest Pauli expectations of a state as bars, with intervals if they are known.

    ``result`` is as for :func:`density_matrix`. With more than six qubits only strings with at most
    two letters other than I are considered.

    >>> import matplotlib; matplotlib.use("Agg")
    >>> import projfgd
    >>> ax = projfgd.plot.paulis([0.5**0.5, 0, 0, 0.5**0.5], largest=3)
    >>> sorted(t.get_text() for t in ax.get_xticklabels())
    ['XX', 'YY', 'ZZ']
    """
    rho = state(result)
    qubits = len(rho).bit_length() - 1
    labels = _strings(qubits)
    values = np.asarray(_core.expectations(labels, factor(rho)))
    order = np.argsort(-np.abs(values), kind="stable")[: max(1, int(largest))]
    one: Axes = axes(ax, 1)[0]
    known: dict[str, Any] = {}
    if hasattr(result, "summary"):
        known = {**getattr(result, "paulis", {}), **getattr(result, "expectations", {})}
    chosen = [(labels[k], values[k]) for k in order]
    colours = ["tab:red" if value > 0 else "tab:blue" for _, value in chosen]
    one.bar(range(len(chosen)), [value for _, value in chosen], color=colours)
    _error_bars(one, [known.get(label) for label, _ in chosen])
    one.set_xticks(range(len(chosen)), [label for label, _ in chosen], rotation=90, family="monospace")
    one.axhline(0, color="black", linewidth=0.8)
    one.set(ylim=(-1.05, 1.05), ylabel="expectation")
    return one


def _strings(qubits: int) -> list[str]:
    if qubits <= _ALL_STRINGS:
        return ["".join(letters) for letters in product("IXYZ", repeat=qubits)][1:]
    found = []
    for places in (*combinations(range(qubits), 1), *combinations(range(qubits), 2)):
        for letters in product("XYZ", repeat=len(places)):
            label = ["I"] * qubits
            for place, letter in zip(places, letters):
                label[place] = letter
            found.append("".join(label))
    return found


def bloch(result: Any, ax: Sequence[Axes] | None = None) -> Array:
    """The Bloch vector of each qubit in its sphere; returns as many solid Axes.

    A vector inside the sphere means that the qubit is mixed, or entangled with others.

    >>> import matplotlib; matplotlib.use("Agg")
    >>> import projfgd
    >>> [ax.get_title() for ax in projfgd.plot.bloch([1, 0, 0, 0])]
    ['qubit 0', 'qubit 1']
    """
    rho = state(result)
    u = factor(rho)
    qubits = len(rho).bit_length() - 1
    spheres = axes(ax, qubits, solid=True)
    around, up = np.mgrid[0 : 2 * np.pi : 25j, 0 : np.pi : 13j]
    sphere = np.cos(around) * np.sin(up), np.sin(around) * np.sin(up), np.cos(up)
    for qubit, one in enumerate(spheres):
        small = _core.reduced_state(u, [qubit])
        vector = [2 * small[0, 1].real, -2 * small[0, 1].imag, (small[0, 0] - small[1, 1]).real]
        one.plot_surface(*sphere, color="lightsteelblue", alpha=0.12, linewidth=0)
        circle = np.linspace(0, 2 * np.pi, 80)
        for x, y, z in ((np.cos(circle), np.sin(circle), 0 * circle),
                        (np.cos(circle), 0 * circle, np.sin(circle))):  # fmt: skip
            one.plot(x, y, z, color="gray", linewidth=0.6)
        one.quiver(0, 0, 0, *vector, color="crimson", linewidth=2.5, arrow_length_ratio=0.15)
        for place, text in (((1.25, 0, 0), "x"), ((0, 1.25, 0), "y"),
                            ((0, 0, 1.2), "|0⟩"), ((0, 0, -1.35), "|1⟩")):  # fmt: skip
            one.text(*place, text, ha="center")
        one.set(xlim=(-1, 1), ylim=(-1, 1), zlim=(-1, 1), title=f"qubit {qubit}")
        one.set_box_aspect((1, 1, 1), zoom=1.3)
        one.set_axis_off()
    return spheres


def eigenvalues(result: Any, ax: Axes | None = None) -> Axes:
    """The eigenvalues of a state on a log axis, with intervals if they are known.

    >>> import matplotlib; matplotlib.use("Agg")
    >>> import projfgd
    >>> len(projfgd.plot.eigenvalues([[0.75, 0], [0, 0.25]]).patches)
    2
    """
    from matplotlib.ticker import MaxNLocator

    known = hasattr(result, "summary") and hasattr(result, "density_matrix")
    values = result.eigenvalues if known else list(np.linalg.eigvalsh(state(result))[::-1])
    shown = [value for value in values if value > _SMALLEST]
    one: Axes = axes(ax, 1)[0]
    one.bar(range(1, len(shown) + 1), [float(value) for value in shown], color="tab:blue")
    _error_bars(one, shown, first=1)
    one.set_yscale("log")
    one.set_xlabel("number")
    one.set_ylabel("eigenvalue")
    one.xaxis.set_major_locator(MaxNLocator(integer=True))
    return one


def _error_bars(ax: Axes, values: Sequence[Any], first: int = 0) -> None:
    """Where an interval is known."""
    for place, value in enumerate(values, first):
        if isinstance(value, Estimate) and value.interval is not None:
            ends = [[max(0.0, value - value.low)], [max(0.0, value.high - value)]]
            ax.errorbar([place], [float(value)], yerr=ends, color="black", capsize=3)
