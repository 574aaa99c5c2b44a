"""Arrays and paths as the names and bytes that the library's readers take.

Arrays and states of other packages become plain arrays here, and nowhere else.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeGuard

import numpy as np

from ._result import Result
from ._shown import did_you_mean, quoted, shown
from ._simulation import Simulation
from ._typing import Array


class MemoryFiles:
    """Names with the bytes that stand for files of these names.

    A file is a pair of its first bytes and an array with the rest. For an NPY file these are the
    header and the memory of the array itself, which is read without a copy.
    """

    def __init__(self) -> None:
        self.files: dict[str, tuple[bytes, Array]] = {}

    def add_json(self, name: str, value: Any) -> str:
        text = json.dumps(value, default=str)  # the reader says where a text stands for a number
        self.files[name] = text.encode(), np.empty(0, np.uint8)
        return name

    def path_or_lines(self, name: str, value: Any) -> str | None:
        """A path unchanged, or a list of texts as a file with a line for each."""
        if value is None or is_path(value):
            return value if value is None else os.fspath(value)
        self.files[name] = "\n".join(map(str, value)).encode(), np.empty(0, np.uint8)
        return name

    def add_array(self, name: str, value: Array) -> str:
        header = io.BytesIO()
        np.lib.format.write_array_header_2_0(
            header, np.lib.format.header_data_from_array_1_0(value)
        )
        self.files[name] = header.getvalue(), value.reshape(-1).view(np.uint8)
        return name

    def path_or_json(self, name: str, value: Any, layout: Callable[[Any], Any]) -> str | None:
        """A path unchanged, or anything else as JSON in this layout."""
        if value is None or is_path(value):
            return value if value is None else os.fspath(value)
        return self.add_json(name, layout(value))

    def path_or_array(self, name: str, value: Any) -> str | None:
        """A path or a name unchanged, or anything else as an NPY file."""
        if value is None or is_path(value):
            return value if value is None else os.fspath(value)
        return self.add_array(name, numbers(value, name))


def read_array(path: str | os.PathLike[str]) -> Array:
    """The array in an NPY file."""
    try:
        return np.asarray(np.lib.format.open_memmap(path, mode="r"))
    except OSError as error:
        raise OSError(f"{os.fspath(path)}: cannot open: {error.strerror}") from None
    except ValueError:
        raise ValueError(f"{os.fspath(path)}: found other data, expected an NPY file") from None


def is_path(value: Any) -> TypeGuard[str | os.PathLike[str]]:
    return isinstance(value, (str, os.PathLike))


def folder_path(out: Any) -> str | None:
    """The path of the folder of ``out=``, or None."""
    if out is None:
        return None
    if not is_path(out) or not os.fspath(out) or "\0" in os.fsdecode(out):
        raise TypeError(f"out: found {shown(out)}, expected the path of a folder")
    return os.fsdecode(out)


def check_name(option: str, value: Any, names: Iterable[str], more: str = "") -> None:
    """Raises ValueError for a text that is none of the names and does not look like a path."""
    if not isinstance(value, str) or value in names:
        return
    if not os.path.splitext(value)[1] and not os.path.exists(value):
        expected = ", ".join((*names, "a path or an array"))
        guess = did_you_mean(value, names)
        raise ValueError(f'{option}: found {quoted(value)}{guess}, expected {expected}{more}')


class _OfTheData:
    def __repr__(self) -> str:
        return "<of the data>"


#: The default for what a simulation may provide; None uses nothing.
OF_THE_DATA: Any = _OfTheData()


def of_the_data(given: Any, brought: Any = None) -> Any:
    """What was given, also None; by default what the data provide."""
    return brought if given is OF_THE_DATA else given


def known_to(value: Any, option: str, *names: str) -> Any:
    """The first of these parts that a simulation has; anything else unchanged."""
    if not isinstance(value, Simulation):
        return value
    for name in names:
        if (found := getattr(value, name)) is not None:
            return found
    raise TypeError(f"{option}: found a simulation without {names[0]}")


def state_numbers(value: Any, name: str) -> Array:
    """The numbers of a state, as :func:`numbers`."""
    if hasattr(value, "signal"):
        raise TypeError(f"{name}: found an image, expected a state")
    return numbers(value, name)


def refuse_result(value: Any, name: str, expected: str) -> None:
    """Raises ValueError for the result of a run in the place of measurements."""
    if isinstance(value, Result):
        found = type(value).__name__
        raise ValueError(f"{name}: found a {found}, the result of a run, expected {expected}")


def require_unmasked(value: Any, name: str) -> None:
    """Raises ValueError for masked entries, which have no valid number."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise ValueError(f"{name}: found masked entries, expected an array without a mask")


def scalars(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with numbers of Python in place of those of NumPy."""
    return {
        name: value.item()
        if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0)
        else value
        for name, value in options.items()
    }


def require_finite(array: Array, name: str) -> None:
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{name}: found an entry that is not finite, expected finite numbers")


def from_gpu(value: Any) -> Array:
    """A copy in the host's memory of an array that lives on a GPU, by what its library offers."""
    if hasattr(value, "get"):  # CuPy
        value = value.get()
    elif hasattr(value, "detach"):  # PyTorch
        value = value.detach().cpu().resolve_conj().resolve_neg().numpy()
    elif hasattr(value, "copy_to_host"):  # Numba
        value = value.copy_to_host()
    return np.asarray(value)  # JAX, by __array__


def numbers(value: Any, name: str) -> Array:
    """The numbers in an array, sparse or not, a result, or a circuit or state of Qiskit or QuTiP.

    The array has a layout and a type that the library reads; it is a copy only if it has to be.
    """
    if isinstance(value, Simulation):
        raise TypeError(f"{name}: found a simulation, expected an array, such as its data or truth")
    if hasattr(value, "remove_final_measurements"):  # a circuit of Qiskit
        from qiskit.quantum_info import Statevector

        value = Statevector(value.remove_final_measurements(inplace=False))
    if hasattr(value, "density_matrix"):  # a square factor might be taken for a density matrix
        rows, columns = value.factor.shape
        value = value.factor if columns < rows else value.density_matrix
    elif hasattr(value, "signal"):
        value = value.signal
    elif isinstance(value, Result):
        raise TypeError(f"{name}: found a result of minimize, expected an array, such as its factor")
    elif hasattr(value, "__cuda_array_interface__"):
        value = from_gpu(value)
    elif hasattr(value, "full"):  # QuTiP
        value = value.full()
    elif hasattr(value, "toarray"):  # a sparse matrix of SciPy, whose data are its non-zeros
        value = value.toarray()
    elif not isinstance(value, np.ndarray) and hasattr(value, "data"):  # Qiskit
        value = value.data
    require_unmasked(value, name)
    try:
        array = np.asarray(value, order="C")
        if array.dtype.hasobject:
            array = np.array(array.tolist())
    except ValueError:  # lists of different lengths
        raise ValueError(f"{name}: found lists of different lengths, expected an array") from None
    if array.dtype.kind not in "biufc" and array.ndim == 0:
        raise TypeError(f"{name}: found {type(value).__name__}, expected an array of numbers")
    if array.dtype.kind not in "biufc":
        raise ValueError(f"{name}: found entries of type {array.dtype}, expected numbers")
    if array.dtype.itemsize not in {"f": (4, 8), "c": (8, 16)}.get(array.dtype.kind, (1, 2, 4, 8)):
        array = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def check_numbers(options: Mapping[str, Any]) -> None:
    """Raises ValueError for True and False, which would count as 1 and 0, and for invalid seeds."""
    for name, value in options.items():
        if isinstance(value, (bool, np.bool_)):
            raise ValueError(f"{name}: found {shown(value)}, expected a number")
        if name != "seed" or value is None:
            continue
        if not isinstance(value, (int, np.integer)) or not 0 <= value < 2**64:
            raise ValueError(f"seed: found {shown(value)}, expected an integer from 0 to 2^64 - 1")
