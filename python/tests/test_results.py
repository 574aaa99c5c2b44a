"""What a result holds beside its factor."""

import inspect

import numpy as np
import pytest
from conftest import BELL

import projfgd
from projfgd._typing import SolverOptions


def square(u):
    gap = u @ u.T - 4
    return 0.5 * np.sum(gap**2), gap @ u


def test_what_did_not_happen_has_a_value_too():
    state = projfgd.tomography(BELL, rank=1)
    image = projfgd.phase(projfgd.simulate.cdp(size=(8, 8), patterns=6, seed=1))
    other = projfgd.minimize(square, None, [1.0])
    assert state.warnings == image.warnings == other.warnings == []
    assert state.rank_reason == "the rank was given" and image.attempts == 1
    assert {"warnings", "rank_reason"} <= set(dir(state))
    state.warnings.append("mine")
    assert other.warnings == []
    with pytest.raises(AttributeError, match="'warnings' is a result of the run"):
        state.warnings = ["mine"]
    assert projfgd.tomography(BELL).rank_reason != state.rank_reason


def test_one_name_of_the_summary_is_another_attribute():
    r = projfgd.tomography(BELL, rank=1, target="bell")
    differ = [name for name in r.summary if name != "trace" and getattr(r, name) != r.summary[name]]
    assert differ == [] and r.summary["trace"] == pytest.approx(1)
    assert len(r.trace) == r.iterations + 1 and 'summary["trace"]' in projfgd.Result.__doc__


@pytest.mark.parametrize("function", [projfgd.minimize, projfgd.tomography, projfgd.phase])
def test_every_option_is_documented(function):
    for name in ("seed", "step_constant"):
        assert f"``{name}``" in inspect.getdoc(function)
    for name in SolverOptions.__annotations__:
        assert f"``{name}``" in inspect.getdoc(projfgd.minimize)
