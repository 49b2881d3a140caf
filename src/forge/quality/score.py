"""The quality score of a dataset: the percentage of its checks that passed.

A check that could not be measured has not passed. Nothing is weighted, so that the score can be recomputed by hand."""

from __future__ import annotations

from collections.abc import Iterable

from forge.quality.verdict import Outcome


def percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None


def score_of(outcomes: Iterable[Outcome]) -> float | None:
    """None where there is no check."""
    found = tuple(outcomes)
    return percent(sum(outcome is Outcome.PASSED for outcome in found), len(found))
