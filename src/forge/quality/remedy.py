"""What may be done about a failed check. An action is data; `flows/remediate.py` carries it out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class ActionKind(StrEnum):
    NOTIFY = "notify"
    QUARANTINE = "quarantine"
    ROLLBACK = "rollback"
    IMPUTE = "impute"
    DEDUPLICATE = "deduplicate"
    CUSTOM = "custom"


@dataclass(frozen=True, slots=True)
class Action:
    """`options` are what its kind takes, hashable: (("method", "median"), ("columns", ("amount",)))."""

    kind: ActionKind
    options: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class Remedied:
    """What came of one action."""

    action: ActionKind
    success: bool
    message: str
    details: Mapping[str, object] = field(default_factory=dict)
