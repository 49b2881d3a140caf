"""The ports of run records and of publishing. Every method is one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from forge.flows.runs.records import (
        AuditRecord,
        BranchAdvance,
        PointerConflict,
        Publication,
        PublishedCommit,
        RunRecord,
        TableLineage,
    )
    from forge.model.names import BranchName, RunId
    from forge.quality.verdict import Verdict

FaultPoint = Callable[[str], None]
"""Called with the name of each step as it is reached; a test kills the process there."""


class Runs(Protocol):
    """Run records, and the lineage of their outputs."""

    def start_run(self, run: RunRecord) -> None: ...
    def enter_step(self, run_id: RunId, step: str) -> None: ...
    def finish_run(
        self,
        run: RunRecord,
        verdicts: Sequence[Verdict],
        audit: Sequence[AuditRecord],
        lineage: Sequence[TableLineage] = (),
    ) -> None:
        """The end of a run that publishes nothing. `lineage` is of its outputs."""

    def run(self, run_id: RunId) -> RunRecord | None: ...
    def runs(
        self, *, limit: int = 50, branch: BranchName | None = None, status: str | None = None
    ) -> tuple[RunRecord, ...]:
        """Newest first, with their outputs."""

    def find_runs(self, ids: Iterable[RunId]) -> Mapping[RunId, RunRecord]:
        """Those that exist, with their outputs."""

    def lineage(self, run_ids: Iterable[RunId]) -> tuple[tuple[RunId, TableLineage], ...]:
        """Of all outputs of these runs, published or not."""


class Publications(Protocol):
    """The one transaction in which data and its records become visible together."""

    def publish(self, publication: Publication, fault_point: FaultPoint) -> PublishedCommit | PointerConflict:
        """One transaction: all pointers compared and set, the commit and all records inserted, the branch moved from
        `expected_head`; or nothing. Calls `fault_point("publish.pointers")` after the pointers were set and
        `fault_point("publish.records")` before the transaction commits."""

    def advance(self, advance: BranchAdvance, fault_point: FaultPoint) -> PublishedCommit | PointerConflict:
        """One transaction: all pointers compared and set, the branch moved from `expected_head` to `head`, the
        records written; or nothing. The same fault points as `publish`."""
