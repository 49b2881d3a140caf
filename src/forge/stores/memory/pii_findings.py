"""Findings of personal data in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence

from forge.catalog.pii.review import PiiRecord, ReviewState, ScannedTable
from forge.flows.runs.records import AuditRecord


class MemoryPiiFindings:
    """`changed`: told names of assets, as the log of the catalog's changes is."""

    def __init__(self, changed: Callable[[Sequence[str]], None] = lambda names: None) -> None:
        self._changed = changed
        self.audit: list[AuditRecord] = []
        self._records: dict[str, PiiRecord] = {}
        self._scans: dict[str, ScannedTable] = {}
        self._revision = 0
        self._lock = threading.Lock()

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
        names = None if tables is None else set(tables)
        words, kinds = set(states), set(types)
        found = sorted(
            (
                one
                for one in tuple(self._records.values())
                if (names is None or one.table in names) and table_key in (None, one.table_key)
                if (not words or one.state in words) and (not kinds or one.type in kinds)
                if closed or one.closed_at is None
            ),
            key=lambda one: (one.table, one.key),
        )
        return tuple(found[offset : None if limit is None else offset + limit])

    def finding(self, finding_id: str) -> PiiRecord | None:
        return self._records.get(finding_id)

    def scan(self, table: str) -> ScannedTable | None:
        return self._scans.get(table)

    def scanned(self) -> Mapping[str, str]:
        return {name: scan.version for name, scan in tuple(self._scans.items())}

    def save(self, records: Sequence[PiiRecord], scan: ScannedTable | None, audit: AuditRecord) -> bool:
        with self._lock:
            after = dict(self._records)
            for record in records:
                known = after.get(record.id)
                if (known.version if known else 0) != record.version - 1:
                    return False
                after[record.id] = record
            if len({(one.table, one.key) for one in after.values()}) < len(after):
                return False
            self._records = after
            if scan is not None:
                self._scans[scan.table] = scan
            self.audit.append(audit)
            self._revision += 1
        self._changed(sorted({record.table for record in records}))
        return True

    def revision(self) -> int:
        return self._revision
