"""Numbers with intervals, and what a state says about its qubits."""

import json
import pickle

import numpy as np
import pytest
from conftest import BELL

import projfgd
from projfgd import Estimate
from projfgd._core import negativity
from projfgd._entanglement import concurrence, entropy, largest_separable_overlap


@pytest.fixture(scope="module")
def bell():
    return projfgd.tomography(BELL, target="bell")


@pytest.fixture(scope="module")
def ghz():
    s = projfgd.simulate.counts(qubits=3, state="ghz", shots=2000, depolarizing=0.05, seed=1)
    return projfgd.tomography(s, truth=None)


def test_an_estimate_is_a_number_that_shows_its_interval():
    x = Estimate(0.5, (0.4991, 0.5012))
    assert str(x) == repr(x) == f"{x}" == "0.5000 (95%: 0.4991 to 0.5012)"
    assert (f"{x:.1f}", x + 1, round(x, 1), x.low, x.high) == ("0.5", 1.5, 0.5, 0.4991, 0.5012)
    assert json.loads(json.dumps({"x": x})) == {"x": 0.5}
    again = pickle.loads(pickle.dumps(x))
    assert (again, again.interval, again.level) == (x, x.interval, x.level)
    plain = Estimate(0.25)
    assert str(plain) == "0.25" and plain.interval is None and np.isnan(plain.low)
    assert str(Estimate(1.0, (1.0, 1.0))) == "1.000000 (95%: 1.000000 to 1.000000)"


def test_a_bootstrap_is_shown_without_its_samples(ghz):
    found = ghz.bootstrap(20, lambda rho: rho[0, 0].real)
    assert repr(found).startswith(f"Bootstrap({found.value:.2f}") and "20 samples" in repr(found)
    assert "samples" in repr(ghz.bootstrap(20)) and "array(" in repr(ghz.bootstrap(20))


def test_numbers_that_the_data_do_not_determine_say_so():
    counts = {"00": 440, "01": 60, "10": 60, "11": 440}
    with pytest.warns(projfgd.FitWarning, match="do not determine"):
        r = projfgd.tomography({"ZZ": counts, "XX": counts}, target="bell", observables=["XX", "YY"])
    for value in (r.fidelity, r.purity, r.entropy, r.eigenvalues[0], r.expectations["YY"]):
        assert not value.determined and "(not determined: " in str(value)
        assert not pickle.loads(pickle.dumps(Estimate(1.0, determined=False))).determined
    assert r.expectations["XX"].determined and "(95%: " in str(r.expectations["XX"])
    assert "not determined" in repr(r)
    for number in (
        lambda: r.negativity(0),
        r.concurrence,
        lambda: r.mutual_information(0),
        lambda: r.bootstrap(20),
    ):
        with pytest.warns(projfgd.FitWarning, match="one of many states that fit"):
            number()


def test_every_interval_of_the_summary_is_an_attribute(ghz):
    known = ghz.summary["intervals"]
    assert {"fidelity", "purity", "entropy", "eigenvalues"} <= set(known)
    for name in ("fidelity", "purity", "entropy"):
        value = getattr(ghz, name)
        assert value == ghz.summary[name] and value.interval == tuple(known[name])
        assert value.low <= value <= value.high
    assert ghz.eigenvalues[0].interval == tuple(known["eigenvalues"][0])
    assert ghz.eigenvalues == ghz.summary["eigenvalues"]
    assert pickle.loads(pickle.dumps(ghz)).purity.interval == ghz.purity.interval


def test_fidelity_is_that_of_the_target_and_of_any_other_state(bell):
    assert bell.fidelity == bell.summary["fidelity"] == pytest.approx(bell.fidelity("bell"))
    assert bell.trace_distance == pytest.approx(bell.trace_distance("bell"))
    assert bell.fidelity("zero") < 0.6
    unasked = projfgd.tomography(BELL, rank=1)
    assert unasked.fidelity("bell") > 0.99
    assert "no target was given" in repr(unasked.fidelity)
    for use in (float, lambda f: f > 0.5, lambda f: f"{f:.2f}", lambda f: 1 - f, round):
        with pytest.raises(TypeError, match="^fidelity: no target was given; use tomography"):
            use(unasked.fidelity)


def test_expectations_of_lists_and_sums(bell):
    single = [bell.expectation(label) for label in ("XX", "YY", "ZZ")]
    assert bell.expectation(["XX", "YY", "ZZ"]) == pytest.approx(single)
    assert bell.expectation({"XX": 0.5, "ZZ": -2}) == pytest.approx(0.5 * single[0] - 2 * single[2])
    assert bell.expectation([{"XX": 1, "-XX": 1}, "-ZZ"]) == pytest.approx([0, -single[2]])
    flip = np.kron(*2 * [np.array([[0, 1], [1, 0]])])
    assert bell.expectation(flip) == pytest.approx(single[0])
    with pytest.raises(ValueError, match="^observable: found an array of shape 2 x 2, expected 4 x 4"):
        bell.expectation(np.eye(2))
    with pytest.raises(ValueError, match="^observable: found an array that is not Hermitian"):
        bell.expectation(1j * flip)
    with pytest.raises(ValueError, match='^observable: found "XXX", expected 2 letters'):
        bell.expectation({"XXX": 1})
    with pytest.raises(ValueError, match="^observable: found an empty sum"):
        bell.expectation({})
    with pytest.raises(ValueError, match="^observable: found the coefficient 'a', expected a real"):
        bell.expectation({"XX": "a"})


def test_observables_have_intervals():
    r = projfgd.tomography(BELL, observables=["XX", "ZZ", "IX"])
    assert list(r.expectations) == ["XX", "ZZ", "IX"]
    assert r.expectations["XX"] == pytest.approx(r.expectation("XX"))
    assert r.expectations["XX"].low < r.expectations["XX"] <= r.expectations["XX"].high == 1
    with pytest.raises(AttributeError, match="give observables="):
        projfgd.tomography(BELL).expectations
    with pytest.raises(ValueError, match="^observables: "):
        projfgd.tomography(BELL, observables=["XXX"])


def named(name, qubits):
    return projfgd._core.named_state(name, qubits)


def test_states_whose_entanglement_is_known():
    pair, three, w = named("bell", 2), named("ghz", 3), named("w", 3)
    assert negativity(pair, [0]) == pytest.approx(0.5)
    assert negativity(three, [1]) == pytest.approx(0.5)
    assert negativity(w, [2]) == pytest.approx(np.sqrt(2) / 3)
    assert negativity(named("plus", 3), [0, 2]) == pytest.approx(0)
    assert concurrence(pair @ pair.conj().T) == pytest.approx(1)
    for mixed, expected in ((0.2, 0.7), (0.7, 0)):  # of Werner states max(0, (1 - 3 mixed/2))
        rho = (1 - mixed) * pair @ pair.conj().T + mixed * np.eye(4) / 4
        assert concurrence(rho) == pytest.approx(expected)
    assert entropy(three, [0]) == pytest.approx(1) and entropy(three, [0, 1, 2]) < 1e-12
    # The bounds of GHZ and W states (Guehne and Toth, Phys. Rep. 474 (2009)).
    assert largest_separable_overlap(named("ghz", 5)) == pytest.approx(1 / 2)
    assert largest_separable_overlap(named("w", 4)) == pytest.approx(3 / 4)


def test_correlations_of_a_result(ghz):
    assert 0.4 < ghz.negativity(0) < 0.5 and ghz.negativity([0, 1]) == pytest.approx(
        ghz.negativity(2), rel=0.1
    )
    assert ghz.concurrence([0, 2]) < 0.05
    assert ghz.mutual_information(0, 1) == pytest.approx(1, abs=0.2)
    assert ghz.mutual_information(0) == pytest.approx(ghz.mutual_information([1, 2]))
    witness = ghz.witness()
    assert witness == pytest.approx(0.5 - ghz.fidelity) and witness.high < 0
    assert witness.interval == pytest.approx((0.5 - ghz.fidelity.high, 0.5 - ghz.fidelity.low))
    assert ghz.witness("w") > 0 and ghz.witness("w").interval is None


@pytest.mark.parametrize(
    ("ask", "kind", "text"),
    [
        (lambda r: r.negativity([0, 1, 2]), ValueError, "qubits: found all qubits, expected a part"),
        (lambda r: r.negativity([0, 0]), ValueError, r"qubits: found \[0, 0\], expected each"),
        (lambda r: r.negativity(3), ValueError, "qubits: found qubit 3, expected 0 to 2"),
        (lambda r: r.concurrence(), ValueError, "qubits: found 3 of them, expected two"),
        (lambda r: r.mutual_information(0, 0), ValueError, r"second: found \[0\], expected qubits"),
        (lambda r: r.mutual_information([0, 1, 2]), ValueError, r"second: found \[\], expected"),
        (lambda r: r.witness(np.eye(8) / 8), ValueError, r"target: found shape \(8, 8\), expected"),
    ],
)
def test_what_cannot_be_asked(ghz, ask, kind, text):
    with pytest.raises(kind, match=f"^{text}"):
        ask(ghz)


def test_refits_give_every_measure_an_interval():
    ghz = projfgd.simulate.counts(qubits=3, state="ghz", shots=500, depolarizing=0.1, seed=1)
    r = projfgd.tomography(ghz, errors="bootstrap:20", rank=2)
    plain = projfgd.tomography(ghz, rank=2)
    for measure in (
        lambda r: r.negativity([0, 1]),
        lambda r: r.concurrence([0, 1]),
        lambda r: r.mutual_information(0),
        lambda r: r.fidelity("w"),
        lambda r: r.witness("ghz"),
    ):
        found = measure(r)
        assert found.low <= found <= found.high
        assert measure(plain).interval is None
    assert plain.negativity(0).low < plain.negativity(0) < plain.negativity(0).high
    for one in (r, plain):  # the largest expectations have intervals from the data
        assert one.expectation("XXX").low < one.expectation("XXX") < one.expectation("XXX").high
