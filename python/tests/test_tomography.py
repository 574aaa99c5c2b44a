"""projfgd.tomography against Qiskit and QuTiP, and everything it accepts."""

import json
import os
import signal
import sys
import threading
import time

import numpy as np
import pytest
import qiskit
import qutip
from qiskit.quantum_info import (
    DensityMatrix,
    Pauli,
    SparsePauliOp,
    Statevector,
    partial_trace,
    purity,
    random_density_matrix,
    random_statevector,
    state_fidelity,
)

import projfgd

LETTERS = "XYZ"


def all_labels(qubits):
    labels = [""]
    for _ in range(qubits):
        labels = [label + letter for label in labels for letter in LETTERS]
    return labels


def measured(circuit, shots, seed):
    """Counts of every product setting, by Qiskit's own gates and sampling."""
    counts = {}
    for i, label in enumerate(all_labels(circuit.num_qubits)):
        turned = circuit.copy()
        for qubit, letter in enumerate(reversed(label)):  # the leftmost letter: highest qubit
            if letter == "Y":
                turned.sdg(qubit)
            if letter != "Z":
                turned.h(qubit)
        state = Statevector(turned)
        state.seed(seed + i)
        counts[label] = state.sample_counts(shots)
    return counts


def lopsided():
    """A state that no reversal of qubits leaves alone."""
    circuit = qiskit.QuantumCircuit(3)
    circuit.h(0)
    circuit.cx(0, 1)
    circuit.ry(0.7, 2)
    circuit.t(1)
    circuit.cx(2, 0)
    circuit.s(2)
    return circuit


@pytest.fixture(scope="module")
def mixed():
    """A result of rank 3 on noisy counts of three qubits."""
    s = projfgd.simulate.counts(qubits=3, state="w", shots=400, depolarizing=0.2, seed=3)
    return projfgd.tomography(s.data, rank=3)


def test_a_circuit_comes_back_as_the_state_it_prepares():
    circuit = lopsided()
    r = projfgd.tomography(measured(circuit, 4000, seed=5), rank=1)
    # 27 settings of 4000 shots: the infidelity of a pure fit is about 14 parameters / (4 N).
    assert state_fidelity(r.to_qiskit(), Statevector(circuit)) > 0.999
    assert r.fidelity(Statevector(circuit)) > 0.999
    assert r.fidelity(Statevector(circuit).reverse_qargs()) < 0.9


def test_exact_expectations_of_a_circuit_give_its_state():
    state = Statevector(lopsided())
    paulis = [a + b + c for a in "IXYZ" for b in "IXYZ" for c in "IXYZ"]
    op = SparsePauliOp(paulis)
    values = [state.expectation_value(Pauli(p)) for p in paulis]
    for data in [
        dict(zip(paulis, np.real(values))),
        dict(zip(map(Pauli, paulis), values)) if Pauli.__hash__ else (paulis, values),
        (op, values),
        (op.paulis, np.real(values)),
        (paulis, values),
        {p: (v.real, 1e-3) for p, v in zip(paulis, values)},
    ]:
        r = projfgd.tomography(data, rank=1, tolerance=1e-13)
        assert r.fidelity(state) == pytest.approx(1, abs=1e-10)
        np.testing.assert_allclose(r.density_matrix, DensityMatrix(state).data, atol=1e-7)


def test_state_purity_and_fidelity_equal_qiskit(mixed):
    rho = mixed.to_qiskit()
    assert rho.is_valid(atol=1e-12)
    assert mixed.purity == pytest.approx(purity(rho).real, abs=1e-10)
    pure = random_statevector(8, 4)
    assert mixed.fidelity(pure) == pytest.approx(state_fidelity(rho, pure), abs=1e-10)
    assert mixed.fidelity(pure.data) == mixed.fidelity(pure)
    for label in ["XIZ", "ZZY", "III"]:
        expected = rho.expectation_value(Pauli(label)).real
        assert mixed.expectation(label) == pytest.approx(expected, abs=1e-10)
        assert mixed.expectation(Pauli(label)) == mixed.expectation(label)
    np.testing.assert_allclose(
        mixed.reduced_state([0, 2]), partial_trace(rho, [1]).data, atol=1e-10
    )


def test_state_purity_and_fidelity_equal_qutip(mixed):
    rho = mixed.to_qutip()
    assert rho.dims == [[2, 2, 2], [2, 2, 2]]
    np.testing.assert_array_equal(rho.full(), mixed.density_matrix)
    assert mixed.purity == pytest.approx(rho.purity(), abs=1e-10)
    assert mixed.entropy == pytest.approx(qutip.entropy_vn(rho, 2), abs=1e-10)
    np.testing.assert_allclose(
        np.sort(mixed.eigenvalues)[::-1], rho.eigenenergies()[::-1][:3], atol=1e-10
    )
    dims = [[2] * 3, [1] * 3]
    ket = qutip.Qobj(random_statevector(8, 4).data, dims=dims)
    assert mixed.fidelity(ket) == pytest.approx(qutip.expect(qutip.ket2dm(ket), rho), abs=1e-10)
    other = qutip.Qobj(random_density_matrix(8, seed=6).data, dims=rho.dims)
    assert mixed.trace_distance(other) == pytest.approx(
        qutip.tracedist(rho, other), abs=1e-10
    )


def test_fidelity_with_a_mixed_state_equals_theirs():
    """At full rank: both take roots of eigenvalues, and the root of a rounding error is 1e-8."""
    counts = projfgd.simulate.counts(qubits=2, state="bell", shots=200, depolarizing=0.5, seed=1)
    r = projfgd.tomography(counts.data, rank=4)
    assert min(r.eigenvalues) > 0.01
    target = random_density_matrix(4, seed=8)
    theirs = state_fidelity(r.to_qiskit(), target)
    assert r.fidelity(target) == pytest.approx(theirs, abs=1e-10)
    theirs = qutip.fidelity(r.to_qutip(), qutip.Qobj(target.data, dims=r.to_qutip().dims)) ** 2
    assert r.fidelity(target) == pytest.approx(theirs, abs=1e-10)


def test_factor_and_density_matrix_are_the_same_state(mixed):
    x = mixed.factor @ mixed.factor.conj().T
    np.testing.assert_allclose(mixed.density_matrix, x / np.trace(x), atol=1e-14)
    assert mixed.factor.shape == (8, 3) and mixed.rank == 3


def test_a_factor_that_was_changed_is_another_state():
    r = projfgd.tomography({"X": 0.0, "Y": 0.0, "Z": 1.0}, rank=1)
    assert r.fidelity("zero") == pytest.approx(1, abs=1e-9)
    r.factor[:] = [[1], [1]]
    assert r.fidelity("plus") == pytest.approx(1, abs=1e-12)
    assert r.expectation("X") == pytest.approx(1, abs=1e-12)


def test_simulated_paulis_come_back():
    s = projfgd.simulate.pauli(qubits=6, rank=2, csam=6, noise_norm=1e-4, seed=4)
    r = projfgd.tomography(s, rank=2, truth=s.truth, target=s.truth)
    assert r.relative_error < 1e-3 and r.summary["fidelity"] > 0.99999
    assert r.trace["relative_error"].iloc[-1] == pytest.approx(r.relative_error, rel=1e-6)
    again = projfgd.simulate.pauli(qubits=6, rank=2, csam=6, noise_norm=1e-4, seed=4)
    assert again.data == s.data and np.array_equal(again.truth, s.truth)
    many = projfgd.simulate.pauli(qubits=4, csam=2, samples="log", seed=1)
    assert len(many.data) == round(2 * 16 * np.log(16))
    with pytest.raises(ValueError, match="samples: found .*, expected linear or log"):
        projfgd.simulate.pauli(qubits=4, samples="some")


def test_simulated_counts_with_readout_error():
    s = projfgd.simulate.counts(qubits=2, state="bell", shots=5000, readout_error=0.1, seed=2)
    with pytest.warns(UserWarning, match="worse than expected from shot noise"):
        plain = projfgd.tomography(s.data, rank=2)
    calibrated = projfgd.tomography(s, rank=2, readout=s.readout)
    assert plain.fidelity(s.target) < 0.9 < 0.97 < calibrated.fidelity("bell")


def test_a_readout_of_another_simulation_is_left_alone(tmp_path):
    assert projfgd.simulate.counts(qubits=1, readout_error=0.1, out=tmp_path).readout
    assert projfgd.simulate.counts(qubits=1, out=tmp_path).readout is None


def test_files_and_dicts_give_the_same_answer(tmp_path):
    s = projfgd.simulate.counts(qubits=2, state="w", shots=100, seed=1, out=tmp_path)
    a = projfgd.tomography(s.data, rank=1)
    for path in [tmp_path / "counts.json", str(tmp_path / "counts.json")]:
        b = projfgd.tomography(path, rank=1)
        np.testing.assert_array_equal(a.factor, b.factor)
    b = projfgd.tomography(s, rank=1, target=tmp_path / "target.npy", out=tmp_path / "result")
    assert b.summary["fidelity"] == pytest.approx(a.fidelity("w"), abs=1e-12)
    for name, array in [("factor", b.factor), ("density_matrix", b.density_matrix)]:
        np.testing.assert_allclose(np.load(tmp_path / "result" / f"{name}.npy"), array, atol=1e-15)
    assert json.loads((tmp_path / "result" / "summary.json").read_text()) == b.summary


def test_a_start_may_be_given():
    s = projfgd.simulate.pauli(qubits=3, csam=4, seed=1)
    r = projfgd.tomography(s, rank=1, init=s.truth, tolerance=1e-12)
    assert r.trace["objective"].iloc[0] < 1e-28 and r.fidelity(s.truth) > 1 - 1e-12


def test_bit_order_is_an_option():
    counts = measured(lopsided(), 2000, seed=1)
    turned = {
        label: {bits[::-1]: n for bits, n in outcome.items()} for label, outcome in counts.items()
    }
    r = projfgd.tomography(turned, rank=1, bit_order="qubit0-left")
    assert r.fidelity(Statevector(lopsided())) > 0.995
    with pytest.warns(UserWarning, match="worse than expected from shot noise"):
        projfgd.tomography(turned, rank=1)


def test_rank_auto_says_why():
    s = projfgd.simulate.counts(qubits=2, state="bell", shots=1000, seed=1)
    r = projfgd.tomography(s)
    assert r.rank == 1 and r.rank_reason


def test_numbers_of_numpy_are_numbers():
    counts = {"Z": {"0": np.int64(30), "1": np.int32(10)}, "X": {"0": np.float64(20), "1": 20}}
    counts["Y"] = {"0": np.uint8(20), "1": np.float32(20)}
    r = projfgd.tomography(counts, rank=2)
    assert r.expectation("Z") == pytest.approx(0.5, abs=1e-5)


def test_threads_do_not_change_the_answer():
    s = projfgd.simulate.pauli(qubits=6, csam=6, seed=4)
    a, b = (projfgd.tomography(s, rank=1, threads=t).factor for t in (1, 2))
    np.testing.assert_array_equal(a, b)


BAD = [
    (({"XQ": 0.5},), {}, ValueError, "XQ"),
    (({"XX": float("nan")},), {}, ValueError, "nan"),
    (({"XX": 0.5j},), {}, ValueError, "expected"),
    (({"XX": {"00": -1}},), {}, ValueError, "-1"),
    (({"XX": {"012": 5}},), {}, ValueError, "012"),
    (({},), {}, ValueError, "data"),
    (((["XX"], [1.0, 2.0]),), {}, ValueError, "found 1 labels and 2 values"),
    (("missing.json",), {}, OSError, "missing.json"),
    (({"X": 0.5},), dict(rank=3), ValueError, "rank: found 3, expected 1 to 2"),
    (({"X": 0.5},), dict(rank=1.5), ValueError, "rank: found 1.5, expected an integer"),
    (({"X": 0.5},), dict(method="nothing"), ValueError, "nothing"),
    (({"X": 0.5},), dict(constraint="cube"), ValueError, 'constraint: found "cube"'),
    (({"X": 0.5},), dict(loss="hinge"), ValueError, "loss"),
    (({"X": 0.5},), dict(bit_order="left"), ValueError, "bit_order: found 'left'"),
    (({"X": 0.5},), dict(precision="half"), ValueError, 'precision: found "half"'),
    (({"X": 0.5},), dict(target=np.ones(3)), ValueError, "expected a state of dimension 2"),
    (({"X" * 24: 0.5},), dict(rank=2**24), MemoryError, "memory"),
]


@pytest.mark.parametrize("arguments, options, kind, sentence", BAD)
def test_bad_input(arguments, options, kind, sentence):
    with pytest.raises(kind, match=sentence):
        projfgd.tomography(*arguments, **{"rank": 1, **options})


def test_the_fidelity_of_something_else_is_refused(mixed):
    with pytest.raises(ValueError, match="expected a state of dimension 8"):
        mixed.fidelity(np.ones(4))
    with pytest.raises(ValueError, match="cat"):
        mixed.fidelity("cat")


cut_short = pytest.mark.filterwarnings("ignore:the fitted trace is")


@pytest.fixture(scope="module")
def long_run():
    s = projfgd.simulate.pauli(qubits=9, rank=4, csam=3, noise_norm=0.1, seed=1)
    return lambda **more: projfgd.tomography(
        s, **{"rank": 4, "tolerance": 0, "gradient_tolerance": 0, "max_iterations": 10**7,
              "step": 1e-4, "time_limit": 60, **more}
    )  # fmt: skip


@cut_short
def test_ctrl_c_returns_the_best_state(long_run):
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.warns(RuntimeWarning, match="^the run did not converge: ended by Ctrl-C; the result is the point"):
        r = long_run()
    assert time.monotonic() - begin < 30
    assert r.status == "interrupted" and r.iterations == len(r.trace) - 1
    assert r.message == r.summary["message"] == "ended by Ctrl-C; the result is the point reached"
    assert np.isfinite(r.purity)


@cut_short
def test_other_threads_run_meanwhile(long_run):
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.01):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        with pytest.warns(RuntimeWarning, match="^the run did not converge: the time limit was reached$") as caught:
            long_run(time_limit=1)
    finally:
        done.set()
        thread.join()
    assert len(ticks) >= 10
    assert [one.filename for one in caught if one.category is RuntimeWarning] == [__file__]


@cut_short
def test_callback_and_exception(long_run):
    class Mine(Exception):
        pass

    def fail(row):
        if row.iteration == 3:
            raise Mine

    with pytest.raises(Mine):
        long_run(callback=fail)
    r = long_run(callback=lambda row: row.iteration < 5)
    assert r.status == "interrupted" and r.iterations == 5


def test_works_without_qiskit_and_qutip(monkeypatch):
    for name in ("qiskit", "qiskit.quantum_info", "qutip"):
        monkeypatch.setitem(sys.modules, name, None)
    r = projfgd.tomography({"X": 0.0, "Y": 0.0, "Z": 1.0}, rank=1)
    assert r.fidelity("zero") == pytest.approx(1, abs=1e-9)
    for convert in (r.to_qiskit, r.to_qutip):
        with pytest.raises(ImportError):
            convert()


def test_a_qiskit_result_in_a_dict(tmp_path):
    layout = {
        "backend_name": "x",
        "results": [
            {
                "shots": 100,
                "data": {"counts": {"0x0": 50, "0x3": 50}},
                "header": {"name": label, "creg_sizes": [["c", 2]], "memory_slots": 2},
            }
            for label in ("XX", "ZZ")
        ]
        + [
            {
                "shots": 100,
                "data": {"counts": {"0x1": 50, "0x2": 50}},
                "header": {"name": "YY", "creg_sizes": [["c", 2]], "memory_slots": 2},
            }
        ],
    }
    r = projfgd.tomography(layout, rank=1)
    assert r.fidelity("bell") > 0.999
    (tmp_path / "result.json").write_text(json.dumps(layout))
    same = projfgd.tomography([tmp_path / "result.json"], rank=1)
    np.testing.assert_array_equal(r.factor, same.factor)
