"""`forge.connect().catalog.pii`: scan tables for personal data, and decide on what was found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from forge.catalog.pii.review import PiiRecord, ReviewState
from forge.connection.tabular import TabularTuple
from forge.flows.catalog.pii.reviews import review_finding
from forge.flows.catalog.pii.scan import TableScan, scan_tables
from forge.model.names import TableName
from forge.wiring import Wiring


class PiiScans(TabularTuple[TableScan]):
    __slots__ = ()


class PiiRecords(TabularTuple[PiiRecord]):
    __slots__ = ()


@dataclass(frozen=True, slots=True)
class PiiView:
    """Findings hide their columns until somebody rejects them; by a name alone from the score of `pii.threshold` on."""

    wiring: Wiring

    def scan(self, *tables: str, force: bool = False) -> PiiScans:
        """These tables, or all; one that did not change is not read again, unless `force`."""
        names = [TableName.parse(name) for name in tables] or sorted(self.wiring.catalog.pii.known_tables())
        return PiiScans(scan_tables(names, self.wiring.catalog.pii.scan_ports(), force=force))

    def findings(
        self,
        *tables: str,
        states: Iterable[str] = (),
        types: Iterable[str] = (),
        closed: bool = False,
    ) -> PiiRecords:
        """By table and column; `closed`: those whose column or evidence is gone, too."""
        found = self.wiring.catalog.pii.findings.findings(
            tables=[str(TableName.parse(name)) for name in tables] if tables else None,
            states=[ReviewState(word) for word in states],
            types=types,
            closed=closed,
        )
        return PiiRecords(found)

    def confirm(self, finding_id: str, note: str | None = None, *, expected_version: int | None = None) -> PiiRecord:
        """It is personal data. E871 where the finding is not at `expected_version`."""
        return self._decide(finding_id, ReviewState.CONFIRMED, note, expected_version)

    def reject(self, finding_id: str, note: str | None = None, *, expected_version: int | None = None) -> PiiRecord:
        """It is not, so its column is shown, unless a contract declares it personal."""
        return self._decide(finding_id, ReviewState.REJECTED, note, expected_version)

    def reopen(self, finding_id: str, note: str | None = None, *, expected_version: int | None = None) -> PiiRecord:
        return self._decide(finding_id, ReviewState.OPEN, note, expected_version)

    def _decide(self, finding_id: str, state: ReviewState, note: str | None, expected: int | None) -> PiiRecord:
        return review_finding(finding_id, state, self.wiring.catalog.pii.review_ports(), note=note, expected=expected)
