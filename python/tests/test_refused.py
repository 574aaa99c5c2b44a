"""What projfgd refuses, of projfgd.tomography above all, and in which words."""

import numpy as np
import pytest
from conftest import BELL
from qiskit.quantum_info import Pauli, PauliList, SparsePauliOp

import projfgd

REFUSED = [
    ((SparsePauliOp(["XX", "ZZ"], [2, 1]), [1, 1]), {}, ValueError, "coefficients other than 1"),
    ((PauliList(["-XX", "ZZ"]), [1, 1]), {}, ValueError, "a Pauli string without a phase"),
    ([(Pauli("-XX"), 1.0)], {}, ValueError, '"-XX", expected a Pauli string without a phase'),
    ({"XX": (1.0, 0.0), "ZZ": (1.0, 0.1)}, {}, ValueError, "found the standard error 0 of XX"),
    ({"XX": (0.9, 0.1, 0.2)}, {}, ValueError, "^data: XX: found a tuple of 3, expected .expectation"),
    ({"XX": (5, 4, 3, 2)}, {}, ValueError, "^data: XX: found a tuple of 4, .* or a list of counts$"),
    ([("XX", (0.9, 0.1, 0.2))], {}, ValueError, "^data: XX: found a tuple of 3"),
    ('{"XX": 0.9}', {}, ValueError, r"^data: found JSON text, expected what json.loads\(\) makes of it"),
    ({"XX": {"00": 5}}, dict(shots=7), ValueError, "shots: found counts"),
    ({"XX": 1.0}, dict(rank=0), ValueError, "rank: found 0, expected an integer >= 1"),
    ({"XX": 1.0}, dict(rank=True), ValueError, "rank: found True, expected an integer"),
    ({"XX": 1.0}, dict(rank="most"), ValueError, 'rank: found .most., expected an integer'),
    ({"XX": {"00": 5}}, dict(shots=-1), ValueError, "shots: found -1, expected a number > 0"),
    ({"XX": {"00": 1.0}}, dict(shots=0), ValueError, "shots: found 0, expected a number > 0"),
    ({"XX": {"00": 1.0}}, dict(shots=np.float32("nan")), ValueError, "shots: found nan, expected"),
    ({"XX": {"00": 1.0}}, dict(shots=True), ValueError, "shots: found True, expected a number"),
    ({"XX": 1.0}, dict(max_iterations=True), ValueError, "max_iterations: found True, expected"),
    ({"XX": 1.0}, dict(seed=2**70), ValueError, r"expected an integer from 0 to 2\^64 - 1"),
    ({"XX": 1.0}, dict(shots=7), ValueError, "shots: found Pauli expectations"),
    ({"XX": 1.0}, dict(constraint="nonnegative"), ValueError, "found a constraint for images"),
    ({"XX": 1.0}, dict(threads=-3), ValueError, "threads: found -3, expected an integer"),
    ({"XX": 1.0}, dict(truth="ghz"), ValueError, 'truth: found "ghz"'),
    ({"XX": 1.0}, dict(init="sprectral"), ValueError,
     r'init: found "sprectral" \(did you mean spectral\?\), expected spectral, random, a path or an array$'),
    ({"XX": 1.0}, dict(init="lost.npy"), OSError, "lost.npy: cannot open"),
    ({"XX": 1.0}, dict(zzz=1), TypeError, "^unknown option .zzz.; the options are data, rank, "),
    ({"XX": 1.0}, dict(truth=np.eye(3) / 3), ValueError, "truth: found "),
    ({"XX": 1.0}, dict(max_iteration=3), TypeError, r"did you mean max_iterations\?\); the options are data, rank, "),
    ({"XX": 1.0}, dict(out=5), TypeError, "out: found 5"),
    ({"XX": {"00": 5}}, dict(readout=[[[1, 0], [0, 1]]]), ValueError, "^readout: found 1 matrices"),
    ({"results": [{"header": {"name": "a"}, "data": {"counts": {"0x0": 3}}}]}, {}, ValueError,
     r"\(see basis_pattern=\)"),
    (SparsePauliOp("XX"), {}, TypeError, "data: found SparsePauliOp, expected counts by label"),
    (None, {}, TypeError, "data: found NoneType, expected counts by label"),
    (3, {}, TypeError, "data: found int, expected counts by label"),
    ({}, {}, ValueError, "data: found an empty dict, expected counts by label"),
    ({3: {"00": 4}}, {}, ValueError, "^data: found the label 3, expected a letter for each qubit"),
    ({"00": 4, "11": 5}, {}, ValueError, "^data: found the label '00', expected a letter"),
    ({"ZZ": 1.0, "XX": float("nan")}, {}, ValueError, '"XX".: found "nan", expected a number'),
    ({"Z": {"0": 4}}, dict(readout=[[[1, 0], [0, 1]]] * 2), ValueError,
     "^readout: found 2 matrices, expected one for the qubit$"),
    ({"ZZ": {"00": 4}}, dict(target=-np.eye(4) / 4), ValueError,
     "^target: found a Hermitian matrix of trace -1, expected a density matrix of trace 1$"),
    ({"ZZ": {"00": 4}}, dict(truth=-np.eye(4) / 4), ValueError, "^truth: found a Hermitian matrix"),
    ({"ZZ": {"00": 4}}, dict(init=np.zeros((4, 1)), rank=1), ValueError,
     "^init: found only zeros, expected a factor$"),
    ({"ZZ": {"00": 4}}, dict(readout=np.eye(3)), ValueError,
     "^readout: found a matrix of 3 rows, expected 4 x 4 numbers"),
    ({"ZZ": {"00": 4}}, dict(readout=np.ones((4, 3))), ValueError,
     r"^readout: \[0\]: found 3 entries, expected a row of 4 numbers"),
]  # fmt: skip


@pytest.mark.parametrize("data, options, kind, sentence", REFUSED)
def test_what_would_be_misread_is_refused(data, options, kind, sentence):
    with pytest.raises(kind, match=sentence):
        projfgd.tomography(data, **options)


@pytest.fixture(scope="module")
def bell():
    return projfgd.tomography(BELL, rank=1)


PSI = np.array([1, 0, 0, 1]) / 2**0.5
ASKED = [
    (lambda r: r.reduced_state(1.0), TypeError, "qubits: found 1.0, expected a number, such as 0"),
    (lambda r: r.reduced_state([]), ValueError, r"qubits: found \[\], expected at least one$"),
    (lambda r: r.reduced_state([True]), TypeError, r"qubits: found \[True\], expected a number"),
    (lambda r: r.reduced_state(False), TypeError, "qubits: found False, expected a number"),
    (lambda r: r.reduced_state("0"), TypeError, "qubits: found '0', expected a number, such as 0"),
    (lambda r: r.expectation(np.eye(3)), ValueError, "observable: found an array of shape 3 x 3"),
    (lambda r: r.expectation([["XZ"], 3]), TypeError, "observable: found int, expected a Pauli string"),
    (lambda r: r.expectation(3), TypeError, "observable: found int, expected a Pauli string"),
    (lambda r: r.fidelity(-np.outer(PSI, PSI)), ValueError,
     "target: found a Hermitian matrix of trace -1, expected a density matrix of trace 1$"),
    (lambda r: r.fidelity({"a": 1}), TypeError, "target: found dict, expected an array of numbers$"),
    (lambda r: r.fidelity("lost.npy"), OSError, "lost.npy: cannot open: No such file or directory$"),
    (lambda r: r.fidelity(__file__), ValueError, ".*: found other data, expected an NPY file$"),
    (lambda r: r.fidelity(projfgd.minimize(one, None, [1.0], callback=lambda row: False)), TypeError,
     "target: found a result of minimize, expected an array, such as its factor$"),
]  # fmt: skip


@pytest.mark.parametrize("ask, kind, sentence", ASKED)
def test_what_a_state_is_not_asked_for(bell, ask, kind, sentence):
    with pytest.raises(kind, match=f"^{sentence}"):
        ask(bell)


def test_an_answer_is_no_data(bell):
    image = projfgd.phase(projfgd.simulate.cdp(size=(8, 8), patterns=6, seed=1))
    for result in (bell, image):
        found = f"found a {type(result).__name__}, the result of a run, expected "
        with pytest.raises(ValueError, match=f"^data: {found}counts by label"):
            projfgd.tomography(result)
        with pytest.raises(ValueError, match=f"^intensities: {found}patterns x height x width"):
            projfgd.phase(result)
        with pytest.raises(ValueError, match=f"^masks: {found}an array in the shape"):
            projfgd.phase(np.ones((2, 4, 4)), result)


def test_a_factor_that_is_not_finite_is_told():
    r = projfgd.tomography({"X": 0.0, "Y": 0.0, "Z": 1.0}, rank=1)
    r.factor[0, 0] = np.nan
    for ask in (lambda: r.fidelity("zero"), lambda: r.density_matrix, lambda: r.expectation("X")):
        with pytest.raises(ValueError, match="^factor: found an entry that is not finite"):
            ask()


def one(u):
    return 1.0, u


@pytest.mark.parametrize(
    "run, sentence",
    [
        (lambda: projfgd.simulate.counts(2, settings=0), "settings: found 0, expected .all. or an"),
        (lambda: projfgd.simulate.counts(2, settings=True), "settings: found True, expected"),
        (lambda: projfgd.simulate.pauli(2, rank=np.True_), "rank: found .*True.*, expected a number"),
        (lambda: projfgd.simulate.pauli(2, seed=-1), r"seed: found -1, expected .* to 2\^64 - 1"),
        (lambda: projfgd.minimize(one, None, [1.0], memory=True), "memory: found True, expected"),
        (lambda: projfgd.gradient_mismatch(one, [1.0], seed=2**64), r"from 0 to 2\^64 - 1"),
        (lambda: projfgd.phase(np.ones((2, 4, 4)), target_error=True), "target_error: found True"),
    ],
)
def test_no_number_is_taken_for_another(run, sentence):
    with pytest.raises(ValueError, match=sentence):
        run()


@pytest.mark.parametrize(
    "options, sentence",
    [
        (dict(target_error=0.1), "target_error: found no truth, expected truth=$"),
        (dict(dataset="/x"), "dataset: found an array, expected the path of an HDF5 file$"),
        (dict(mask_dataset="/x"), "mask_dataset: found no file, expected an HDF5 file with masks$"),
        (dict(init="sprectral"), "init: found .*, expected spectral, lanczos, random, a path or an"),
        (dict(constraint="nonnegative-l1", radius="a"), "radius: found 'a', expected a number$"),
        (dict(mask_values=[1, 2]), "mask_values: found no masks, expected masks= with codes$"),
    ],
)
def test_an_option_that_phase_would_not_read_is_refused(options, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}"):
        projfgd.phase(np.ones((2, 4, 4)), **options)
