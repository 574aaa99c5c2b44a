"""The notebooks in examples/ run from their first cell to the last, and were stored with what they show."""

import json
import sys
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples").glob("*.ipynb"))


def cells(path):
    return [c for c in json.loads(path.read_text(encoding="utf-8"))["cells"] if c["source"]]


def test_the_notebooks_are_found():
    assert {"ghz", "coded_diffraction", "ptychography", "own_objective"} <= {p.stem for p in NOTEBOOKS}


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_runs(path, tmp_path, monkeypatch):
    import matplotlib
    import matplotlib.pyplot as plt

    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    names = {}
    for k, cell in enumerate(cells(path)):
        if cell["cell_type"] != "code":
            continue
        source = "".join(cell["source"])
        exec(compile(source, f"{path.name}: cell {k}", "exec"), names)
        plt.close("all")
    assert names["r"].status == "converged"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_was_stored_as_it_ran(path):
    code = [cell for cell in cells(path) if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell["outputs"]]
    assert not [o for o in outputs if o["output_type"] == "error" or o.get("name") == "stderr"]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert path.stat().st_size < 500_000


def test_a_notebook_says_which_package_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "qiskit", None)
    (path,) = [path for path in NOTEBOOKS if path.stem == "ghz"]
    first = next("".join(c["source"]) for c in cells(path) if c["cell_type"] == "code")
    with pytest.raises(SystemExit, match="needs Qiskit: pip install qiskit"):
        exec(first, {})
