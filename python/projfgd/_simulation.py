"""The result of a simulation."""

from __future__ import annotations

from typing import Any

from ._typing import Array

#: The paths in a description.
PATHS = (
    "data", "truth", "target", "mask_data", "mask_values", "readout", "positions", "probe"
)  # fmt: skip


class Simulation:
    """Simulated measurements: ``data`` for the job, ``truth`` to compare with.

    You can pass it to a job, which then also uses its truth, target, masks and readout. Where
    a state or an image is expected, it stands for its target or its truth.
    """

    def __init__(self, data: Any, truth: Array, description: dict[str, Any]) -> None:
        #: What the job takes.
        self.data = data
        #: The factor of the state that was measured, or the image.
        self.truth = truth
        #: Its parameters by name; with ``out`` also the paths of its files.
        self.description = description
        #: The pure state before noise, of :func:`counts`.
        self.target: Array | None = None
        #: The masks, of :func:`cdp`.
        self.masks: Array | None = None
        #: Where each frame lies on the object, and the probe, of :func:`ptychography`.
        self.positions: Array | None = None
        self.probe: Array | None = None
        #: The calibration that belongs to the readout error, of :func:`counts`.
        self.readout: Any = None

    @property
    def is_image(self) -> bool:
        """Whether it simulates an image, not a state."""
        return self.masks is not None or self.positions is not None

    def __repr__(self) -> str:
        shown = (f"{k}={v!r}" for k, v in self.description.items() if k not in PATHS)
        return f"<projfgd.simulate.Simulation: {', '.join(shown)}>"
