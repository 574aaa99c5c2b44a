"""Counts of single projectors."""

import numpy as np
import projfgd
import pytest

PAIR = {
    "HH": 34749, "HV": 324, "VV": 35805, "VH": 444, "RV": 16324, "RH": 17521, "DH": 13441,
    "DV": 16901, "DR": 17932, "DD": 32028, "RD": 15132, "HD": 17238, "VD": 13171, "VL": 17170,
    "HL": 16722, "RL": 33586,
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::projfgd.FitWarning")  # the plates were not where they say
def test_a_dict_of_projectors_is_a_state():
    r = projfgd.tomography(PAIR, rank="full", target="bell")
    assert r.fidelity("bell") == pytest.approx(0.9876, abs=1e-3)
    assert r.projectors == 16
    assert r.intensity == pytest.approx(71568, rel=1e-3)
    tuples = {tuple(label): count for label, count in PAIR.items()}
    assert np.allclose(
        projfgd.tomography(tuples, rank="full").density_matrix, r.density_matrix, atol=1e-6
    )
    rows = {label: {"count": count, "accidentals": 10} for label, count in PAIR.items()}
    corrected = projfgd.tomography(rows, rank="full")
    assert corrected.fidelity("bell") > r.fidelity("bell")


@pytest.mark.filterwarnings("ignore::projfgd.FitWarning")  # four numbers are too few
def test_own_states_and_the_format():
    counts = {"TT": 25, "HT": 50, "XZ": 3, "HH": 100}
    r = projfgd.tomography(counts, rank=1, format="projectors", bases={"T": [1, 1j]})
    assert r.projectors == 4


def test_simulated_projectors_are_read():
    s = projfgd.simulate.counts(
        qubits=2, mix="bell:0.9,zero:0.1", projectors="minimal", shots=20000, accidentals=5, seed=3
    )
    r = projfgd.tomography(s)
    assert r.fidelity(s.truth) > 0.98
    drifting = projfgd.simulate.counts(qubits=2, state="zero", drift=1.0, seed=3)
    assert drifting.truth.shape == (4, 2)
