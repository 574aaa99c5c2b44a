"""Low-rank positive semidefinite optimisation by projected factored gradient descent.

The two jobs people come for, :func:`tomography` and :func:`phase`, data with a known truth for
both in :mod:`projfgd.simulate`, pictures in :mod:`projfgd.plot`, and :func:`minimize` for an
objective and a set of your own, which :func:`gradient_mismatch` checks beforehand. :func:`circuits`
makes Qiskit circuits that measure a state; :func:`load` reads what ``r.save(path)`` wrote.
"""

from __future__ import annotations

import atexit as _atexit

from . import _core, plot, simulate
from ._circuits import circuits
from ._estimate import Estimate
from ._minimize import gradient_mismatch, minimize
from ._phase import PhaseResult, phase
from ._progress import FitWarning
from ._report import Report
from ._result import Result
from ._store import load
from ._threads import set_threads, threads
from ._tomography import TomographyResult, tomography
from ._typing import Iteration

__version__ = _core.version()

_atexit.register(_core.end_jobs)  # threads that are daemons may still be inside a job

__all__ = [
    "Estimate",
    "FitWarning",
    "Iteration",
    "PhaseResult",
    "Report",
    "Result",
    "TomographyResult",
    "circuits",
    "gradient_mismatch",
    "load",
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
