"""The audit port. Every method is one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from forge.flows.runs.records import AuditRecord


class Audit(Protocol):
    """Who changed what, and whether anything has changed."""

    def audit(self, *, limit: int = 100) -> tuple[AuditRecord, ...]: ...
    def note(self, audit: AuditRecord) -> None:
        """For a change that is written elsewhere."""

    def mark(self) -> str:
        """Differs after every change except a step of a run: results computed from the records are valid until then."""
