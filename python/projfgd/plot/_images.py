"""Images and signals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._data import numbers, require_finite
from .._picture import phase_colours, visibility
from .._simulation import Simulation
from .._typing import Array
from ._axes import axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def image(result: Any, ax: Axes | None = None) -> Axes:
    """The modulus of a reconstructed image with its colour bar, or of a signal as a curve.

    ``result`` is what :func:`projfgd.phase` returns, or an array of n, height x width or height x
    width x 3 numbers: red, green and blue, or a simulation. The largest modulus is the brightest.

    >>> import matplotlib; matplotlib.use("Agg")
    >>> import projfgd
    >>> len(projfgd.plot.image([[0.0, 1.0], [1.0, 0.0]]).images)
    1
    """
    modulus = np.abs(_signal(result))
    (ax,) = axes(ax, 1)
    if modulus.ndim == 1:
        _curve(ax, modulus, "modulus")
        return ax
    if modulus.ndim == 3:  # of colours Matplotlib's brightest is 1
        ax.imshow(modulus / (modulus.max() or 1.0))
    else:
        shown = ax.imshow(modulus, cmap="gray", vmin=0)
        ax.figure.colorbar(shown, ax=ax, shrink=0.8, label="modulus")
    ax.set_axis_off()
    return ax


def modulus_and_phase(result: Any, ax: Sequence[Axes] | None = None) -> Array:
    """Modulus and phase of a complex image or signal side by side; returns the two Axes.

    The phase is shown as a colour and fades to grey where the modulus is small, since it means
    nothing there. ``result`` is as for :func:`image`, without colours. A global phase is arbitrary; here
    the sum of the image is real and positive.

    >>> import matplotlib; matplotlib.use("Agg")
    >>> import projfgd
    >>> left, right = projfgd.plot.modulus_and_phase([[1, 1j], [1, 2]])
    >>> left.get_title(), right.get_title()
    ('modulus', 'phase')
    """
    signal = _signal(result)
    if signal.ndim == 3:
        raise ValueError(f"result: found shape {signal.shape}, expected n or height x width numbers")
    modulus = np.abs(signal)
    phase = np.angle(signal * np.exp(-1j * np.angle(signal.sum())))
    both = axes(ax, 2)
    for one, title in zip(both, ("modulus", "phase")):
        one.set_title(title)
    if signal.ndim == 1:
        _curve(both[0], modulus, "modulus")
        _curve(both[1], phase, "phase (radian)")
        both[1].set_ylim(-np.pi, np.pi)
        return both
    bright = both[0].imshow(modulus, cmap="gray", vmin=0)
    from matplotlib.colors import ListedColormap

    circle_of_colours = ListedColormap(phase_colours(np.linspace(-np.pi, np.pi, 256)))
    both[1].set_facecolor("gray")
    colours = both[1].imshow(
        phase, cmap=circle_of_colours, vmin=-np.pi, vmax=np.pi, alpha=visibility(modulus)
    )
    bar = both[0].figure.colorbar(bright, ax=both[0], shrink=0.8)
    circle = both[1].figure.colorbar(colours, ax=both[1], shrink=0.8)
    circle.solids.set_alpha(1)
    circle.set_ticks([-np.pi, 0, np.pi], labels=["-π", "0", "π"])
    bar.set_label("modulus")
    circle.set_label("phase (radian)")
    for one in both:
        one.set(xticks=[], yticks=[])
    return both


def _signal(result: Any) -> Array:
    simulated = isinstance(result, Simulation)
    if hasattr(result, "density_matrix") or (simulated and not result.is_image):
        raise TypeError("result: found a state, expected an image; see projfgd.plot.density_matrix")
    signal = numbers(result.truth if simulated else result, "result")
    if signal.size == 0 or not (1 <= signal.ndim <= 2 or signal.shape[2:] == (3,)):
        raise ValueError(
            f"result: found shape {signal.shape}, expected n, height x width or height x width x 3 "
            "numbers"
        )
    require_finite(signal, "result")
    return signal


def _curve(ax: Axes, values: Array, name: str) -> None:
    ax.plot(values)
    ax.set_xlabel("entry")
    ax.set_ylabel(name)
