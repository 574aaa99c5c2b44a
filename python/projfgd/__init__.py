"""Low-rank positive semidefinite optimisation by projected factored gradient descent.

Quantum state tomography by :func:`tomography`, data with a known truth for it in :mod:`projfgd.simulate`, pictures in :mod:`projfgd.plot`, and :func:`minimize` for an
objective and a set of your own.
"""

from __future__ import annotations

from . import plot, simulate
from ._core import Iteration, set_threads, threads, version
from ._minimize import minimize
from ._result import Result
from ._tomography import TomographyResult, tomography

__version__ = version()

__all__ = [
    "Iteration",
    "Result",
    "TomographyResult",
    "minimize",
    "plot",
    "set_threads",
    "simulate",
    "threads",
    "tomography",
]
