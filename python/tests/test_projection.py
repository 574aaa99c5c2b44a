"""What projfgd.minimize checks of a projection written in Python."""

import numpy as np
import pytest

import projfgd

M = np.diag([4.0, 2.0, 1.0])


def nearest(u):
    residual = u @ u.T - M
    return 0.5 * np.sum(residual**2), residual @ u


@pytest.mark.parametrize(
    "wrong, sentence",
    [
        (lambda u: u[:2], r"the result: found shape \(2, 1\), expected \(3, 1\)"),
        (lambda u: 1j * u, "the result: found type complex128, expected float64"),
        (lambda u: u * np.nan, "found a result that is not finite"),
    ],
)
def test_every_result_is_checked(wrong, sentence):
    calls = []

    def project(u):
        calls.append(1)
        return wrong(u) if len(calls) == 4 else u

    with pytest.raises(ValueError, match=f"^project: {sentence}"):
        projfgd.minimize(nearest, project, np.ones((3, 1)), tolerance=0)
    assert len(calls) == 4


@pytest.mark.parametrize("convex", [True, False])
def test_what_moves_the_answer_is_no_projection(convex):
    def project(u):  # it moves nothing near the start
        return u if np.linalg.norm(u) <= 1 else 0.8 * u

    sentence = "^project: found that it moves the result by 2.0e-01 of its size, expected a member"
    with pytest.warns(UserWarning, match=sentence) as caught:
        r = projfgd.minimize(nearest, project, np.full((3, 1), 0.3), convex=convex)
    (line,) = r.warnings
    assert line == str(caught[0].message) and caught[0].filename == __file__
    assert line.endswith("to stay where it is") != convex
    with pytest.raises(ValueError, match="^project: found that a second projection moves the result"):
        projfgd.minimize(nearest, project, np.full((3, 1), 3.0), convex=convex)


@pytest.mark.parametrize("in_place", [True, False])
def test_a_projection_leaves_the_answer_alone(in_place):
    def ball(u):
        u *= min(1, 1 / np.linalg.norm(u))
        return None if in_place else u

    r = projfgd.minimize(nearest, ball, np.ones((3, 1)), convex=True)
    assert r.warnings == [] and np.linalg.norm(r.factor) == pytest.approx(1, abs=1e-12)
