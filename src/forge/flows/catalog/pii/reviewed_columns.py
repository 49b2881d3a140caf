"""What findings say about columns, for everything that shows a cell. Read again only after a finding changed."""

from __future__ import annotations

from forge.catalog.pii.review import FindingOrigin, PiiRecord, ReviewState
from forge.flows.catalog.personal_data import Key, ReviewedColumns
from forge.flows.catalog.pii.ports import PiiFindings


class FoundPersonalData:
    def __init__(self, store: PiiFindings, threshold: float) -> None:
        self._store, self._threshold = store, threshold
        self._known: tuple[int, ReviewedColumns] | None = None
        self._marked: tuple[str, ReviewedColumns] | None = None

    def __call__(self, mark: str | None = None) -> ReviewedColumns:
        """`mark`: of the records, which every change of a finding moves; the same one needs no look at the store."""
        marked = self._marked
        if mark is not None and marked is not None and marked[0] == mark:
            return marked[1]
        revision = self._store.revision()
        known = self._known
        if known is None or known[0] != revision:
            # what changes between the two reads has a later revision, and is read by the next call
            self._known = known = (revision, self._read(revision) if revision else ReviewedColumns())
        if mark is not None:
            self._marked = (mark, known[1])
        return known[1]

    def _read(self, revision: int) -> ReviewedColumns:
        personal: set[Key] = set()
        past: list[PiiRecord] = []
        rejected: list[PiiRecord] = []
        for record in self._store.findings(closed=True):
            if record.state is ReviewState.REJECTED:
                rejected.append(record)
            elif record.was_personal(self._threshold) and not _follows(record):
                past.append(record)
                if record.closed_at is None:
                    # a personal field hides the whole struct
                    personal |= {(record.table, record.key), (record.table, record.key.partition(".")[0])}
        return ReviewedColumns(
            frozenset(personal),
            frozenset({(one.table, one.key) for one in rejected} - personal),
            past=tuple(past),
            rejected=frozenset((name, one.key, one.type) for one in rejected for name in (one.table, one.table_key)),
            scanned=self._store.scanned(),
            revision=revision,
        )


def _follows(record: PiiRecord) -> bool:
    """Known by lineage alone: whoever masks follows the same lineage from its source."""
    return record.origin is FindingOrigin.LINEAGE and record.state is ReviewState.OPEN
