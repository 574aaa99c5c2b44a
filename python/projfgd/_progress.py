"""Progress of a run: the user's callback and a tqdm bar."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ._core import Iteration
from ._typing import Callback


@contextmanager
def watching(callback: Callback | None, progress: bool) -> Iterator[Callback | None]:
    """The function to call after every iteration, with a bar when one is asked for."""
    if not progress:
        yield callback
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        warnings.warn("progress=True shows nothing: tqdm is not installed", stacklevel=3)
        yield callback
        return
    with tqdm(unit=" iterations") as bar:

        def step(row: Iteration) -> Any:
            bar.update(row.iteration - bar.n)
            bar.set_postfix(objective=f"{row.objective:.3e}", change=f"{row.relative_change:.1e}")
            return callback(row) if callback else None

        yield step
