"""Plots of results with Matplotlib, which is imported only when needed.

Each function draws on the axes it is given, or on new ones, and returns them.
"""

from __future__ import annotations

from ._images import image, modulus_and_phase
from ._matrices import city, density_matrix, hinton
from ._numbers import bloch, eigenvalues, paulis
from ._runs import convergence

__all__ = [
    "bloch",
    "city",
    "convergence",
    "density_matrix",
    "eigenvalues",
    "hinton",
    "image",
    "modulus_and_phase",
    "paulis",
]


def __dir__() -> list[str]:
    return __all__
