"""projfgd.plot draws what it is given, on the axes it is given."""

import subprocess
import sys

import matplotlib
import numpy as np
import pytest

import projfgd

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


pytestmark = pytest.mark.usefixtures("closed_figures")


@pytest.fixture(scope="module")
def state():
    s = projfgd.simulate.counts(qubits=2, state="bell", shots=100, seed=1)
    return projfgd.tomography(s, rank=1, truth=s.truth)


def test_density_matrix(state):
    axes = projfgd.plot.density_matrix(state)
    shown = axes[0].images[0].get_array() + 1j * axes[1].images[0].get_array()
    np.testing.assert_allclose(shown, state.density_matrix)
    assert axes[0].images[0].get_clim() == axes[1].images[0].get_clim()
    assert [t.get_text() for t in axes[0].get_xticklabels()] == ["|00⟩", "|01⟩", "|10⟩", "|11⟩"]
    mine = plt.subplots(1, 2)[1]
    assert projfgd.plot.density_matrix(np.eye(64) / 64, ax=mine)[0] is mine[0]
    with pytest.raises(ValueError, match="^ax: found 1 Axes, expected two, as of plt.subplots"):
        projfgd.plot.density_matrix(state, mine[0])


@pytest.mark.parametrize("qubits", [1, 4, 5, 8])
def test_the_names_of_many_states_can_be_read(qubits):
    n = 2**qubits
    axes = projfgd.plot.density_matrix(np.eye(n) / n)
    axes[0].figure.canvas.draw()
    for labels in (axes[0].get_xticklabels(), axes[0].get_yticklabels()):
        names = [label.get_text() for label in labels]
        assert names[0] == f"|{'0' * qubits}⟩" and len(names) == min(n, 16)
        extents = [label.get_window_extent() for label in labels]
        assert not any(a.overlaps(b) for a, b in zip(extents, extents[1:]))
        whole = axes[0].figure.bbox
        assert all(whole.x0 <= e.x0 and e.x1 <= whole.x1 for e in extents)
        assert all(whole.y0 <= e.y0 and e.y1 <= whole.y1 for e in extents)


@pytest.mark.parametrize("grid", [(1, 2), (2, 1)])
def test_the_names_of_states_cover_no_picture(state, grid):
    axes = projfgd.plot.density_matrix(state, plt.subplots(*grid)[1])
    axes[0].figure.canvas.draw()
    for ax, other in (axes, axes[::-1]):
        picture = other.get_window_extent()
        labels = [t for t in (*ax.get_xticklabels(), *ax.get_yticklabels()) if t.get_text()]
        assert not any(picture.overlaps(label.get_window_extent()) for label in labels)
    shown = [[t.get_text() for t in ax.get_yticklabels()] for ax in axes]
    assert shown[0] == ["|00⟩", "|01⟩", "|10⟩", "|11⟩"]
    assert any(shown[1]) == (grid == (2, 1))


@pytest.mark.parametrize("against", ["iteration", "seconds"])
def test_convergence(state, against):
    mine = plt.subplots()[1]
    ax = projfgd.plot.convergence(state, mine, against=against)
    assert ax is mine and ax.get_yscale() == "log"
    names = [line.get_label() for line in ax.lines]
    assert names == ["objective", "relative change", "relative error"]
    np.testing.assert_array_equal(ax.lines[2].get_xdata(), state.trace[against])


def test_convergence_refuses_another_axis(state):
    with pytest.raises(ValueError, match='against: found "watts"'):
        projfgd.plot.convergence(state, against="watts")
    for other in (None, 3, {}, np.ones(3), np.ones(3, [("iteration", int)])):
        with pytest.raises(TypeError, match="^result: found .*, expected a result or its trace$"):
            projfgd.plot.convergence(other)
    assert not plt.get_fignums()


def test_image_and_signal():
    picture = np.array([[3, 4j], [0, -1]])
    ax = projfgd.plot.image(picture)
    np.testing.assert_array_equal(ax.images[0].get_array(), [[3, 4], [0, 1]])
    line = projfgd.plot.image(picture.ravel()).lines[0]
    np.testing.assert_array_equal(line.get_ydata(), [3, 4, 0, 1])
    colours = projfgd.plot.image(np.array([[[3, 4j, 0]]])).images[0].get_array()
    np.testing.assert_array_equal(colours, [[[0.75, 1, 0]]])


def test_matplotlib_is_imported_when_it_is_needed():
    code = "import projfgd, sys; assert 'matplotlib' not in sys.modules, 'too early'"
    subprocess.run([sys.executable, "-I", "-c", code], check=True)


def test_a_trace_is_drawn_as_its_result_is(state):
    lines = [projfgd.plot.convergence(what).lines for what in (state, state.trace, state._trace)]
    for other in lines[1:]:
        np.testing.assert_array_equal(other[0].get_xydata(), lines[0][0].get_xydata())


def test_the_rows_of_a_callback_are_drawn_as_the_trace_is():
    rows = []
    r = projfgd.minimize(lambda u: [0.5 * (u @ u.T - 4)[0, 0] ** 2, (u @ u.T - 4) @ u], None, [1.0],
                         callback=rows.append)  # fmt: skip
    drawn = [projfgd.plot.convergence(what).lines[0].get_xydata() for what in (r, rows)]
    np.testing.assert_array_equal(*drawn)
    with pytest.raises(TypeError, match="^result: found list, expected a result or its trace$"):
        projfgd.plot.convergence([1, 2])


def test_a_picture_of_something_else_is_refused(state):
    image = projfgd.phase(projfgd.simulate.cdp(size=(8, 8), patterns=6, seed=1))
    with pytest.raises(TypeError, match="expected a state; projfgd.plot.image"):
        projfgd.plot.density_matrix(image)
    with pytest.raises(ValueError, match=r"found shape \(2, 3\)"):
        projfgd.plot.density_matrix(np.ones((2, 3)))
    for other in (np.zeros(3), np.ones(3), np.eye(3) / 3, np.ones((1, 1))):
        with pytest.raises(ValueError, match=r"found shape .*, expected 2\^q amplitudes or a 2\^q x"):
            projfgd.plot.density_matrix(other)
    for nothing in (np.zeros(4), np.zeros((4, 4))):
        with pytest.raises(ValueError, match="^result: found only zeros, expected a state$"):
            projfgd.plot.density_matrix(nothing)
    with pytest.raises(TypeError, match="see projfgd.plot.density_matrix"):
        projfgd.plot.image(state)


def test_a_picture_of_a_simulation_is_that_of_its_truth():
    s = projfgd.simulate.counts(qubits=2, state="bell", depolarizing=0.2, shots=10, seed=1)
    left = projfgd.plot.density_matrix(s)[0]
    np.testing.assert_allclose(left.images[0].get_array(), (s.truth @ s.truth.conj().T).real)
    stars = projfgd.simulate.cdp(size=(8, 6), patterns=2, seed=1)
    np.testing.assert_array_equal(projfgd.plot.image(stars).images[0].get_array(), stars.truth)
    with pytest.raises(TypeError, match="found a state, expected an image"):
        projfgd.plot.image(s)
    with pytest.raises(TypeError, match="found an image, expected a state"):
        projfgd.plot.density_matrix(stars)


@pytest.mark.parametrize("draw", [projfgd.plot.density_matrix, projfgd.plot.image])
def test_what_is_no_picture_is_told_in_words(draw):
    other = projfgd.minimize(lambda u: (np.sum(u**4) / 2, u**3), None, [1.0])
    with pytest.raises(TypeError, match="^result: found a result of minimize, expected an array, "):
        draw(other)
    for shape in ((), (0, 0), (6, 8, 8), (2, 3, 4), (2, 2, 2, 3)):
        with pytest.raises(ValueError, match="^result: found shape .*, expected "):
            draw(np.ones(shape))
    with pytest.raises(ValueError, match="^result: found an entry that is not finite"):
        draw(np.array([[1, np.nan], [0, 1]]))
    with pytest.raises(TypeError, match="^result: found dict, expected an array of numbers$"):
        draw({"a": 1})
    assert not plt.get_fignums()


def test_axes_of_another_number_or_kind_are_refused(state):
    for draw, what in ((projfgd.plot.convergence, state), (projfgd.plot.image, np.eye(3))):
        pair = plt.subplots(1, 2)[1]
        with pytest.raises(ValueError, match="^ax: found 2 Axes, expected one$"):
            draw(what, ax=pair)
        assert draw(what, ax=pair[:1]) is pair[0]
    for ax in (5, [1, 2]):
        with pytest.raises(TypeError, match="^ax: found int, expected Axes of Matplotlib$"):
            projfgd.plot.density_matrix(state, ax)


def test_the_modules_list_what_is_meant_for_users():
    assert dir(projfgd) == sorted([*projfgd.__all__, "__version__"])
    assert not {"annotations", "version"} & set(dir(projfgd))
    assert dir(projfgd.plot) == sorted(projfgd.plot.__all__) and "city" in dir(projfgd.plot)
    assert dir(projfgd.simulate) == ["Simulation", "cdp", "counts", "pauli", "ptychography"]
