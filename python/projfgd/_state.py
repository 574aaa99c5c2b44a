"""What is computed from the factor of a state when it is asked for."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Mapping
from typing import Any, cast, overload

import numpy as np

from . import _core
from ._bootstrap import interval_of
from ._data import is_path, known_to, read_array, require_finite, state_numbers
from ._entanglement import (
    Qubits,
    concurrence,
    entropy,
    largest_separable_overlap,
    listed,
    part_of,
)
from ._estimate import Comparison, Estimate, NoTarget, level_of
from ._observables import hermitian_matrix, pauli_sum
from ._picture import figure, signed
from ._progress import FitWarning
from ._result import Result
from ._typing import Array

#: Two ways to compute a number of size one differ by no more.
_ROUNDING = 1e-9
#: Up to six qubits the entries of a density matrix can be seen in a small picture.
_SHOWN_STATES = 64


class StateResult(Result):
    """The part of a :class:`TomographyResult` that follows from its factor."""

    qubits: int
    purity: Estimate
    target: str
    _target_of_run: Any = None

    @property
    def density_matrix(self) -> Array:
        """rho, an n x n array of trace one."""
        u = self._state
        return np.asarray(u @ u.conj().T)

    @property
    def _state(self) -> Array:
        require_finite(self.factor, "factor")  # anew: it may have been changed
        return _core.normalised(self.factor)

    @property
    def fidelity(self) -> Comparison:
        """Uhlmann's fidelity (tr sqrt(sqrt(rho) sigma sqrt(rho)))^2 with the target of the run.

        ``r.fidelity("ghz")`` is the fidelity with any other state: a name ("ghz", "w", "bell", "phi-",
        "psi+", "psi-", "plus", "zero"), amplitudes, an n x r factor, a density matrix, sparse or not, a Qiskit Statevector,
        DensityMatrix or QuantumCircuit, a QuTiP Qobj, another result, a simulation, or the path of
        an NPY file. The target of the run has an interval; others have one if the run made refits
        (``errors="bootstrap"``).
        """
        return self._comparison("fidelity", _core.fidelity)

    @property
    def trace_distance(self) -> Comparison:
        """1/2 ||rho - sigma||_1 from the target of the run, or ``r.trace_distance(other)``."""
        return self._comparison("trace_distance", _core.trace_distance)

    def _estimate(
        self, function: Callable[[Array], float], low: float = -np.inf, high: float = np.inf
    ) -> Estimate:
        """A function of the normalised factor, with an interval if the run made refits."""
        value = float(function(self._state))
        if (refits := getattr(self, "bootstrap_factors", None)) is None:
            return Estimate(value)
        samples = [function(u) for u in refits]
        return Estimate(value, interval_of(samples, value, low, high, self._widened))

    @property
    def _widened(self) -> float:
        """How many times the noise the residuals are, if the state does not explain the data."""
        return float(self.summary.get("intervals", {}).get("widened", 1.0))

    def _comparison(self, name: str, of_states: Callable[[Array, Array], float]) -> Comparison:
        def compare(target: Any) -> Estimate:
            other = self._target(target)
            return self._estimate(lambda u: of_states(u, other), 0, 1)

        if name not in self.summary:
            return cast(Comparison, NoTarget(name, compare))
        known = self.summary.get("intervals", {})
        method = self.summary.get("interval_method", {}).get(name)
        level = level_of(method, known.get("level", 0.95))
        determined = self._determines(name)
        return Comparison(self.summary[name], known.get(name), level, compare, determined)

    def _tell_of_open_state(self, name: str) -> None:
        """Warns if many states fit, so that the number is that of one of them."""
        if self.summary.get("determined") is False:
            warnings.warn(
                f"the data do not determine the state: {name} is that of one of many states that fit",
                FitWarning,
                stacklevel=3,
            )

    @overload
    def expectation(self, observable: str | Mapping[str, float]) -> Estimate: ...
    @overload
    def expectation(self, observable: list[Any] | tuple[Any, ...]) -> list[Estimate]: ...
    @overload
    def expectation(self, observable: Any) -> Any: ...
    def expectation(self, observable: Any) -> Any:
        """The expectation tr(O rho) of an observable, or a list of them for a list of observables.

        An observable is a Pauli string such as "XIZ", "+XIZ" or "-XIZ", the leftmost letter the
        highest qubit; a sum of them as a dict {"XX": 0.5, "ZZ": -1}; a Qiskit Pauli or
        SparsePauliOp with real coefficients; or a Hermitian 2^q x 2^q array. A list, tuple or
        PauliList stands for several. Those given as ``observables=`` have intervals and say whether
        the data determine them: ``result.expectations["XIZ"]``. So have those of ``result.paulis``,
        the Bloch vectors and the largest expectations. Others have intervals with
        ``errors="bootstrap"``.
        """
        if isinstance(observable, (list, tuple)) or (
            hasattr(observable, "to_labels") and not hasattr(observable, "coeffs")
        ):
            return [self.expectation(one) for one in observable]
        if isinstance(observable, np.ndarray):
            matrix = hermitian_matrix(observable, len(self.factor))
            return self._estimate(lambda u: float(np.vdot(u, matrix @ u).real))
        terms = pauli_sum(observable, self.summary["qubits"])
        weights = list(terms.values())
        label = next(iter(terms), "")
        if weights == [1] and (known := self.summary.get("expectations", {})) and label in known:
            return cast(Estimate, getattr(self, "expectations")[label])
        found = self._estimate(lambda u: float(np.dot(weights, _core.expectations(list(terms), u))))
        if weights == [1] and found.interval is None and label in self.summary.get("paulis", {}):
            shown = getattr(self, "paulis")[label]
            if isinstance(shown, Estimate) and abs(shown - found) < _ROUNDING:  # the same factor
                return shown
        return found

    def reduced_state(self, qubits: Qubits) -> Array:
        """The density matrix of one or several qubits; the first one is the lowest bit."""
        return _core.reduced_state(self._state, listed(qubits))

    def negativity(self, qubits: Qubits) -> Estimate:
        """The entanglement of these qubits with the others: minus the sum of the negative
        eigenvalues of the partial transpose, 0 for a product state and 1/2 for a Bell pair. Up to
        six qubits it has an interval for a single qubit; with ``errors="bootstrap"`` always."""
        u = self._state
        part = part_of(u, qubits)
        if len(part) == self.summary["qubits"]:
            raise ValueError("qubits: found all qubits, expected a part of them")
        self._tell_of_open_state("the negativity")
        key = str(part[0]) if len(part) == 1 else ""
        intervals = self.summary.get("intervals", {})
        if key in (known := intervals.get("negativities", {})):
            return Estimate(_core.negativity(u, part), known[key], intervals["level"])
        return self._estimate(lambda v: _core.negativity(v, part), 0)

    def concurrence(self, qubits: Qubits | None = None, second: int | None = None) -> Estimate:
        """Wootters' concurrence of two qubits, from 0 (separable) to 1 (a Bell pair).

        With more than two qubits, choose two: ``r.concurrence([0, 2])`` or ``r.concurrence(0, 2)``.
        """
        if qubits is not None and second is not None:
            qubits = [*listed(qubits), second]
        pair = listed(qubits) if qubits is not None else list(range(self.summary["qubits"]))
        if len(pair) != 2:
            raise ValueError(f"qubits: found {len(pair)} of them, expected two, such as [0, 1]")
        self._tell_of_open_state("the concurrence")
        return self._estimate(lambda u: concurrence(_core.reduced_state(u, pair)), 0, 1)

    def mutual_information(self, first: Qubits, second: Qubits | None = None) -> Estimate:
        """S(A) + S(B) - S(AB) in bits for two groups of qubits; B is all other qubits by default."""
        u = self._state
        a = part_of(u, first, "first")
        others = [q for q in range(self.summary["qubits"]) if q not in a]
        b = others if second is None else part_of(u, second, "second")
        if set(a) & set(b) or not b:
            raise ValueError(f"second: found {b}, expected qubits that are not in {a}")
        self._tell_of_open_state("the mutual information")
        return self._estimate(lambda v: entropy(v, a) + entropy(v, b) - entropy(v, [*a, *b]), 0)

    def witness(self, target: Any = None) -> Estimate:
        """tr(W rho) of the witness W = a 1 - |psi><psi| for a pure target psi.

        A value below zero shows genuine multipartite entanglement: a is the largest overlap of psi
        with any biseparable state. For GHZ states a = 1/2, so the witness is 1/2 - fidelity. The
        default target is that of the run, with the interval of the fidelity.
        """
        known = self._target_of_run if target is None else target
        if known is None:
            raise TypeError("target: found none, expected a pure state, here or for tomography()")
        psi = self._target(known)
        if psi.ndim == 2 and psi.shape[1] != 1:
            raise ValueError(f"target: found shape {psi.shape}, expected the amplitudes of a state")
        psi = psi.reshape(-1, 1) / np.linalg.norm(psi)
        bound = largest_separable_overlap(psi)
        found: Estimate = self.fidelity if target is None else self.fidelity(target)
        turned = None if found.interval is None else (bound - found.high, bound - found.low)
        return Estimate(bound - float(found), turned, found.level, determined=found.determined)

    def _size(self) -> str:
        return f"{self.qubits} qubit{'' if self.qubits == 1 else 's'}"

    def _headline(self) -> str:
        return str(_core.headline(json.dumps(self.summary)))

    def _pictures(self) -> list[str]:
        if len(self.factor) > _SHOWN_STATES:
            return []
        rho = self.density_matrix
        largest = float(np.abs(rho).max())
        parts = {"real part": rho.real, "imaginary part": rho.imag}
        return [figure(signed(part, largest), name) for name, part in parts.items()]

    def _target(self, target: Any) -> Array:
        if target is None:
            raise TypeError(
                "target: found None, expected a state: a name, amplitudes, a density matrix, a "
                "state of Qiskit or QuTiP, or another result"
            )
        if isinstance(target, str) and not (os.path.splitext(target)[1] or os.path.dirname(target)):
            return _core.named_state(target, self.summary["qubits"])
        target = known_to(target, "target", "target", "truth")
        if is_path(target) and os.fsdecode(target).endswith(".json"):
            return _core.read_amplitudes(os.fsdecode(target), self.summary["qubits"])
        array = read_array(target) if is_path(target) else target
        return state_numbers(array, "target").astype(np.complex128)
