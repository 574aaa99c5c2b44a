"""Runs a job of each kind with the installed package, and looks where its libraries come from.

    python -I jobs_of_each_kind.py EMPTY_FOLDER FILE.h5

All of them must come with the wheel or be those that every Linux has: glibc, the runtime of GCC and
zlib (the policy of manylinux)."""

import bz2  # noqa: F401  what Python itself loads is no matter of the wheel
import ctypes  # noqa: F401
import json
import lzma  # noqa: F401
import os
import pathlib
import subprocess
import sys
import warnings

import numpy as np


def libraries():
    """The shared libraries that this process has loaded."""
    maps = pathlib.Path("/proc/self/maps").read_text()
    return {line.split()[-1] for line in maps.splitlines() if ".so" in line}


OF_PYTHON = libraries()
import projfgd  # noqa: E402

#: What manylinux allows a wheel to take from the system.
OF_THE_SYSTEM = ("ld-linux", "libc.so", "libm.so", "libgcc_s.so", "libstdc++.so", "libz.so",
                 "libpthread.so", "libdl.so", "librt.so", "libutil.so")  # fmt: skip


def strangers():
    """Libraries that neither the wheel nor every system has."""
    return [
        path
        for path in sorted(libraries() - OF_PYTHON)
        if "site-packages" not in path and "lib-dynload" not in path
        and not pathlib.Path(path).name.startswith(OF_THE_SYSTEM)
    ]  # fmt: skip


def run(*words, code=0):
    """What the program prints; its exit code is the expected one."""
    program = pathlib.Path(sys.executable).with_name("projfgd")
    done = subprocess.run([program, *words], capture_output=True, text=True)
    assert done.returncode == code, done
    return done.stdout


def main(folder, hdf5):
    os.chdir(folder)
    state = projfgd.simulate.counts(qubits=2, state="bell", shots=1000, seed=1)
    found = projfgd.tomography(state, out="state")
    assert found.fidelity("bell") > 0.98 and pathlib.Path("state/report.html").exists()
    image = projfgd.phase(projfgd.simulate.cdp(size=(16, 16), patterns=6, seed=1))
    assert image.relative_error < 1e-4
    other = projfgd.minimize(lambda u: (np.sum(u**4) / 4, u**3 / 2), "l1-ball:1", np.ones(3))
    assert other.status == "converged"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # five iterations on an arbitrary file are no answer
        assert projfgd.phase(hdf5, max_iterations=5).iterations == 5
    assert not strangers(), f"found libraries from elsewhere: {strangers()}"

    # The program, by its name, from the same library.
    assert run("--version").startswith(f"projfgd {projfgd.__version__}\n")
    pathlib.Path("entries.csv").write_text("row,column,value\n0,0,4\n1,1,1\n0,1,2\n")
    assert json.loads(run("solve", "entries.csv", "--rank", "1", "--json"))["status"] == "converged"
    run("simulate", "counts", "--qubits", "2", "--seed", "1", "--out", "two")
    assert json.loads(run("tomography", "two", "--json"))["qubits"] == 2
    of_limit, of_input = 1, 2
    assert run("phase", hdf5, "--max-iterations", "5", "--json", code=of_limit)
    run("no-such-verb", code=of_input)
    print("a job of each kind ran; all libraries come with the wheel or with every Linux")


if __name__ == "__main__":
    main(*sys.argv[1:])
