"""Where memory is shared with NumPy and where it is not, as docs/python.md says."""

import tracemalloc

import numpy as np
import pytest

import projfgd
from projfgd._data import MemoryFiles


def test_arrays_are_read_where_they_lie():
    files = MemoryFiles()
    for array in (np.arange(6.0).reshape(2, 3), np.zeros((2, 2), np.complex64), np.empty((0, 3))):
        files.add_array("a", array)
        header, rest = files.files["a"]
        assert rest.nbytes == array.nbytes
        assert array.size == 0 or np.shares_memory(rest, array)
        assert len(header) < 200


@pytest.mark.filterwarnings("ignore:the run stopped before it converged")  # cut short on purpose
@pytest.mark.filterwarnings("ignore:the run did not converge")
def test_a_job_copies_no_array_on_its_way_in():
    rng = np.random.default_rng(1)
    intensities = rng.exponential(size=(4, 256, 256))  # as those of speckle are
    masks = np.exp(2j * np.pi * rng.random((4, 256, 256)))
    tracemalloc.start()  # sees what Python and NumPy allocate
    try:
        projfgd.phase(intensities, masks, max_iterations=1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < intensities.nbytes / 10


def test_other_layouts_are_copied_once_and_read_right():
    rng = np.random.default_rng(2)
    image = rng.normal(size=(9, 8))
    masks = np.exp(2j * np.pi * rng.random((8, 9, 8)))
    intensities = np.abs(np.fft.fft2(masks.conj() * image)) ** 2
    plain = projfgd.phase(intensities, masks)
    turned = projfgd.phase(np.asfortranarray(intensities), np.asfortranarray(masks))
    np.testing.assert_array_equal(plain.signal, turned.signal)
    single = projfgd.phase(intensities.astype(np.float32), masks)
    assert single.signal.shape == (9, 8)


def test_results_are_views_of_the_memory_of_the_solver():
    s = projfgd.simulate.cdp("phantom", size=(16, 12), patterns=6, seed=1)
    r = projfgd.phase(s)
    assert np.shares_memory(r.signal, r.factor) and not r.factor.flags.owndata
    r = projfgd.tomography({"X": 0.0, "Y": 0.0, "Z": 1.0}, rank=1)
    assert not r.factor.flags.owndata and r.factor.flags.writeable
    assert not r._trace.flags.owndata


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_gradient_is_read_in_any_layout(order):
    m = np.diag([3.0, 2.0, 1.0])
    kept = np.empty((6, 4), order=order)[::2, ::2]  # strides in both directions

    def f(u):
        residual = u @ u.T - m
        kept[:] = residual @ u
        return 0.5 * np.sum(residual**2), kept

    start = np.array([[1.0, 0.2], [0.3, 1.0], [0.1, 0.1]])
    r = projfgd.minimize(f, None, start, tolerance=1e-12)
    np.testing.assert_allclose(r.factor @ r.factor.T, np.diag([3.0, 2.0, 0.0]), atol=1e-6)


def test_objects_are_refused():
    with pytest.raises(ValueError, match="intensities: found entries of type object"):
        projfgd.phase(np.array([[None]]))
