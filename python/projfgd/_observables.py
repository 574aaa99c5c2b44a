"""Observables as sums of Pauli strings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._shown import quoted, shown

_EXPECTED = (
    'a Pauli string, a dict such as {"XX": 0.5, "ZZ": -1}, a Hermitian array, or a Pauli or '
    "SparsePauliOp of Qiskit"
)


def pauli_sum(given: Any, qubits: int) -> dict[str, float]:
    """Pauli strings of this many letters, with their coefficients."""
    if hasattr(given, "coeffs"):
        if np.any(np.imag(given.coeffs)):
            raise ValueError("observable: found complex coefficients, expected real ones")
        pairs = [(pauli, c) for c, pauli in zip(np.real(given.coeffs), given.paulis)]
    elif isinstance(given, Mapping):
        pairs = list(given.items())
    else:
        pairs = [(given, 1.0)]
    if not pairs:
        raise ValueError("observable: found an empty sum, expected at least one Pauli string")
    terms: dict[str, float] = {}
    for pauli, coefficient in pairs:
        letters, sign = _letters(pauli, qubits)
        terms[letters] = terms.get(letters, 0.0) + sign * _real(coefficient)
    return terms


def hermitian_matrix(given: np.ndarray[Any, Any], rows: int) -> np.ndarray[Any, Any]:
    """An observable as an array of that many rows and columns."""
    if given.shape != (rows, rows):
        found = " x ".join(map(str, given.shape))
        raise ValueError(f"observable: found an array of shape {found}, expected {rows} x {rows}")
    if given.dtype.kind not in "biufc" or not np.allclose(given, given.conj().T):
        raise ValueError("observable: found an array that is not Hermitian")
    return given


def _letters(pauli: Any, qubits: int) -> tuple[str, int]:
    """The letters of a Pauli string, and its sign."""
    if not isinstance(pauli, str) and not hasattr(pauli, "to_label"):
        raise TypeError(f"observable: found {type(pauli).__name__}, expected {_EXPECTED}")
    # Qiskit writes a factor i as a small letter, people an I.
    label = pauli.to_label() if hasattr(pauli, "to_label") else pauli.upper()
    letters = label[1:] if label[:1] in ("+", "-") else label
    if len(letters) != qubits:
        raise ValueError(f'observable: found {quoted(label)}, expected {qubits} letters I, X, Y or Z')
    return letters, -1 if label.startswith("-") else 1


def _real(coefficient: Any) -> float:
    try:
        return float(coefficient)
    except (TypeError, ValueError):
        raise ValueError(
            f"observable: found the coefficient {shown(coefficient)}, expected a real number"
        ) from None
