"""Numbers with their intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

#: The usual level: in 95 of 100 cases the interval contains the true value.
_LEVEL = 0.95


class Estimate(float):
    """A number with a 95% interval.

    It behaves like a float in computations and formatting. ``print`` shows the interval:

    >>> purity = Estimate(0.90712, (0.9004, 0.9131))
    >>> purity
    0.907 (95%: 0.900 to 0.913)
    >>> f"{purity:.2f}", purity > 0.9, purity.low
    ('0.91', True, 0.9004)

    If the data do not determine the number, it says so, and the ends are those of the values that fit
    the data. If only the ends are known to fit, the level is None:

    >>> Estimate(1.0, (0.25, 1.0), determined=False)
    1.00 (not determined: 0.25 to 1.00)
    >>> Estimate(0.31, (0.06, 0.92), level=None)
    0.06 to 0.92 (all of these fit equally well)
    """

    #: Both ends, or None if the interval is unknown.
    interval: tuple[float, float] | None
    #: The probability that the interval contains the true value; None if the interval holds all
    #: values that fit the data.
    level: float | None
    #: Whether the data determine the number. If they do not, other values fit them as well. None
    #: if the run did not converge.
    determined: bool | None

    def __new__(
        cls,
        value: float,
        interval: Any = None,
        level: float | None = _LEVEL,
        *_: Any,
        determined: bool | None = True,
    ) -> Estimate:
        self = super().__new__(cls, value)
        self.interval = None if interval is None else (float(interval[0]), float(interval[1]))
        self.level = level
        self.determined = determined
        return self

    @property
    def low(self) -> float:
        """The lower end of the interval; NaN if it is unknown."""
        return math.nan if self.interval is None else self.interval[0]

    @property
    def high(self) -> float:
        """The upper end of the interval; NaN if it is unknown."""
        return math.nan if self.interval is None else self.interval[1]

    def __str__(self) -> str:
        value = float(self)
        if self.interval is None:
            return repr(value)
        width = max(abs(end - value) for end in self.interval)
        # To the second digit of an error bar that begins with 1 or 2, else to the first.
        decimals = min(12, max(2, math.ceil(-math.log10(width / 3)))) if width > 0 else 6
        shown = [f"{number:.{decimals}f}" for number in (value, *self.interval)]
        if self.determined is False:
            return f"{shown[0]} (not determined: {shown[1]} to {shown[2]})"
        if self.level is None:
            return f"{shown[1]} to {shown[2]} (all of these fit equally well)"
        return f"{shown[0]} ({self.level:.0%}: {shown[1]} to {shown[2]})"

    __repr__ = __str__

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (float(self), self.interval, self.level, self.determined)


def _restored(
    value: float, interval: Any, level: float | None, determined: bool | None
) -> Estimate:
    return Estimate(value, interval, level, determined=determined)


class Comparison(Estimate):
    """The value for the target of the run; call it with another state to compare with that."""

    def __new__(
        cls,
        value: float,
        interval: Any,
        level: float | None,
        compare: Callable[[Any], Estimate],
        determined: bool | None = True,
    ) -> Comparison:
        self = super().__new__(cls, value, interval, level, determined=determined)
        assert isinstance(self, Comparison)
        self._compare = compare
        return self

    _compare: Callable[[Any], Estimate]

    def __call__(self, target: Any) -> Estimate:
        return self._compare(target)


class NoTarget:
    """A :class:`Comparison` of a run without a target: it can only be called."""

    def __init__(self, name: str, compare: Callable[[Any], Estimate]) -> None:
        self._name, self._compare = name, compare

    def __call__(self, target: Any) -> Estimate:
        return self._compare(target)

    def __repr__(self) -> str:
        return (
            f"<{self._name}: no target was given; use tomography(..., target=...) or "
            f"{self._name}(target)>"
        )

    def _refuse(self, *_: Any) -> NoReturn:
        raise TypeError(repr(self)[1:-1])

    __float__ = __format__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __round__ = _refuse


def level_of(method: Any, level: float) -> float | None:
    """The level of an interval that was found by this method; None for a range of values that fit."""
    return None if str(method).startswith("range") else level


def with_interval(
    value: Any,
    interval: Any,
    method: Any,
    level: float,
    determined: Callable[[str], bool | None],
    name: str,
) -> Any:
    """Numbers, and numbers in lists and dicts, with their intervals where these are known."""
    if interval is None or value is None:
        return value
    if isinstance(value, Mapping):
        methods = method if isinstance(method, Mapping) else dict.fromkeys(value, method)
        return {
            key: with_interval(item, interval[key], methods.get(key), level, determined, key)
            if key in interval
            else Estimate(item)
            for key, item in value.items()
        }
    if isinstance(value, list):
        rest = [None] * (len(value) - len(interval))
        pairs = zip(value, [*interval, *rest])
        return [with_interval(a, b, method, level, determined, name) for a, b in pairs]
    return Estimate(value, interval, level_of(method, level), determined=determined(name))
