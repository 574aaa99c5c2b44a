"""From what people hold in Python to the names and bytes that the library's readers take.

Nothing is interpreted here: labels, bit strings and numbers are written down as they come, and the
readers of the library judge them.
"""

from __future__ import annotations

import io
import json
import math
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._typing import Array


class MemoryFiles:
    """Names with the bytes that stand for files of these names.

    A file is a pair: what comes first, and an array of bytes. For an NPY file these are its header
    and the memory of the array itself, which is read where it lies.
    """

    def __init__(self) -> None:
        self.files: dict[str, tuple[bytes, Array]] = {}

    def add_json(self, name: str, value: Any) -> str:
        self.files[name] = json.dumps(value).encode(), np.empty(0, np.uint8)
        return name

    def add_array(self, name: str, value: Array) -> str:
        if value.dtype.hasobject:
            raise ValueError(f"{name}: found entries of type {value.dtype}, expected numbers")
        header = io.BytesIO()
        np.lib.format.write_array_header_2_0(
            header, np.lib.format.header_data_from_array_1_0(value)
        )
        self.files[name] = header.getvalue(), value.reshape(-1).view(np.uint8)
        return name

    def path_or_json(self, name: str, value: Any) -> str | None:
        """A path or a name as it is, anything else as JSON."""
        if value is None or is_path(value):
            return value if value is None else os.fspath(value)
        return self.add_json(name, plain(value))

    def path_or_array(self, name: str, value: Any) -> str | None:
        """A path or a name as it is, anything else as an NPY file."""
        if value is None or is_path(value):
            return value if value is None else os.fspath(value)
        return self.add_array(name, numbers(value))


def is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def numbers(value: Any) -> Array:
    """What is in an array, a Qiskit Statevector or DensityMatrix, or a QuTiP Qobj."""
    if hasattr(value, "full"):  # QuTiP
        value = value.full()
    elif not isinstance(value, np.ndarray) and hasattr(value, "data"):  # Qiskit
        value = value.data
    return np.ascontiguousarray(value)


def plain(value: Any) -> Any:
    """The same with the types of JSON: counts of Qiskit and numbers of NumPy become plain ones."""
    if hasattr(value, "get_counts"):  # Qiskit's BitArray
        value = value.get_counts()
    if hasattr(value, "to_dict"):  # Qiskit's Result and its parts
        value = value.to_dict()
    if isinstance(value, Mapping):
        return {_label(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, complex) and value.imag == 0:
        value = value.real
    if isinstance(value, complex) or (isinstance(value, float) and not math.isfinite(value)):
        return str(value)  # JSON has no such number: the reader says where it stands
    return value


def _label(key: Any) -> str:
    return key.to_label() if hasattr(key, "to_label") else str(key)


def measurements(data: Any, files: MemoryFiles) -> list[str]:
    """The names of the files with the data."""
    if is_path(data):
        return [os.fspath(data)]
    if isinstance(data, (list, tuple)) and data and all(is_path(item) for item in data):
        return [os.fspath(item) for item in data]
    if isinstance(data, tuple) and len(data) == 2:
        return [_pauli_file(_labels(data[0]), list(data[1]), files)]
    if isinstance(data, Mapping) and data and all(map(_is_expectation, data.items())):
        return [_pauli_file(list(map(_label, data)), list(data.values()), files)]
    return [files.add_json("data", plain(data))]


def _is_expectation(item: tuple[Any, Any]) -> bool:
    """Whether a key and its value are a Pauli string and a number, not an outcome and a count."""
    key, value = item
    return isinstance(value, (int, float, complex, np.number, tuple)) and not any(
        letter.isdigit() for letter in _label(key)
    )


def _labels(paulis: Any) -> list[str]:
    """The labels of a Qiskit SparsePauliOp or PauliList, or of a list of labels."""
    paulis = getattr(paulis, "paulis", paulis)
    if hasattr(paulis, "to_labels"):
        return list(paulis.to_labels())
    return list(map(_label, paulis))


def _pauli_file(labels: list[str], values: list[Any], files: MemoryFiles) -> str:
    """Labels with expectations and, where pairs are given, standard errors."""
    if len(values) != len(labels):
        raise ValueError(f"data: found {len(labels)} labels and {len(values)} values")
    keys = ("expectation", "stderr")
    rows = [
        {"pauli": label, **dict(zip(keys, value if isinstance(value, tuple) else (value,)))}
        for label, value in zip(labels, values)
    ]
    return files.add_json("data", plain(rows))
