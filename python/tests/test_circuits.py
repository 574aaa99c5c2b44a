"""From a Qiskit circuit to a state, and the shapes in which counts come back."""

import numpy as np
import pandas
import pytest
from conftest import BELL
from qiskit import QuantumCircuit
from qiskit.primitives import StatevectorSampler
from qiskit.quantum_info import Statevector
from qiskit.result import Counts, Result

import projfgd


def prepared():
    """A state that is not the same when qubits or axes are exchanged."""
    circuit = QuantumCircuit(2, metadata={"run": 7})
    circuit.h(0)
    circuit.cx(0, 1)
    circuit.t(1)
    circuit.ry(0.4, 0)
    return circuit


@pytest.mark.parametrize("bases", ["all", 8, ["XX", "YZ", "ZY", "ZZ", "XY", "YX", "XZ", "ZX"]])
def test_a_circuit_is_measured_and_found_again(bases):
    circuit = prepared()
    measured = projfgd.circuits(circuit, bases)
    labels = [c.metadata["basis"] for c in measured]
    assert len(set(labels)) == len(measured) == (9 if bases == "all" else 8)
    assert all(c.metadata["run"] == 7 for c in measured)
    assert circuit.num_clbits == 0 and circuit.metadata == {"run": 7}
    result = StatevectorSampler(seed=1).run(measured, shots=4000).result()
    assert projfgd.tomography(result, rank=1).fidelity(Statevector(circuit)) > 0.99


def test_measurements_at_the_end_are_taken_off_and_some_qubits_can_be_chosen():
    circuit = QuantumCircuit(3, 1)
    circuit.x(2)
    circuit.h(0)
    circuit.measure_all()
    measured = projfgd.circuits(circuit, ["ZX"], qubits=[0, 2])
    (run,) = StatevectorSampler(seed=1).run(measured, shots=100).result()
    assert run.join_data().get_counts() == {"10": 100}
    chosen = projfgd.circuits(circuit, qubits=[0, 2])
    found = projfgd.tomography(StatevectorSampler(seed=1).run(chosen, shots=500).result())
    plus_one = np.kron([0, 1], np.sqrt([0.5, 0.5]))
    assert found.fidelity(plus_one) > 0.98


def test_random_bases_are_those_of_the_seed():
    labels = [[c.metadata["basis"] for c in projfgd.circuits(prepared(), 4, seed=k)] for k in (1, 1, 2)]
    assert labels[0] == labels[1] != labels[2]


@pytest.mark.parametrize(
    ("bases", "text"),
    [("XX", "found 'XX', expected \"all\", a number, or a list of labels"),
     (["XXX"], 'found "XXX", expected 2 letters X, Y or Z'), (["XI"], 'found "XI", expected 2'),
     (10, "found 10, expected 1 to 9 of them"), (0, "found 0, expected 1 to 9")],
)  # fmt: skip
def test_other_bases_are_refused(bases, text):
    with pytest.raises(ValueError, match=f"^bases: {text}"):
        projfgd.circuits(prepared(), bases)
    with pytest.raises(TypeError, match="^circuit: found int, expected a QuantumCircuit"):
        projfgd.circuits(3)


class Experiment:
    """What qiskit-experiments calls ExperimentData, as far as it is looked at."""

    experiment_id = "an experiment"

    def __init__(self, runs):
        self.runs = runs

    def data(self):
        return self.runs


def shots(counts):
    return [outcome for outcome, count in counts.items() for _ in range(count)]


def header(basis):
    return {"name": f"circuit-{basis}", "metadata": {"basis": basis}, "memory_slots": 2,
            "creg_sizes": [["c", 2]]}  # fmt: skip


def result_of(basis):
    run = {"shots": 1000, "success": True, "data": {"counts": {hex(int(k, 2)): v for k, v in
           BELL[basis].items()}}, "header": header(basis)}  # fmt: skip
    return Result.from_dict({"results": [run], "backend_name": "b", "backend_version": "1",
                             "job_id": "j", "success": True, "qobj_id": "q"})  # fmt: skip


WIDE = pandas.DataFrame(BELL).T  # a row for each basis; what did not occur is not a number
HALVES = [(basis, {k: v // 2 + half * (v % 2) for k, v in counts.items()})
          for half in (0, 1) for basis, counts in BELL.items()]  # fmt: skip


@pytest.mark.parametrize(
    "data",
    [
        list(BELL.items()),
        HALVES,
        [(basis, Counts(counts)) for basis, counts in BELL.items()],
        [(basis, shots(counts)) for basis, counts in BELL.items()],
        [(basis, shot) for basis, counts in BELL.items() for shot in shots(counts)],
        {basis: shots(counts) for basis, counts in BELL.items()},
        {b: np.array([[*map(int, shot)] for shot in shots(c)]) for b, c in BELL.items()},
        WIDE,
        WIDE.T,
        WIDE.rename_axis("basis").reset_index(),
        pandas.DataFrame([(b, s) for b, c in BELL.items() for s in shots(c)],
                         columns=["basis", "outcome"]),
        [result_of(basis) for basis in BELL],
        Experiment([{"counts": c, "metadata": {"basis": b}} for b, c in BELL.items()]),
        Experiment([{"counts": BELL[b], "metadata": {"m_idx": [k, k]}}
                    for b, k in (("XX", 1), ("YY", 2), ("ZZ", 0))]),
    ],
    ids=lambda data: type(data).__name__,
)  # fmt: skip
def test_counts_come_in_many_shapes(data):
    expected = projfgd.tomography(BELL, rank=1)
    found = projfgd.tomography(data, rank=1)
    np.testing.assert_allclose(found.density_matrix, expected.density_matrix, atol=1e-12)
    assert found.shots == expected.shots


@pytest.mark.filterwarnings("ignore:.* the answer is one of many that fit")
def test_the_numbers_of_an_experiment_begin_with_qubit_0():
    """Z on qubit 0, which is 1; X on qubit 1, which is in |+>."""
    runs = [{"counts": {"01": 50, "11": 50}, "metadata": {"m_idx": [0, 0]}},
            {"counts": {"01": 100}, "metadata": {"m_idx": [0, 1]}}]  # fmt: skip
    r = projfgd.tomography(Experiment(runs), rank=1)
    assert r.expectation("IZ") < -0.99 and r.expectation("XI") > 0.99


def test_an_experiment_without_bases_is_told():
    with pytest.raises(ValueError, match="^data: found an experiment without data, expected one that"):
        projfgd.tomography(Experiment([]))
    for metadata in ({}, {"m_idx": [7]}):
        with pytest.raises(ValueError, match="^data: circuit 0 of the experiment: found no basis"):
            projfgd.tomography(Experiment([{"counts": {"0": 1}, "metadata": metadata}]))
