"""projfgd.phase and projfgd.simulate.cdp."""

import json
import os
import signal
import threading

import numpy as np
import pytest

import projfgd
from projfgd import _core
from projfgd._data import MemoryFiles


def error(found, truth):
    """Relative error modulo a global phase."""
    turn = np.vdot(found, truth)
    return np.linalg.norm(found * turn / abs(turn) - truth) / np.linalg.norm(truth)


@pytest.fixture(scope="module")
def stars():
    return projfgd.simulate.cdp("stars", size=(30, 23), patterns=6, seed=2)


def test_simulated_patterns_are_what_numpy_says(stars):
    expected = np.abs(np.fft.fft2(stars.masks.conj() * stars.truth)) ** 2
    np.testing.assert_allclose(stars.data, expected, rtol=1e-10, atol=1e-10 * expected.max())
    again = projfgd.simulate.cdp("stars", size=(30, 23), patterns=6, seed=2)
    np.testing.assert_array_equal(again.data, stars.data)


def test_a_result_names_its_device(stars):
    assert projfgd.phase(stars.data, stars.masks, device="cpu").device == "cpu"
    with pytest.raises(ValueError, match="device: found"):
        projfgd.phase(stars.data, stars.masks, device="tpu")


def test_what_is_not_asked_for_is_up_to_the_job(stars):
    files = MemoryFiles()
    input = {
        "data": files.path_or_array("intensities", stars.data),
        "masks": files.path_or_array("masks", stars.masks),
    }
    plan = {"every": 0.0, "resume": False, "settings": {}}  # of checkpoints: none
    found = _core.phase(input, {}, {}, files.files, "", plan, None, "")
    assert json.loads(found["summary"])["method"] == "auto"
    np.testing.assert_array_equal(found["factor"], projfgd.phase(stars.data, stars.masks).factor)


@pytest.mark.parametrize("constraint", [None, "nonnegative", "nonnegative-l1"])
def test_an_image_comes_back(stars, constraint):
    r = projfgd.phase(stars.data, stars.masks, constraint=constraint, truth=stars.truth)
    assert r.signal.shape == (30, 23) and r.image.dtype == np.float64
    assert error(r.signal, stars.truth) < 1e-4
    assert r.relative_error == pytest.approx(error(r.signal, stars.truth), rel=1e-4)
    assert r.psnr > 60


def test_a_radius_may_be_given(stars):
    radius = np.abs(stars.truth).sum()
    r = projfgd.phase(stars, constraint="nonnegative-l1", radius=radius)
    assert error(r.signal, stars.truth) < 1e-4
    assert np.abs(r.signal).sum() <= radius * (1 + 1e-9)


def test_a_complex_image_from_patterns_made_with_numpy():
    rng = np.random.default_rng(5)
    image = rng.normal(size=(17, 16)) + 1j * rng.normal(size=(17, 16))
    masks = np.exp(2j * np.pi * rng.random((10, 17, 16)))
    intensities = np.abs(np.fft.fft2(masks.conj() * image)) ** 2
    before = intensities.copy(), masks.copy()
    r = projfgd.phase(intensities, masks, tolerance=1e-10)
    assert error(r.signal, image) < 1e-6
    np.testing.assert_array_equal(intensities, before[0])
    np.testing.assert_array_equal(masks, before[1])


def test_a_number_that_is_not_known_is_not_shown(stars):
    r = projfgd.phase(stars)
    for name in ("relative_error", "misfit"):
        shown = name.replace("_", " ")
        assert shown in repr(r)
        r.summary[name] = None  # as JSON has what is not finite
        assert shown not in repr(r) and "converged after" in repr(r)


@pytest.mark.parametrize("shape", [(9, 8), (9, 8, 3)])
def test_an_array_is_an_image_to_simulate(shape):
    image = np.random.default_rng(1).random(shape) * 7
    s = projfgd.simulate.cdp(image, patterns=3, seed=1)
    np.testing.assert_array_equal(s.truth, image)
    planes = np.moveaxis(np.atleast_3d(image), -1, 0)
    expected = np.abs(np.fft.fft2(s.masks.conj() * planes[:, None])) ** 2
    np.testing.assert_allclose(s.data.reshape(expected.shape), expected, atol=1e-9 * expected.max())
    assert f"image='an array of shape {shape}'" in repr(s)
    np.testing.assert_array_equal(projfgd.simulate.cdp(image.tolist(), patterns=3).truth, image)


def test_masks_do_not_mix_with_a_table_of_others(tmp_path):
    projfgd.simulate.cdp(size=(8, 8), patterns=2, masks="octanary", out=tmp_path)
    alone = projfgd.simulate.cdp(size=(8, 8), patterns=2, masks="gaussian")
    after = projfgd.simulate.cdp(size=(8, 8), patterns=2, masks="gaussian", out=tmp_path)
    np.testing.assert_array_equal(after.masks, alone.masks)


def test_a_simulation_shows_no_path(tmp_path):
    simulations = [
        projfgd.simulate.cdp(size=(8, 8), patterns=2),
        projfgd.simulate.counts(qubits=1, readout_error=0.1),
        projfgd.simulate.pauli(qubits=2, out=tmp_path / "kept"),
    ]
    for s in simulations:
        assert os.sep not in repr(s) and "seed=1" in repr(s)


def test_a_size_is_a_pair_or_a_text():
    pair = projfgd.simulate.cdp("stars", size=(16, 12), patterns=2)
    for size in ("16x12", [16, 12], np.array([16, 12])):
        same = projfgd.simulate.cdp("stars", size=size, patterns=2)
        np.testing.assert_array_equal(same.data, pair.data)
    for size in (16, "16", "16x", (16,), (16, 12.5), "16x12x3"):
        with pytest.raises(ValueError, match=r"^size: found .*, expected \(height, width\) or "):
            projfgd.simulate.cdp("stars", size=size)
    for image in (None, "stars", "phantom"):
        with pytest.raises(ValueError, match=r"^size: found none, expected size=\(height, width\)"):
            projfgd.simulate.cdp(image)


@pytest.mark.parametrize(
    "image, sentence",
    [
        (np.ones((2, 2, 2, 2)), "^image: found shape 2 x 2 x 2 x 2, expected height x width,"),
        (-np.eye(2), r"^image: found -1 at \[0, 0\], expected numbers >= 0"),
        (np.full((2, 2), np.nan), "^image: "),
        ([["a"]], "^image: found entries of type"),
        ("sars", r'^image: found "sars" \(did you mean stars\?\), expected stars, phantom, a path or an array$'),
    ],
)
def test_an_image_that_is_none_is_refused(image, sentence):
    with pytest.raises(ValueError, match=sentence):
        projfgd.simulate.cdp(image)


def test_one_centred_pattern_and_a_support():
    rng = np.random.default_rng(3)
    image, inside = np.zeros((32, 32)), np.zeros((32, 32))
    inside[4:16, 5:17] = 1
    image[4:16, 5:17] = rng.random((12, 12))
    pattern = np.fft.fftshift(np.abs(np.fft.fft2(image)) ** 2)
    with pytest.warns(UserWarning, match="the support is symmetric"):
        r = projfgd.phase(pattern, support=inside, centred=True, constraint="nonnegative", seed=1)
    assert np.all(r.signal[inside == 0] == 0) and r.misfit < 0.01


def test_a_signal_from_vectors():
    rng = np.random.default_rng(6)
    z = rng.normal(size=12) + 1j * rng.normal(size=12)
    rows = rng.normal(size=(120, 12)) + 1j * rng.normal(size=(120, 12))
    r = projfgd.phase(np.abs(rows @ z) ** 2, vectors=rows, tolerance=1e-10)
    assert r.signal.shape == (12,) and error(r.signal, z) < 1e-6


def test_a_start_may_be_given(stars):
    r = projfgd.phase(stars, init=stars.truth, method="wirtinger-flow", max_iterations=5)
    assert error(r.signal, stars.truth) < 1e-6


@pytest.mark.filterwarnings("ignore:the run stopped before it converged")  # that of no iteration is the start
@pytest.mark.parametrize("shape", [(9, 8), (9, 8, 3)])
@pytest.mark.filterwarnings("ignore:the run did not converge")
def test_a_start_has_the_shape_of_the_image_or_of_its_factor(shape):
    image = np.random.default_rng(1).random(shape) + 0.1
    s = projfgd.simulate.cdp(image, patterns=6, seed=1)
    factor = image.reshape(72, -1)
    started = [
        projfgd.phase(s, init=init, method="wirtinger-flow", max_iterations=0)
        for init in (image, factor, image[..., 0] if image.ndim == 3 else image.reshape(-1))
    ]
    np.testing.assert_allclose(started[0].factor, factor, rtol=1e-12)
    np.testing.assert_array_equal(started[1].factor, started[0].factor)
    one_for_all = np.repeat(factor[:, :1], factor.shape[1], axis=1)
    np.testing.assert_allclose(started[2].factor, one_for_all, rtol=1e-12)


def test_folders_and_arrays_give_the_same_answer(tmp_path, stars):
    projfgd.simulate.cdp("stars", size=(30, 23), patterns=6, seed=2, out=tmp_path / "data")
    a = projfgd.phase(tmp_path / "data", constraint="nonnegative", out=tmp_path / "result")
    b = projfgd.phase(stars, constraint="nonnegative")
    np.testing.assert_allclose(a.signal, b.signal, atol=1e-6 * np.abs(b.signal).max())
    written = np.load(tmp_path / "result" / "signal.npy")
    np.testing.assert_array_equal(written, a.signal)
    assert (tmp_path / "result" / "image.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.filterwarnings("ignore:the run stopped before it converged")  # cut short on purpose
def test_ctrl_c_returns_the_best_image(stars):
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.warns(RuntimeWarning, match="^the run did not converge: ended by Ctrl-C; the result is the point"):
        r = projfgd.phase(
            stars, method="wirtinger-flow", tolerance=0, gradient_tolerance=0, max_iterations=10**8,
            time_limit=60,
        )  # fmt: skip
    assert r.status == "interrupted" and np.all(np.isfinite(r.signal))


@pytest.mark.filterwarnings("ignore:the run stopped before it converged")  # cut short on purpose
def test_a_callback_ends_all_channels_once_and_for_all():
    """Whatever it would answer for the channels that follow; no warning speaks of an interrupt."""
    s = projfgd.simulate.cdp(np.random.default_rng(1).random((9, 8, 3)), patterns=6)
    rows = []

    def stop(row):
        rows.append(row)
        return len(rows) != 2

    assert projfgd.phase(s, callback=stop).status == "interrupted" and len(rows) == 2


@pytest.mark.filterwarnings("ignore:the run stopped before it converged")  # cut short on purpose
@pytest.mark.filterwarnings("ignore:the run did not converge")
def test_image_is_drawn(stars):
    import matplotlib

    matplotlib.use("Agg")
    r = projfgd.phase(stars, max_iterations=3)
    np.testing.assert_array_equal(projfgd.plot.image(r).images[0].get_array(), r.image)


@pytest.mark.parametrize("dtype", [">f8", "f2", "O", "g"])
def test_other_types_of_numbers_are_converted(dtype):
    rng = np.random.default_rng(5)
    image = rng.normal(size=(9, 8)) + 1j * rng.normal(size=(9, 8))
    masks = np.exp(2j * np.pi * rng.random((8, 9, 8)))
    intensities = (np.abs(np.fft.fft2(masks.conj() * image)) ** 2).astype(dtype)
    r = projfgd.phase(intensities, masks.astype(">c16"))
    same = projfgd.phase(intensities.astype(np.float64), masks)
    np.testing.assert_array_equal(r.signal, same.signal)


def test_a_simulation_brings_its_masks_and_its_truth(stars):
    r = projfgd.phase(stars)
    assert r.relative_error == pytest.approx(error(r.signal, stars.truth), rel=1e-3, abs=1e-12)
    assert "relative_error" not in projfgd.phase(stars, truth=None).summary


def test_a_target_error_ends_the_run(stars, tmp_path):
    """Also with the truth that is in a folder."""
    projfgd.simulate.cdp("stars", size=(30, 23), patterns=6, seed=2, out=tmp_path)
    for data in (stars, tmp_path):
        assert 1e-3 < projfgd.phase(data, target_error=0.05).relative_error <= 0.05


def test_a_result_may_be_a_start_or_a_truth(stars):
    r = projfgd.phase(stars)
    again = projfgd.phase(stars.data, stars.masks, init=r, truth=r)
    assert again.relative_error < 1e-5


def bad(stars, **change):
    arguments = dict(intensities=stars.data, masks=stars.masks) | change
    return projfgd.phase(**arguments)


def test_bad_input(stars, tmp_path):
    negative = stars.data.copy()
    negative[0, 0, 3] = -1
    for change, kind, sentence in [
        (dict(intensities=negative), ValueError, r"intensities: entry \[0, 0, 3\] is -1"),
        (dict(intensities=stars.data * np.nan), ValueError, "intensities"),
        (dict(masks=stars.masks[:2]), ValueError, "masks: found masks of shape 2 x 30 x 23"),
        (dict(intensities=np.zeros((0, 5, 5)), masks=None), ValueError, "intensities"),
        (dict(intensities="missing.npy", masks=None), OSError, "missing.npy"),
        (dict(method="magic"), ValueError, "magic"),
        (dict(loss="magic"), ValueError, "magic"),
        (dict(constraint="cube"), ValueError, "cube"),
        (dict(constraint="nonnegative-l1", radius=-1), ValueError, "radius"),
        (dict(truth=np.ones(3)), ValueError, "truth: found shape 3"),
        (dict(truth=stars.truth.T), ValueError, "truth: found shape 23 x 30, expected 30 x 23"),
        (dict(init=stars.truth.T), ValueError, "init: found shape 23 x 30, expected 30 x 23"),
        (dict(support=stars.truth.T), ValueError, "support: found shape 23 x 30, expected 30 x 23"),
        (dict(support=stars.truth * np.nan), ValueError, r"support: entry \[0, 0\] is nan"),
        (dict(support=stars.truth * 0), ValueError, "support: found only zeros"),
        (dict(intensities=tmp_path, masks=None), OSError, "found a folder without intensities.npy"),
        (dict(intensities="a.npy", shape=(30, 23)), TypeError, 'unknown option "shape": the image has'),
        (dict(out=""), TypeError, "out: found '', expected the path of a folder"),
        (dict(radius=3), ValueError, "radius: found 3 without a constraint"),
        (dict(constraint="real", radius=3), ValueError, "constraint=.real.: found "),
        (dict(intensities=np.moveaxis(stars.data, 0, -1)), ValueError, "np.moveaxis"),
        (dict(intensities=None), TypeError, "intensities: found None"),
        (dict(intensities=5, masks=None), ValueError, "intensities: found 5, expected patterns"),
        (dict(intensities=[[1, 2], [3]]), ValueError, "intensities: found lists of different"),
        (dict(mask=stars.masks), TypeError, r'unknown option "mask" \(did you mean masks\?\); the options are intens'),
        (dict(out=5), TypeError, "out: found 5, expected the path of a folder"),
    ]:
        with pytest.raises(kind, match=sentence):
            bad(stars, **change)


def test_pixels_that_were_not_measured() -> None:
    s = projfgd.simulate.cdp("stars", size=(24, 20), patterns=8, seed=1)
    dead = np.zeros((24, 20), dtype=bool)
    dead[3] = True
    spoilt = np.where(dead, np.nan, s.data)
    r = projfgd.phase(spoilt, s.masks, truth=s.truth, bad_pixels=dead)
    assert r.relative_error < 1e-5
    assert r.bad_pixels == 8 * 20
    masked = np.ma.masked_invalid(spoilt)
    np.testing.assert_array_equal(projfgd.phase(masked, s.masks).signal, r.signal)
    both = projfgd.phase(masked, s.masks, bad_pixels=np.eye(24, 20))
    assert both.bad_pixels == 8 * (20 + 19)
    assert projfgd.phase(s.data, s.masks).bad_pixels == 0
    whole = projfgd.phase(np.ma.masked_array(s.data), s.masks)
    np.testing.assert_array_equal(whole.signal, projfgd.phase(s.data, s.masks).signal)
    with pytest.raises(ValueError, match="mark unmeasured pixels with bad_pixels="):
        projfgd.phase(np.where(dead, -1, s.data), s.masks)
    with pytest.raises(ValueError, match="truth: found masked entries"):
        projfgd.phase(s.data, s.masks, truth=np.ma.masked_equal(s.truth, s.truth.max()))


def test_a_scan_whose_frames_are_centred_says_so():
    # Its object is the true one times a checkerboard of signs, which fits as well.
    rng = np.random.default_rng(5)
    y, x = np.mgrid[-1:1:16j, -1:1:16j]
    probe = np.exp(-3 * (x**2 + y**2) + 2j * x * y)
    frequency = np.hypot(*np.meshgrid(*2 * [np.fft.fftfreq(40)]))
    smooth = np.fft.ifft2(np.fft.fft2(rng.normal(size=(40, 40))) * (frequency < 0.1)).real
    truth = (1 + 0.3 * smooth) * np.exp(1j * smooth)
    at = [(i, j) for i in range(0, 25, 3) for j in range(0, 25, 3)]
    exits = np.array([probe * truth[i : i + 16, j : j + 16] for i, j in at])
    centred = np.fft.fftshift(np.abs(np.fft.fft2(exits)) ** 2, axes=(1, 2))
    more = {"positions": np.array(at, float), "probe": probe}
    with pytest.warns(UserWarning, match="neighbouring pixels of the object .* centred=True"):
        projfgd.phase(centred, **more)
    assert "warnings" not in projfgd.phase(centred, centred=True, **more).summary
