"""Layouts of data that need a second look: triples, tables, folders, further bases."""

import json
import shutil

import numpy as np
import pandas
import pytest
from conftest import BELL
from qiskit.quantum_info import SparsePauliOp
from qiskit.result import Counts

import projfgd

LABELS, VALUES = ["XX", "YY", "ZZ"], [1.0, -1.0, 1.0]


@pytest.mark.filterwarnings("ignore:.* the answer is one of many that fit")
def test_standard_errors_may_be_the_third_of_a_triple():
    errors = [0.01, 0.02, 0.005]
    pairs = projfgd.tomography(dict(zip(LABELS, zip(VALUES, errors))), rank=1)
    for data in [
        (LABELS, VALUES, errors),
        (SparsePauliOp(LABELS), np.array(VALUES), np.array(errors)),
        (tuple(LABELS), pandas.Series(VALUES), tuple(errors)),
    ]:
        np.testing.assert_array_equal(projfgd.tomography(data, rank=1).factor, pairs.factor)
    with pytest.raises(ValueError, match="^data: found 3 labels and 2 standard errors$"):
        projfgd.tomography((LABELS, VALUES, errors[:2]))
    with pytest.raises(TypeError, match="^data: found float beside the labels, expected a list"):
        projfgd.tomography((LABELS, VALUES, 0.1))


@pytest.mark.parametrize(
    "data",
    [
        [BELL["XX"], BELL["ZZ"]],
        (BELL["XX"], BELL["YY"], BELL["ZZ"]),
        [Counts(BELL["XX"])],
        [{0: 498, 3: 502}],
        pandas.DataFrame({"00": [498], "11": [502]}),
        pandas.DataFrame({"XX": {0: 498, 3: 502}}),
    ],
)
def test_counts_without_their_basis_are_told_to_bring_it(data):
    sentence = r'^data: found .*, expected counts with their basis: \{"XX": counts, ...\}, or a table '
    with pytest.raises(ValueError, match=sentence + "with the columns basis, outcome and count$"):
        projfgd.tomography(data)


@pytest.mark.filterwarnings("ignore:.* the answer is one of many that fit")
def test_a_list_has_frequencies_and_a_tuple_an_error():
    frequencies = projfgd.tomography({"X": [0.7, 0.3]}, rank=2)
    assert frequencies.expectation("X") == pytest.approx(0.4, abs=1e-5)
    expectation = projfgd.tomography({"X": (0.7, 0.3)}, rank=2)
    assert expectation.expectation("X") == pytest.approx(0.7, abs=1e-5)


def test_a_table_of_counts_may_be_a_file(tmp_path):
    rows = [(label, bits, n) for label, some in BELL.items() for bits, n in some.items()]
    table = pandas.DataFrame(rows, columns=["Basis", "outcome", "count"])
    table.to_csv(tmp_path / "counts.csv", index=False)
    table.rename(columns=str.lower).to_json(tmp_path / "rows.json", orient="records")
    letters = table.assign(Basis=[tuple(label) for label in table["Basis"]])
    same = projfgd.tomography(BELL, rank=1).factor
    for data in (table, letters, tmp_path / "counts.csv", str(tmp_path / "rows.json")):
        np.testing.assert_array_equal(projfgd.tomography(data, rank=1).factor, same)
    with pytest.raises(ValueError, match='^data: .0.: found no count, expected the key "count"$'):
        projfgd.tomography(table.drop(columns="count"))


def test_the_folder_of_a_simulation_is_its_measurements(tmp_path):
    s = projfgd.simulate.counts(qubits=2, shots=100, seed=1, out=tmp_path / "counts")
    r = projfgd.tomography(tmp_path / "counts", rank=1)
    np.testing.assert_array_equal(r.factor, projfgd.tomography(s.data, rank=1).factor)
    s = projfgd.simulate.pauli(qubits=2, seed=1, out=tmp_path / "pauli")
    assert projfgd.tomography(str(tmp_path / "pauli"), rank=1).fidelity(s.truth) > 0.999
    with pytest.raises(ValueError, match="found a folder with neither counts.json nor pauli.csv"):
        projfgd.tomography(tmp_path)
    shutil.copy(tmp_path / "pauli" / "pauli.csv", tmp_path / "counts")
    with pytest.raises(ValueError, match="found a folder with both counts.json and pauli.csv"):
        projfgd.tomography(tmp_path / "counts")


def test_further_bases_may_be_a_dict(tmp_path):
    root = 2**-0.5
    states = {"T": [[root, root * np.exp(0.25j * np.pi)], [root, -root * np.exp(0.25j * np.pi)]]}
    path = tmp_path / "bases.json"
    path.write_text(
        json.dumps({"T": [[[v.real, v.imag] for v in map(complex, s)] for s in states["T"]]})
    )
    counts = {
        "T": {"0": 1000},
        "X": {"0": 853, "1": 147},
        "Y": {"0": 853, "1": 147},
        "Z": {"0": 500, "1": 500},
    }
    from_file = projfgd.tomography(counts, rank=1, bases=path)
    for bases in (states, {"T": np.array(states["T"])}):
        r = projfgd.tomography(counts, rank=1, bases=bases)
        np.testing.assert_array_equal(r.factor, from_file.factor)
    assert r.fidelity(states["T"][0]) == pytest.approx(1, abs=1e-3)
    with pytest.raises(ValueError, match="^bases: .*expected two states of two amplitudes each"):
        projfgd.tomography(counts, bases={"T": [1, 0]})
    with pytest.raises(TypeError, match="^bases: found int, expected a path or a dict of letters"):
        projfgd.tomography(counts, bases=3)


@pytest.mark.filterwarnings("ignore:.* the answer is one of many that fit")
def test_a_spreadsheet_with_other_columns_is_read():
    counts = {"XX": {"00": 40, "11": 60}, "ZZ": {"00": 55, "01": 5, "11": 40}}
    table = pandas.DataFrame(
        [["XX", 40, None, 0, 60, 100], ["ZZ", 55, 5, None, 40, 100]],
        columns=["Setting", "0", "1", "10", "11", "total"],  # without their leading zeros
    )
    with pytest.warns(projfgd.FitWarning, match="data: the columns total were ignored"):
        found = projfgd.tomography(table, rank=1)
    assert (found.factor == projfgd.tomography(counts, rank=1).factor).all()
