"""Counts in the layouts that people have, as counts by label: {"XX": {"00": 450, ...}}.

A letter of a label belongs to the bit at the same place of an outcome. The readers of the library
decide which of them is qubit 0.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ._progress import FitWarning

_OUTCOME = re.compile(r"[01]+")
_BASIS = re.compile(r"[XYZ]+", re.IGNORECASE)
#: The bases of a qubit, numbered as in the metadata of qiskit-experiments.
_OF_EXPERIMENTS = "ZXY"


def counts_by_basis(data: Any) -> Any:
    """Shots, pairs, wide tables and experiments as counts by label; anything else unchanged."""
    if hasattr(data, "experiment_id") and callable(getattr(data, "data", None)):
        return _experiment(data.data())
    if hasattr(data, "columns"):
        return _table(data)
    if isinstance(data, Mapping):
        return {label: _shots(label, item) for label, item in data.items()} if data else data
    if isinstance(data, (list, tuple)) and data:
        if all(hasattr(item, "get_counts") and hasattr(item, "to_dict") for item in data):
            return {"results": [run for item in data for run in item.to_dict()["results"]]}
        if all(map(_is_pair, data)):
            return _added((label, _shots(label, item)) for label, item in data)
        if all(map(_is_shot, data)):
            return _added((label, {outcome: 1}) for label, outcome in data)
    return data


def _is_pair(item: Any) -> bool:
    """Whether this is a basis with its counts."""
    if not isinstance(item, (list, tuple)) or len(item) != 2:
        return False
    label, counts = item
    known = isinstance(counts, Mapping) or hasattr(counts, "get_counts")
    return _is_basis(label) and (known or _is_list_of_shots(label, counts))


def _is_shot(item: Any) -> bool:
    """Whether this is a basis with one outcome."""
    if not isinstance(item, (list, tuple)) or len(item) != 2:
        return False
    return _is_basis(item[0]) and isinstance(item[1], str) and bool(_OUTCOME.fullmatch(item[1]))


def _is_basis(label: Any) -> bool:
    return hasattr(label, "to_label") or (isinstance(label, str) and label.isalpha())


def _is_list_of_shots(label: Any, value: Any) -> bool:
    """Bit strings, or an array with a row of bits for each shot."""
    if isinstance(value, np.ndarray) and value.ndim == 2:
        return value.shape[1] == len(str(label)) and bool(np.isin(value, (0, 1)).all())
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, (list, tuple)) or not value:
        return False
    return all(isinstance(shot, str) and _OUTCOME.fullmatch(shot) for shot in value)


def _shots(label: Any, value: Any) -> Any:
    """Single shots as counts; anything else unchanged."""
    if not _is_list_of_shots(label, value):
        return value
    if isinstance(value, np.ndarray) and value.ndim == 2:
        value = ["".join(map(str, row)) for row in value.astype(int)]
    found: dict[str, int] = {}
    for shot in map(str, value):
        found[shot] = found.get(shot, 0) + 1
    return found


def _added(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """Counts by label; those of the same basis are added."""
    found: dict[str, Any] = {}
    for key, counts in pairs:
        label = str(key.to_label()) if hasattr(key, "to_label") else key
        if label not in found:
            found[label] = counts
            continue
        both = [c.get_counts() if hasattr(c, "get_counts") else c for c in (found[label], counts)]
        keys = dict.fromkeys([*both[0], *both[1]])
        found[label] = {key: both[0].get(key, 0) + both[1].get(key, 0) for key in keys}
    return found


def _table(frame: Any) -> Any:
    """A table of pandas with a column for each outcome, or for each basis, or a row for each shot."""
    names = {str(name).lower(): name for name in frame.columns}
    if set(names) == {"basis", "outcome"} and frame.duplicated().any():
        # Shots repeat. A table whose rows are all different lacks the column with the counts.
        pairs = zip(frame[names["basis"]], frame[names["outcome"]].astype(str))
        return _added((label, {outcome: 1}) for label, outcome in pairs)
    label = next((names[name] for name in ("basis", "setting") if name in names), None)
    wide = frame if label is None else frame.set_index(label)
    if _all(_BASIS, map(str, wide.columns)) and _all(_OUTCOME, map(str, wide.index)):
        wide = wide.T
    columns = [name for name in wide.columns if _OUTCOME.fullmatch(str(name))]
    if len(columns) < 2 or not _all(_BASIS, map(str, wide.index)):
        return frame
    if others := [str(name) for name in wide.columns if name not in columns]:
        warnings.warn(f"data: the columns {', '.join(others)} were ignored", FitWarning, stacklevel=6)
    outcomes = list(map(str, columns))
    width = max(map(len, outcomes))
    if len(outcomes) == 2**width:  # a spreadsheet may have made numbers of them
        outcomes = [outcome.zfill(width) for outcome in outcomes]
    filled = wide[columns].fillna(0)  # an outcome that did not occur
    return _added(
        (str(basis), dict(zip(outcomes, row)))
        for basis, row in zip(filled.index, filled.to_numpy().tolist())
    )


def _all(pattern: re.Pattern[str], names: Iterable[str]) -> bool:
    listed = list(names)
    return len(listed) > 0 and all(map(pattern.fullmatch, listed))


def _experiment(runs: Any) -> dict[Any, Any]:
    """The data of an experiment of qiskit-experiments."""
    if not runs:
        raise ValueError(
            "data: found an experiment without data, expected one that has finished: "
            "call experiment_data.block_for_results()"
        )
    return _added((_basis_of(i, run), run["counts"]) for i, run in enumerate(runs))


def _basis_of(i: int, run: Mapping[str, Any]) -> str:
    metadata = run.get("metadata") or {}
    if "basis" in metadata:
        return str(metadata["basis"])
    numbers = metadata.get("m_idx")  # those of StateTomography, qubit 0 first
    if numbers is None or not set(numbers) <= {0, 1, 2}:
        raise ValueError(
            f"data: circuit {i} of the experiment: found no basis in its metadata, expected that "
            'of StateTomography, or {"basis": "XYZ"}'
        )
    return "".join(_OF_EXPERIMENTS[k] for k in reversed(numbers))
