"""Pictures of the numbers of a state, and of complex images."""

import matplotlib
import numpy as np
import pytest

import projfgd

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

GHZ = projfgd._core.named_state("ghz", 3)


pytestmark = pytest.mark.usefixtures("closed_figures")


@pytest.fixture(scope="module")
def state():
    s = projfgd.simulate.counts(qubits=2, state="bell", shots=500, seed=1)
    return projfgd.tomography(s)


def test_a_city_has_a_tower_for_each_entry(state, monkeypatch):
    from mpl_toolkits.mplot3d import Axes3D

    towers, draw = [], Axes3D.bar3d
    monkeypatch.setattr(
        Axes3D, "bar3d", lambda self, *sizes, **how: towers.append(sizes) or draw(self, *sizes, **how)
    )
    left, right = projfgd.plot.city(state)
    for (x, y, z, _, _, height), part in zip(towers, (np.real, np.imag)):
        tops = np.where(z < 0, z, height)
        np.testing.assert_allclose(tops, part(state.density_matrix)[y, x])
    assert left.get_zlim() == right.get_zlim()
    with pytest.raises(ValueError, match="^result: found 6 qubits, expected at most 5 here; projfgd"):
        projfgd.plot.city(np.eye(64) / 64)
    with pytest.raises(TypeError, match="^ax: found 2D Axes, expected 3D ones"):
        projfgd.plot.city(state, plt.subplots(1, 2)[1])


def test_the_areas_of_hinton_are_the_numbers():
    rho = np.array([[0.75, -0.25], [-0.25, 0.25]])
    squares = projfgd.plot.hinton(rho)[0].collections[0]
    areas = [np.ptp(path.vertices[:, 0]) ** 2 for path in squares.get_paths()]
    np.testing.assert_allclose(areas / areas[0], [1, 1 / 3, 1 / 3, 1 / 3])
    colours = squares.get_facecolor()[:, 0]
    np.testing.assert_array_equal(colours, [1, 0, 0, 1])


def test_the_largest_paulis_come_first():
    ax = projfgd.plot.paulis(GHZ, largest=8)
    names = [label.get_text() for label in ax.get_xticklabels()]
    assert set(names[:7]) == {"XXX", "XYY", "YXY", "YYX", "IZZ", "ZIZ", "ZZI"}
    heights = [patch.get_height() for patch in ax.patches]
    assert heights[names.index("XYY")] == pytest.approx(-1) and heights[7] == pytest.approx(0, abs=1e-12)
    many = projfgd.plot.paulis(projfgd._core.named_state("zero", 7), largest=28)
    found = {label.get_text() for label in many.get_xticklabels()}
    assert len(found) == 28 and all(set(name) == {"I", "Z"} for name in found)


def test_bloch_vectors_are_those_of_the_qubits():
    plus_zero = np.kron([1, 0], np.sqrt([0.5, 0.5]))
    axes = projfgd.plot.bloch(plus_zero)
    points = [np.reshape(ax.collections[-1]._segments3d, (-1, 3)) for ax in axes]
    ends = [found[np.argmax(np.linalg.norm(found, axis=1))] for found in points]
    np.testing.assert_allclose(ends, [[1, 0, 0], [0, 0, 1]], atol=1e-12)
    assert len(projfgd.plot.bloch(GHZ)) == 3
    with pytest.raises(ValueError, match="^ax: found 1 Axes, expected 3$"):
        projfgd.plot.bloch(GHZ, plt.figure().add_subplot(projection="3d"))


def test_eigenvalues_have_their_intervals(state):
    ax = projfgd.plot.eigenvalues(state)
    heights = [patch.get_height() for patch in ax.patches]
    assert heights == [value for value in state.summary["eigenvalues"] if value > 1e-12]
    assert len(ax.containers) == 1 + len(state.summary["intervals"]["eigenvalues"])


def test_modulus_and_phase_have_colour_bars():
    picture = np.array([[1, 1j], [-1, 2]]) * np.exp(0.3j)
    left, right = projfgd.plot.modulus_and_phase(picture)
    np.testing.assert_allclose(left.images[0].get_array(), [[1, 1], [1, 2]])
    turned = np.exp(1j * right.images[0].get_array()) / np.exp(1j * np.angle(picture))
    np.testing.assert_allclose(turned, turned[0, 0])
    labels = [ax.get_ylabel() for ax in left.figure.axes[2:]]
    assert labels == ["modulus", "phase (radian)"]
    lines = [ax.lines[0].get_ydata() for ax in projfgd.plot.modulus_and_phase(picture[0])]
    assert lines[0] == pytest.approx([1, 1])
    with pytest.raises(ValueError, match=r"^result: found shape \(2, 2, 3\), expected n or height"):
        projfgd.plot.modulus_and_phase(np.ones((2, 2, 3)))
    assert projfgd.plot.image(picture).figure.axes[1].get_ylabel() == "modulus"
