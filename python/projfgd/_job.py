"""What tomography and phase retrieval have in common."""

from __future__ import annotations

import inspect
import json
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from ._data import MemoryFiles, check_numbers, folder_path, known_to, scalars
from ._progress import FitWarning, watching
from ._result import Result
from ._shown import did_you_mean, quoted, shown
from ._threads import using_threads
from ._typing import JobOptions, SolverOptions

R = TypeVar("R", bound=Result)


def refuse_unknown(
    function: Callable[..., Any], given: Iterable[str], known: Iterable[str]
) -> None:
    """Raises TypeError for an unknown option, with the nearest name and all names."""
    parameters = inspect.signature(function).parameters.values()
    names = [p.name for p in parameters if p.kind != p.VAR_KEYWORD] + list(known)
    for name in given:
        if name not in names:
            guess = did_you_mean(name, names)
            raise TypeError(f'unknown option "{name}"{guess}; the options are {", ".join(names)}')


def checkpoint_plan(options: dict[str, Any], has_folder: bool) -> dict[str, Any]:
    """Takes the options about checkpoints out of the others."""
    every, resume = options.pop("checkpoint_every", 60.0), options.pop("resume", False)
    check_numbers({"checkpoint_every": every})
    if not every >= 0:
        raise ValueError(f"checkpoint_every: found {every}, expected a number >= 0")
    if not isinstance(resume, bool):
        raise TypeError(f"resume: found {shown(resume)}, expected True or False")
    if resume and not has_folder:
        raise ValueError("resume: found no out=, expected the folder of the run to resume")
    return {"every": float(every), "resume": resume}


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
        raise ValueError(f'precision: found {quoted(precision)}, expected single or double')
    settings["single_precision"] = precision == "single"
    if "truth" in options:
        options["truth"] = known_to(options["truth"], "truth", "truth")
    for name in options.keys() & {"truth", "init"}:
        settings[name] = files.path_or_array(name, options.pop(name))
    folder, callback = folder_path(options.pop("out", None)), options.pop("callback", None)
    checkpoint = checkpoint_plan(options, folder is not None)
    with (
        watching(callback, options.pop("progress", False)) as watch,
        using_threads(options.pop("threads", None)) as threads,
    ):
        settings["threads"] = threads
        for name in options.keys() - SolverOptions.__annotations__.keys():
            settings[name] = options.pop(name)
        check_numbers(options)
        checkpoint["settings"] = {
            name: repr(value)
            for name, value in {**input, **settings, **options}.items()
            if name not in ("threads", "max_iterations", "time_limit")  # these may change when a run is resumed
        }
        found = job(
            scalars(input), scalars(settings), scalars(options), files.files, folder or "", checkpoint,
            watch, command,
        )
    result = kind(found["factor"], json.loads(found["summary"]), found["trace"], found["report"])
    for name, array in found["arrays"].items():
        setattr(result, name, array)
    for warning in result.warnings:
        warnings.warn(warning, FitWarning, stacklevel=3)
    watch.tell_of_end(result.summary, stacklevel=3)
    return result
