"""The report of a run as a page."""

from __future__ import annotations

import os
import tempfile
import webbrowser
from html import escape
from pathlib import Path


class Report:
    """The report that ``out=`` and the command line write as report.html, in a single file.

    A notebook shows it; :meth:`save` writes it, :meth:`show` opens it in a browser.
    """

    def __init__(self, html: str) -> None:
        #: The page.
        self.html = html

    def save(self, path: str | os.PathLike[str]) -> None:
        Path(path).write_text(self.html, encoding="utf-8")

    def show(self) -> None:
        """Opens the page in a browser, from a temporary file."""
        with tempfile.NamedTemporaryFile(
            "w", suffix=".html", delete=False, encoding="utf-8"
        ) as file:
            file.write(self.html)
        webbrowser.open(Path(file.name).as_uri())

    def __repr__(self) -> str:
        return f"<projfgd.Report: {len(self.html) / 1e6:.1f} MB of HTML; save(path), show()>"

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html)}" title="report" '
            'style="width:100%;height:700px;border:1px solid #ccc"></iframe>'
        )
