"""Low-rank positive semidefinite optimisation by projected factored gradient descent.

The two jobs people come for, :func:`tomography` and :func:`phase`, data with a known truth for
both in :mod:`projfgd.simulate`, pictures in :mod:`projfgd.plot`, and :func:`minimize` for an
objective and a set of your own, which :func:`gradient_mismatch` checks beforehand.
"""

from __future__ import annotations

from . import _core, plot, simulate
from ._minimize import gradient_mismatch, minimize
from ._phase import PhaseResult, phase
from ._result import Result
from ._threads import set_threads, threads
from ._tomography import TomographyResult, tomography
from ._typing import Iteration

__version__ = _core.version()

__all__ = [
    "Iteration",
    "PhaseResult",
    "Result",
    "TomographyResult",
    "gradient_mismatch",
    "minimize",
    "phase",
    "plot",
    "set_threads",
    "simulate",
    "threads",
    "tomography",
]


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
