"""Low-rank positive semidefinite optimisation by projected factored gradient descent.

The two jobs people come for, :func:`tomography` and :func:`phase`, data with a known truth for
both in :mod:`projfgd.simulate`, pictures in :mod:`projfgd.plot`, and :func:`minimize` for an
objective and a set of your own.
"""

from __future__ import annotations

from . import plot, simulate
from ._core import Iteration, version
from ._minimize import minimize
from ._phase import PhaseResult, phase
from ._result import Result
from ._threads import set_threads, threads
from ._tomography import TomographyResult, tomography

__version__ = version()

__all__ = [
    "Iteration",
    "PhaseResult",
    "Result",
    "TomographyResult",
    "minimize",
    "phase",
    "plot",
    "set_threads",
    "simulate",
    "threads",
    "tomography",
]
