"""Qiskit circuits that measure a state in product bases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any, Literal

import numpy as np

from ._data import check_numbers
from ._shown import quoted, shown

_LETTERS = "XYZ"


def circuits(
    circuit: Any,
    bases: Literal["all"] | int | Iterable[str] = "all",
    *,
    qubits: Sequence[int] | None = None,
    seed: int = 1,
) -> list[Any]:
    """The circuit followed by a measurement in each basis, ready for a sampler or a backend.

    Each circuit carries its basis in ``metadata["basis"]``. Run them, and pass the result
    directly to :func:`tomography`. Needs Qiskit.

    Parameters
    ----------
    circuit
        A QuantumCircuit that prepares the state. Final measurements are removed.
    bases
        "all" for the 3^q products of X, Y and Z; a number of random ones; or a list of labels
        such as ``["XX", "ZZ"]``, whose rightmost letter is qubit 0.
    qubits
        The qubits to measure, the first one as qubit 0; all by default.
    seed
        Random seed of the bases.

    >>> from qiskit import QuantumCircuit
    >>> from qiskit.primitives import StatevectorSampler
    >>> import projfgd
    >>> bell = QuantumCircuit(2)
    >>> _ = bell.h(0), bell.cx(0, 1)
    >>> measured = projfgd.circuits(bell)
    >>> len(measured), measured[0].metadata
    (9, {'basis': 'XX'})
    >>> result = StatevectorSampler(seed=1).run(measured, shots=1000).result()
    >>> projfgd.tomography(result).fidelity("bell") > 0.99
    True
    """
    if not hasattr(circuit, "remove_final_measurements"):
        found = type(circuit).__name__
        raise TypeError(f"circuit: found {found}, expected a QuantumCircuit of Qiskit")
    from qiskit import ClassicalRegister

    prepared = _without_unused_bits(circuit.remove_final_measurements(inplace=False))
    measured = list(range(prepared.num_qubits)) if qubits is None else list(qubits)
    made = []
    for label in _labels(bases, len(measured), seed):
        turned = prepared.copy(name=f"{circuit.name}-{label}")
        turned.metadata = {**(circuit.metadata or {}), "basis": label}
        register = ClassicalRegister(len(measured), _free_name(turned))
        turned.add_register(register)
        for qubit, letter in zip(measured, reversed(label)):
            if letter == "Y":
                turned.sdg(qubit)
            if letter != "Z":
                turned.h(qubit)
        turned.measure(measured, register)
        made.append(turned)
    return made


def _without_unused_bits(circuit: Any) -> Any:
    """The circuit without classical bits where it uses none: a sampler would return them too."""
    if not circuit.clbits or any(step.clbits for step in circuit.data):
        return circuit
    bare = type(circuit)(*circuit.qregs, global_phase=circuit.global_phase)
    for step in circuit.data:
        bare.append(step.operation, step.qubits)
    return bare


def _labels(bases: Any, qubits: int, seed: int) -> list[str]:
    if isinstance(bases, str) and bases == "all":
        return ["".join(letters) for letters in product(_LETTERS, repeat=qubits)]
    if isinstance(bases, (int, np.integer)):
        check_numbers({"bases": bases, "seed": seed})
        if not 1 <= bases <= 3**qubits:
            raise ValueError(f"bases: found {bases}, expected 1 to {3**qubits} of them")
        return _random_labels(int(bases), qubits, seed)
    if isinstance(bases, str) or not isinstance(bases, Iterable):
        raise ValueError(
            f'bases: found {shown(bases)}, expected "all", a number, or a list of labels such as ["XX"]'
        )
    labels = [str(label).upper() for label in bases]
    for label in labels:
        if len(label) != qubits or set(label) - set(_LETTERS):
            raise ValueError(f'bases: found {quoted(label)}, expected {qubits} letters X, Y or Z')
    return labels


def _random_labels(count: int, qubits: int, seed: int) -> list[str]:
    """So many different ones."""
    draws = np.random.default_rng(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        found["".join(draws.choice(list(_LETTERS), qubits))] = None
    return list(found)


def _free_name(circuit: Any) -> str:
    taken = {register.name for register in circuit.cregs}
    return next(name for k in range(len(taken) + 1) if (name := f"basis{k or ''}") not in taken)
