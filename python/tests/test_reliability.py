"""What must hold whatever a program does: ends of the interpreter, limits, long texts, lost counts."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import projfgd
from projfgd import simulate

pytestmark = pytest.mark.filterwarnings("ignore")  # of data that are too few, which is not the matter

GRADIENT = """
import threading, time, numpy as np, projfgd
M = np.diag(np.arange(1.0, 41.0))
def f(U):
    R = U @ U.T - M
    return 0.5 * np.sum(R * R), R @ U
def work():
    while True:
        {job}
threading.Thread(target=work, daemon=True).start()
time.sleep({wait})
"""
JOBS = {
    "minimize": "projfgd.minimize(f, None, np.ones((40, 3)), tolerance=0, max_iterations=10**6)",
    "check": "projfgd.gradient_mismatch(f, np.ones((40, 3)))",
    "tomography": "projfgd.tomography(S.data, 2, tolerance=0, max_iterations=10**6, step=1e-6)",
    "phase": "projfgd.phase(P, tolerance=0, max_iterations=10**6, method='wirtinger-flow')",
    "simulate": "projfgd.simulate.cdp('phantom', size=(256, 256), patterns=6)",
}
DATA = """
import warnings; warnings.simplefilter("ignore")
import projfgd
S = projfgd.simulate.pauli(4, csam=3, rank=2)
P = projfgd.simulate.cdp("phantom", size=(32, 32), patterns=6)
"""


@pytest.mark.parametrize("job", JOBS.values(), ids=JOBS)
def test_the_interpreter_ends_with_a_job_in_a_daemon_thread(job):
    for wait in (0.01, 0.1, 0.3):
        text = DATA + GRADIENT.format(job=job, wait=wait)
        run = subprocess.run([sys.executable, "-c", text], capture_output=True, timeout=60)
        assert run.returncode == 0, run.stderr.decode()[-500:]


@pytest.mark.parametrize("count", [4097, 32768, 65536, 2**31, 2**70, -1, True, np.True_, 1.5, "2"])
def test_threads_are_bounded(count):
    with pytest.raises(ValueError, match="threads: found .*, expected an integer from 0 to 4096"):
        projfgd.set_threads(count)
    with pytest.raises(ValueError, match="threads"):
        projfgd.tomography({"X": 0.5, "Z": 0.1}, threads=count)
    assert projfgd.tomography({"X": 0.5, "Z": 0.1}, threads=np.int64(2)).threads == 2


def long_texts():
    """Texts that a recursive search would not survive, also on the small stack of a thread."""
    long = "X" * 200_000
    yield lambda: projfgd.tomography("a/" * 25_000 + "b")
    yield lambda: projfgd.tomography({long: {"0": 1}})
    yield lambda: projfgd.tomography({long: 0.5})
    yield lambda: projfgd.tomography({"results": [{"header": {"name": long + "é"}, "data": {}}]})
    yield lambda: projfgd.tomography({"X": {"0": 1}}, basis_pattern="(" * 100_000)
    yield lambda: projfgd.tomography({"X": {"0": 1}}, basis_pattern="a" * 100_000)
    yield lambda: projfgd.tomography({"X": {"0": 1}}, loss="--option " * 50_000)
    yield lambda: projfgd.phase("a" * 50_000)
    yield lambda: simulate.cdp("q" * 100_000)
    yield lambda: projfgd.tomography({long: {"0": 1}, tuple(long): {"0": 1}})


def test_long_texts_are_refused_in_words():
    def all_refused():
        for call in long_texts():
            try:
                call()
            except (ValueError, OSError, MemoryError) as error:
                refused.append(str(error))

    refused = []
    all_refused()
    before = threading.stack_size(256 * 1024)
    try:
        small = threading.Thread(target=all_refused)
        small.start()
        small.join()
    finally:
        threading.stack_size(before)
    assert len(refused) == 2 * len(list(long_texts()))
    assert max(map(len, refused)) < 5000


@pytest.mark.parametrize(
    "data",
    [
        {"Z": {"0": 5, (0,): 3}},
        {"ZZ": {"00": 5, (0, 0): 3, "11": 1}},
        {"XX": {"00": 5}, ("X", "X"): {"11": 3}},
        {"XX": 0.5, ("X", "X"): 0.25},
        {"Z": {1: 3, np.int64(1): 4, "0x1": 5}},
    ],
)
def test_keys_that_mean_the_same_lose_no_counts(data):
    try:
        found = projfgd.tomography(data, rank=1)
    except ValueError as error:
        assert "which both mean" in str(error)
    else:  # two measurements of one string
        assert found.measurements == 2


@pytest.mark.parametrize("read", [projfgd.tomography, projfgd.phase, simulate.cdp])
def test_reading_listens_to_signals(read, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, "/dev/zero"):
        if path == "/dev/zero" and read is projfgd.phase:
            continue  # which is no NPY file, as its first bytes tell
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        began = time.process_time()
        with pytest.raises(KeyboardInterrupt):
            read(path)
        assert time.process_time() - began < 10


def test_the_interpreter_ends_while_a_daemon_thread_waits_for_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    text = f"""
import threading, time, projfgd
threading.Thread(target=projfgd.tomography, args=({str(tmp_path / "pipe")!r},), daemon=True).start()
time.sleep(0.2)
"""
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, timeout=60)
    assert run.returncode == 0, run.stderr.decode()[-500:]


def test_one_folder_is_for_one_run_at_a_time(tmp_path):
    data = simulate.pauli(2)
    refused = []

    def second_run(row):
        with pytest.raises(OSError, match="another run is writing to this folder"):
            projfgd.tomography(data, 1, out=tmp_path)
        refused.append(row)
        return False

    projfgd.tomography(data, 1, out=tmp_path, callback=second_run)
    assert len(refused) == 1
    projfgd.tomography(data, 1, out=tmp_path)


def test_numbers_that_overflow_are_refused_or_right():
    result = projfgd.tomography(simulate.counts(1, state="plus", shots=100), rank=1)
    expected = result.fidelity("plus")
    for size in (1e-200, 1e-160, 1e160, 1e200):
        state = size * np.ones((2, 1))
        try:
            assert result.fidelity(state) == pytest.approx(expected)
        except ValueError as error:
            assert "expected" in str(error)
    result.factor *= 1e200
    assert result.fidelity("plus") == pytest.approx(expected)
    result.factor[:] = np.inf
    with pytest.raises(ValueError, match="not finite"):
        result.fidelity("plus")


def nearest_to(matrix, change):
    def f_and_gradient(u):
        residual = u @ u.T - matrix
        return 0.5 * np.sum(residual**2), change(residual @ u)

    return f_and_gradient


def test_gradients_of_any_stride():
    def in_records(g):
        records = np.zeros(g.shape, dtype=[("flag", "u1"), ("value", "f8")])
        records["value"] = g
        return records["value"]

    matrix, start = np.diag([3.0, 2.0, 1.0]), np.ones((3, 1))
    plain = projfgd.minimize(nearest_to(matrix, np.asarray), None, start)
    for change in (in_records, np.asfortranarray, lambda g: np.repeat(g, 2, 0)[::2], np.ma.asarray):
        found = projfgd.minimize(nearest_to(matrix, change), None, start)
        np.testing.assert_array_equal(found.factor, plain.factor)


def test_masked_entries_are_refused_everywhere():
    masked = np.ma.array(np.ones((2, 1)), mask=[[True], [False]])
    matrix = np.diag([2.0, 1.0])
    calls = [
        lambda: projfgd.minimize(nearest_to(matrix, np.asarray), None, masked),
        lambda: projfgd.minimize(nearest_to(matrix, lambda g: masked), None, np.ones((2, 1))),
        lambda: projfgd.minimize(nearest_to(matrix, np.asarray), lambda u: masked, np.ones((2, 1))),
        lambda: projfgd.gradient_mismatch(nearest_to(matrix, np.asarray), masked),
        lambda: projfgd.tomography({"X": 0.5, "Z": 0.2}, truth=masked),
        lambda: projfgd.tomography({"X": 0.5, "Z": 0.2}, target=masked),
        lambda: projfgd.tomography({"X": np.ma.array([5, 6], mask=[0, 1])}),
        lambda: projfgd.phase(np.ones((2, 2)), masks=np.ma.array(np.ones((2, 2)), mask=np.eye(2))),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="masked entries"):
            call()


def test_numbers_and_truth_values_of_numpy_are_those_of_python():
    data = simulate.pauli(np.int64(2), csam=np.float64(2), seed=np.uint8(3))
    plain = simulate.pauli(2, csam=2, seed=3)
    assert data.data == plain.data
    found = projfgd.tomography(data, np.int32(1), max_iterations=np.int16(7), tolerance=np.float32(0))
    assert found.iterations <= 7
    pattern = simulate.cdp("phantom", size=(16, 16), patterns=6)
    for flag in (True, np.True_, np.array(True)):
        assert projfgd.phase(pattern.data, pattern.masks, centred=flag, max_iterations=1).summary["centred"]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: projfgd.tomography("caf\udce9.json"), "caf"),
        (lambda: projfgd.tomography({"X": {"0": 1}}, readout=[[[np.nan, 0], [0, 1]]]), "nan"),
        (lambda: projfgd.tomography({"X": {"0": 1}}, out=b"bytes"), "out"),
        (lambda: projfgd.tomography({"X": 0.5}, out="a\0b"), "out"),
        (lambda: simulate.pauli(2, out="a\0b"), "out"),
        (lambda: projfgd.tomography({"X": 0.5}, rank=2**70), "rank"),
        (lambda: projfgd.tomography({"X": 0.5}, seed=2**70), "seed"),
        (lambda: projfgd.tomography({"X": 0.5}, max_iterations=2**70), "max_iterations"),
        (lambda: projfgd.tomography({"X": 0.5}, tolerance="small"), "tolerance"),
        (lambda: projfgd.tomography({"X": 0.5}, basis_pattern=3), "basis_pattern"),
        (lambda: projfgd.tomography({"X": 0.5}, format="\udce9"), "format"),
        (lambda: projfgd.phase(np.ones((2, 4, 4)), centred="yes"), "centred"),
        (lambda: simulate.pauli(2**40), "qubits"),
        (lambda: simulate.cdp("phantom", size=(2**40, 2**40)), "found|memory"),
    ],
)
def test_what_is_wrong_is_said_in_words(call, said):
    with pytest.raises((ValueError, TypeError, OSError, MemoryError), match=said) as raised:
        call()
    assert "incompatible function arguments" not in str(raised.value)
    assert not isinstance(raised.value, UnicodeError)


@pytest.mark.parametrize("seed", ["x", 1.5, 2.0, np.float64(3), [1], {}, np.arange(2), -1, 2**64, True, object()])
def test_what_is_no_seed_is_refused_in_the_same_words_everywhere(seed):
    def f_and_gradient(u):
        return 0.5 * np.sum(u**4), u**3

    start = np.ones((2, 1))
    for call in (
        lambda: projfgd.minimize(f_and_gradient, None, start, seed=seed),
        lambda: projfgd.gradient_mismatch(f_and_gradient, start, seed=seed),
        lambda: projfgd.tomography({"X": 0.1, "Z": 0.2}, 1, seed=seed),
        lambda: simulate.pauli(2, seed=seed),
    ):
        with pytest.raises(ValueError, match="^seed: found .*, expected (a number|an integer from 0)"):
            call()
