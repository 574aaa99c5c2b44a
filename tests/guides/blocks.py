"""The fenced blocks of a page. What their language says:

    sh            runs in the tests, in a folder of the page, and must end with 0
    console       installs or clones something; not run
    python        runs in the tests of the Python package; a following text block is what it prints
    cpp, csv, json, ... after a line that ends in a name, "`entries.csv`:", is that file
"""

import re
from collections import namedtuple

Block = namedtuple("Block", "language name text line")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
NAME = re.compile(r"`([\w.-]+)`:\s*$")


def blocks(page):
    """In the order of the page; `name` is empty for a block that is no file."""
    found = []
    for match in FENCE.finditer(page):
        named = NAME.search(page[: match.start()].rstrip())
        line = page.count("\n", 0, match.start()) + 1
        found.append(Block(match[1], named[1] if named else "", match[2], line))
    return found
