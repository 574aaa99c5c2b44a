"""Phase retrieval."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from . import _core
from ._call import call_text
from ._data import (
    OF_THE_DATA,
    MemoryFiles,
    check_name,
    check_numbers,
    is_path,
    numbers,
    of_the_data,
    refuse_result,
)
from ._job import run_job
from ._picture import faded, figure, gray
from ._result import Result
from ._shown import shown
from ._simulation import Simulation
from ._typing import Array, JobOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack


_PATTERNS = "patterns x height x width numbers"
#: Less of the largest number cannot be seen in pictures of eight bits.
_VISIBLE = 1 / 255


class PhaseResult(Result):
    """An image or signal z, known up to a global phase.

    ``factor`` is z with a column for each channel. In addition to :class:`Result` it
    has ``transforms`` and, if the truth is known, ``relative_error`` and ``psnr``. For ptychography
    ``signal`` is the object and ``probe`` the illumination.
    """

    #: Of ptychography: the probe, height x width complex numbers.
    probe: Array

    transforms: int
    patterns: int
    shape: list[int]
    channels: int
    attempts: int
    misfit: float
    pattern_misfits: list[float]
    radius: float | list[float]
    psnr: float
    resolution_pixels: float
    relative_error_modulo_symmetry: float
    determined: bool
    unseen_pixels: int
    bad_pixels: int

    _needs: ClassVar[dict[str, str]] = {
        **Result._needs,
        "psnr": "give truth=",
        "resolution_pixels": "give truth=",
    }
    _otherwise: ClassVar[dict[str, Any]] = {
        **Result._otherwise,
        "attempts": 1,
        "bad_pixels": 0,
        "unseen_pixels": 0,
    }

    @property
    def signal(self) -> Array:
        """The complex image, height x width (x channels), or the signal, n numbers: a view of the
        factor."""
        height, width = self.summary["shape"]
        shape = (width,) if height == 1 else (height, width)
        channels = self.summary.get("channels", 1)
        return self.factor.reshape(shape if channels == 1 else (height, width, channels))

    @property
    def image(self) -> Array:
        """The modulus of the signal."""
        return np.asarray(np.abs(self.signal))

    def _size(self) -> str:
        return f"image {' x '.join(map(str, self.signal.shape))}"

    def _headline(self) -> str:
        size = " x ".join(map(str, self.signal.shape))
        if "relative_error" in self.summary:
            return f"Image of {size}, relative error {self.relative_error:.2g}"
        return f"Image of {size}, {super()._headline()}"

    def _pictures(self) -> list[str]:
        signal = self.signal
        if signal.ndim == 1:
            return []
        modulus = np.abs(signal)
        shown = [figure(gray(modulus), "modulus")]
        if signal.ndim == 2 and np.abs(signal.imag).max() > _VISIBLE * modulus.max():
            shown.append(figure(faded(np.angle(signal), modulus), "phase as colour"))
        return shown


def phase(
    intensities: Any,
    masks: Any = OF_THE_DATA,
    *,
    constraint: str | None = None,
    radius: float | None = None,
    support: Any = None,
    centred: bool = False,
    mask_values: Any = None,
    conjugate_masks: bool = False,
    amplitudes: bool = False,
    vectors: Any = None,
    bad_pixels: Any = None,
    positions: Any = None,
    probe: Any = OF_THE_DATA,
    refine_probe: bool = False,
    target_error: float | None = None,
    loss: str | None = None,
    dataset: str | None = None,
    mask_dataset: str | None = None,
    device: str | None = None,
    **options: Unpack[JobOptions],
) -> PhaseResult:
    """Recover an image from diffraction patterns.

    Parameters
    ----------
    intensities
        Patterns x height x width numbers >= 0, |FFT(conj(mask) image)|^2; patterns x n for
        signals; for colour, channels come first. Or the path of an NPY, HDF5 or CXI file, of a folder
        made by ``projfgd simulate cdp``, or what :func:`projfgd.simulate.cdp` or
        :func:`projfgd.simulate.ptychography` returns, with its masks or its scan and its truth.
    masks
        Complex numbers in the shape of the patterns, or a path; None for patterns without masks. For
        a simulation the default is its own masks and truth.
    constraint, radius
        What is known about the image: "nonnegative", "real", "l1-ball", "nonnegative-l1" or another
        constraint of the library. By default the radius of an l1 ball is estimated.
    support
        An array in the shape of the image, or a path: zero where the image is known to be zero.
    centred
        True if the zero frequency is in the middle of each pattern, not at its first entry.
    amplitudes
        True if the data are amplitudes, the square roots of intensities.
    mask_values
        A table of complex numbers; the masks are then indices into it.
    conjugate_masks
        True if the wave was multiplied by the masks: |FFT(mask image)|^2.
    vectors
        Instead of masks: the m x n matrix with rows a_i^H, for intensities |a_i^H z|^2.
    bad_pixels
        An array of height x width, or of patterns x height x width, or a path: nonzero where the
        detector measured nothing; the intensities there are ignored. Masked entries of a NumPy
        masked array count as bad pixels.
    positions, probe
        Ptychography: the position of each frame on the object, frames x 2 numbers (row and column in
        pixels, fractions allowed), and the probe, height x width complex numbers. Arrays or paths;
        by default those of the CXI file or simulation. Without a probe, or with None, it is
        estimated from the frames and refined.
    refine_probe
        Refine the probe together with the object.
    target_error
        Stop when the relative error from ``truth`` is this small.
    loss
        "intensity", "amplitude" or "poisson"; chosen automatically by default.
    dataset, mask_dataset
        Paths of the datasets in an HDF5 file.
    method, init, truth, precision, threads
        As on the command line; ``init`` and ``truth`` may be arrays in the shape of the image or of
        its factor, ``init`` also one image for all channels.
    device
        "auto", "cpu", "gpu" or "gpu:1": where the image is found. "auto" uses a GPU for large patterns
        if there is one and projfgd was built with CUDA; ``result.device`` is its name.
    out
        A folder for the files that the command line writes.
    checkpoint_every, resume
        With ``out`` a run writes a checkpoint there every ``checkpoint_every`` seconds (60 by default,
        0 for none) and when it stops early. The same call with ``resume=True`` continues from it, with
        bit-for-bit the same result as an uninterrupted run.
    callback, progress, **options
        As for :func:`minimize`; ``seed`` is the random seed of all starts; the same seed gives the
        same result. ``step`` and ``step_constant``, for the
        method "projfgd", as for :func:`tomography`.

    Ctrl-C ends the run with the best image so far. A run that does not converge
    issues a RuntimeWarning.

    Examples
    --------
    >>> import projfgd
    >>> s = projfgd.simulate.cdp(image="stars", size=(32, 24), patterns=4, seed=1)
    >>> r = projfgd.phase(s.data, s.masks, constraint="nonnegative-l1", truth=s.truth)
    >>> r.image.shape, r.relative_error < 1e-4
    ((32, 24), True)
    """
    command = call_text(phase, locals())
    files = MemoryFiles()
    check_name("init", options.get("init"), _core.phase_starts)
    check_numbers({"radius": radius, "target_error": target_error})
    refuse_result(intensities, "intensities", f"{_PATTERNS} or a path")
    refuse_result(masks, "masks", "an array in the shape of the patterns, or a path")
    if isinstance(intensities, Simulation):
        if not intensities.is_image:
            raise TypeError(f"intensities: found measurements of a state, expected {_PATTERNS}")
        masks = of_the_data(masks, intensities.masks)
        positions = intensities.positions if positions is None else positions
        probe = of_the_data(probe, intensities.probe)
        options.setdefault("truth", intensities.truth)
        intensities = intensities.data
    masks, probe = of_the_data(masks), of_the_data(probe)
    if radius is not None:
        if constraint is None:
            raise ValueError(
                f"radius: found {shown(radius)} without a constraint, expected one that has a "
                "radius, such as l1-ball"
            )
        try:
            constraint = f"{constraint}:{float(radius)!r}"
        except (TypeError, ValueError):
            raise ValueError(f"radius: found {shown(radius)}, expected a number") from None
    if "shape" in options:
        raise TypeError('unknown option "shape": the image has the height and width of the patterns')
    if intensities is None:
        raise TypeError(f"intensities: found None, expected {_PATTERNS} or a path")
    if isinstance(intensities, np.ma.MaskedArray):
        bad_pixels = _with_masked(intensities, bad_pixels)
        intensities = np.ma.getdata(intensities)
    if not is_path(intensities):
        intensities = numbers(intensities, "intensities")
        _check_patterns(intensities, masks)
        # A file may hold its own masks.
        _require(mask_values, masks, "mask_values: found no masks, expected masks= with codes")
        _require(dataset, None, "dataset: found an array, expected the path of an HDF5 file")
    if not is_path(intensities if masks is None else masks):
        _require(mask_dataset, None, "mask_dataset: found no file, expected an HDF5 file with masks")
    if not is_path(intensities) or not os.path.isdir(intensities):  # which may hold its own truth
        _require(target_error, options.get("truth"), "target_error: found no truth, expected truth=")
    input = {
        "data": files.path_or_array("intensities", intensities),
        "masks": files.path_or_array("masks", masks),
        "mask_values": files.path_or_array("mask_values", mask_values),
        "vectors": files.path_or_array("vectors", vectors),
        "support": files.path_or_array("support", support),
        "bad_pixels": files.path_or_array("bad_pixels", bad_pixels),
        "positions": files.path_or_array("positions", positions),
        "probe": files.path_or_array("probe", probe),
        "refine_probe": refine_probe,
        "centred": centred,
        "amplitudes": amplitudes,
        "conjugate_masks": conjugate_masks,
        "dataset": dataset,
        "mask_dataset": mask_dataset,
        "loss": loss,
        "target_error": target_error,
        "device": device,
    }
    settings = {"constraint": constraint}
    return run_job(phase, PhaseResult, _core.phase, input, settings, options, files, command)


def _require(option: Any, needed: Any, sentence: str) -> None:
    """Refuses an option without what it needs: nothing would read it."""
    if option is not None and needed is None:
        raise ValueError(sentence)


def _with_masked(intensities: Any, bad_pixels: Any) -> Any:
    """The bad pixels and the masked entries, of a pattern in all channels where there are several."""
    if not np.ma.is_masked(intensities):
        return bad_pixels
    masked: Any = np.ma.getmaskarray(intensities)
    if masked.ndim == 4:
        masked = masked.any(axis=0)
    if is_path(bad_pixels):
        raise ValueError(
            "bad_pixels: found a file and a masked array, expected only one of the two"
        )
    if bad_pixels is None:
        return masked
    bad = numbers(bad_pixels, "bad_pixels") != 0
    if bad.shape not in (masked.shape, masked.shape[1:]):
        raise ValueError(
            f"bad_pixels: found shape {_text(bad.shape)}, expected {_text(masked.shape[1:])} or "
            f"{_text(masked.shape)}"
        )
    return masked | bad


def _check_patterns(patterns: Array, masks: Any) -> None:
    """Refuses what is no pattern, and patterns whose number comes last when masks show that."""
    if patterns.ndim == 0:
        raise ValueError(f"intensities: found {patterns}, expected {_PATTERNS}")
    turned = patterns.shape[-1:] + patterns.shape[:-1]
    if getattr(masks, "shape", None) == turned != patterns.shape:
        raise ValueError(
            f"intensities: found shape {_text(patterns.shape)} with masks of shape "
            f"{_text(turned)}, expected the pattern index first: "
            "np.moveaxis(intensities, -1, 0)"
        )


def _text(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))
