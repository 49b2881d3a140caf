"""Explains a finding in one sentence with its numbers."""

from __future__ import annotations

import math

from forge.quality.anomaly.opinion import MAX_SCORE, Opinion
from forge.quality.anomaly.point import Point

DUST = 1e-9  # rounding residue of zero


def explain(point: Point, opinion: Opinion) -> str:
    band = f"{number(opinion.low)} to {number(opinion.high)}"
    parts = [_season(opinion), _trend(opinion), opinion.note]
    behind = "; ".join(part for part in parts if part)
    tail = f"; {behind}" if behind else ""
    if not opinion.is_out:
        return f"{number(point.value)} is within {band}, expected {number(opinion.expected)}{tail}"
    side = "above" if point.value > opinion.expected else "below"
    return (
        f"{number(point.value)} is {_far(point, opinion)}{side} the expected {number(opinion.expected)} and out of "
        + (f"{band} ({_score(opinion)}){tail}")
    )


def too_few(point: Point, points: int, needed: int) -> str:
    have = (
        "there are no points"
        if not points
        else f"there is {points} point"
        if points == 1
        else f"there are {points} points"
    )
    return f"{number(point.value)} is not judged: {have} before it that count, and {needed} are needed"


def no_number(point: Point) -> str:
    return f"{point.value} is no number that a metric can have"


def _far(point: Point, opinion: Opinion) -> str:
    """36% of the expected value, where a percentage is meaningful."""
    if opinion.expected == 0 or not math.isfinite(opinion.expected):
        return ""
    share = abs(point.value - opinion.expected) / abs(opinion.expected)
    if not math.isfinite(share):
        return ""
    if share >= 10:
        return f"{number(share)} times "
    return f"{100 * share:.0f}% " if share >= 0.1 else f"{number(100 * share)}% "


def _score(opinion: Opinion) -> str:
    score = f"over {number(MAX_SCORE)}" if opinion.score >= MAX_SCORE else f"{opinion.score:.2f}"
    return f"{score} {opinion.unit}, {number(opinion.allowed)} allowed"


def _season(opinion: Opinion) -> str:
    if opinion.season is None or opinion.seasonal is None:
        return ""
    if opinion.log_scale:
        return f"{opinion.season} are at {number(opinion.seasonal)} of the level"
    return f"{opinion.season} are {signed(opinion.seasonal)} from the level"


def _trend(opinion: Opinion) -> str:
    if opinion.trend is None:
        return ""
    if opinion.log_scale:
        return f"the trend is {signed(100 * (opinion.trend - 1))}% a day"
    return f"the trend is {signed(opinion.trend)} a day"


def signed(value: float) -> str:
    shown = number(abs(value))
    return shown if shown == "0" else f"{'+' if value > 0 else '−'}{shown}"


def number(value: float) -> str:
    """1,270 or 0.0312: only significant digits."""
    if not math.isfinite(value):
        return str(value)
    size = abs(value)
    if size < DUST:
        return "0"
    if size >= 1e15 or size < 1e-6:
        return f"{value:.3g}"
    if size >= 100 or value == int(value):
        return f"{value:,.0f}"
    digits = 2 if size >= 1 else 2 - math.floor(math.log10(size))
    return f"{value:,.{digits}f}".rstrip("0").rstrip(".")
