"""Progress of a run: the user's callback and a tqdm bar."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from . import _core
from ._shown import shown
from ._typing import Callback, Iteration


class FitWarning(UserWarning):
    """A warning about the data or the result of a run, issued once; ``r.warnings`` has them all.

    ``warnings.simplefilter("ignore", projfgd.FitWarning)`` silences them.
    """


class Watch:
    """Called after every iteration; False ends the run."""

    def __init__(self, callback: Callback | None, bar: Any = None) -> None:
        if callback is not None and not callable(callback):
            raise TypeError(f"callback: found {shown(callback)}, expected a function")
        self._callback, self._bar = callback, bar
        self._stopped = False

    def __call__(self, row: _core.Iteration) -> bool:
        if self._bar is not None:
            self._bar.update(row.iteration - self._bar.n)
            shown = {"objective": f"{row.objective:.3e}"}
            if math.isfinite(row.relative_change):  # the first point has none before it
                shown["change"] = f"{row.relative_change:.1e}"
            self._bar.set_postfix(shown)
        if self._callback is not None and not self._stopped:  # other channels may follow
            answer = self._callback(Iteration(*(getattr(row, name) for name in Iteration._fields)))
            # A callback that returns a count does not ask to stop when it is 0.
            self._stopped = isinstance(answer, (bool, np.bool_)) and not answer
        return not self._stopped

    def tell_of_end(self, summary: dict[str, Any], stacklevel: int) -> None:
        """Warns why a run did not converge, unless the callback stopped it."""
        status = summary["status"]
        if status == "converged" or (status == "interrupted" and self._stopped):
            return
        text = f"the run did not converge: {summary['message']}"
        warnings.warn(text, RuntimeWarning, stacklevel=stacklevel + 1)


@contextmanager
def watching(callback: Callback | None, progress: bool) -> Iterator[Watch]:
    """Watches a run, with a progress bar if asked for."""
    if not progress:
        yield Watch(callback)
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a notebook without widgets shows text
            from tqdm.auto import tqdm
    except ImportError:
        warnings.warn("progress=True shows nothing: tqdm is not installed", stacklevel=3)
        yield Watch(callback)
        return
    # How many iterations there will be is not known, so there is no percentage to show.
    with tqdm(bar_format="{n_fmt} iterations, {elapsed}{postfix}") as bar:
        yield Watch(callback, bar)
