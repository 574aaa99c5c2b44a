"""Data with a known truth, the same for the same seed on every machine."""

from __future__ import annotations

import csv
import json
import operator
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._call import keyword_text
from ._data import check_name, check_numbers, folder_path, is_path, numbers, scalars
from ._shown import shown
from ._simulation import PATHS, Simulation

__all__ = ["Simulation", "cdp", "counts", "pauli", "ptychography"]

_DRAWN = tuple(_core.drawn_images)  # they have any size


def __dir__() -> list[str]:
    return __all__


def pauli(
    qubits: int,
    *,
    rank: int | None = None,
    csam: float | None = None,
    samples: Literal["linear", "log"] | None = None,
    noise_norm: float | None = None,
    seed: int | None = None,
    device: str | None = None,
    out: str | os.PathLike[str] | None = None,
) -> Simulation:
    """m = csam r n random Pauli expectations of a random state of rank r, n = 2^q.

    With ``samples="log"`` m is csam r n ln n. Gaussian noise with ||e||_2 = ``noise_norm`` is
    added. ``device`` is "cpu", "gpu" or "gpu:1"; ``out`` is a folder for the files.

    >>> import projfgd
    >>> s = projfgd.simulate.pauli(qubits=5, rank=1, csam=6, noise_norm=1e-3, seed=1)
    >>> len(s.data), s.truth.shape
    (192, (32, 1))
    >>> projfgd.tomography(s.data, rank=1).fidelity(s.truth) > 0.999
    True
    """
    return _simulate(_core.simulate_pauli, _read_pauli, **locals())


def counts(
    qubits: int,
    *,
    state: str | None = None,
    mix: str | None = None,
    shots: int | None = None,
    settings: int | Literal["all"] = "all",
    depolarizing: float | None = None,
    readout_error: float | None = None,
    drift: float | None = None,
    projectors: Literal["minimal", "all"] | None = None,
    accidentals: float | None = None,
    seed: int | None = None,
    out: str | os.PathLike[str] | None = None,
) -> Simulation:
    """Counts of product Pauli settings: all 3^q of them, or ``settings`` random ones.

    ``state`` is "ghz", "w", "bell", "phi-", "psi+", "psi-", "plus", "zero" or "random", ``mix`` a mixture such as
    "w:0.8,ghz:0.2"; ``depolarizing`` is the weight of white noise, ``readout_error`` the probability of
    misreading a bit, and qubit 0 rotates by ``drift`` radians about its y axis during the experiment.
    With ``projectors`` single projectors are counted, as with photon pairs: "minimal" (H, V, D and
    R) or "all" (also A and L); one with probability 1 has ``shots`` counts plus ``accidentals``.

    >>> import projfgd
    >>> s = projfgd.simulate.counts(qubits=2, state="bell", shots=1000, depolarizing=0.1, seed=1)
    >>> sorted(s.data)[:3], sum(s.data["XX"].values())
    (['XX', 'XY', 'XZ'], 1000)
    """
    given = dict(locals())
    if isinstance(settings, str) and settings == "all":
        given["settings"] = None
    elif settings == 0:
        raise ValueError(f'settings: found {settings}, expected "all" or an integer >= 1')
    return _simulate(_core.simulate_counts, _read_counts, **given)


def cdp(
    image: str | os.PathLike[str] | ArrayLike | None = None,
    *,
    size: tuple[int, int] | str | None = None,
    patterns: int | None = None,
    masks: str | None = None,
    stars: float | None = None,
    snr: float | None = None,
    photons: float | None = None,
    seed: int | None = None,
    out: str | os.PathLike[str] | None = None,
) -> Simulation:
    """Coded diffraction patterns of a star field, a head phantom or an image of your own.

    ``image`` is "stars", "phantom", the path of a PNG or NPY file, or an array: height x width
    (x channels) numbers, complex or >= 0, or n of a signal; ``size`` height and width, needed for
    the first two, as (128, 96) or "128x96";
    ``masks`` "octanary", "ternary" or "gaussian", ``stars`` is the fraction of nonzero pixels,
    ``snr`` the signal-to-noise ratio of Gaussian noise in dB, ``photons`` the mean count of a pattern
    with Poisson noise. These counts are scaled back to the intensities of the image, so they are
    not whole numbers.

    >>> import projfgd
    >>> s = projfgd.simulate.cdp("phantom", size=(16, 20), patterns=3, seed=1)
    >>> s.data.shape, s.masks.shape, s.truth.shape
    ((3, 16, 20), (3, 16, 20), (16, 20))
    """
    return _of_image(_core.simulate_cdp, _read_cdp, "stars", dict(locals()))


def ptychography(
    image: str | os.PathLike[str] | ArrayLike | None = None,
    *,
    size: tuple[int, int] | str | None = None,
    delay: float | None = None,
    probe_size: int | None = None,
    overlap: float | None = None,
    photons: float | None = None,
    seed: int | None = None,
    out: str | os.PathLike[str] | None = None,
) -> Simulation:
    """Diffraction patterns of a probe scanned over an object.

    ``image`` is as for :func:`cdp`, without channels; a complex image is the object itself, and a
    real image x in [0, 1] an object that transmits 1 - x / 2 of the wave and delays it by
    ``delay`` x radians.
    ``probe_size`` is the number of pixels along a side of a frame, ``overlap`` that of neighbouring
    probes as a fraction of their width, ``photons`` the mean count of a frame with Poisson noise.

    >>> import projfgd
    >>> s = projfgd.simulate.ptychography("phantom", size=(64, 64), probe_size=32, seed=1)
    >>> s.data.shape[1:], s.positions.shape == (len(s.data), 2), s.probe.shape
    ((32, 32), True, (32, 32))
    """
    return _of_image(_core.simulate_ptychography, _read_scan, "phantom", dict(locals()))


def _of_image(
    job: Callable[[dict[str, Any], str, str], str],
    read: Callable[[dict[str, Any]], Simulation],
    standard: str,
    given: dict[str, Any],
) -> Simulation:
    """Of an image with a name, in a file, or in an array."""
    image = given["image"]
    if given["size"] is None and (image is None or (isinstance(image, str) and image in _DRAWN)):
        raise ValueError(
            f'size: found none, expected size=(height, width) for "{image or standard}"'
        )
    check_name("image", image, _DRAWN)
    if image is None or is_path(image):
        given["image"] = None if image is None else os.fspath(image)
        return _simulate(job, read, **given)
    pixels = numbers(image, "image")
    with tempfile.TemporaryDirectory() as folder:
        given["image"] = os.path.join(folder, "image.npy")
        np.save(given["image"], pixels)
        try:
            simulation = _simulate(job, read, **given)
        except ValueError as error:
            raise ValueError(str(error).replace(given["image"], "image")) from None
    simulation.description["image"] = f"an array of shape {pixels.shape}"
    return simulation


def _simulate(
    job: Callable[[dict[str, Any], str, str], str],
    read: Callable[[dict[str, Any]], Simulation],
    out: str | os.PathLike[str] | None = None,
    size: tuple[int, int] | str | None = None,
    **keywords: Any,
) -> Simulation:
    """``locals()`` of the functions above go on to the library by the same names."""
    check_numbers(keywords)
    keywords = scalars(keywords)
    name = job.__name__.removeprefix("simulate_")
    command = keyword_text(f"projfgd.simulate.{name}", {**keywords, "size": size, "out": out})
    if size is not None:
        keywords["height"], keywords["width"] = _height_and_width(size)
    if (chosen := folder_path(out)) is not None:
        return read(json.loads(job(keywords, chosen, command)))
    with tempfile.TemporaryDirectory() as folder:
        simulation = read(json.loads(job(keywords, folder, command)))
    for name in PATHS:  # the folder is gone
        simulation.description.pop(name, None)
    return simulation


def _height_and_width(size: Any) -> tuple[int, int]:
    """From a pair, or from "HEIGHTxWIDTH" as on the command line."""
    try:
        parts = map(int, size.split("x")) if isinstance(size, str) else map(operator.index, size)
        height, width = parts
    except (TypeError, ValueError):
        raise ValueError(
            f'size: found {shown(size)}, expected (height, width) or "HEIGHTxWIDTH"'
        ) from None
    return height, width


def _read_pauli(description: dict[str, Any]) -> Simulation:
    with open(description["data"], newline="") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        data = {row["pauli"]: float(row["expectation"]) for row in rows}
    return Simulation(data, np.load(description["truth"]), description)


def _read_counts(description: dict[str, Any]) -> Simulation:
    data = json.loads(Path(description["data"]).read_text())
    simulation = Simulation(data, np.load(description["truth"]), description)
    simulation.target = np.load(description["target"])
    if "readout" in description:
        simulation.readout = json.loads(Path(description["readout"]).read_text())
    return simulation


def _read_cdp(description: dict[str, Any]) -> Simulation:
    data, truth = np.load(description["data"]), np.load(description["truth"])
    simulation = Simulation(data, truth, description)
    simulation.masks = np.load(description["mask_data"])
    if "mask_values" in description:  # they are codes
        codes = simulation.masks.astype(np.intp)
        simulation.masks = np.load(description["mask_values"])[codes]
    return simulation


def _read_scan(description: dict[str, Any]) -> Simulation:
    data, truth = np.load(description["data"]), np.load(description["truth"])
    simulation = Simulation(data, truth, description)
    simulation.positions = np.load(description["positions"])
    simulation.probe = np.load(description["probe"])
    return simulation
