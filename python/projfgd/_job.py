"""What the jobs share on the Python side."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ._data import MemoryFiles
from ._progress import watching
from ._result import Result
from ._typing import Callback

R = TypeVar("R", bound=Result)


def run_job(
    kind: type[R],
    job: Callable[..., dict[str, Any]],
    input: Mapping[str, Any],
    settings: dict[str, Any],
    options: Mapping[str, Any],
    files: MemoryFiles,
    out: str | os.PathLike[str] | None,
    precision: str,
    callback: Callback | None,
    progress: bool,
) -> R:
    if precision not in ("double", "single"):
        raise ValueError(f'option precision: found "{precision}", expected single or double')
    settings["single_precision"] = precision == "single"
    with watching(callback, progress) as watch:
        found = job(dict(input), settings, dict(options), files.files, out or "", watch)
    result = kind(found["factor"], json.loads(found["summary"]), found["trace"], found["files"])
    for warning in result.summary.get("warnings", []):
        warnings.warn(warning, stacklevel=3)
    return result
