"""projfgd beside the constrained least squares of qiskit-experiments, on the same counts.

    python bench/rivals/beside_qiskit.py [SETS]

Needs `pip install projfgd qiskit-experiments cvxpy`. W and GHZ states with 10% white noise, all 3^q
Pauli settings, 1000 shots each: the mean infidelity to the true state and the processor seconds of
one fit. Both programs get their defaults."""

import itertools
import sys
import time

import numpy as np
import projfgd
from qiskit_experiments.library.tomography.basis import PauliMeasurementBasis
from qiskit_experiments.library.tomography.fitters import cvxpy_gaussian_lstsq

SHOTS, WHITE = 1000, 0.1
TURNS = {"Z": np.eye(2), "X": np.array([[1, 1], [1, -1]]) / np.sqrt(2),
         "Y": np.array([[1, -1j], [1, 1j]]) / np.sqrt(2)}
QISKIT_INDEX = {"Z": 0, "X": 1, "Y": 2}


def true_state(name, qubits):
    psi = np.zeros(2 ** qubits)
    psi[[2 ** k for k in range(qubits)] if name == "w" else [0, -1]] = 1
    psi /= np.linalg.norm(psi)
    return (1 - WHITE) * np.outer(psi, psi) + WHITE * np.eye(len(psi)) / len(psi)


def measured(rho, random):
    """Label to the counts of every outcome; the leftmost letter is the highest qubit."""
    counts = {}
    qubits = len(rho).bit_length() - 1
    for letters in itertools.product("XYZ", repeat=qubits):
        turn = np.eye(1)
        for letter in letters:
            turn = np.kron(turn, TURNS[letter])
        p = np.real(np.diag(turn @ rho @ turn.conj().T)).clip(0)
        counts["".join(letters)] = random.multinomial(SHOTS, p / p.sum())
    return counts


def infidelity(rho, sigma):
    values, vectors = np.linalg.eigh(rho)
    root = vectors * np.sqrt(values.clip(0)) @ vectors.conj().T
    return 1 - np.sqrt(np.linalg.eigvalsh(root @ sigma @ root).clip(0)).sum() ** 2


def by_projfgd(counts):
    data = {label: [int(n) for n in row] for label, row in counts.items()}
    return projfgd.tomography(data, threads=1).density_matrix


def by_qiskit(counts):
    fit, _ = cvxpy_gaussian_lstsq(
        np.array([list(counts.values())]), np.full(len(counts), SHOTS),
        np.array([[QISKIT_INDEX[letter] for letter in reversed(label)] for label in counts]),
        np.zeros((len(counts), 0), dtype=int), measurement_basis=PauliMeasurementBasis(),
        measurement_qubits=tuple(range(len(next(iter(counts))))))
    return np.array(fit.data if hasattr(fit, "data") else fit)


def main(sets=5):
    print("qubits  qiskit-experiments    projfgd")
    for qubits in (2, 3, 4, 5):
        seconds, errors = {}, {}
        for name, k in itertools.product(("w", "ghz"), range(sets)):
            rho = true_state(name, qubits)
            counts = measured(rho, np.random.default_rng(k))
            for fit in (by_qiskit, by_projfgd):
                began = time.process_time()
                found = fit(counts)
                seconds.setdefault(fit, []).append(time.process_time() - began)
                errors.setdefault(fit, []).append(infidelity(rho, found))
        print(f"{qubits:6}" + "".join(f"  {np.median(seconds[fit]):8.3f} s {np.mean(errors[fit]):8.5f}"
                                      for fit in (by_qiskit, by_projfgd)))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
