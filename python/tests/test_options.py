"""What options of the jobs mean in Python."""

import threading

import numpy as np
import pytest

import projfgd
from projfgd._typing import JobOptions


def test_shots_of_frequencies():
    r = projfgd.tomography({"Z": {"0": 0.5, "1": 0.5}, "X": {"0": 1.0}}, rank=1, shots=7)
    assert r.shots == 14


def test_the_full_rank_has_a_name():
    counts = {"X": {"0": 500, "1": 500}, "Y": {"0": 500, "1": 500}, "Z": {"0": 500, "1": 500}}
    assert projfgd.tomography(counts, rank="full").rank == 2


@pytest.mark.filterwarnings("ignore:the noise of the data is unknown")
def test_a_value_in_a_sentence_is_written_as_in_python():
    with pytest.warns(UserWarning, match='try rank="full" to see whether any state has these values'):
        projfgd.tomography({"X": 1.0, "Y": 1.0, "Z": 1.0})


@pytest.mark.parametrize("name", JobOptions.__annotations__)
def test_none_is_an_option_left_out(name):
    counts = projfgd.simulate.counts(qubits=2, state="random", shots=500, seed=7).data
    given, usual = (projfgd.tomography(counts, rank=1, **more) for more in ({name: None}, {}))
    np.testing.assert_array_equal(given.factor, usual.factor)
    s = projfgd.simulate.cdp(size=(8, 8), patterns=6, seed=1)
    found, usual = projfgd.phase(s.data, s.masks, **{name: None}), projfgd.phase(s.data, s.masks)
    assert found.method == usual.method
    np.testing.assert_array_equal(found.factor, usual.factor)


def test_rank_none_is_auto():
    with pytest.warns(UserWarning, match="the rank is a guess: give standard errors"):
        assert projfgd.tomography({"X": 0.0, "Y": 0.0, "Z": 1.0}, rank=None).rank_reason


@pytest.mark.filterwarnings("ignore:.* the answer is one of many that fit")
def test_threads_hold_until_they_are_changed():
    before = projfgd.threads()
    try:
        projfgd.set_threads(1)
        assert projfgd.tomography({"Z": 1.0}, rank=1).threads == 1
        assert projfgd.tomography({"Z": 1.0}, rank=1, threads=2).threads == 2
        assert projfgd.threads() == 1
        projfgd.phase(projfgd.simulate.cdp(size=(8, 8), patterns=6, seed=1), threads=2)
        assert projfgd.threads() == 1
        projfgd.set_threads(3)
        seen = []
        job = lambda: seen.append(projfgd.tomography({"Z": 1.0}, rank=1).threads)  # noqa: E731
        other = threading.Thread(target=job)
        other.start()
        other.join()
        assert seen == [3]
    finally:
        projfgd.set_threads(before)
    for count in (-1, True, 1.5, "two"):
        with pytest.raises(ValueError, match="threads: found"):
            projfgd.set_threads(count)
