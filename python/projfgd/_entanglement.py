"""Entropy and entanglement of parts of a state, from its factor U with rho = U U^H, tr rho = 1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from operator import index
from typing import Any

import numpy as np

from . import _core
from ._shown import shown
from ._typing import Array

Qubits = int | Sequence[int]


def listed(qubits: Any, name: str = "qubits") -> list[int]:
    """One qubit or several, as a list."""
    items = list(qubits) if isinstance(qubits, Iterable) and not isinstance(qubits, str) else [qubits]
    if not items:
        raise ValueError(f"{name}: found {shown(qubits)}, expected at least one")
    if not all(hasattr(q, "__index__") and not isinstance(q, (bool, np.bool_)) for q in items):
        found = f"{name}: found {shown(qubits)}"
        raise TypeError(f"{found}, expected a number, such as 0, or a list of them")
    return list(map(index, items))


def part_of(u: Array, qubits: Any, name: str = "qubits") -> list[int]:
    """The qubits of a part of the state, each once."""
    part, all_qubits = listed(qubits, name), _count(u)
    for q in part:
        if not 0 <= q < all_qubits:
            raise ValueError(f"{name}: found qubit {q}, expected 0 to {all_qubits - 1}")
    if len(set(part)) != len(part):
        raise ValueError(f"{name}: found {part}, expected each qubit once")
    return part


def cut(u: Array, part: Sequence[int]) -> Array:
    """A row for each basis state of the part; columns for the other qubits and those of U."""
    q = _count(u)
    tensor = u.reshape([2] * q + [u.shape[1]])
    first = [q - 1 - j for j in sorted(part, reverse=True)]
    return np.moveaxis(tensor, first, range(len(first))).reshape(2 ** len(first), -1)


def entropy(u: Array, part: Sequence[int]) -> float:
    """The entropy of the part, in bits."""
    values = np.linalg.svd(cut(u, part), compute_uv=False) ** 2
    return _core.entropy(np.ascontiguousarray(values))


def concurrence(rho: Array) -> float:
    """The concurrence of two qubits (Wootters, Phys. Rev. Lett. 80 (1998))."""
    flip = np.array([[0, 0, 0, -1], [0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0]])
    values, vectors = np.linalg.eigh(rho)
    root = vectors * np.sqrt(np.maximum(values, 0))
    # The singular values of sqrt(rho)^T flip sqrt(rho) are those of Wootters' formula.
    found = np.linalg.svd(root.T @ flip @ root, compute_uv=False)
    return float(max(0.0, found[0] - found[1:].sum()))


def largest_separable_overlap(psi: Array) -> float:
    """The largest overlap of a pure state with any biseparable state."""
    q = _count(psi)
    if q == 1:
        raise ValueError("target: found one qubit, expected at least two")
    # A part and the rest have the same coefficients: the parts that hold qubit 0 are enough.
    parts = ((0, *others) for k in range(q - 1) for others in combinations(range(1, q), k))
    return float(max(np.linalg.norm(cut(psi, part), 2) ** 2 for part in parts))


def _count(u: Array) -> int:
    return int(u.shape[0]).bit_length() - 1
