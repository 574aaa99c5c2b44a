"""Measurements in the layouts that the library's readers take.

Objects of other packages become plain dicts and lists here, and nowhere else. The readers of the
library decide what labels, bit strings and numbers mean.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ._data import MemoryFiles, is_path, refuse_result, require_unmasked
from ._layouts import counts_by_basis
from ._shown import quoted, shown

_ACCEPTED = (
    "counts by label, Pauli expectations by label, counts of projectors, a pair (labels, values), a "
    "table of pandas, a Result, SamplerV2 result or ExperimentData of Qiskit, or paths of files"
)
_WITH_BASIS = (
    'counts with their basis: {"XX": counts, ...}, or a table with the columns basis, outcome and '
    "count"
)
_PROJECTOR = re.compile(r"([HVDARL]|[XYZ][+-]|[ ,;_|()\[\]'\"*])+", re.IGNORECASE)
_OUTCOME = re.compile(r"(0b)?[01_ ]+|0x[0-9a-f]+|\d+", re.IGNORECASE)


def by_text(
    given: Mapping[Any, Any], text_of: Callable[[Any], str], item_of: Callable[[Any], Any]
) -> dict[str, Any]:
    """The mapping with its keys as text. Two keys with the same text are refused, not merged."""
    found: dict[str, Any] = {}
    for key, item in given.items():
        text = text_of(key)
        if text in found:
            first = next(other for other in given if text_of(other) == text)
            raise ValueError(
                f"data: found the keys {shown(first)} and {shown(key)}, which both mean {quoted(text)}, "
                "expected one"
            )
        found[text] = item_of(item)
    return found


def plain(value: Any) -> Any:
    """The value in the types of JSON."""
    if isinstance(value, Mapping):
        return by_text(value, _label, plain)
    require_unmasked(value, "data")
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, complex) and value.imag == 0:
        value = value.real
    if isinstance(value, complex) or (isinstance(value, float) and not math.isfinite(value)):
        return str(value)  # JSON has no such number: the reader says where it stands
    return value


def _label(key: Any) -> str:
    """A label or outcome as text, from Qiskit's Pauli or a tuple such as ("X", "Z") or (0, 1)."""
    if isinstance(key, tuple):
        return "".join(map(_label, key))
    if not hasattr(key, "to_label"):
        return str(key)
    label = str(key.to_label())
    if not label.isupper() or not label.isalpha():  # the phase stands in front: "-XZ", "iXZ"
        raise ValueError(f'data: found {quoted(label)}, expected a Pauli string without a phase')
    return label


def measurements(data: Any, files: MemoryFiles, format: str | None = None) -> list[str]:
    """The names of the files that hold the data."""
    refuse_result(data, "data", _ACCEPTED)
    if isinstance(data, str) and data.lstrip()[:1] in ("{", "[") and not os.path.exists(data):
        raise ValueError("data: found JSON text, expected what json.loads() makes of it, or a path")
    paths = [data] if is_path(data) else data
    if isinstance(paths, (list, tuple)) and paths and all(map(is_path, paths)):
        return list(map(os.fspath, paths))
    if isinstance(data, Mapping) and (
        format == "projectors" or _all(data.items(), _is_projector)
    ):
        return [files.add_json("data", plain(data))]
    return [files.add_json("data", _document(data))]


def _is_projector(item: tuple[Any, Any]) -> bool:
    """Whether this is a product of states, such as "HV" or "X+Y-", with its count."""
    label, value = _label(item[0]), item[1]
    counted = isinstance(value, Mapping) and any(str(key).startswith("co") for key in value)
    known = any(map(str.isalpha, label)) and _PROJECTOR.fullmatch(label) is not None
    return known and (counted or (_is_value(value) and not isinstance(value, tuple)))


def _document(data: Any) -> Any:
    """Data in memory, in one of the layouts that the library reads."""
    data = counts_by_basis(data)
    levels = [str(name).lower() for name in getattr(getattr(data, "index", None), "names", ())]
    if "basis" in levels and not hasattr(data, "columns"):
        data = data.reset_index(name="count")  # a Series
    if hasattr(data, "columns"):
        return _table(data)
    if hasattr(data, "to_dict"):
        data = _of_series(data)
    if isinstance(data, Mapping):
        if not data:
            raise ValueError(f"data: found an empty dict, expected {_ACCEPTED}")
        if _all(data, _is_basis_and_outcome):
            return _rows(data)
        _require_letters(data)
        if all(map(_is_expectation, data.items())):
            return _expectations(data, data.values())
        return counts_by_label(data)
    runs = [data] if hasattr(data, "join_data") else data
    if _all(runs, lambda item: hasattr(item, "join_data")):
        return {"results": [_experiment(i, run) for i, run in enumerate(runs)]}
    if not isinstance(data, (list, tuple)):
        raise TypeError(f"data: found {type(data).__name__}, expected {_ACCEPTED}")
    if _all(data, _is_outcomes):
        raise ValueError(f"data: found counts without labels, expected {_WITH_BASIS}")
    if _all(data, _is_labelled):
        return _expectations([item[0] for item in data], [_pair(item[1:]) for item in data])
    if isinstance(data, tuple) and len(data) in (2, 3):
        return _expectations(_labels(data[0]), *map(_values, data[1:]))
    return plain(data)


def _is_outcomes(item: Any) -> bool:
    """Whether these are the counts of one setting."""
    if hasattr(item, "get_counts"):
        return True
    return isinstance(item, Mapping) and _all(item, lambda key: _OUTCOME.fullmatch(_label(key)))


def _is_basis_and_outcome(key: Any) -> bool:
    """Whether this is a pair such as ("XZ", "01"), the index of a row of a table."""
    if not isinstance(key, tuple) or len(key) != 2:
        return False
    basis, outcome = map(_label, key)
    return basis.isalpha() and _OUTCOME.fullmatch(outcome) is not None


def _rows(counts: Mapping[Any, Any]) -> Any:
    """The rows of a table with the columns basis, outcome and count."""
    keys = ("basis", "outcome", "count")
    return plain([dict(zip(keys, (*map(_label, key), n))) for key, n in counts.items()])


def _of_series(data: Any) -> Any:
    """A Series of pandas or a Result of Qiskit as a dict."""
    if not getattr(getattr(data, "index", None), "is_unique", True):
        raise ValueError(
            "data: found a Series with labels that repeat, expected each of them once: "
            "data.groupby(data.index).sum()"
        )
    return data.to_dict()


def _values(values: Any) -> list[Any]:
    if not isinstance(values, Iterable) or isinstance(values, (str, Mapping)):
        found = type(values).__name__
        raise TypeError(f"data: found {found} beside the labels, expected a list of numbers")
    return list(values)


def _require_letters(data: Mapping[Any, Any]) -> None:
    """A file may have its basis in its name. Data in memory need one in every key."""
    for key in data:
        if not any(map(str.isalpha, _label(key))):
            raise ValueError(
                f'data: found the label {shown(key)}, expected a letter for each qubit, as in "XZ", '
                "with the counts or the expectation under it"
            )


def _all(items: Any, test: Any) -> bool:
    """Whether all items pass the test, and there is at least one."""
    return isinstance(items, Iterable) and len(found := [*map(test, items)]) > 0 and all(found)


def _is_value(value: Any) -> bool:
    """Whether this is a number (also in an array without axes, as in Qiskit's estimator) or a pair."""
    return isinstance(value, (int, float, complex, np.number, tuple)) or (
        isinstance(value, np.ndarray) and value.ndim == 0
    )


def _is_expectation(item: tuple[Any, Any]) -> bool:
    """Whether this is a Pauli string with a number, not an outcome with a count."""
    key, value = item
    return _is_value(value) and not any(map(str.isdigit, _label(key)))


def _is_labelled(item: Any) -> bool:
    """Whether this is (label, expectation), (label, expectation, error) or (label, (both))."""
    if not isinstance(item, (list, tuple)) or not 2 <= len(item) <= 3:
        return False
    label = isinstance(item[0], str) or hasattr(item[0], "to_label")
    return label and all(map(_is_value, item[1:]))


def _pair(values: Any) -> Any:
    return values[0] if len(values) == 1 else tuple(values)


def _labels(paulis: Any) -> list[Any]:
    """The labels of a SparsePauliOp or PauliList of Qiskit, or of a list."""
    coefficients = np.asarray(getattr(paulis, "coeffs", 1.0))
    if not np.all(coefficients == 1):
        raise ValueError(
            "data: found coefficients other than 1 in the operator, expected one value for each "
            "Pauli string by itself"
        )
    paulis = getattr(paulis, "paulis", paulis)
    if hasattr(paulis, "to_labels") and not np.any(paulis.phase):
        return list(paulis.to_labels())
    return list(paulis)


def _expectations(
    labels: Iterable[Any], values: Iterable[Any], errors: list[Any] | None = None
) -> Any:
    """Labels with expectations, and standard errors in a list of their own or in pairs."""
    names, found = list(map(_label, labels)), list(values)
    if len(found) != len(names):
        raise ValueError(f"data: found {len(names)} labels and {len(found)} values")
    if errors is not None:
        if len(errors) != len(names):
            raise ValueError(f"data: found {len(names)} labels and {len(errors)} standard errors")
        found = list(zip(found, errors))
    keys = ("pauli", "expectation", "stderr")
    rows = [dict(zip(keys, (name, *_parts(name, value)))) for name, value in zip(names, found)]
    return plain(rows)


def _parts(label: str, value: Any) -> tuple[Any, ...]:
    """An expectation, with its standard error if there is one."""
    parts = value if isinstance(value, tuple) else (value,)
    if not 1 <= len(parts) <= 2:
        raise ValueError(
            f"data: {label}: found a tuple of {len(parts)}, expected (expectation, standard error), "
            "or a list of counts"
        )
    return parts


def _table(frame: Any) -> Any:
    """A table with a row for each Pauli string, or for each outcome of each basis."""
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    given = list(map(_label, frame.columns))
    if _all(given, _OUTCOME.fullmatch) or _all(given, re.compile("[XYZ]+").fullmatch):
        shown = ", ".join(given[:3]) + (", ..." if len(given) > 3 else "")
        raise ValueError(f"data: found a table with the columns {shown}, expected {_WITH_BASIS}")
    rows = frame.rename(columns=str).to_dict("records")
    return plain([{name: _cell(value) for name, value in row.items()} for row in rows])


def _cell(value: Any) -> Any:
    """A label or an outcome as text; anything else unchanged."""
    return _label(value) if isinstance(value, tuple) or hasattr(value, "to_label") else value


def counts_by_label(value: Any) -> Any:
    """Counts of settings, or of the prepared states of a calibration; other layouts unchanged."""
    if hasattr(value, "to_numpy"):  # the matrix of a calibration as a table
        value = value.to_numpy()
    if not isinstance(value, Mapping):
        return plain(value)
    named = by_text(value, _label, lambda item: item)
    return {label: _counts(label, item) for label, item in named.items()}


def bases_by_letter(value: Any) -> Any:
    """Bases {"T": the states of outcome 0 and 1}, a complex amplitude as [real, imaginary]."""
    if not isinstance(value, Mapping):
        raise TypeError(
            f"bases: found {type(value).__name__}, expected a path or a dict of letters, such as "
            '{"T": [[1, 0], [0, 1]]}'
        )
    return by_text(value, str, _with_pairs)


def _with_pairs(value: Any) -> Any:
    """The value in the types of JSON, with pairs for complex numbers."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return list(map(_with_pairs, value))
    return [value.real, value.imag] if isinstance(value, complex) else plain(value)


def _counts(label: str, value: Any) -> Any:
    """The counts under one label. Integers, and the keys of Qiskit's Counts, have only one meaning."""
    if hasattr(value, "join_data"):
        value = value.join_data()
    if type(value).__name__ == "DataBin" and len(registers := [*value.values()]) == 1:
        value = registers[0]
    if hasattr(value, "get_counts"):
        value = _one_circuit(f"data: {label}", value).get_counts()
    if hasattr(value, "to_dict"):
        value = _of_series(value)
    if not isinstance(value, Mapping):
        return plain(value)
    width = sum(map(str.isalnum, label))
    of_qiskit = hasattr(value, "int_outcomes")

    def outcome(key: Any) -> str:
        if isinstance(key, (int, np.integer)) and key >= 0:
            return hex(key)
        text = _label(key)
        return text.replace(" ", "").replace("_", "").zfill(width) if of_qiskit else text

    return by_text(value, outcome, plain)


def _one_circuit(where: str, bits: Any) -> Any:
    if math.prod(getattr(bits, "shape", ())) != 1:
        raise ValueError(f"{where}: found results of shape {bits.shape}, expected one circuit")
    return bits


def _experiment(i: int, run: Any) -> dict[str, Any]:
    """The result of a sampler in the layout of a Result, whose reader finds the basis."""
    bits = _one_circuit(f"data: result {i}", run.join_data())
    metadata = run.metadata.get("circuit_metadata")
    if not metadata:
        raise ValueError(
            f"data: result {i}: found a circuit without metadata, expected its basis there, such "
            'as {"basis": "XYZ"}, or results by label, {"XYZ": result[0], ...}'
        )
    header = {
        "metadata": plain(metadata),
        "creg_sizes": [[name, register.num_bits] for name, register in run.data.items()],
        "memory_slots": bits.num_bits,
    }
    counts = {hex(outcome): count for outcome, count in bits.get_int_counts().items()}
    return {"header": header, "data": {"counts": counts}}
