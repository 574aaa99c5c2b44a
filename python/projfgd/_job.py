"""What the jobs share on the Python side."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ._data import MemoryFiles
from ._progress import watching
from ._result import Result
from ._typing import JobOptions, SolverOptions

R = TypeVar("R", bound=Result)


def run_job(
    kind: type[R],
    job: Callable[..., dict[str, Any]],
    input: Mapping[str, Any],
    settings: dict[str, Any],
    given: JobOptions,
    files: MemoryFiles,
) -> R:
    """Sorts the options into the settings of the job and those of its method, and runs it."""
    options: dict[str, Any] = dict(given)
    known = JobOptions.__annotations__
    for name in options.keys() - known.keys():
        raise TypeError(f'no option "{name}"; there are {", ".join(known)}')
    precision = options.pop("precision", "double")
    if precision not in ("double", "single"):
        raise ValueError(f'option precision: found "{precision}", expected single or double')
    settings["single_precision"] = precision == "single"
    for name in ("truth", "init"):
        settings[name] = files.path_or_array(name, options.pop(name, None))
    out, callback = options.pop("out", None), options.pop("callback", None)
    with watching(callback, options.pop("progress", False)) as watch:
        for name in options.keys() - SolverOptions.__annotations__.keys():
            settings[name] = options.pop(name)
        found = job(dict(input), settings, options, files.files, out or "", watch)
    result = kind(found["factor"], json.loads(found["summary"]), found["trace"])
    for warning in result.summary.get("warnings", []):
        warnings.warn(warning, stacklevel=3)
    return result
