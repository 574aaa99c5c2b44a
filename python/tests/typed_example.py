"""What a user's type checker sees of the installed package; scripts/test-python runs mypy on it."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import projfgd


def f_and_gradient(u: NDArray[Any]) -> tuple[float, NDArray[Any]]:
    return float(np.sum(u**2)), u


def stop(row: projfgd.Iteration) -> bool:
    assert_type(row.objective, float)
    return row.iteration < 5


def user() -> None:
    """Never called: some of it is wrong on purpose."""
    s = projfgd.simulate.pauli(qubits=3, rank=1, csam=4, noise_norm=1e-3, seed=1)
    assert_type(s, projfgd.simulate.Simulation)
    projfgd.simulate.counts(qubits=2, settings="all")

    r = projfgd.tomography(s, rank="auto", truth=s.truth, max_iterations=50, precision="single")
    assert_type(r, projfgd.TomographyResult)
    assert_type(r.density_matrix, NDArray[Any])
    assert_type(r.fidelity("ghz"), projfgd.Estimate)
    assert_type(r.fidelity.low, float)
    assert_type(r.purity, projfgd.Estimate)
    assert_type(r.expectation("XYZ"), projfgd.Estimate)
    assert_type(r.expectation(["XYZ", {"ZZZ": 0.5}]), list[projfgd.Estimate])
    assert_type(r.witness(), projfgd.Estimate)
    assert_type(r.negativity([0]), projfgd.Estimate)
    assert_type(r.report("page.html"), projfgd.Report)
    r.save("state.npz")
    assert_type(r.chi_square, float)
    assert_type(r.iterations, int)
    r.fooo  # type: ignore[attr-defined]

    projfgd.tomography({"X": 0.5}, method=None, tolerance=None, precision=None)
    projfgd.tomography({"X": 0.5}, bit_order="left")  # type: ignore[arg-type]
    projfgd.tomography({"X": 0.5}, tolerence=1e-3)  # type: ignore[call-arg]

    p = projfgd.phase(np.ones((2, 4, 4)), np.ones((2, 4, 4)), constraint="nonnegative", out=Path("out"))
    assert_type(p, projfgd.PhaseResult)
    assert_type(p.image, NDArray[Any])
    assert_type(p.psnr, float)
    projfgd.simulate.cdp(np.ones((4, 4)))
    projfgd.simulate.cdp("stars", size="16x12")

    m = projfgd.minimize(f_and_gradient, "l1-ball:2.5", np.ones((3, 1)), callback=stop, step=0.1)
    assert_type(m, projfgd.Result)
    assert_type(projfgd.gradient_mismatch(f_and_gradient, np.ones(3)), float)
    projfgd.minimize(f_and_gradient, 3, np.ones(3))  # type: ignore[arg-type]
