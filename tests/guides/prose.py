"""Looks for text that nobody reads to its end: paragraphs and table cells that are too long.

    prose.py PAGE.md...

A paragraph, or an item of a list, has at most eight lines, and a cell of a table at most two, of 120
characters each."""

import pathlib
import re
import sys

LINE = 120
LONGEST_PARAGRAPH = 8 * LINE
LONGEST_CELL = 2 * LINE


def blocks(text):
    """Paragraphs, list items and table rows outside of fenced code, with their first line."""
    block, first, fenced = [], 0, False
    for number, line in enumerate(text.splitlines() + [""], 1):
        if line.startswith("```"):
            fenced = not fenced
        begins = re.match(r"(\||#|[-*] |\d+\. |```)", line)
        if block and (fenced or begins or not line.strip()):
            yield first, " ".join(block)
            block = []
        if not fenced and line.strip() and not line.startswith("```"):
            first = first if block else number
            block.append(line.strip())


def too_long(page):
    for number, block in blocks(page.read_text(encoding="utf-8")):
        if block.startswith("|"):
            longest, limit, what = max(map(len, block.split("|"))), LONGEST_CELL, "table cell"
        else:
            longest, limit, what = len(block), LONGEST_PARAGRAPH, "paragraph"
        if longest > limit:
            yield f"{page}:{number}: found a {what} of {longest} characters, expected {limit} at most"


def main(pages):
    found = [line for page in pages for line in too_long(pathlib.Path(page))]
    print("\n".join(found) or f"{len(pages)} pages: fine")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
