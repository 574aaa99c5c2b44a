"""Arrays that live on a GPU, as far as one can see from a machine without one."""

import numpy as np
import pytest

import projfgd


class OnHost(np.ndarray):
    """What PyTorch has on the way from a GPU to NumPy."""

    def same(self):
        return self

    cpu = resolve_conj = resolve_neg = same

    def numpy(self):
        return np.asarray(self)


class OnGpu:
    """An array there; a library adds how it is read."""

    __cuda_array_interface__ = {"version": 3}
    data = object()  # of CuPy it is a pointer

    def __init__(self, values):
        self._values = values

    def read(self, *_args, **_kwargs):
        return self._values.view(OnHost)


@pytest.mark.parametrize("copy", ["get", "detach", "copy_to_host", "__array__"])
def test_an_array_on_a_gpu_is_copied_from_there(copy):
    library = type(copy, (OnGpu,), {copy: OnGpu.read})
    masks = np.exp(2j * np.pi * np.random.default_rng(1).random((6, 8, 8)))
    image = np.outer(np.hanning(8), np.hanning(8))
    patterns = np.abs(np.fft.fft2(masks * image)) ** 2
    expected = projfgd.phase(patterns, masks, conjugate_masks=True, threads=1)
    found = projfgd.phase(library(patterns), library(masks), conjugate_masks=True, threads=1)
    assert np.array_equal(found.signal, expected.signal)
