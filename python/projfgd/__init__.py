"""Low-rank positive semidefinite optimisation by projected factored gradient descent.

The main functions are :func:`tomography` for quantum states and :func:`phase` for images.
:mod:`projfgd.simulate` makes data with a known truth, and :mod:`projfgd.plot` draws results.
:func:`minimize` takes your own objective and constraint; :func:`gradient_mismatch` checks the
gradient first. :func:`circuits` makes Qiskit circuits that measure a state, and :func:`load` reads
what ``r.save(path)`` wrote.
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
