"""What summary.json and report.html of a job say in Python's words."""

import json

import numpy as np
import pytest

import projfgd
from projfgd._call import call_text


def written(folder):
    return json.loads((folder / "summary.json").read_text()), (folder / "report.html").read_text()


def test_the_call_is_the_command(tmp_path):
    s = projfgd.simulate.counts(qubits=2, state="bell", shots=100, seed=1)
    r = projfgd.tomography(s.data, 2, target=s.target, seed=np.int64(3), out=tmp_path / "a")
    out = repr(str(tmp_path / "a"))
    out = out if len(out) <= 60 else f"{out[:57]}..."
    expected = f"projfgd.tomography(<dict of 9>, rank=2, target=<ndarray of 4 x 1>, seed=3, out={out})"
    summary, page = written(tmp_path / "a")
    assert r.command == summary["command"] == expected
    assert "projfgd.tomography(&lt;dict of 9&gt;, rank=2" in page
    assert "command" not in r._repr_html_()
    image = projfgd.phase(projfgd.simulate.cdp(size=(8, 8), patterns=6, seed=1), precision="single")
    assert image.command == "projfgd.phase(<Simulation>, precision='single')"


def test_long_values_are_cut():
    def f(data, more=None, **options): ...

    def told(*arguments, **named):
        data, more = (*arguments, None)[:2]
        return call_text(f, {"data": data, "more": more, "options": named})

    assert told(["a.json", "b.json"], 1) == "projfgd.f(['a.json', 'b.json'], more=1)"
    assert told(["a.json"] * 20, x=print) == "projfgd.f(<list of 20>, x=<builtin_function_or_method>)"
    assert told("a" * 100) == f"projfgd.f('{'a' * 56}...)"


def test_warnings_are_written_in_the_words_of_python(tmp_path):
    s = projfgd.simulate.counts(qubits=2, state="bell", shots=5000, readout_error=0.1, seed=2)
    with pytest.warns(UserWarning, match="worse than expected from shot noise.*readout="):
        r = projfgd.tomography(s.data, rank=1, out=tmp_path)
    summary, page = written(tmp_path)
    assert summary == r.summary
    for text in (" ".join(summary["warnings"]), page):
        assert "rank=" in text and "readout=" in text
        assert "--rank" not in text and "--readout" not in text
