"""Every Python block of every page runs, in order, and prints what the page says."""

import contextlib
import io
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "guides"))
from blocks import blocks  # noqa: E402

FOUND = {
    page.name: blocks(page.read_text(encoding="utf-8"))
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
}
PAGES = {name: found for name, found in FOUND.items() if "python" in {b.language for b in found}}


def test_the_guides_are_found():
    assert {"README.md", "python.md", "own-objective.md"} <= set(PAGES)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("page", PAGES)
def test_the_page_does_what_it_says(page, tmp_path, monkeypatch):
    import matplotlib

    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    names = {}
    for block, after in zip(PAGES[page], [*PAGES[page][1:], None]):
        if block.language != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block.text, f"{page}:{block.line}", "exec"), names)
        expected = after.text if after is not None and after.language == "text" else ""
        assert printed.getvalue() == expected, block.text
