"""What every run returns."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from copy import copy
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ._estimate import Estimate, with_interval
from ._report import Report
from ._shown import did_you_mean
from ._typing import Array, Iteration, Trace

#: A row of a trace.
ROW = np.dtype(
    [(name, np.int64 if name == "iteration" else np.float64) for name in Iteration._fields]
)


#: What a notebook shows first, in this order, and what it does not show.
_FIRST = (
    "warnings", "fidelity", "relative_error", "psnr", "purity", "entropy", "misfit", "relative_misfit",
    "chi_square", "degrees_of_freedom", "p_value", "model_reason", "status", "message", "iterations",
    "seconds",
)  # fmt: skip
_HIDDEN = (
    "adjoint_calls", "command", "device", "forward_calls", "input", "input_sha256", "max_iterations",
    "precision", "rank_reason", "seed", "setup_seconds", "threads", "tolerance", "version",
)  # fmt: skip


class Result:
    """The answer X = U U^H of a run, held as its factor U.

    ``summary`` has everything the command line writes to summary.json; its entries are also
    attributes: ``result.status``, ``result.iterations``, ``result.objective``. A number whose
    interval is known is an :class:`Estimate`. One name means something else: ``result.trace`` is
    the table of iterations, and ``result.summary["trace"]`` the number tr X.
    """

    # Entries of the summary, for type checkers; those of files and options only after a job.
    status: str
    message: str
    method: str
    iterations: int
    seconds: float
    objective: float
    projected_gradient: float | None
    rank: int
    dimension: int
    function_calls: int  # of minimize
    setup_seconds: float
    measurements: int
    forward_calls: int
    adjoint_calls: int
    eigenvector_calls: int
    gap: float
    precision: str
    seed: int
    threads: int
    device: str  # "cpu", or the name of a GPU
    version: str
    command: str  # the call, of jobs
    input: list[str]
    input_sha256: str
    loss: str
    constraint: str
    relative_error: float
    fits_data: bool | None
    warnings: list[str]

    #: What a run needs to have an entry in its summary.
    _needs: ClassVar[dict[str, str]] = {
        "relative_error": "give truth=",
    }
    #: The value of an attribute without an entry in the summary.
    _otherwise: ClassVar[dict[str, Any]] = {"warnings": []}

    def __init__(
        self,
        factor: Array,
        summary: dict[str, Any],
        trace: Array,
        page: Callable[[], str] | None = None,
    ) -> None:
        #: U, an n x r array in the memory of the solver. You may change its entries; what is
        #: computed from it later changes too, the summary does not.
        self.factor = factor
        #: What summary.json holds, as a dict of your own; the attributes are read from it.
        self.summary = summary
        self._trace: Trace = trace.view(ROW)
        self._page = page

    if not TYPE_CHECKING:  # which would take every name for one that is there

        def __getattr__(self, name: str) -> Any:
            summary = self.__dict__.get("summary", {})
            if name in summary:
                intervals = summary.get("intervals", {})
                method = summary.get("interval_method", {}).get(name)
                level = intervals.get("level", 0.95)
                return with_interval(
                    summary[name], intervals.get(name), method, level, self._determines, name
                )
            if name in self._otherwise:
                return copy(self._otherwise[name])
            text = f"{type(self).__name__!r} object has no attribute {name!r}"
            if name in self._needs:
                text += f": {self._needs[name]}"
            elif not name.startswith("_"):  # which Python itself asks for
                text += did_you_mean(name, dir(self))
            raise AttributeError(text)

    def _determines(self, name: str) -> bool | None:
        """Whether the data determine this number; None if the run did not converge."""
        undetermined = self.summary.get("undetermined", ())
        return None if undetermined is None else name not in undetermined

    def __setattr__(self, name: str, value: Any) -> None:
        found = self.__dict__.get("summary")  # None while the result is made
        same = name == "factor" and value is self.__dict__.get(name)  # r.factor *= 2 ends here
        kept = ("factor", "summary", "trace", *(found or ()), *self._otherwise)
        if found is not None and not same and name in kept:
            raise AttributeError(f"{name!r} is a result of the run and cannot be set")
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.summary, *self._otherwise})

    def _shown(self, name: str) -> str:
        value = getattr(self, name)
        return str(value) if isinstance(value, Estimate) and value.interval else f"{value:.4g}"

    def __repr__(self) -> str:
        answers = ("fidelity", "purity", "relative_error", "misfit")
        names = answers if any(name in self.summary for name in answers) else ("objective",)
        known = "".join(
            f"{name.replace('_', ' ')} {self._shown(name)}, "
            for name in names
            if isinstance(self.summary.get(name), (int, float))  # None: not a number
        )
        poor = ""
        if self.summary.get("fits_data") is False:
            poor = ", but does not fit the data"
        if self.summary.get("determined") is False:
            poor = ", but not determined by the data"
        return (
            f"<projfgd.{type(self).__name__}: {self._size()}, {known}{self.status} after "
            f"{self.iterations} iterations{poor}>"
        )

    def _size(self) -> str:
        n, r = self.factor.shape
        return f"factor {n} x {r}"

    def _repr_html_(self) -> str:
        """What a notebook shows: the answer in a line, its picture, and the numbers that matter."""
        first = [name for name in _FIRST if name in self.summary]
        others = [name for name in self.summary if name not in (*_FIRST, *_HIDDEN)]
        return (
            f"<p><b>{escape(self._headline())}</b></p>{''.join(self._pictures())}"
            f"{self._html_table(first)}"
            f"<details><summary>all numbers</summary>{self._html_table(others)}</details>"
        )

    def _headline(self) -> str:
        """The answer in a few words."""
        return f"{self.status.replace('_', ' ').capitalize()} after {self.iterations} iterations"

    def _pictures(self) -> list[str]:
        """The answer as images of HTML."""
        return []

    def _html_table(self, names: list[str]) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(name.replace('_', ' '))}</th>"
            f"<td style='text-align:left'>{text}</td></tr>"
            for name in names
            if (text := _html(self.summary[name] if name == "trace" else getattr(self, name)))
            is not None
        )
        return f"<table>{rows}</table>"

    def report(self, path: str | os.PathLike[str] | None = None) -> Report:
        """The report that the command line writes as report.html; with a path it is saved there.

        A notebook shows it. A result from :func:`load` has a report only if it came from a folder.
        """
        if self._page is None:
            raise ValueError(
                "report: found a result of minimize, or one loaded from a file of save(), expected a "
                "result of tomography or phase"
            )
        page = Report(self._page())
        if path is not None:
            page.save(path)
        return page

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes everything except the report to one file, which :func:`load` reads."""
        stored: dict[str, Any] = {
            name: value
            for name, value in vars(self).items()
            if isinstance(value, np.ndarray) and not name.startswith("_")
        }
        stored.update(summary=np.array(json.dumps(self.summary)), trace=self._trace)
        part = Path(f"{os.fspath(path)}.part")
        with open(part, "wb") as file:
            np.savez_compressed(file, **stored)
        os.replace(part, path)  # the file is complete or not there

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_page": None}  # the function that makes the report stays here

    @cached_property
    def trace(self) -> Any:
        """One row per iteration: a pandas DataFrame, or a structured array without pandas."""
        try:
            import pandas
        except ImportError:
            return self._trace
        return pandas.DataFrame(self._trace)


def _html(value: Any) -> str | None:
    """A number, words, or lines of words; nothing for other values."""
    if isinstance(value, list) and value and all(isinstance(line, str) for line in value):
        return "<br>".join(map(escape, value))
    if not isinstance(value, (str, int, float)):
        return None
    return escape(f"{value:.6g}" if type(value) is float else str(value))
