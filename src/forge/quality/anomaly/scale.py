"""The scale on which a metric varies evenly: counts and sizes vary in proportion, so their logarithms are used.

The logarithm passes through zero (log of 1 + value / unit, with the sign of the value), so that an empty table is an
ordinary value, far out where tables are not empty. The unit is a hundredth of the usual value, so that only values near
zero are not logarithmic. A metric that was ever negative (a balance, a difference) stays linear: a logarithm would hide
changes around zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
FLOOR = 0.0025  # a constant is not assumed exact: one percent either way is no anomaly at 4 spreads
NO_UNIT = 1e-9  # where all values are zero
LEAST_UNIT = 1e-100  # so that no sensible value is infinitely many units


@dataclass(frozen=True, slots=True)
class Scale:
    """`unit` None: linear. `floor` is the least spread."""

    unit: float | None
    floor: float

    @property
    def is_log(self) -> bool:
        return self.unit is not None

    def into(self, values: Floats) -> Floats:
        if self.unit is None:
            return values
        with np.errstate(over="ignore"):
            return np.asarray(np.sign(values) * np.log1p(np.abs(values) / self.unit), dtype=np.float64)

    def back(self, value: float) -> float:
        if self.unit is None:
            return value
        with np.errstate(over="ignore"):
            return float(np.sign(value) * self.unit * np.expm1(abs(value)))

    def part(self, value: float) -> float:
        """A difference on the scale in units of the values: a factor, or a difference."""
        with np.errstate(over="ignore"):
            return float(np.exp(value)) if self.is_log else value


def scale_of(values: Floats) -> Scale:
    if bool((values < 0).any()):
        return Scale(None, FLOOR * float(np.median(np.abs(values))))
    above = values[values > 0]
    unit = float(np.median(above)) / 100 if len(above) else NO_UNIT
    return Scale(max(unit, LEAST_UNIT), FLOOR)
