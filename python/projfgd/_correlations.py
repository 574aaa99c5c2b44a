"""What is asked of a state about how its qubits belong together."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ._entanglement import (
    Qubits,
    concurrence,
    entropy,
    largest_separable_overlap,
    listed,
    negativity,
    part_of,
)
from ._estimate import Comparison, Estimate
from ._result import Result
from ._typing import Array


class Correlations(Result):
    """The part of a :class:`TomographyResult` that speaks of entanglement."""

    _target_of_run: Any = None

    @property
    @abstractmethod
    def _state(self) -> Array: ...

    @property
    @abstractmethod
    def fidelity(self) -> Comparison: ...

    @abstractmethod
    def reduced_state(self, qubits: Qubits) -> Array: ...

    @abstractmethod
    def _target(self, target: Any) -> Array: ...

    def negativity(self, qubits: Qubits) -> float:
        """How entangled these qubits are with the others: the sum of the negative eigenvalues of
        the partial transpose, without its sign. It is 0 for a product, 1/2 for a Bell pair."""
        u = self._state
        return negativity(u, part_of(u, qubits))

    def concurrence(self, qubits: Qubits | None = None) -> float:
        """Wootters' concurrence of two qubits, from 0 (separable) to 1 (a Bell pair).

        Of a state of more than two qubits say which two: ``r.concurrence([0, 2])``.
        """
        pair = listed(qubits) if qubits is not None else list(range(self.summary["qubits"]))
        if len(pair) != 2:
            raise ValueError(f"qubits: found {len(pair)} of them, expected two, such as [0, 1]")
        return concurrence(self.reduced_state(pair))

    def mutual_information(self, first: Qubits, second: Qubits | None = None) -> float:
        """S(A) + S(B) - S(AB) in bits for two groups of qubits; B is all others when left out."""
        u = self._state
        a = part_of(u, first, "first")
        others = [q for q in range(self.summary["qubits"]) if q not in a]
        b = others if second is None else part_of(u, second, "second")
        if set(a) & set(b) or not b:
            raise ValueError(f"second: found {b}, expected qubits that are not in {a}")
        return entropy(u, a) + entropy(u, b) - entropy(u, [*a, *b])

    def witness(self, target: Any = None) -> Estimate:
        """tr(W rho) of the witness W = a 1 - |psi><psi| for a pure target psi.

        Below zero the qubits are all entangled with each other: a is the largest overlap that psi
        has with any state that falls into two parts. Of GHZ states it is 1/2, so that the witness
        is 1/2 - fidelity. Without ``target`` it is that of the run, with the interval of the fidelity.
        """
        known = self._target_of_run if target is None else target
        if known is None:
            raise TypeError("target: found none, expected a pure state, here or for tomography()")
        psi = self._target(known)
        if psi.ndim == 2 and psi.shape[1] != 1:
            raise ValueError(f"target: found shape {psi.shape}, expected the amplitudes of a state")
        psi = psi.reshape(-1, 1) / np.linalg.norm(psi)
        bound = largest_separable_overlap(psi)
        found: float = self.fidelity if target is None else self.fidelity(target)
        interval = getattr(found, "interval", None)
        turned = None if interval is None else (bound - interval[1], bound - interval[0])
        return Estimate(bound - float(found), turned)
