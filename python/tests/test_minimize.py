"""projfgd.minimize: an objective and a set written in Python."""

import copy
import signal
import sys
import warnings

import numpy as np
import pandas
import pytest

import projfgd


def hermitian(n, seed):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(n, n)) + 1j * rng.normal(size=(n, n))
    return (a + a.conj().T) / 2


def nearest(m):
    """f(X) = 1/2 ||X - M||_F^2"""

    def f_and_gradient(u):
        residual = u @ u.conj().T - m
        return 0.5 * np.linalg.norm(residual) ** 2, residual @ u

    return f_and_gradient


def start(n, r, complex_=True):
    rng = np.random.default_rng(7)
    u = rng.normal(size=(n, r))
    return u + 1j * rng.normal(size=(n, r)) if complex_ else u


@pytest.mark.parametrize("field", ["real", "complex"])
@pytest.mark.parametrize("rank", [1, 3])
def test_finds_the_best_approximation_of_eckart_and_young(field, rank):
    m = hermitian(12, 3)
    if field == "real":
        m = m.real
    r = projfgd.minimize(nearest(m), None, start(12, rank, field == "complex"), tolerance=1e-13)
    values, vectors = np.linalg.eigh(m)
    top = vectors[:, -rank:] * np.sqrt(values[-rank:])
    assert r.factor.dtype == (np.complex128 if field == "complex" else np.float64)
    assert r.status == "converged"
    np.testing.assert_allclose(r.factor @ r.factor.conj().T, top @ top.conj().T, atol=1e-7)
    assert r.objective == pytest.approx(0.5 * np.sum(values[:-rank] ** 2), rel=1e-12)


@pytest.mark.parametrize("in_place", [True, False])
def test_stays_in_the_set_and_ends_stationary(in_place):
    m = hermitian(10, 5).real
    points = []

    def f(u):
        points.append(u)
        return nearest(m)(u)

    def project(u):
        if not in_place:
            return np.maximum(u, 0)
        np.maximum(u, 0, out=u)

    r = projfgd.minimize(f, project, start(10, 2, False), convex=True, tolerance=1e-12)
    assert all(np.all(u >= 0) for u in points) and np.all(r.factor >= 0)
    gradient = (r.factor @ r.factor.T - m) @ r.factor
    step = np.maximum(r.factor - 1e-3 * gradient, 0) - r.factor
    assert np.linalg.norm(step) / 1e-3 <= 1e-5 * np.linalg.norm(m)


def test_a_constant_step_is_the_plain_method():
    m, u = hermitian(6, 2), start(6, 1)
    with pytest.warns(RuntimeWarning, match="^the run did not converge: the iteration limit was reached$"):
        r = projfgd.minimize(nearest(m), None, u, step=1e-3, max_iterations=3, tolerance=0)
    for _ in range(3):
        u = u - 1e-3 * nearest(m)(u)[1]
    np.testing.assert_allclose(r.factor, u, rtol=1e-14)
    assert r.status == "iteration_limit" and r.iterations == 3


def test_a_set_of_the_library_by_name():
    m = hermitian(10, 5).real
    named = projfgd.minimize(nearest(m), "nonnegative", start(10, 2, False), tolerance=1e-12)
    own = projfgd.minimize(
        nearest(m), lambda u: np.maximum(u, 0), start(10, 2, False), convex=True, tolerance=1e-12
    )
    np.testing.assert_allclose(named.factor, own.factor, atol=1e-6)
    ball = projfgd.minimize(nearest(np.eye(4)), "frobenius-ball:0.5", start(4, 2), tolerance=1e-12)
    assert np.linalg.norm(ball.factor) == pytest.approx(0.5, abs=1e-12)


def test_a_vector_is_a_factor_of_one_column():
    r = projfgd.minimize(nearest(np.eye(3)), None, [1, 2, 3])
    assert r.factor.shape == (3, 1) and r.factor.dtype == np.float64


def test_points_may_be_kept_and_changed():
    kept, copies = [], []

    def f(u):
        kept.append(u)
        copies.append(u.copy())
        return nearest(np.diag(np.arange(100.0)))(u)

    r = projfgd.minimize(f, None, start(100, 2, False))
    for u, copy in zip(kept, copies):
        np.testing.assert_array_equal(u, copy)
    kept[-1][:] = 0
    assert np.linalg.norm(r.factor) > 1
    assert not r.factor.flags.owndata  # the solver's memory, not a copy of it


@pytest.mark.filterwarnings("ignore:the run did not converge")
def test_the_start_is_left_alone():
    u = start(4, 2)
    before = u.copy()
    projfgd.minimize(nearest(np.eye(4)), None, u, max_iterations=3)
    np.testing.assert_array_equal(u, before)


@pytest.mark.parametrize("where", ["f", "project", "callback"])
def test_exceptions_reach_the_caller(where):
    class Mine(Exception):
        pass

    calls = []

    def fail(_):
        calls.append(1)
        if len(calls) == 3:
            raise Mine("here")

    def f(u):
        if where == "f":
            fail(u)
        return nearest(np.diag(np.arange(5.0)))(u)

    with pytest.raises(Mine, match="here"):
        projfgd.minimize(
            f,
            fail if where == "project" else None,
            start(5, 1),
            callback=fail if where == "callback" else None,
            tolerance=0,
        )
    assert len(calls) == 3


@pytest.mark.parametrize("where", ["f", "project", "callback"])
def test_ctrl_c_returns_the_best_point(where):
    m = hermitian(20, 9)
    calls = []

    def interrupt(_):
        calls.append(1)
        if len(calls) == 8:
            signal.raise_signal(signal.SIGINT)

    def f(u):
        if where == "f":
            interrupt(u)
        return nearest(m)(u)

    with pytest.warns(RuntimeWarning, match="^the run did not converge: ended by Ctrl-C; the result is the point"):
        r = projfgd.minimize(
            f,
            interrupt if where == "project" else None,
            start(20, 2),
            convex=True,
            callback=interrupt if where == "callback" else None,
            tolerance=0,
        )
    assert r.status == "interrupted" and r.message.startswith("ended by Ctrl-C")
    assert r.objective == pytest.approx(nearest(m)(r.factor)[0], rel=1e-12)
    assert r.objective == min(r.trace["objective"])
    assert r.iterations == len(r.trace) - 1


def test_ctrl_c_before_the_first_point_is_a_keyboard_interrupt():
    def f(_):
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        projfgd.minimize(f, None, [1.0])


def test_a_callback_may_stop_the_run():
    seen = []

    def stop(row):
        seen.append((row.iteration, row.objective))
        return row.iteration < 4

    r = projfgd.minimize(nearest(hermitian(9, 1)), None, start(9, 1), callback=stop, tolerance=0)
    assert r.status == "interrupted" and r.iterations == 4
    assert r.message == "stopped on request"
    assert seen == list(zip(r.trace["iteration"], r.trace["objective"]))


@pytest.mark.parametrize(
    "answer, ends", [(False, True), (np.False_, True), (0, False), (None, False)]
)
def test_only_false_stops_the_run(answer, ends):
    r = projfgd.minimize(nearest(hermitian(9, 1)), None, start(9, 1), callback=lambda row: answer)
    assert (r.status == "interrupted") == ends


def test_an_iteration_shows_its_numbers():
    rows = []
    projfgd.minimize(nearest(hermitian(5, 1)), None, start(5, 1), callback=rows.append)
    assert repr(rows[1]).startswith("Iteration(iteration=1, seconds=")
    assert f"objective={rows[1].objective:.6g}" in repr(rows[1])
    assert list(pandas.DataFrame(rows).columns) == list(projfgd.Iteration._fields)
    assert pandas.DataFrame(rows)["iteration"].tolist() == list(range(len(rows)))


@pytest.mark.parametrize(
    "wrap", [np.complex128, lambda x: np.array([x]), lambda x: np.array([[x]])]
)
def test_a_value_may_be_complex_or_an_array_of_one(wrap):
    f = nearest(hermitian(5, 1))

    def wrapped(u):
        value, gradient = f(u)
        return wrap(value), gradient

    plain, same = (projfgd.minimize(g, None, start(5, 1)) for g in (f, wrapped))
    np.testing.assert_array_equal(plain.factor, same.factor)


def test_an_end_by_the_clock_or_of_a_step_too_large_is_told():
    m, u = hermitian(5, 1), start(5, 1)
    with pytest.warns(RuntimeWarning, match="^the run did not converge: the time limit was reached$") as caught:
        projfgd.minimize(nearest(m), None, u, time_limit=1e-9)
    assert len(caught) == 1 and caught[0].filename == __file__
    with pytest.warns(RuntimeWarning, match="^the run did not converge: the objective became infinite") as caught:
        with np.errstate(all="ignore"):
            projfgd.minimize(nearest(m), None, u, step=1e3)
    assert len(caught) == 1


def test_trace_with_and_without_pandas(monkeypatch):
    f = nearest(hermitian(5, 1))
    frame = projfgd.minimize(f, None, start(5, 1)).trace
    assert isinstance(frame, pandas.DataFrame)
    monkeypatch.setitem(sys.modules, "pandas", None)
    rows = projfgd.minimize(f, None, start(5, 1)).trace
    assert isinstance(rows, np.ndarray) and rows.dtype.names == tuple(frame.columns)
    np.testing.assert_array_equal(rows["objective"], frame["objective"])
    assert np.all(np.diff(rows["objective"]) <= 1e-12)


def test_progress_uses_tqdm(capsys, monkeypatch):
    f = nearest(hermitian(5, 1))
    r = projfgd.minimize(f, None, start(5, 1), progress=True)
    assert f"{r.iterations} iterations" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.warns(UserWarning, match="tqdm is not installed"):
        projfgd.minimize(f, None, start(5, 1), progress=True)


def one(u):
    return 1.0, u


BAD = [
    (dict(start=np.zeros((3, 1))), "start: found only zeros"),
    (dict(start=[[1.0, np.nan]]), "start: found an entry that is not finite"),
    (dict(start=np.ones((2, 2, 2))), "start: found shape \\(2, 2, 2\\), expected n x r"),
    (dict(start=[]), "start: found shape \\(0,\\), expected n x r"),
    (dict(start=["a"]), "start: found entries of type"),
    (dict(f_and_gradient=lambda u: 1.0), "f_and_gradient: found float, expected a pair"),
    (dict(f_and_gradient=lambda u: (np.nan, u)), "f_and_gradient: found the value nan"),
    (dict(f_and_gradient=lambda u: (np.inf, u)), "found the value inf at the start"),
    (dict(f_and_gradient=lambda u: (1.0, u.T)), "the gradient: found shape \\(1, 3\\)"),
    (dict(f_and_gradient=lambda u: (1.0, 1j * u)), "the gradient: found type complex128"),
    (dict(f_and_gradient=lambda u: (1.0, 1j * u)), "expected float64; give a complex start"),
    (dict(f_and_gradient=lambda u: (1j, u)), "found the value 1j, expected one real number"),
    (dict(f_and_gradient=lambda u: ([1, 2], u)), "found the value .1, 2., expected one real"),
    (dict(f_and_gradient=lambda u: ("a", u)), "found the value 'a', expected one real number"),
    (dict(f_and_gradient=lambda u: (1.0, u * np.nan)), "a gradient that is not finite"),
    (dict(project=lambda u: u[:2]), "project: the result: found shape \\(2, 1\\)"),
    (dict(project=lambda u: u * np.nan), "^project: found a result that is not finite"),
    (dict(tolerance=-1.0), "tolerance: found -1, expected >= 0"),
    (dict(max_iterations="many"), "max_iterations: found 'many', expected an integer"),
    (dict(project="cube"), 'constraint: found "cube", expected none, '),
    (dict(project="l1-ball"), 'constraint="l1-ball": found no radius, expected one > 0'),
    (dict(step="theory"), "step: found a theory rule"),
    (dict(step="fast"), 'step: found "fast", expected auto'),
]


@pytest.mark.parametrize("change, sentence", BAD)
def test_bad_input_is_a_value_error(change, sentence):
    arguments = dict(f_and_gradient=one, project=None, start=np.ones((3, 1))) | change
    with pytest.raises(ValueError, match=sentence):
        projfgd.minimize(**arguments)


@pytest.mark.parametrize("name", ["f_and_gradient", "project"])
def test_what_is_no_function_is_named(name):
    arguments = dict(f_and_gradient=one, project=None, start=np.ones((3, 1))) | {name: 3}
    with pytest.raises(TypeError, match=f"^{name}: found 3, expected a function of U"):
        projfgd.minimize(**arguments)


@pytest.mark.parametrize("complex_", [True, False])
def test_the_mismatch_tells_right_gradients_from_wrong_ones(complex_):
    m = hermitian(8, 4) if complex_ else hermitian(8, 4).real
    u, right = start(8, 2, complex_), nearest(m)
    # A central difference with h = eps^(1/3) is wrong by about h^2 = 4e-11 of the third derivative.
    assert projfgd.gradient_mismatch(right, u) < 1e-7
    for factor, mismatch in ((2, 0.5), (0.5, 0.5), (-1, 2), (0, 1)):
        found = projfgd.gradient_mismatch(lambda v: (right(v)[0], factor * right(v)[1]), u)
        assert found == pytest.approx(mismatch, abs=1e-6)
    assert projfgd.gradient_mismatch(right, u, seed=2) != projfgd.gradient_mismatch(right, u)
    with pytest.raises(ValueError, match="^u: found only zeros"):
        projfgd.gradient_mismatch(right, 0 * u)
    with pytest.raises(TypeError, match="^f_and_gradient: found None"):
        projfgd.gradient_mismatch(None, u)


def test_the_mismatch_needs_a_slope():
    """Near a stationary point rounding and the third derivative are all that a difference shows."""
    right = nearest(hermitian(8, 4).real)
    u = projfgd.minimize(right, None, start(8, 2, False), tolerance=1e-13).factor
    hidden = "^u: found a slope below the rounding of f, "
    for factor in (1, 2):
        with pytest.raises(ValueError, match=hidden):
            projfgd.gradient_mismatch(lambda v: (right(v)[0], factor * right(v)[1]), u)
    # M = V V^T with a V of small whole numbers: at V f and its gradient vanish.
    v = np.array([[1.0, 2.0], [3.0, 0.0], [0.0, 1.0]])
    with pytest.raises(ValueError, match=hidden):
        projfgd.gradient_mismatch(nearest(v @ v.T), v)
    # There the gradient does not vanish when it is wrong by more than a factor.
    assert projfgd.gradient_mismatch(lambda v: (right(v)[0], right(v)[1] + v), u) > 0.99
    # A slope of 1e-4 of the curvature is above the noise, which is 4e-11 of it.
    assert projfgd.gradient_mismatch(right, u * (1 + 1e-4)) < 1e-3


def test_an_unknown_option_is_a_type_error():
    sentence = r'unknown option "tolerence" \(did you mean tolerance\?\); the options are f_and_gradient, project, '
    with pytest.raises(TypeError, match=sentence):
        projfgd.minimize(one, None, [1.0], tolerence=1e-3)


@pytest.mark.parametrize("change", [dict(convex="yes"), dict(callback=5)])
def test_options_of_another_type_are_named(change):
    (name,) = change
    with pytest.raises(TypeError, match=f"{name}: found "):
        projfgd.minimize(one, None, [1.0], **change)


def test_result_shows_its_summary():
    r = projfgd.minimize(nearest(np.eye(3)), None, [1.0, 0, 0])
    assert r.summary["dimension"] == 3 == r.dimension and "objective" in dir(r)
    assert "converged after" in repr(r) and "3 x 1" in repr(r)
    r.summary["method"] = "<b>"
    assert "<td style='text-align:left'>&lt;b&gt;</td>" in r._repr_html_()
    with pytest.raises(AttributeError, match="nonsense"):
        r.nonsense
    for name in ("objective", "factor", "summary", "trace"):
        with pytest.raises(AttributeError, match=f"'{name}' is a result of the run and cannot be"):
            setattr(r, name, copy.copy(getattr(r, name)))
    before = r.factor.copy()
    r.factor *= 2
    np.testing.assert_array_equal(r.factor, 2 * before)
    r.note = "mine"
    r.note = copy.copy(r).note + " too"
    assert len(dir(r)) == len(set(dir(r)))


def test_a_gradient_that_does_not_belong_to_f_is_told():
    a = np.random.default_rng(1).normal(size=(20, 2))
    m = a @ a.T

    def right(u):
        gap = u @ u.T - m
        return 0.5 * np.sum(gap**2), gap @ u

    def wrong(u):
        value, gradient = right(u)
        return value, -gradient

    start = np.random.default_rng(2).normal(size=(20, 2))
    with pytest.warns(RuntimeWarning, match="^the run did not converge: f does not decrease along its negative"):
        assert projfgd.minimize(wrong, None, start).status == "stalled"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert projfgd.minimize(right, None, start).status == "converged"
