"""Results in files: those of ``r.save``, or the folder that ``out=`` and the command line write."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from ._data import read_array
from ._phase import PhaseResult
from ._result import ROW, Result
from ._tomography import TomographyResult


def load(path: str | os.PathLike[str]) -> Any:
    """The result in a file that ``r.save(path)`` wrote, or in a folder of ``out=`` or ``--out``.

    >>> import os, tempfile
    >>> import projfgd
    >>> counts = {"X": {"0": 90, "1": 10}, "Y": {"0": 79, "1": 21}, "Z": {"0": 55, "1": 45}}
    >>> r = projfgd.tomography(counts, rank=1)
    >>> path = os.path.join(tempfile.mkdtemp(), "state.npz")
    >>> r.save(path)
    >>> again = projfgd.load(path)
    >>> again.purity == r.purity, bool((again.factor == r.factor).all())
    (True, True)
    """
    place = Path(path)
    return _from_folder(place) if place.is_dir() else _from_file(place)


def _kind(summary: dict[str, Any]) -> type[Result]:
    if "qubits" in summary:
        return TomographyResult
    return PhaseResult if "shape" in summary else Result


def _from_file(path: Path) -> Result:
    try:
        stored = np.load(path, allow_pickle=False)
        arrays = dict(stored) if isinstance(stored, np.lib.npyio.NpzFile) else {}
    except ValueError:
        arrays = {}
    if not {"summary", "factor", "trace"} <= set(arrays):
        raise ValueError(f"{path}: found another kind of file, expected one that r.save() wrote")
    summary = json.loads(str(arrays.pop("summary")))
    result = _kind(summary)(arrays.pop("factor"), summary, arrays.pop("trace"))
    for name, array in arrays.items():
        setattr(result, name, array)
    return result


def _from_folder(folder: Path) -> Result:
    file = folder / "summary.json"
    if not file.exists():
        raise OSError(f"{folder}: found no summary.json, expected a folder with the results of a run")
    summary = json.loads(file.read_text(encoding="utf-8"))
    rows = np.genfromtxt(folder / "trace.csv", delimiter=",", skip_header=1, dtype=float, ndmin=2)
    trace = np.empty(len(rows), ROW)
    for name, column in zip(ROW.names or (), rows.T):
        trace[name] = column
    result = _kind(summary)(np.array(read_array(folder / "factor.npy")), summary, trace)
    if (probe := folder / "probe.npy").exists():
        setattr(result, "probe", np.array(read_array(probe)))
    if (page := folder / "report.html").exists():
        result.__dict__["_page"] = lambda: page.read_text(encoding="utf-8")
    return result
