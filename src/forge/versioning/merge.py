"""Merge strategies, types and statuses."""

from __future__ import annotations

from enum import StrEnum

from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean


class Strategy(StrEnum):
    THREE_WAY = "three_way"
    FF = "ff"
    SQUASH = "squash"
    REBASE = "rebase"


_STRATEGIES = {strategy.value: strategy for strategy in Strategy} | {"fast_forward": Strategy.FF}


def parse_strategy(text: str) -> Strategy:
    """`three-way` or `three_way`, `ff`, `fast_forward` or `fast-forward`, `squash`, `rebase`; else E105."""
    found = _STRATEGIES.get(text.strip().replace("-", "_").lower())
    if found is None:
        near = did_you_mean(text, ["three-way", "ff", "fast_forward", "squash", "rebase"])
        raise ForgeError("E105", f"'{text}' is no strategy", why=near, fix="Take three-way, ff, squash or rebase.")
    return found


class MergeType(StrEnum):
    FAST_FORWARD = "fast_forward"
    THREE_WAY = "three_way"
    SQUASH = "squash"
    REBASE = "rebase"
    CONFLICTED = "conflicted"
    BLOCKED = "blocked"  # a check or contract fails on the merged preview
    UP_TO_DATE = "up_to_date"
    PENDING = "pending"  # waits for an approval


class MergeStatus(StrEnum):
    PENDING = "pending"
    CONFLICTED = "conflicted"
    BLOCKED = "blocked"
    MERGED = "merged"
    ABORTED = "aborted"
    REJECTED = "rejected"


OPEN_MERGES = (MergeStatus.PENDING, MergeStatus.CONFLICTED, MergeStatus.BLOCKED)
