"""Runs the commands of a guide as a reader would.

    run_guide.py PAGE.md FOLDER_OF_THE_PROGRAM [FOLDER]

Files that the page shows are written, and its sh blocks are run, in the order of the page, in a
folder that begins empty: FOLDER, or one that is gone afterwards. Exits with 1 at the first command
that fails."""

import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile

from blocks import blocks


def main(page, programs, kept=None):
    environment = dict(os.environ, PATH=programs + os.pathsep + os.environ["PATH"])
    commands = 0
    with contextlib.nullcontext(kept) if kept else tempfile.TemporaryDirectory() as folder:
        for block in blocks(pathlib.Path(page).read_text(encoding="utf-8")):
            if block.language == "sh":
                commands += 1
                print(f"{page}:{block.line}\n{block.text}", flush=True)
                subprocess.run(["bash", "-e", "-o", "pipefail", "-c", block.text], cwd=folder,
                               env=environment, check=True, stdin=subprocess.DEVNULL)
            elif block.name and block.language not in ("console", "python", "text"):
                (pathlib.Path(folder) / block.name).write_text(block.text, encoding="utf-8")
    if commands == 0:
        sys.exit(f"{page}: no command to run")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except subprocess.CalledProcessError as error:
        sys.exit(f"exit code {error.returncode}")
