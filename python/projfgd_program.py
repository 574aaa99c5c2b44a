"""The command ``projfgd``: the program of the command line, which is in the package's library.

A module of its own beside the package: to import that would load NumPy, which takes longer than
many a run.
"""

from __future__ import annotations

import signal
import sys
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec


def main() -> int:
    package = find_spec("projfgd")
    assert package is not None
    library = PathFinder.find_spec("_core", package.submodule_search_locations)
    assert library is not None and library.loader is not None
    core = module_from_spec(library)
    library.loader.exec_module(core)
    # Python ignores it; a program whose reader has gone, as in `projfgd ... | head`, just ends.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    return int(core.run_program(sys.argv))
