"""Ports of remediation besides versioning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from forge.flows.quality.judge import JudgedTable
from forge.flows.quality.row_repair import RepairWork
from forge.flows.runs.engine import Pin
from forge.flows.runs.records import AuditRecord
from forge.flows.versioning.ports import VersionPorts
from forge.model.names import BranchName, CommitId, TableName
from forge.quality.check import Check
from forge.quality.remediation import ApprovalPolicy, Remediation, RemedyStatus, RemedyStep


class RemedyStore(Protocol):
    def put(self, remediation: Remediation, audit: AuditRecord | None = None) -> None:
        """Upsert; E746 where the state transition is not allowed. As part of a publication it is written in the same
        transaction, by the same rule."""

    def get(self, remediation_id: str) -> Remediation | None: ...
    def find(
        self,
        *,
        table: TableName | None = None,
        branch: BranchName | None = None,
        status: RemedyStatus | None = None,
        limit: int | None = None,
    ) -> tuple[Remediation, ...]:
        """Newest first."""


def _none_passed(table: TableName, check_id: str) -> tuple[tuple[CommitId, bool], ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RemedyPorts:
    versions: VersionPorts
    store: RemedyStore
    small: RepairWork | None  # None: all rows are Spark's
    large: Callable[[], RepairWork]
    policy: ApprovalPolicy = field(default_factory=ApprovalPolicy)
    more_checks: Callable[[Remediation], tuple[Check, ...]] = lambda remediation: ()
    """Checks that the project's files do not have: those of the monitor that found the failure."""
    outcomes: Callable[[TableName, str], tuple[tuple[CommitId, bool], ...]] = _none_passed
    """Results of a check on commits outside of runs, newest first: whether it passed."""
    notify: Callable[[RemedyStep, JudgedTable], str] = lambda step, judged: "there is no channel"
    """Send it; returns the outcome in words."""
    report: Callable[[Remediation, str], None] = lambda remediation, event: None
    """Of each event, once it stands: proposed, applied, rejected, reverted, nothing, failed."""
    function: Callable[[str, Pin], object] | None = None
    """What the project's function at `file.py:name` makes of the table: a frame of the engine's own."""

    def again(self) -> RemedyPorts:
        """For further work of the same request: the run id already issued belongs to the first."""
        return replace(self, versions=replace(self.versions, run_id=None))
