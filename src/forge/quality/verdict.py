"""The verdict of a check: passed, failed or not measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Severity(StrEnum):
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    CRITICAL = "critical"


class Outcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """`check_id` is stable across runs. `details`: readings, thresholds and, for a failed check, a sample."""

    check_id: str
    check_type: str
    table: str
    columns: tuple[str, ...]
    outcome: Outcome
    severity: Severity
    message: str
    blocks: bool
    details: Mapping[str, object] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        return {
            "check_id": self.check_id,
            "type": self.check_type,
            "table": self.table,
            "columns": list(self.columns),
            "outcome": str(self.outcome),
            "severity": str(self.severity),
            "message": self.message,
            "blocks": self.blocks,
            "details": dict(self.details),
        }
