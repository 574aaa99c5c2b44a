"""What a simulation holds and brings, and where it may stand."""

import contextlib
import os
import signal
import threading

import numpy as np
import pytest
from conftest import BELL

import projfgd
from projfgd import simulate


def test_none_does_without_what_a_simulation_brings():
    s = simulate.counts(qubits=2, state="bell", shots=5000, readout_error=0.1, seed=2)
    r = projfgd.tomography(s, rank=2, target=None, truth=None)
    assert "fidelity" not in r.summary and "relative_error" not in r.summary
    with pytest.warns(UserWarning, match="worse than expected from shot noise"):
        plain = projfgd.tomography(s, rank=2, readout=None)
    assert plain.summary["fidelity"] < 0.9
    stars = simulate.cdp("stars", size=(8, 8), patterns=6, seed=1)
    assert projfgd.phase(stars).input == ["intensities", "masks"]
    open_masks = np.abs(np.fft.fft2(stars.truth)) ** 2
    stars.data = open_masks[np.newaxis]
    with pytest.warns(UserWarning, match="one pattern without masks"):
        assert projfgd.phase(stars, masks=None, truth=None).input == ["intensities"]


def test_a_simulation_stands_for_its_state():
    s = simulate.counts(qubits=2, state="bell", shots=100, depolarizing=0.3, seed=1)
    r = projfgd.tomography(BELL, rank=1)
    assert r.fidelity(s) == r.fidelity(s.target) == pytest.approx(r.fidelity("bell"), abs=1e-12)
    assert r.trace_distance(s) == r.trace_distance(s.target)
    given = projfgd.tomography(BELL, rank=1, truth=s, target=s)
    assert given.summary["fidelity"] == pytest.approx(r.fidelity(s), abs=1e-12)
    same = projfgd.tomography(BELL, rank=1, truth=s.truth)
    assert given.relative_error == same.relative_error
    pauli = simulate.pauli(qubits=2, seed=1)
    assert r.fidelity(pauli) == r.fidelity(pauli.truth)


def test_a_simulation_in_the_wrong_place_is_told():
    states, stars = simulate.counts(2, shots=10), simulate.cdp(size=(8, 8), patterns=6, seed=1)
    for run, sentence in [
        (lambda: projfgd.phase(states), "intensities: found measurements of a state, expected"),
        (lambda: projfgd.tomography(stars), "data: found diffraction patterns, expected"),
        (lambda: projfgd.phase(stars.data, stars), "masks: found a simulation, expected an array"),
        (lambda: projfgd.tomography(BELL, readout=states), "readout: found a simulation without"),
        (lambda: projfgd.tomography(BELL, init=states), "init: found a simulation, expected an"),
        (lambda: projfgd.phase({"a": 1}), "intensities: found dict, expected an array of numbers"),
    ]:
        with pytest.raises(TypeError, match=f"^{sentence}"):
            run()
    image = projfgd.phase(stars)
    with pytest.raises(TypeError, match="^target: found an image, expected a state$"):
        projfgd.tomography(BELL, 1).fidelity(image)


def test_a_state_is_read_from_a_file(tmp_path):
    r = projfgd.tomography(BELL, rank=1)
    np.save(tmp_path / "rho.npy", r.density_matrix)
    assert r.fidelity(tmp_path / "rho.npy") == pytest.approx(1, abs=1e-9)
    assert r.trace_distance(str(tmp_path / "rho.npy")) == pytest.approx(0, abs=1e-7)


def test_a_description_has_paths_where_files_are_kept(tmp_path):
    for make in (
        lambda **more: simulate.pauli(2, **more),
        lambda **more: simulate.counts(1, readout_error=0.1, **more),
        lambda **more: simulate.cdp(size=(8, 8), patterns=2, **more),
        lambda **more: simulate.cdp(np.ones((4, 4)), patterns=2, **more),
    ):
        plain, kept = make(), make(out=tmp_path)
        assert not any(os.sep in str(value) for value in plain.description.values())
        paths = {k: v for k, v in kept.description.items() if k not in plain.description}
        assert {"data", "truth"} <= set(paths) and all(map(os.path.exists, paths.values()))
        assert repr(plain) == repr(kept)


def test_options_are_called_by_their_names_in_python():
    with pytest.raises(ValueError, match="^stars: found 2, expected a fraction of the pixels"):
        simulate.cdp("stars", size=(8, 8), stars=2)
    for image in ("phantom", np.ones((8, 8))):
        size = (8, 8) if isinstance(image, str) else None
        with pytest.raises(ValueError, match="^stars: found the image (phantom|image), expected stars"):
            simulate.cdp(image, size=size, stars=0.5)


def test_stars_that_are_no_number_are_refused():
    with pytest.raises(ValueError, match="^stars: found nan, expected a fraction of the pixels"):
        simulate.cdp("stars", size=(8, 8), stars=float("nan"))


def test_a_folder_in_the_place_of_a_file_is_seen_before_anything_is_written(tmp_path):
    for make, name in (
        (lambda: simulate.pauli(2, csam=2, out=tmp_path / "a"), "a/pauli.csv"),
        (lambda: simulate.counts(2, out=tmp_path / "b"), "b/target.npy"),
        (lambda: simulate.cdp(size=(8, 8), patterns=2, out=tmp_path / "c"), "c/masks.npy"),
        (lambda: projfgd.tomography({"Z": 1.0}, rank=1, out=tmp_path / "d"), "d/summary.json"),
    ):
        (tmp_path / name).mkdir(parents=True)
        with pytest.raises(OSError, match="found a folder, expected a file or a new name"):
            make()
        assert [entry.name for entry in (tmp_path / name).parent.iterdir()] == [name[2:]]


def test_a_description_tells_how_counts_were_made():
    made = simulate.counts(2, state="w", shots=5, depolarizing=0.1, readout_error=0.2).description
    assert (made["state"], made["depolarizing"], made["readout_error"]) == ("w", 0.1, 0.2)
    with pytest.raises(ValueError, match='^state: found "foo", expected .*, plus, zero or random$'):
        simulate.counts(2, state="foo")


def test_photons_are_scaled_to_the_image():
    s = simulate.cdp("phantom", size=(8, 8), patterns=2, photons=1e6, seed=1)
    exact = np.abs(np.fft.fft2(s.masks.conj() * s.truth)) ** 2
    assert s.data.sum() == pytest.approx(exact.sum(), rel=0.05)
    assert np.any(s.data != np.round(s.data)) and "not whole" in simulate.cdp.__doc__


@contextlib.contextmanager
def ctrl_c_after(seconds):
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def test_ctrl_c_ends_a_simulation():
    with ctrl_c_after(0.3), pytest.raises(KeyboardInterrupt):
        projfgd.simulate.counts(10, shots=100_000)


@pytest.mark.filterwarnings("ignore:the run stopped before it converged")  # cut short on purpose
def test_ctrl_c_ends_the_start_of_a_run():
    s = projfgd.simulate.cdp("stars", size=(768, 768), patterns=21)  # many seconds of iterations
    with ctrl_c_after(0.8), pytest.warns(RuntimeWarning, match="ended by Ctrl-C"):
        r = projfgd.phase(s, method="wirtinger-flow")
    assert r.iterations == 0 and r.forward_calls < 50  # of the power iterations


def test_the_target_of_a_simulation_is_called_so():
    s = simulate.counts(qubits=2, state="bell", shots=500, seed=1)
    assert projfgd.tomography(s, rank=1).target == "target of the simulation"
    assert projfgd.tomography(s.data, rank=1, target=s).target == "target of the simulation"
    assert projfgd.tomography(s, rank=1, target="bell").target == "bell"
    assert projfgd.tomography(s.data, rank=1, target=s.target).target == "target (numpy.ndarray)"


def test_the_rank_is_looked_for_from_that_of_a_start():
    s = simulate.counts(qubits=2, state="bell", shots=500, seed=1)
    start = np.random.default_rng(1).normal(size=(4, 2))
    r = projfgd.tomography(s, init=start / np.linalg.norm(start))
    assert r.rank == 1 == projfgd.tomography(s).rank and r.rank_reason.startswith("rank 1: ")
    with pytest.raises(ValueError, match="^init: found 2 columns, expected the rank 1, or another"):
        projfgd.tomography(s, rank=1, init=start)


def test_a_scan_goes_in_whole(tmp_path):
    s = projfgd.simulate.ptychography("phantom", size=(40, 40), probe_size=16, seed=1, out=tmp_path)
    assert s.is_image and s.masks is None and s.truth.shape == (40, 40)
    r = projfgd.phase(s)
    assert r.relative_error < 1e-3 and r.signal.shape == (40, 40)
    given = projfgd.phase(s.data, positions=s.positions, probe=s.probe, truth=s.truth)
    np.testing.assert_array_equal(given.signal, r.signal)
    np.testing.assert_array_equal(projfgd.phase(tmp_path).signal, r.signal)
    with pytest.raises(TypeError, match="^data: found diffraction patterns, expected measurements"):
        projfgd.tomography(s)
    with pytest.raises(ValueError, match='^size: found none, expected size=.* for "phantom"'):
        projfgd.simulate.ptychography()
