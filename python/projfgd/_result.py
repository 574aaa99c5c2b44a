"""What every run returns."""

from __future__ import annotations

from functools import cached_property
from html import escape
from typing import Any

import numpy as np

from ._typing import Array, Trace

_ROW = np.dtype(
    [
        ("iteration", np.int64),
        ("seconds", np.float64),
        ("objective", np.float64),
        ("relative_change", np.float64),
        ("relative_error", np.float64),
    ]
)


class Result:
    """The answer X = U U^H of a run, held as its factor U.

    ``summary`` has everything the command line writes to summary.json; its entries are also
    attributes: ``result.status``, ``result.iterations``, ``result.objective``.
    """

    def __init__(self, factor: Array, summary: dict[str, Any], trace: Array) -> None:
        #: U, an n x r array in the memory that the solver wrote it to.
        self.factor = factor
        #: What summary.json holds, as a dict.
        self.summary = summary
        self._trace: Trace = trace.view(_ROW)

    def __getattr__(self, name: str) -> Any:
        summary = self.__dict__.get("summary", {})
        if name in summary:
            return summary[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.summary]

    def __repr__(self) -> str:
        n, r = self.factor.shape
        return (
            f"<projfgd.{type(self).__name__}: {self.status} after {self.iterations} iterations, "
            f"objective {self.objective:.4g}, factor {n} x {r}>"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: the numbers and words of the summary as a table."""
        shown = {k: v for k, v in self.summary.items() if isinstance(v, (str, int, float))}
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(name.replace('_', ' '))}</th>"
            f"<td style='text-align:left'>{escape(f'{v:.6g}' if isinstance(v, float) else str(v))}"
            "</td></tr>"
            for name, v in shown.items()
        )
        return f"<table>{rows}</table>"

    @cached_property
    def trace(self) -> Any:
        """One row an iteration: a pandas DataFrame, or a structured array without pandas."""
        try:
            import pandas
        except ImportError:
            return self._trace
        return pandas.DataFrame(self._trace)
