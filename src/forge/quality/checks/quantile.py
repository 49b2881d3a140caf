"""Bounds of a quantile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from forge.quality.checks.statistic import StatisticCheck
from forge.quality.keys import COLUMN, Key, Keys, bounds, in_order, number, share
from forge.quality.readings import Quantiles


@dataclass(frozen=True, slots=True)
class QuantileCheck(StatisticCheck):
    """The value at `quantile` (0 to 1; 0.5 is the median) lies in [min, max]. It is the smallest that so many of the
    values do not exceed. NULL, NaN and the infinities are left out. Above 4,096 values it comes from a sketch, whose
    ranks are off by about 0.1 percent."""

    type: ClassVar[str] = "quantile"
    words: ClassVar[tuple[str, ...]] = ("quantile", "statistical")
    keys: ClassVar[Keys] = {
        **COLUMN,
        "quantile": Key(share, "quantile", help="From 0 to 1; 0.5 is the median."),
        **bounds(number),
    }
    kind: ClassVar[str] = "quantiles"

    quantile: float = 0.5

    @classmethod
    def settle(cls, fields: dict[str, Any]) -> list[str]:
        return in_order(fields.get("min"), fields.get("max"))

    def title(self) -> str:
        return "median" if self.quantile == 0.5 else f"quantile {self.quantile:g}"

    def statistic(self, reading: object) -> float | str:
        found = reading.at(self.quantile) if isinstance(reading, Quantiles) else None
        return f"there are no values, and so there is no {self.title()}" if found is None else found

    def thresholds(self) -> dict[str, object]:
        return {"quantile": self.quantile, "min": self.min, "max": self.max}
