"""`find_anomalies`: judges each point by the points before it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from forge.model.errors import ForgeError
from forge.model.time import as_utc
from forge.quality.anomaly.baseline import baseline_of, in_order, memory_of
from forge.quality.anomaly.explain import explain, no_number, too_few
from forge.quality.anomaly.methods import DEFAULT, method_of
from forge.quality.anomaly.opinion import MAX_SCORE, Method, Model
from forge.quality.anomaly.point import AnomalyFinding, Feedback, Point

Pair = tuple[datetime, float]
REMEMBERED = 200  # points; twice the window of a daily metric


def find_anomalies(
    history: Iterable[Point | Pair],
    current: Point | Pair | Sequence[Point | Pair],
    method: str = DEFAULT,
    threshold: float | None = None,
) -> tuple[AnomalyFinding, ...]:
    """One finding for each current point, by time. A point is compared with the earlier ones of `history`, and with
    earlier ones of `current` that were not flagged; flagged points count only where the default method learned that
    they are normal. A point at the same time as another replaces it. `find_anomalies((), series)` replays a whole
    series."""
    chosen = method_of(method)
    allowed = threshold_of(method, threshold)
    wanted = in_order(_points(current))
    times = {point.time for point in wanted}
    known = [p for p in in_order(_point(p) for p in history) if p.time not in times]
    if chosen.keeps_flagged:
        known = [replace(p, flagged=False) for p in known]
    findings: list[AnomalyFinding] = []
    model: Model | None = None
    fitted, count = 0, 0
    for point in wanted:
        if model is None or fitted >= chosen.block:
            known = list(in_order(known))
            baseline = baseline_of(known, point)
            count, fitted = len(baseline), 0
            model = chosen.fit(baseline, allowed, memory_of(known, point)) if count >= chosen.minimum else None
        fitted += 1
        finding = _finding(point, model, count, chosen, allowed)
        findings.append(finding)
        known.append(replace(point, flagged=finding.is_anomaly and not chosen.keeps_flagged))
    return tuple(findings)


def with_flags(points: Iterable[Point]) -> tuple[Point, ...]:
    """Flags the newest points of a history that were never judged, as the default method would have at the time."""
    recent = in_order(replace(point, time=as_utc(point.time)) for point in points)[-REMEMBERED:]
    findings = find_anomalies((), recent)
    return tuple(replace(p, flagged=f.is_anomaly) for p, f in zip(recent, findings, strict=True))


def _finding(point: Point, model: Model | None, count: int, method: Method, threshold: float) -> AnomalyFinding:
    of_point = partial(
        AnomalyFinding,
        time=point.time,
        value=point.value,
        method=method.name,
        threshold=threshold,
        points=count,
        feedback=point.feedback,
    )
    if not math.isfinite(point.value):
        return of_point(score=MAX_SCORE, is_anomaly=True, explanation=no_number(point))
    if model is None:
        explanation = too_few(point, count, method.minimum)
        return of_point(score=0.0, is_anomaly=point.feedback is Feedback.INCIDENT, explanation=explanation)
    opinion = model(point)
    explanation = explain(point, opinion)
    if point.feedback is not None:
        explanation += (
            "; a person called it expected"
            if point.feedback is Feedback.EXPECTED
            else "; a person called it an incident"
        )
    return of_point(
        score=opinion.score,
        is_anomaly=opinion.is_out if point.feedback is None else point.feedback is Feedback.INCIDENT,
        explanation=explanation,
        expected=opinion.expected,
        low=opinion.low,
        high=opinion.high,
        seasonal=opinion.seasonal,
        season=opinion.season,
        trend=opinion.trend,
        log_scale=opinion.log_scale,
    )


def _points(given: Point | Pair | Sequence[Point | Pair]) -> list[Point]:
    match given:
        case Point():
            return [_point(given)]
        case (datetime() as time, int() | float() as value):
            return [_point((time, value))]
        case _:
            return [_point(one) for one in given]  # a pair was handled above


def _point(given: Point | Pair) -> Point:
    point = given if isinstance(given, Point) else Point(given[0], given[1])
    return replace(point, time=as_utc(point.time), value=float(point.value))


def threshold_of(method: str, given: float | None) -> float:
    """The given threshold, or the method's default; E740 where it is invalid."""
    chosen = method_of(method)
    if given is None:
        return chosen.threshold
    is_share = chosen.keeps_flagged
    if not math.isfinite(given) or not 0 < given <= (0.5 if is_share else math.inf):
        range_ = "more than 0 and at most 0.5" if is_share else "a number above 0"
        raise ForgeError("E740", f"The threshold {given} does not fit {method}", fix=f"It is {range_}.")
    return float(given)
