"""Every Python block of the guide runs, in order, and prints what the guide says."""

import contextlib
import io
import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "python.md"
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)


@pytest.mark.filterwarnings("default")
def test_the_guide_does_what_it_says(tmp_path, monkeypatch):
    import matplotlib

    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    names = {}
    blocks = BLOCK.findall(GUIDE.read_text(encoding="utf-8"))
    assert len(blocks) >= 5
    for code, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        assert printed.getvalue() == expected, code
