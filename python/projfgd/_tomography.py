"""Quantum state tomography."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import index
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._bootstrap import Bootstrap, bootstrap, spectrum
from ._call import call_text
from ._data import (
    OF_THE_DATA,
    MemoryFiles,
    check_name,
    check_numbers,
    is_path,
    known_to,
    of_the_data,
    state_numbers,
)
from ._estimate import Estimate
from ._job import run_job
from ._measurements import bases_by_letter, counts_by_label, measurements
from ._result import Result
from ._shown import shown
from ._simulation import Simulation
from ._state import StateResult
from ._typing import Array, JobOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

Order = Literal["qubit0-right", "qubit0-left"]


class TomographyResult(StateResult):
    """A state rho = U U^H / tr(U U^H) and how well it fits.

    In addition to :class:`Result` it has ``fidelity`` with the target, ``purity``, ``entropy`` (bits)
    and ``eigenvalues``, with intervals if the data determine them; ``residual`` and, if the noise
    is known, ``noise_floor``, ``chi_square`` and ``p_value``. ``setting_misfits`` is the chi-square of
    each measurement basis divided by its expected value. In the index of a basis state qubit 0
    is the lowest bit, as in Qiskit.
    """

    settings: int
    projectors: int
    intensity: float
    shots: float
    residual: float
    noise_floor: float
    chi_square: float
    degrees_of_freedom: float
    rank_reason: str
    other_fits: list[dict[str, Any]]
    model_reason: str
    white_noise: float
    p_value: float | None
    intervals: dict[str, Any]
    interval_method: dict[str, Any]
    determined: bool | None
    undetermined: list[str] | None
    optimality_gap: dict[str, Any]
    entropy: Estimate
    eigenvalues: list[Estimate]
    expectations: dict[str, Estimate]
    negativities: dict[str, Estimate]
    paulis: dict[str, Estimate]
    setting_misfits: dict[str, float]

    _needs: ClassVar[dict[str, str]] = {
        **Result._needs,
        **dict.fromkeys(
            ("chi_square", "degrees_of_freedom", "noise_floor", "p_value"),
            "the noise of the data is unknown; give shots= with frequencies, or expectations "
            "with their standard errors",
        ),
        "target": "give target=",
        "expectations": "give observables=",
        "setting_misfits": "the shots of the settings are unknown; give shots= with frequencies",
    }
    _otherwise: ClassVar[dict[str, Any]] = {
        **Result._otherwise,
        "rank_reason": "the rank was given",
        "other_fits": [],
        "model_reason": "the rank was given",
    }

    def to_qiskit(self) -> Any:
        """The state as a qiskit.quantum_info.DensityMatrix; needs Qiskit."""
        from qiskit.quantum_info import DensityMatrix

        return DensityMatrix(self.density_matrix)

    def to_qutip(self) -> Any:
        """The state as a qutip.Qobj of as many qubits, the highest first; needs QuTiP."""
        import qutip

        dims = [2] * self.summary["qubits"]
        return qutip.Qobj(self.density_matrix, dims=[dims, dims])

    #: Makes refits with the settings of the run.
    _refits: Callable[[int], Array] | None = None

    def bootstrap(self, n: int = 200, function: Callable[[Array], Any] = spectrum) -> Bootstrap:
        """A 95% interval of any function of the density matrix, by resampling.

        Draws ``n`` data sets from the fitted state, refits the chosen model to each, and compares
        ``function`` of the refitted states with its value for the estimate. The result has ``value``,
        ``low``, ``high`` and the ``samples``. The same seed gives the same samples.

        These intervals show how the estimate varies when the experiment is repeated. Near the boundary,
        where a purity is close to 1 or an eigenvalue is close to 0, the fit is biased and they may miss
        the true value in more than 5% of cases; ``result.intervals`` do not have this problem. If the
        state does not explain the data, they are widened by the ratio of the residuals to the noise.

        >>> import projfgd
        >>> counts = {"X": {"0": 90, "1": 10}, "Y": {"0": 52, "1": 48}, "Z": {"0": 55, "1": 45}}
        >>> found = projfgd.tomography(counts).bootstrap(20, lambda rho: rho[0, 1].real)
        >>> bool(found.low < found.value < found.high), found.samples.shape
        (True, (20,))
        """
        if self._refits is None:
            raise ValueError("bootstrap: found a result without its data, expected the result of tomography()")
        self._tell_of_open_state("the interval")
        return bootstrap(self.density_matrix, self._refits(index(n)), function, self._widened)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_refits": None}  # the data stay here


def tomography(
    data: Any,
    rank: int | Literal["auto", "full"] | None = "auto",
    *,
    target: Any = OF_THE_DATA,
    readout: Any = OF_THE_DATA,
    loss: str | None = None,
    white_noise: Literal["auto", "off"] | None = None,
    errors: str | None = None,
    format: str | None = None,
    bit_order: Order | None = None,
    label_order: Order | None = None,
    basis_pattern: str | None = None,
    bases: str | os.PathLike[str] | Mapping[str, ArrayLike] | None = None,
    shots: float | None = None,
    observables: str | os.PathLike[str] | Sequence[str] | None = None,
    constraint: str | None = None,
    device: str | None = None,
    **options: Unpack[JobOptions],
) -> TomographyResult:
    """Estimate a quantum state from counts or Pauli expectations.

    Parameters
    ----------
    data
        * counts of product settings: ``{"XX": {"00": 450, "11": 496}, "XY": ...}``, where the
          inner dicts may be Qiskit's Counts, BitArray or the result of a sampler;
        * Pauli expectations: ``{"XX": 0.9, "ZI": 0.1}``, or pairs (expectation, standard error), or
          a pair (SparsePauliOp, PauliList or labels; values), optionally with the standard
          errors as a third entry, or a list of (label, value);
        * counts of single projectors: ``{"HH": 34749, "HV": 324, ...}``, or for each a dict with
          count and optionally exposure, efficiency and accidentals;
        * single shots: ``{"XX": ["00", "11", ...]}``, or arrays with a row of bits for each shot;
        * a list of pairs (basis, counts) or (basis, outcome);
        * a pandas DataFrame with the columns pauli, expectation and optionally stderr; or basis,
          outcome and count; or with a row for each basis and a column for each outcome; or projector and
          count;
        * one or more paths of files in any layout that the command line reads, or of the folder
          of a simulation, whose counts or expectations are then read;
        * a Qiskit Result, or what SamplerV2 returns, with the basis in the metadata of each
          circuit, as :func:`circuits` puts it there, or the dict of any of those layouts; the
          ExperimentData of a StateTomography of qiskit-experiments;
        * what :mod:`projfgd.simulate` returns, with its truth, target and readout.
    rank
        Rank of the state; "auto" or None chooses it from the data, "full" is 2^q.
    target
        A state to compare with, see :meth:`TomographyResult.fidelity`; ``result.summary`` then has
        ``fidelity`` and ``trace_distance``. For a simulation the default is its own target, as it is for
        ``readout`` and ``truth``; None uses none.
    readout
        Readout calibration: the counts after preparing each basis state, or only 0...0 and
        1...1, as ``{"00": {"00": 96, "01": 4}, ...}``; a 2 x 2 matrix for each qubit, qubit 0 first;
        or one 2^q x 2^q matrix with p(read j | prepared k) in row j and column k. Or the path of such a file.
    loss
        "poisson", "least-squares" or "weighted"; chosen from the data by default.
    white_noise
        "off" leaves white noise out of the models that an automatic rank compares.
    errors
        "none" skips the 95% intervals in ``result.intervals``. "bootstrap", or "bootstrap:100" for 100
        refits, computes them by resampling, and then all measures of the result have intervals; see
        :meth:`TomographyResult.bootstrap`.
    format, bit_order, label_order, basis_pattern, bases, shots
        How to read the data; see ``projfgd tomography --help``. ``bases`` is a path, or a dict of
        letters with the states of outcome 0 and 1, ``{"T": [[1, 0], [0, 1]]}``; for projectors, with
        the state itself, ``{"T": [1, 1j]}``.
    observables
        Pauli strings to estimate with intervals, ``["XX", "ZZ"]``, or the path of a file with one
        per line; see ``result.expectations``.
    method, constraint, init, truth, precision, threads
        As on the command line. ``init`` may be an n x r factor, whose r is the first rank that is tried,
        and ``truth`` any state that ``target`` accepts except a name; with a truth the trace has the
        relative error. The default constraint is tr X <= 1; "frobenius-sphere:1" is tr X = 1.
    device
        "auto", "cpu", "gpu" or "gpu:1": where the state is fitted.
        "auto" uses a GPU for large data if there is one and projfgd was built with CUDA;
        ``result.device`` is its name.
    out
        A folder for the files that the command line writes, including report.html.
    checkpoint_every, resume
        With ``out`` a run writes a checkpoint there every ``checkpoint_every`` seconds (60 by default,
        0 for none) and when it stops early. The same call with ``resume=True`` continues from it, with
        bit-for-bit the same result as an uninterrupted run.
    callback, progress, **options
        As for :func:`minimize`; ``step`` may also be "theory" or "theory-adaptive", with
        ``step_constant`` c in 1 / (c (L ||X|| + ||grad f||)). ``seed`` is the random seed; the same
        seed gives the same result.

    Ctrl-C ends the run with the best state so far. A run that does not converge
    issues a RuntimeWarning.

    Examples
    --------
    >>> import projfgd
    >>> counts = {"XX": {"00": 500, "11": 500}, "YY": {"01": 500, "10": 500},
    ...           "ZZ": {"00": 500, "11": 500}}
    >>> r = projfgd.tomography(counts, rank=1)
    >>> round(r.fidelity("bell"), 3), round(r.purity, 3)
    (1.0, 1.0)
    >>> round(r.expectation("XX"), 2)
    1.0
    """
    command = call_text(tomography, locals())
    files = MemoryFiles()
    check_numbers({"shots": shots})
    if isinstance(shots, (int, float, np.number)) and not shots > 0:  # 0: those of the data
        raise ValueError(f"shots: found {shots}, expected a number > 0")
    if isinstance(data, Simulation):
        if data.is_image:
            raise TypeError("data: found diffraction patterns, expected measurements of a state")
        options.setdefault("truth", data.truth)
        target = of_the_data(target, None if data.target is None else data)
        readout = of_the_data(readout, data.readout)
        data = data.data
    target_name = _name_of_target(of_the_data(target))
    target = known_to(of_the_data(target), "target", "target", "truth")
    readout = known_to(of_the_data(readout), "readout", "readout")
    check_name("init", options.get("init"), _core.starts)
    check_name("truth", options.get("truth"), (), "; target takes names")
    if "truth" in options:
        options["truth"] = _state("truth", known_to(options["truth"], "truth", "truth"))
    input = {
        "data": measurements(data, files, format),
        "format": format,
        "label_order": label_order,
        "bit_order": bit_order,
        "basis_pattern": basis_pattern,
        "bases": files.path_or_json("bases", bases, bases_by_letter),
        "shots": shots,
        "loss": loss,
        "white_noise": white_noise,
        "errors": errors,
        "observables": files.path_or_lines("observables", observables),
        "readout": files.path_or_json("readout", readout, counts_by_label),
        "target": files.path_or_array("target", _state("target", target)),
        "target_name": target_name,
        "device": device,
    }
    settings = {"rank": _rank(rank), "constraint": constraint}
    again = {name: value for name, value in options.items() if name not in _SHOWN}
    refits = partial(_refitted, input, dict(settings), again, files)
    result = run_job(
        tomography, TomographyResult, _core.tomography, input, settings, options, files, command
    )
    result._target_of_run = target
    result._refits = refits
    return result


#: Options that refits do not use.
_SHOWN = ("callback", "progress", "out", "truth")


def _refitted(input: Any, settings: Any, options: Any, files: MemoryFiles, n: int) -> Array:
    """The factors of n refits."""
    again, call = {**input, "errors": f"bootstrap:{n}"}, f"bootstrap({n})"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the first run has already issued them
        found: Any = run_job(
            tomography, TomographyResult, _core.tomography, again, dict(settings), options, files, call
        )
    return np.asarray(found.bootstrap_factors)


def _rank(rank: Any) -> Any:
    """The rank as a number of the library, also for "auto" and "full"."""
    if rank is None or (isinstance(rank, str) and rank == "auto"):
        return 0
    if isinstance(rank, str) and rank == "full":
        return _core.full_rank
    if isinstance(rank, (bool, np.bool_)) or rank == 0:
        raise ValueError(f'rank: found {shown(rank)}, expected an integer >= 1, "auto" or "full"')
    return rank


def _state(name: str, value: Any) -> Any:
    """A name or a path unchanged, otherwise the numbers of the state."""
    return value if value is None or is_path(value) else state_numbers(value, name)


def _name_of_target(target: Any) -> str | None:
    """The origin or type of a target, as in "target (qiskit.Statevector)"; None for names."""
    if target is None or is_path(target):
        return None
    if isinstance(target, Simulation):
        known = "truth" if target.target is None else "target"
        return f"{known} of the simulation"
    kind = type(target)
    return f"target ({kind.__module__.partition('.')[0]}.{kind.__name__})"
