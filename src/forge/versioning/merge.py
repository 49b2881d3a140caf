"""The words of merging: how, and how it ended."""

from __future__ import annotations

from enum import StrEnum


class Strategy(StrEnum):
    THREE_WAY = "three_way"
    FF = "ff"
    SQUASH = "squash"
    REBASE = "rebase"


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
