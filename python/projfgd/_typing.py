"""The types that signatures speak of."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Trace = np.ndarray[Any, Any]


class Iteration(NamedTuple):
    """What a callback gets after every iteration; pandas makes a table of a list of them."""

    iteration: int
    seconds: float
    objective: float
    relative_change: float  #: ||X_t - X_{t-1}||_F / ||X_t||_F
    relative_error: float  #: NaN if the truth is unknown

    def __repr__(self) -> str:
        return f"Iteration({', '.join(f'{k}={v:.6g}' for k, v in self._asdict().items())})"


Callback = Callable[[Iteration], Any]


class SolverOptions(TypedDict, total=False):
    """Options of every iterative method; omitted options and None keep their defaults."""

    step: str | float | None  #: "auto", "theory", "theory-adaptive" or a step size
    step_constant: float | None  #: the constant of the theory rules
    smoothness: float | None  #: L, where it is known
    max_iterations: int | None
    tolerance: float | None  #: on the relative change of X
    gradient_tolerance: float | None  #: on the projected gradient, relative to the start's
    time_limit: float | None  #: seconds
    memory: int | None  #: pairs kept by quasi-Newton steps
    seed: int | None  #: random seed


class JobOptions(SolverOptions, total=False):
    """Options of both jobs, named as on the command line."""

    method: str | None  #: see ``projfgd tomography --help`` and ``projfgd phase --help``
    init: Any  #: "spectral", "random", for images also "lanczos", a path or an array
    truth: Any  #: the known answer, a path or an array; its error goes into trace and summary
    precision: Literal["double", "single"] | None
    threads: int | None
    out: str | os.PathLike[str] | None  #: folder for the files that the command line writes
    checkpoint_every: float | None  #: seconds between checkpoints in ``out`` [60]; 0 for none
    resume: bool | None  #: continues from the checkpoint in ``out``, with the same data and options
    callback: Callback | None  #: called after every iteration; returning False ends the run
    progress: bool | None  #: shows a progress bar if tqdm is installed
