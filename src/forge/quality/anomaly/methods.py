"""The registered methods. A new one is a fit function and an entry here. Each is imported on first use, as importing
numpy takes longer than most commands."""

from __future__ import annotations

from collections.abc import Sequence

from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.quality.anomaly.baseline import MINIMUM
from forge.quality.anomaly.opinion import Method, Model
from forge.quality.anomaly.point import Point


def _seasonal(baseline: Sequence[Point], threshold: float, memory: Sequence[Point]) -> Model:
    from forge.quality.anomaly.seasonal_method import fit_seasonal

    return fit_seasonal(baseline, threshold, memory)


def _zscore(baseline: Sequence[Point], threshold: float, memory: Sequence[Point]) -> Model:
    from forge.quality.anomaly.simple_methods import fit_zscore

    return fit_zscore(baseline, threshold)


def _iqr(baseline: Sequence[Point], threshold: float, memory: Sequence[Point]) -> Model:
    from forge.quality.anomaly.simple_methods import fit_iqr

    return fit_iqr(baseline, threshold)


def _mad(baseline: Sequence[Point], threshold: float, memory: Sequence[Point]) -> Model:
    from forge.quality.anomaly.simple_methods import fit_mad

    return fit_mad(baseline, threshold)


def _isolation_forest(baseline: Sequence[Point], threshold: float, memory: Sequence[Point]) -> Model:
    from forge.quality.anomaly.forest import fit_isolation_forest

    return fit_isolation_forest(baseline, threshold)


def _prophet(baseline: Sequence[Point], threshold: float, memory: Sequence[Point]) -> Model:
    from forge.quality.anomaly.prophet import fit_prophet

    return fit_prophet(baseline, threshold)


METHODS: tuple[Method, ...] = (
    Method("seasonal", 4.0, _seasonal, MINIMUM),
    Method("zscore", 3.0, _zscore, MINIMUM),
    Method("iqr", 1.5, _iqr, MINIMUM),
    Method("mad", 3.5, _mad, MINIMUM),
    Method("isolation_forest", 0.1, _isolation_forest, 8, keeps_flagged=True),
    Method("prophet", 4.0, _prophet, 14, block=7),
)
DEFAULT = METHODS[0].name


def method_of(name: str) -> Method:
    found = next((method for method in METHODS if method.name == name), None)
    if found is None:
        names = [method.name for method in METHODS]
        why = did_you_mean(name, names) or f"The methods are {', '.join(names)}."
        raise ForgeError("E740", f"There is no method '{name}' of finding anomalies", why=why, fix="Name one of them.")
    return found
