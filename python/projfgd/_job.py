"""What the jobs share on the Python side."""

from __future__ import annotations

import inspect
import json
import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

from ._data import MemoryFiles, check_numbers, is_path, known_to, scalars
from ._progress import FitWarning, watching
from ._result import Result
from ._threads import using_threads
from ._typing import JobOptions, SolverOptions

R = TypeVar("R", bound=Result)


def refuse_unknown(
    function: Callable[..., Any], given: Iterable[str], known: Iterable[str]
) -> None:
    """Throws TypeError for an option that is not known, with the nearest and all that are."""
    parameters = inspect.signature(function).parameters.values()
    names = [p.name for p in parameters if p.kind != p.VAR_KEYWORD] + list(known)
    for name in given:
        if name not in names:
            near = "".join(f", perhaps {other}" for other in get_close_matches(name, names, 1))
            raise TypeError(f'no option "{name}"{near}; there are {", ".join(names)}')


def run_job(
    function: Callable[..., R],
    kind: type[R],
    job: Callable[..., dict[str, Any]],
    input: Mapping[str, Any],
    settings: dict[str, Any],
    given: JobOptions,
    files: MemoryFiles,
    command: str,
) -> R:
    """Sorts the options into the settings of the job and those of its method, and runs it."""
    refuse_unknown(function, given, JobOptions.__annotations__)
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    precision = options.pop("precision", "double")
    if precision not in ("double", "single"):
        raise ValueError(f'option precision: found "{precision}", expected single or double')
    settings["single_precision"] = precision == "single"
    if "truth" in options:
        options["truth"] = known_to(options["truth"], "truth", "truth")
    for name in options.keys() & {"truth", "init"}:
        settings[name] = files.path_or_array(name, options.pop(name))
    out, callback = options.pop("out", None), options.pop("callback", None)
    if out is not None and (not is_path(out) or not os.fspath(out)):
        raise TypeError(f"option out: found {out!r}, expected the path of a folder")
    with (
        watching(callback, options.pop("progress", False)) as watch,
        using_threads(options.pop("threads", None)) as threads,
    ):
        settings["threads"] = threads
        for name in options.keys() - SolverOptions.__annotations__.keys():
            settings[name] = options.pop(name)
        check_numbers(options)
        folder = "" if out is None else os.fspath(out)
        found = job(
            scalars(input), scalars(settings), scalars(options), files.files, folder, watch, command
        )
    result = kind(found["factor"], json.loads(found["summary"]), found["trace"], found["report"])
    for name, array in found["arrays"].items():
        setattr(result, name, array)
    for warning in result.warnings:
        warnings.warn(warning, FitWarning, stacklevel=3)
    watch.tell_of_end(result.summary, stacklevel=3)
    return result
