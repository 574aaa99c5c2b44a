"""The forms in which projfgd.tomography takes data and states."""

import numpy as np
import pandas
import pytest
import qutip
import scipy.sparse
from qiskit import ClassicalRegister, QuantumCircuit, QuantumRegister
from qiskit.primitives import BitArray, StatevectorEstimator, StatevectorSampler
from qiskit.quantum_info import DensityMatrix, Pauli, PauliList, SparsePauliOp, Statevector
from qiskit.result import Counts, Result

import projfgd

LABELS = ("XX", "YY", "ZZ", "XZ")

#: For tests of how a few numbers are read, fewer than determine a state.
few_numbers = pytest.mark.filterwarnings("ignore:.* the answer is one of many that fit")


def prepared():
    """A state that no reversal of its qubits leaves alone."""
    circuit = QuantumCircuit(2)
    circuit.ry(0.7, 0)
    circuit.cx(0, 1)
    circuit.t(1)
    circuit.h(0)
    return circuit


def measured(label, **more):
    circuit = prepared()
    circuit.metadata = more.get("metadata", {"basis": label})
    for qubit, letter in enumerate(reversed(label)):
        if letter == "Y":
            circuit.sdg(qubit)
        if letter != "Z":
            circuit.h(qubit)
    circuit.measure_all()
    return circuit


@pytest.fixture(scope="module")
def sampled():
    """What a sampler says of every setting, and the same as a dict of dicts."""
    result = StatevectorSampler(seed=7).run(list(map(measured, LABELS)), shots=500).result()
    return result, {label: one.data.meas.get_counts() for label, one in zip(LABELS, result)}


@pytest.fixture(scope="module")
def fitted(sampled):
    return projfgd.tomography(sampled[1], rank=1)


def as_result(counts):
    """The Result object of older backends."""
    return Result.from_dict(
        {
            "backend_name": "simulator", "backend_version": "1", "qobj_id": "1", "job_id": "1",
            "success": True, "date": None,
            "results": [
                {
                    "shots": 500, "success": True,
                    "data": {"counts": {hex(int(bits, 2)): n for bits, n in outcomes.items()}},
                    "header": {"name": label, "creg_sizes": [["c", 2]], "memory_slots": 2},
                }
                for label, outcomes in counts.items()
            ],
        }
    )  # fmt: skip


def long_table(counts):
    rows = [(label, bits, n) for label, some in counts.items() for bits, n in some.items()]
    return pandas.DataFrame(rows, columns=["basis", "outcome", "count"])


FORMS = {
    "a Result": lambda result, counts: as_result(counts),
    "a PrimitiveResult": lambda result, counts: result,
    "a list of results": lambda result, counts: list(result),
    "results by label": lambda result, counts: dict(zip(LABELS, result)),
    "bit arrays by label": lambda result, counts: {
        label: one.data.meas for label, one in zip(LABELS, result)
    },
    "data bins by label": lambda result, counts: {
        label: one.data for label, one in zip(LABELS, result)
    },
    "Counts": lambda result, counts: {label: Counts(some) for label, some in counts.items()},
    "tuples": lambda result, counts: {
        tuple(label): {tuple(map(int, bits)): n for bits, n in some.items()}
        for label, some in counts.items()
    },
    "integers": lambda result, counts: {
        label: {int(bits, 2): n for bits, n in some.items()} for label, some in counts.items()
    },
    "a long table": lambda result, counts: long_table(counts),
    "a long table of numbers": lambda result, counts: long_table(counts).astype({"outcome": int}),
}


@pytest.mark.parametrize("form", FORMS)
def test_counts_in_any_form_give_the_same_state(form, sampled, fitted):
    r = projfgd.tomography(FORMS[form](*sampled), rank=1)
    # The settings may come in another order, and sums round in another way.
    assert r.shots == fitted.shots
    np.testing.assert_allclose(r.density_matrix, fitted.density_matrix, atol=1e-6)


@few_numbers
def test_further_registers_of_a_sampler_are_summed_over():
    circuit = QuantumCircuit(
        QuantumRegister(3), ClassicalRegister(1, "syndrome"), ClassicalRegister(2, "data"),
        metadata={"basis": "ZZ"},
    )  # fmt: skip
    circuit.x([0, 1])
    circuit.measure([0, 1, 2], [0, 1, 2])
    result = StatevectorSampler(seed=1).run([circuit], shots=10).result()
    assert projfgd.tomography(result, rank=1).expectation("ZI") == pytest.approx(1, abs=1e-6)
    assert projfgd.tomography(result, rank=1).expectation("IZ") == pytest.approx(-1, abs=1e-6)


def test_counts_may_have_their_basis_in_the_index(sampled, fitted):
    rows = {
        (label, outcome): count
        for label, counts in sampled[1].items()
        for outcome, count in counts.items()
    }
    for data in (rows, pandas.Series(rows)):
        r = projfgd.tomography(data, rank=1)
        np.testing.assert_array_equal(r.density_matrix, fitted.density_matrix)


def test_keys_in_the_index_of_a_table_are_columns(sampled, fitted):
    table = pandas.DataFrame(
        [
            {"outcome": outcome, "basis": label, "count": count}
            for label, counts in sampled[1].items()
            for outcome, count in counts.items()
        ]
    ).set_index(["outcome", "basis"])
    for data in (table, table["count"]):
        r = projfgd.tomography(data, rank=1)
        np.testing.assert_array_equal(r.density_matrix, fitted.density_matrix)


def test_indexed_counts_are_read_as_a_table_is():
    rows = {("XXXX", 0): 5, ("XXXX", 10): 7}
    with pytest.raises(ValueError, match='outcome "10", the bits 0010 or the number 10'):
        projfgd.tomography(rows)
    twice = pandas.concat([pandas.Series({"00": 5, "11": 4}), pandas.Series({"00": 50})])
    for data in (twice, {"XX": twice}):
        with pytest.raises(ValueError, match="^data: found a Series with labels that repeat, "):
            projfgd.tomography(data)


def test_counts_may_be_a_series(sampled, fitted):
    data = {label: pandas.Series(counts) for label, counts in sampled[1].items()}
    r = projfgd.tomography(data, rank=1)
    np.testing.assert_array_equal(r.density_matrix, fitted.density_matrix)


@few_numbers
def test_standard_errors_of_a_table_are_known_by_their_usual_names():
    table = pandas.DataFrame({"Label": ["XX", "ZZ"], "Value": [1.0, 1.0], "STD": 0.1})
    assert "noise_floor" in projfgd.tomography(table, rank=1).summary
    with pytest.warns(UserWarning, match='^data: the column "variance" was ignored'):
        r = projfgd.tomography(table.rename(columns={"STD": "variance"}), rank=1)
    assert "noise_floor" not in r.summary


@few_numbers
def test_expectations_in_any_form_give_the_same_state():
    values = {"XX": 1.0, "ZZ": 1.0, "YY": -1.0}
    table = pandas.DataFrame({"Pauli": list(values), "expectation": list(values.values())})
    for data in [
        table,
        pandas.Series(values),
        list(values.items()),
        [(Pauli(label), value) for label, value in values.items()],
        [(label, value, 0.1) for label, value in values.items()],
        [[label, (value, 0.1)] for label, value in values.items()],
        table.assign(stderr=0.1),
    ]:
        assert projfgd.tomography(data, rank=1).fidelity("bell") == pytest.approx(1, abs=1e-6)


def test_the_values_of_an_estimator_are_numbers():
    """Which are arrays without axes."""
    labels = [a + b for a in "IXYZ" for b in "IXYZ"]
    pubs = [(prepared(), SparsePauliOp(label)) for label in labels]
    found = [one.data for one in StatevectorEstimator().run(pubs).result()]
    numbers = {label: float(data.evs) for label, data in zip(labels, found)}
    same = projfgd.tomography(numbers, rank=1).factor
    for data in [
        {label: data.evs for label, data in zip(labels, found)},
        [(label, data.evs) for label, data in zip(labels, found)],
        (labels, [data.evs for data in found]),
    ]:
        np.testing.assert_array_equal(projfgd.tomography(data, rank=1).factor, same)
    error = np.array(0.1)
    same = projfgd.tomography({label: (value, 0.1) for label, value in numbers.items()}, rank=1)
    pairs = {label: (data.evs, error) for label, data in zip(labels, found)}
    np.testing.assert_array_equal(projfgd.tomography(pairs, rank=1).factor, same.factor)


@few_numbers
def test_the_keys_of_qiskits_counts_are_bits():
    four = {"ZZZZ": Counts({"0": 500, "10": 500}), "XXXX": Counts({"1_0 1 0": 7})}
    r = projfgd.tomography({"ZZZZ": four["ZZZZ"]}, rank=2)
    np.testing.assert_allclose(
        np.diag(r.density_matrix).real, np.eye(16)[[0, 2]].sum(0) / 2, atol=1e-6
    )
    # Seven equal outcomes, each of one chance in eight for the state that the others ask for.
    with pytest.warns(UserWarning, match="times the most that shot noise can explain"):
        assert projfgd.tomography(four, rank=1).settings == 2


@few_numbers
def test_keys_with_two_readings_are_refused():
    sentence = 'ZZZZ: found outcome "10", the bits 0010 or the number 10, expected all 4 bits'
    with pytest.raises(ValueError, match=sentence):
        projfgd.tomography({"ZZZZ": {"0": 500, "10": 500}})
    clear = [{"10": 1, "3": 1}, {"0b1010": 1, "0x3": 1}, {"1010": 1, "0011": 1}, {10: 1, 3: 1}]
    for counts in clear:
        r = projfgd.tomography({"ZZZZ": counts}, rank=2)
        assert np.diag(r.density_matrix).real[[3, 10]] == pytest.approx(0.5, abs=1e-5)


@few_numbers
def test_the_numbers_of_a_quasi_distribution_are_numbers():
    data = {"quasi_dists": [{0: 0.5, 11: 0.5}], "metadata": [{"shots": 100, "basis": "ZZZZ"}]}
    r = projfgd.tomography(data, rank=2)
    assert np.diag(r.density_matrix).real[[0, 11]] == pytest.approx(0.5, abs=1e-5)


STATES = {
    "amplitudes": lambda state: state.data,
    "Statevector": lambda state: state,
    "DensityMatrix": DensityMatrix,
    "array of a density matrix": lambda state: DensityMatrix(state).data,
    "sparse matrix": lambda state: scipy.sparse.csr_matrix(DensityMatrix(state).data),
    "sparse array": lambda state: scipy.sparse.coo_array(DensityMatrix(state).data),
    "ket": lambda state: qutip.Qobj(state.data),
    "Qobj": lambda state: qutip.ket2dm(qutip.Qobj(state.data)),
    "circuit": lambda state: prepared(),
    "measured circuit": lambda state: measured("ZZ"),
}


@pytest.mark.parametrize("form", STATES)
def test_a_truth_and_a_target_may_be_any_state(form, sampled, fitted):
    state = Statevector(prepared())
    given = STATES[form](state)
    r = projfgd.tomography(sampled[1], rank=1, truth=given, target=given)
    rho, sigma = fitted.density_matrix, DensityMatrix(state).data
    x = fitted.factor @ fitted.factor.conj().T  # rho up to its trace, which is 1 up to the noise
    error = np.linalg.norm(x - sigma) / np.linalg.norm(sigma)
    assert r.relative_error == pytest.approx(error, abs=1e-10)
    fidelity = (state.data.conj() @ rho @ state.data).real
    assert r.summary["fidelity"] == pytest.approx(fidelity, abs=1e-7)
    assert fitted.fidelity(given) == pytest.approx(fidelity, abs=1e-7)


def test_a_factor_of_full_rank_is_no_density_matrix():
    s = projfgd.simulate.counts(qubits=2, depolarizing=0.3, shots=200, seed=1)
    r = projfgd.tomography(s.data, truth=s.truth)
    sigma = s.truth @ s.truth.conj().T
    error = np.linalg.norm(r.density_matrix - sigma) / np.linalg.norm(sigma)
    assert s.truth.shape == (4, 4) and r.relative_error == pytest.approx(error, rel=1e-3)
    by_matrix = projfgd.tomography(s.data, truth=sigma)
    assert by_matrix.relative_error == pytest.approx(r.relative_error, abs=1e-10)


def test_results_are_compared_with_each_other(fitted):
    s = projfgd.simulate.counts(qubits=2, state="bell", shots=200, depolarizing=0.5, seed=1)
    full = projfgd.tomography(s.data, rank=4)
    assert full.fidelity(full) == pytest.approx(1, abs=1e-9)
    assert full.fidelity(fitted) == pytest.approx(fitted.fidelity(full), abs=1e-9)
    distance = qutip.tracedist(full.to_qutip(), fitted.to_qutip())
    assert full.trace_distance(fitted) == pytest.approx(distance, abs=1e-10)


def test_a_target_is_called_by_its_kind(sampled):
    r = projfgd.tomography(sampled[1], rank=1, target=prepared())
    assert r.target == "target (qiskit.QuantumCircuit)"


def test_a_simulation_brings_all_it_knows():
    s = projfgd.simulate.counts(qubits=2, state="bell", shots=5000, readout_error=0.1, seed=2)
    r = projfgd.tomography(s, rank=2)
    assert r.summary["fidelity"] > 0.97 and r.relative_error < 0.1
    with pytest.warns(UserWarning, match="worse than expected from shot noise"):
        plain = projfgd.tomography(s.data, rank=2)
    assert "fidelity" not in plain.summary and "relative_error" not in plain.summary
    other = projfgd.tomography(s, rank=2, target="plus", truth=None)
    assert other.target == "plus" and "relative_error" not in other.summary


@few_numbers
def test_a_calibration_may_hold_what_counts_may():
    data = {"ZZZZ": {"0000": 900, "0010": 100}}
    plain = {"0000": {"0000": 90, "0010": 10}, "1111": {"1111": 95, "0010": 5}}
    r = projfgd.tomography(data, rank=1, readout=plain)
    short = {s: Counts({k.lstrip("0") or "0": n for k, n in c.items()}) for s, c in plain.items()}
    bits = {s: BitArray.from_counts(c, num_bits=4) for s, c in plain.items()}
    for readout in (short, bits):
        same = projfgd.tomography(data, rank=1, readout=readout)
        np.testing.assert_array_equal(same.factor, r.factor)


def test_a_calibration_may_be_one_matrix():
    """p(read | prepared) of all basis states, here with errors that differ from qubit to qubit."""
    wrong = [[[0.95, 0.2], [0.05, 0.8]], [[0.98, 0.04], [0.02, 0.96]]]  # qubit 0 first
    confusion = np.kron(wrong[1], wrong[0])
    counts = {}
    for label in (a + b for a in "XYZ" for b in "XYZ"):
        state = Statevector(measured(label).remove_final_measurements(inplace=False))
        read = confusion @ state.probabilities()
        counts[label] = {f"{k:02b}": round(1e6 * p) for k, p in enumerate(read)}
    whole = projfgd.tomography(counts, rank=1, readout=pandas.DataFrame(confusion))
    assert whole.fidelity(prepared()) == pytest.approx(1, abs=1e-5)
    by_qubit = projfgd.tomography(counts, rank=1, readout=wrong)
    np.testing.assert_allclose(whole.density_matrix, by_qubit.density_matrix, atol=1e-6)


def test_no_state_is_no_target(fitted):
    for compare in (fitted.fidelity, fitted.trace_distance):
        with pytest.raises(TypeError, match="^target: found None, expected a state: a name, "):
            compare(None)


@few_numbers
def test_what_is_missing_says_what_to_give():
    r = projfgd.tomography({"X": {"0": 0.5, "1": 0.5}, "Z": {"0": 1.0}}, rank=1)
    for name, advice in (("chi_square", "give shots="), ("relative_error", "give truth=")):
        assert not hasattr(r, name)
        with pytest.raises(AttributeError, match=f"no attribute '{name}': .*{advice}"):
            getattr(r, name)
    known = projfgd.tomography({"X": {"0": 0.5, "1": 0.5}, "Z": {"0": 1.0}}, rank=1, shots=100)
    assert known.chi_square >= 0


def test_all_settings_by_name():
    every = projfgd.simulate.counts(qubits=2, shots=10, settings="all", seed=1)
    assert len(every.data) == 9
    assert every.data == projfgd.simulate.counts(qubits=2, shots=10, seed=1).data
    with pytest.raises(ValueError, match="settings: found 'some', expected an integer"):
        projfgd.simulate.counts(qubits=2, settings="some")


def test_expectations_of_operators(fitted):
    rho = fitted.to_qiskit()
    op = SparsePauliOp(["XZ", "YY", "II"], [0.5, -2, 1])
    assert fitted.expectation(op) == pytest.approx(rho.expectation_value(op).real, abs=1e-10)
    assert fitted.expectation(Pauli("-XZ")) == -fitted.expectation("XZ")
    assert fitted.expectation("xz") == fitted.expectation("XZ") == fitted.expectation("+XZ")
    np.testing.assert_array_equal(fitted.reduced_state(1), fitted.reduced_state([1]))
    for pauli in ("XXX", "X", "-", Pauli("iXX"), Pauli("iX"), SparsePauliOp("XX", 1j), "XQ"):
        with pytest.raises(ValueError, match="expected"):
            fitted.expectation(pauli)


def test_results_without_a_basis_are_refused():
    sampler = StatevectorSampler(seed=1)
    plain = sampler.run([measured("XX", metadata={})], shots=10).result()
    with pytest.raises(ValueError, match="result 0: found a circuit without metadata"):
        projfgd.tomography(plain)
    estimates = StatevectorEstimator().run([(prepared(), SparsePauliOp("XX"))]).result()
    with pytest.raises(TypeError, match="data: found PrimitiveResult"):
        projfgd.tomography(estimates)
    bits = plain[0].data.meas
    with pytest.raises(ValueError, match=r"XX: found results of shape \(2,\), expected one"):
        projfgd.tomography({"XX": type(bits).concatenate([bits.reshape(1), bits.reshape(1)])})


def test_words_of_the_command_line_become_those_of_python():
    s = projfgd.simulate.counts(qubits=3, state="random", seed=3)
    turned = {label[::-1]: counts for label, counts in s.data.items()}
    with pytest.warns(UserWarning, match='label_order="qubit0-left"') as caught:
        projfgd.tomography(turned, rank=1)
    assert "--" not in str(caught[0].message)
    with pytest.warns(UserWarning, match='constraint="frobenius-sphere:1" to fit it with trace 1'):
        projfgd.tomography({"X": 0.3, "Y": 0.0, "Z": 0.3}, rank=1)


def test_a_notebook_shows_what_matters_first(sampled):
    r = projfgd.tomography(sampled[1], target=prepared())
    page = r._repr_html_()
    shown = ("fidelity", "purity", "model reason", "status")
    order = [page.index(f">{name}<") for name in shown]
    assert order == sorted(order)
    assert "sha256" not in page and "calls" not in page
    assert f"fidelity {r.fidelity}" in repr(r)
    assert f"purity {r.purity}" in repr(r)
    r.summary["warnings"] = ["a < b", "c"]
    assert "a &lt; b<br>c" in r._repr_html_()
    with pytest.raises(AttributeError, match="purity"):
        r.purity = 1.0
