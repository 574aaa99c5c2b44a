"""Runs that are stopped and resumed."""

import numpy as np
import pytest

import projfgd


@pytest.fixture
def simulation():
    return projfgd.simulate.pauli(3, rank=2, noise_norm=0.05, seed=2)


def run(simulation, **options):
    return projfgd.tomography(simulation, rank=2, tolerance=1e-9, **options)


def test_a_resumed_run_has_the_same_bits(simulation, tmp_path):
    whole = run(simulation)
    stopped = run(simulation, out=tmp_path, callback=lambda row: row.iteration < 5)
    assert stopped.status == "interrupted"
    assert (tmp_path / "checkpoint").exists()
    resumed = run(simulation, out=tmp_path, resume=True)
    assert np.array_equal(resumed.factor, whole.factor)
    assert np.array_equal(resumed.trace["objective"], whole.trace["objective"])
    assert resumed.iterations == whole.iterations
    assert not (tmp_path / "checkpoint").exists()


def test_other_options_and_data_are_refused(simulation, tmp_path):
    run(simulation, out=tmp_path, callback=lambda row: row.iteration < 5)
    with pytest.raises(ValueError, match="expected method 'rsvp'"):
        run(simulation, out=tmp_path, resume=True, method="rsvp")
    other = projfgd.simulate.pauli(3, rank=2, noise_norm=0.05, seed=3)
    with pytest.raises(ValueError, match="a file that changed"):
        run(other, out=tmp_path, resume=True)


def test_resume_needs_a_folder(simulation):
    with pytest.raises(ValueError, match="resume: found no out="):
        run(simulation, resume=True)
    with pytest.raises(ValueError, match="checkpoint_every: found -1"):
        run(simulation, checkpoint_every=-1)
