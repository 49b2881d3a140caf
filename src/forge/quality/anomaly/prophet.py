"""Prophet, where it is installed: changepoint trend, weekday and hour, fitted by Stan on the scale of the default.

A fit takes a few tenths of a second, so one fit judges a run of consecutive points."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from forge.model.errors import ForgeError
from forge.model.time import as_utc
from forge.quality.anomaly.baseline import cadence
from forge.quality.anomaly.opinion import Model, Opinion, distances
from forge.quality.anomaly.point import Point
from forge.quality.anomaly.scale import Scale, scale_of

SEED = 42


def fit_prophet(baseline: Sequence[Point], threshold: float) -> Model:
    """`threshold` is in standard deviations. Prophet samples a thousand futures: their middle 68 percent give the
    standard deviation, as there are too few samples in the tails."""
    prophet = _quietly(_library)
    scale = scale_of(np.array([point.value for point in baseline], dtype=np.float64))
    days = [as_utc(point.time).timestamp() / 86400 for point in baseline]
    gap, length = cadence(days), days[-1] - days[0]
    model = prophet(
        interval_width=math.erf(1 / math.sqrt(2)),
        yearly_seasonality=length >= 730,
        weekly_seasonality=gap <= 3.5 and length >= 13,
        daily_seasonality=gap < 0.5 and length >= 2,
    )
    _quietly(lambda: model.fit(_frame(baseline, scale), seed=SEED))

    def judge(point: Point) -> Opinion:
        row = _forecast(model, _frame([point], scale))
        center = float(row["yhat"])
        spread = max((float(row["yhat_upper"]) - float(row["yhat_lower"])) / 2, scale.floor)
        value = float(scale.into(np.array([point.value]))[0])
        score = distances(abs(value - center), spread, 1e-9)
        low, high = scale.back(center - threshold * spread), scale.back(center + threshold * spread)
        weekly = scale.part(float(row["weekly"])) if "weekly" in row else None
        return Opinion(
            expected=scale.back(center),
            low=max(low, 0.0) if scale.is_log else low,
            high=high,
            score=score,
            is_out=score > threshold,
            unit="standard deviations",
            allowed=threshold,
            seasonal=weekly,
            season=f"{as_utc(point.time):%A}s" if weekly is not None else None,
            log_scale=scale.is_log,
        )

    return judge


def _forecast(model: Any, frame: Any) -> Any:
    """Prophet draws from numpy's global random state, which is restored."""
    state = np.random.get_state()
    np.random.seed(SEED)
    try:
        return _quietly(lambda: model.predict(frame)).iloc[0]
    finally:
        np.random.set_state(state)


def _library() -> Any:
    try:
        from prophet import Prophet
    except ImportError:
        raise ForgeError(
            "E741",
            "Prophet is not installed",
            why="It is an extra: it brings a compiler's worth of Stan with it.",
            fix="Install forge[prophet], or take the method seasonal.",
        ) from None
    return Prophet


def _frame(points: Sequence[Point], scale: Scale) -> Any:
    import pandas as pd

    times = [datetime.fromtimestamp(as_utc(point.time).timestamp(), UTC).replace(tzinfo=None) for point in points]
    return pd.DataFrame({"ds": times, "y": scale.into(np.array([point.value for point in points]))})


def _quietly(call: Any) -> Any:
    """Silences Stan's log of each step."""
    loggers = [logging.getLogger(name) for name in ("cmdstanpy", "prophet", "prophet.plot")]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        return call()
    finally:
        for logger, was in zip(loggers, before, strict=True):
            logger.disabled = was
