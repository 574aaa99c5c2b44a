"""An objective and a set of your own."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._data import check_numbers, require_finite, require_unmasked, scalars
from ._job import refuse_unknown
from ._progress import FitWarning, watching
from ._result import Result
from ._shown import shown
from ._threads import using_threads
from ._typing import Array, Callback, SolverOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack


def minimize(
    f_and_gradient: Callable[[Array], tuple[float, ArrayLike]],
    project: Callable[[Array], ArrayLike | None] | str | None,
    start: ArrayLike,
    *,
    convex: bool = False,
    callback: Callback | None = None,
    progress: bool = False,
    **options: Unpack[SolverOptions],
) -> Result:
    """Minimise f(U U^H) over the n x r factors U in a set C.

    Parameters
    ----------
    f_and_gradient
        Takes U and returns the pair f(U U^H), G U, where G is the Hermitian gradient of f at
        X = U U^H. There is no factor 2: the derivative along D is 2 Re <G U, D>. A value of
        infinity means that U is outside the domain of f; the gradient is then ignored.
    project
        Takes U and returns its projection onto C, or changes U in place and returns None.
        Or the name of a set of the library with its radius, such as "nonnegative" or
        "l1-ball:2.5"; None for no constraint. The shape, type and finiteness of every result of
        a function are checked. Projecting a point of C must not move it by more than 1%; this is
        required at the start and checked again at the result, with a warning. Whether the
        projection is the nearest point of C is not checked.
    start
        The first U: n x r, or n numbers for one column. A complex start gives a complex result.
        It must not be zero, which is a stationary point of every f(U U^H).
    convex
        True if C is convex; line searches can then move along segments inside C.
    callback
        Called after every iteration with an :class:`Iteration`; return False to stop the run.
    progress
        Shows a progress bar if tqdm is installed.
    **options
        ``step`` ("auto" or a number), ``max_iterations``, ``tolerance``, ``gradient_tolerance``,
        ``time_limit``, ``memory``, ``smoothness``; ``seed`` is the random seed, used here
        only to complete a start of lower rank than its number of columns. ``step_constant`` is
        only for the theory rules of :func:`tomography`.

    A run that does not converge gives the reason in ``message`` and in a RuntimeWarning; the status
    "stalled" means that f does not decrease along its negative gradient. Ctrl-C ends the run and
    returns the current point, with status "interrupted" and Ctrl-C in the message. Your functions
    may change and keep the arrays they are given.

    Examples
    --------
    The nearest positive semidefinite matrix of rank one with a nonnegative factor,
    f(X) = 1/2 ||X - M||^2:

    >>> import numpy as np, projfgd
    >>> M = np.array([[4.0, 2.0, -1.0], [2.0, 1.0, 0.0], [-1.0, 0.0, -3.0]])
    >>> def f_and_gradient(U):
    ...     residual = U @ U.T - M
    ...     return 0.5 * np.sum(residual**2), residual @ U
    >>> def nonnegative(U):
    ...     np.maximum(U, 0, out=U)
    >>> r = projfgd.minimize(f_and_gradient, nonnegative, np.ones((3, 1)), convex=True,
    ...                      tolerance=1e-12)
    >>> r.status
    'converged'
    >>> print((r.factor @ r.factor.T).round(6) + 0.0)
    [[4. 2. 0.]
     [2. 1. 0.]
     [0. 0. 0.]]
    """
    _require_callable("f_and_gradient", f_and_gradient)
    if project is not None and not isinstance(project, str):
        _require_callable("project", project, ", the name of a set, or None")
    refuse_unknown(minimize, options, SolverOptions.__annotations__)
    check_numbers(options)
    if not isinstance(convex, (bool, np.bool_)):
        raise TypeError(f"convex: found {shown(convex)}, expected True or False")
    first = _as_factor(start)
    run = _core.minimize_complex if np.iscomplexobj(first) else _core.minimize_real
    with watching(callback, progress) as watch, using_threads():
        result = Result(
            **run(
                _checked_objective(f_and_gradient),
                _checked_projection(project),
                first,
                bool(convex),
                scalars(options),
                watch,
            )
        )
    for line in result.warnings:
        warnings.warn(line, FitWarning, stacklevel=2)
    watch.tell_of_end(result.summary, stacklevel=2)
    return result


def gradient_mismatch(
    f_and_gradient: Callable[[Array], tuple[float, ArrayLike]], u: ArrayLike, *, seed: int | None = 1
) -> float:
    """How far f and its gradient disagree at U: about 1e-9 if both are right, at most 2.

    Compares the slope of f along a direction that is half gradient and half random (from ``seed``),
    computed by central differences, with 2 Re <G U, D>, relative to the larger of the two. Use any
    nonzero U inside the domain of f that is not stationary; the check evaluates f four times. It
    raises ValueError if both slopes vanish within rounding, as at the end of a run.

    >>> import numpy as np, projfgd
    >>> M = np.diag([3.0, 2.0, 1.0])
    >>> def f_and_gradient(U):
    ...     residual = U @ U.T - M
    ...     return 0.5 * np.sum(residual**2), residual @ U
    >>> projfgd.gradient_mismatch(f_and_gradient, np.ones((3, 2))) < 1e-6
    True
    >>> twice = lambda U: (f_and_gradient(U)[0], 2 * f_and_gradient(U)[1])
    >>> round(projfgd.gradient_mismatch(twice, np.ones((3, 2))), 2)
    0.5
    """
    _require_callable("f_and_gradient", f_and_gradient)
    check_numbers({"seed": seed})
    point = _as_factor(u, "u")
    check = _core.mismatch_complex if np.iscomplexobj(point) else _core.mismatch_real
    return check(_checked_objective(f_and_gradient), point, 1 if seed is None else int(seed))


def _require_callable(name: str, value: Any, more: str = "") -> None:
    if not callable(value):
        raise TypeError(f"{name}: found {shown(value)}, expected a function of U{more}")


def _as_factor(start: ArrayLike, name: str = "start") -> Array:
    require_unmasked(start, name)
    first = np.asarray(start)
    if first.ndim == 1:
        first = first[:, np.newaxis]
    if first.ndim != 2 or first.size == 0:
        raise ValueError(f"{name}: found shape {np.shape(start)}, expected n x r numbers")
    if not np.can_cast(first.dtype, np.complex128, "same_kind"):
        raise ValueError(f"{name}: found entries of type {first.dtype}, expected numbers")
    first = first.astype(np.complex128 if np.iscomplexobj(first) else np.float64)
    require_finite(first, name)
    if not np.any(first):
        raise ValueError(f"{name}: found only zeros, expected a point that is not stationary")
    return first


def _like(array: ArrayLike, wanted: Array, what: str) -> Array:
    """The array in the shape and type of `wanted`."""
    require_unmasked(array, what)
    found = np.asarray(array)
    if found.shape != wanted.shape:
        raise ValueError(f"{what}: found shape {found.shape}, expected {wanted.shape}")
    if not np.can_cast(found.dtype, wanted.dtype, "same_kind"):
        advice = "; give a complex start" if np.iscomplexobj(found) else ""
        raise ValueError(f"{what}: found type {found.dtype}, expected {wanted.dtype}{advice}")
    found = found.astype(wanted.dtype, copy=False)
    # A field of records, or what does not begin at a multiple of its size, cannot be read in place.
    in_place = found.flags.aligned and not any(step % found.itemsize for step in found.strides)
    return found if in_place else found.copy()


def _real(value: Any) -> float:
    """One real number, also as an array of one or as a complex number that is real."""
    found = np.asarray(value)
    if found.size != 1 or found.dtype.kind not in "biufc" or np.any(found.imag != 0):
        raise ValueError(f"f_and_gradient: found the value {shown(value)}, expected one real number")
    return float(found.real.reshape(()))


def _checked_objective(f: Callable[[Array], Any]) -> Callable[[Array], tuple[float, Array]]:
    at_start = True

    def checked(u: Array) -> tuple[float, Array]:
        nonlocal at_start
        pair = f(u)
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise ValueError(
                f"f_and_gradient: found {type(pair).__name__}, expected a pair (value, gradient)"
            )
        value = _real(pair[0])
        if np.isnan(value):
            raise ValueError("f_and_gradient: found the value nan, expected a number or inf")
        if np.isinf(value):
            if at_start:
                raise ValueError(
                    f"f_and_gradient: found the value {value} at the start, expected a finite one"
                )
            return value, u
        at_start = False
        gradient = _like(pair[1], u, "f_and_gradient: the gradient")
        if not np.all(np.isfinite(gradient)):
            raise ValueError("f_and_gradient: found a gradient that is not finite")
        return value, gradient

    return checked


def _checked_projection(
    project: Callable[[Array], ArrayLike | None] | str | None,
) -> Callable[[Array], Array] | str | None:
    if project is None or isinstance(project, str):
        return project

    def checked(u: Array) -> Array:
        answer = project(u)
        nearest = u if answer is None else _like(answer, u, "project: the result")
        if not np.all(np.isfinite(nearest)):
            raise ValueError("project: found a result that is not finite, expected a member of the set")
        return nearest

    return checked
