"""What all tests need."""

import signal

import pytest

#: Counts of a Bell state.
BELL = {
    "XX": {"00": 498, "11": 502},
    "YY": {"01": 489, "10": 511},
    "ZZ": {"00": 507, "11": 493},
}


@pytest.fixture(autouse=True, scope="session")
def interrupts_are_heard():
    """A shell that starts us in the background lets SIGINT be ignored; the tests of Ctrl-C need it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def closed_figures():
    """Matplotlib keeps every figure until it is closed."""
    import matplotlib.pyplot as plt

    yield
    plt.close("all")
