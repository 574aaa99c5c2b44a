"""Results in files, reports, and what a notebook shows."""

import pickle

import numpy as np
import pytest
from conftest import BELL

import projfgd


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A result of each kind, and the folders that they were written to."""
    place = tmp_path_factory.mktemp("runs")
    state = projfgd.tomography(BELL, target="bell", out=place / "state")
    s = projfgd.simulate.cdp(size=(12, 10), patterns=6, seed=1)
    image = projfgd.phase(s, out=place / "image")
    return place, {"state": state, "image": image}


@pytest.mark.parametrize("name", ["state", "image"])
def test_a_file_and_a_folder_give_the_result_back(runs, name, tmp_path):
    place, results = runs
    r = results[name]
    r.save(tmp_path / "r.npz")
    assert [file.name for file in tmp_path.iterdir()] == ["r.npz"]
    for again in (projfgd.load(tmp_path / "r.npz"), projfgd.load(place / name)):
        assert type(again) is type(r) and again.summary == r.summary
        np.testing.assert_array_equal(again.factor, r.factor)
        for column in ("iteration", "objective", "relative_change"):
            known = np.isfinite(r._trace[column])  # in CSV what is not finite is left empty
            np.testing.assert_allclose(
                again._trace[column][known], r._trace[column][known], rtol=1e-12
            )
        assert repr(again) == repr(r)
    copy = pickle.loads(pickle.dumps(r))
    assert copy.summary == r.summary and repr(copy) == repr(r)


def test_what_was_not_saved_is_told(tmp_path):
    (tmp_path / "other.npz").write_bytes(b"something")
    np.save(tmp_path / "array.npy", np.ones(3))
    for name in ("other.npz", "array.npy"):
        with pytest.raises(ValueError, match=f"{name}: found another kind of file, expected one that r"):
            projfgd.load(tmp_path / name)
    with pytest.raises(OSError, match="found no summary.json, expected a folder with the results"):
        projfgd.load(tmp_path)
    with pytest.raises(OSError):
        projfgd.load(tmp_path / "lost.npz")


def test_the_report_is_that_of_the_command_line(runs, tmp_path):
    place, results = runs
    for name, r in results.items():
        page = r.report(tmp_path / "page.html")
        assert page.html == (place / name / "report.html").read_text(encoding="utf-8")
        assert (tmp_path / "page.html").read_text(encoding="utf-8") == page.html
        assert projfgd.load(place / name).report().html == page.html
        assert page._repr_html_().startswith("<iframe srcdoc=") and "MB of HTML" in repr(page)
        r.save(tmp_path / "r.npz")
        with pytest.raises(ValueError, match="^report: found a result of minimize, or one loaded"):
            projfgd.load(tmp_path / "r.npz").report()


def test_a_notebook_shows_the_answer_first_and_its_picture(runs):
    _, results = runs
    shown = {name: r._repr_html_() for name, r in results.items()}
    assert shown["state"].startswith("<p><b>Fidelity with the Bell state 1.0")
    assert shown["state"].count("data:image/png;base64,") == 2
    assert shown["image"].startswith("<p><b>Image of 12 x 10, relative error")
    assert "alt='modulus'" in shown["image"]
    for text in shown.values():
        assert text.index("<table>") < text.index("<details>") and "input sha256" not in text
    other = projfgd.minimize(lambda u: (np.sum(u**4) / 2, u**3), "l1-ball:1", [1.0])
    assert other._repr_html_().startswith("<p><b>Converged after")


def test_warnings_have_a_kind_of_their_own():
    s = projfgd.simulate.counts(qubits=2, state="bell", shots=5000, readout_error=0.1, seed=1)
    with pytest.warns(projfgd.FitWarning) as seen:
        r = projfgd.tomography(s.data, rank=1)
    assert [str(warning.message) for warning in seen] == r.warnings
    assert {warning.filename for warning in seen} == {__file__}


def test_progress_shows_only_what_is_known(capsys):
    projfgd.minimize(lambda u: (np.sum(u**4) / 4 - np.sum(u**2) / 2, u**3 / 2 - u / 2), None, [0.5],
                     progress=True)  # fmt: skip
    text = capsys.readouterr().err
    assert "iterations" in text and "objective" in text
    assert "inf" not in text and "%" not in text and "?" not in text
