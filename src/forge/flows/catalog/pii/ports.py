"""The ports of findings and of samples. Every method of the store is one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from forge.catalog.pii.review import PiiRecord, ReviewState, ScannedTable
    from forge.flows.runs.pin import Pin
    from forge.flows.runs.records import AuditRecord
    from forge.model.names import TableName

    OnChange = Callable[[Sequence[TableName]], object]
    """Told of tables after findings of theirs changed: whoever stored values takes them out."""


class PiiFindings(Protocol):
    """What scans found in columns, and what people said to it. At most one finding per column of a table."""

    def findings(
        self,
        *,
        tables: Iterable[str] | None = None,
        table_key: str | None = None,
        states: Iterable[ReviewState] = (),
        types: Iterable[str] = (),
        closed: bool = False,
        offset: int = 0,
        limit: int | None = None,
    ) -> tuple[PiiRecord, ...]:
        """By table and column. Closed ones only on request."""

    def finding(self, finding_id: str) -> PiiRecord | None: ...
    def scan(self, table: str) -> ScannedTable | None:
        """The last one of a table."""

    def scanned(self) -> Mapping[str, str]:
        """By table, the version that was scanned last."""

    def save(self, records: Sequence[PiiRecord], scan: ScannedTable | None, audit: AuditRecord) -> bool:
        """Compare-and-set: False, and nothing written, where one of the records is no longer at the version before
        its own, or a new one is about a column that has a finding. Their tables come into the log of changes."""

    def revision(self) -> int:
        """Grows with every change, for caches."""


@dataclass(frozen=True, slots=True)
class TableSample:
    """Some values of every column, fields of structs as columns of their own, and how many rows were read.
    `complete`: there are no others. It lives as long as a scan, and has no readable form."""

    values: Mapping[str, Sequence[object]]
    rows: int
    complete: bool

    def __repr__(self) -> str:
        return f"TableSample({len(self.values)} columns, {self.rows} rows)"


class ValueSampler(Protocol):
    """Reads values of tables for scans: bounded in rows and bytes, and spread over the table."""

    def sample(self, pin: Pin, rows: int) -> TableSample | None:
        """None where it cannot read the table."""
