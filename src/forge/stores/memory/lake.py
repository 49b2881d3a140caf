"""A lake in memory: passes the suite of the Iceberg one, with snapshots that are mere row counts.

`create` and `append` do what an engine would: they write into a stage's hidden row."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from forge.flows.ports import (
    EarlierMetadata,
    Expiry,
    OrphanFile,
    SnapshotGrowth,
    SnapshotState,
    Stage,
    TablePublisher,
    TableState,
)
from forge.flows.runs.records import Pointer, PointerConflict
from forge.model.errors import ForgeError, UnknownNameError
from forge.model.names import BranchName, CatalogName, RunId, SnapshotId, TableName
from forge.model.schema import Schema
from forge.model.time import Clock, utc_now
from forge.quality.measure import Measure, Reading
from forge.stores.lake.iceberg import ONE_TRANSACTION, hidden_name, ref_of
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.sql.tables import HIDDEN, STAGING
from forge.versioning.commit import TableStatistics

_MAIN = "main"
_BYTES_PER_ROW = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryTable:
    uuid: str
    folder: str
    schemas: tuple[Schema, ...]  # a schema's id is its place
    schema_id: int
    snapshots: Mapping[SnapshotId, SnapshotState] = field(default_factory=dict)
    refs: Mapping[str, SnapshotId] = field(default_factory=dict)
    log: tuple[str, ...] = ()  # earlier metadata files


@dataclass(frozen=True, slots=True)
class MemoryView:
    uuid: str
    sql: str
    schema_id: int
    schema: Schema


@dataclass(frozen=True, slots=True)
class _File:
    content: MemoryTable | MemoryView | None  # None: rows
    size: int
    modified: datetime


class MemoryLake:
    def __init__(self, catalog: MemoryCatalog, clock: Clock = utc_now) -> None:
        self._catalog = catalog
        self._clock = clock
        self._files: dict[str, _File] = {}
        self._numbers = 1000
        self._rows: dict[SnapshotId, Sequence[Mapping[str, object]]] = {}  # where an engine gave them

    @property
    def promise(self) -> str:
        return ONE_TRANSACTION

    @property
    def by_table(self) -> TablePublisher | None:
        return None

    @property
    def expiry(self) -> Expiry | None:
        from forge.stores.memory.expiry import MemoryExpiry

        return MemoryExpiry(self._catalog, self)

    def close(self) -> None:
        """It has no connection of its own."""

    # what an engine does

    def create(self, stage: Stage, schema: Schema) -> None:
        with self._catalog.lock:
            table = MemoryTable(uuid=str(uuid.uuid4()), folder=stage.location, schemas=(schema,), schema_id=0)
            self._catalog.rows[stage.catalog] = (self._write(stage.location, table), "TABLE")

    def keep(self, snapshot_id: SnapshotId, rows: Sequence[Mapping[str, object]]) -> None:
        """Stores all rows of the snapshot, for samples."""
        self._rows[snapshot_id] = rows

    def append(self, catalog: CatalogName, rows: int, *, deleted: int = 0, schema: Schema | None = None) -> SnapshotId:
        """A snapshot with that many rows added and removed, on the hidden row."""
        with self._catalog.lock:
            table = self._table(catalog)
            if schema is not None and schema != table.schemas[table.schema_id]:
                known = table.schemas if schema in table.schemas else (*table.schemas, schema)
                table = replace(table, schemas=known, schema_id=known.index(schema))
            snapshot = self._next_snapshot(table, rows, deleted)
            self._files[_data_file(table, snapshot.snapshot_id)] = _File(None, rows * _BYTES_PER_ROW, self._clock())
            grown = replace(
                table,
                snapshots={**table.snapshots, snapshot.snapshot_id: snapshot},
                refs={**table.refs, _MAIN: snapshot.snapshot_id},
            )
            self._catalog.rows[catalog] = (self._write(table.folder, grown), "TABLE")
            return snapshot.snapshot_id

    def _next_snapshot(self, table: MemoryTable, rows: int, deleted: int) -> SnapshotState:
        parent = table.refs.get(_MAIN)
        before = table.snapshots[parent].statistics if parent is not None else TableStatistics()
        self._numbers += 1
        bytes_added, bytes_deleted = rows * _BYTES_PER_ROW, deleted * _BYTES_PER_ROW
        return SnapshotState(
            snapshot_id=SnapshotId(self._numbers),
            parent_id=parent,
            schema_id=table.schema_id,
            schema=table.schemas[table.schema_id],
            statistics=TableStatistics(
                rows_added=rows,
                rows_deleted=deleted,
                bytes_added=bytes_added,
                bytes_deleted=bytes_deleted,
                record_count=before.record_count + rows - deleted,
                total_size=before.total_size + bytes_added - bytes_deleted,
            ),
            time=self._clock(),
        )

    # what there is

    def state(self, catalog: CatalogName) -> TableState | None:
        row = self._catalog.rows.get(catalog)
        if row is None:
            return None
        location, kind = row
        match self._files[location].content:
            case MemoryTable() as table:
                return TableState(catalog, location, table.uuid, dict(table.refs), table.schema_id, kind)
            case MemoryView() as view:
                return TableState(catalog, location, view.uuid, {}, view.schema_id, kind)
        return None

    def tables(self) -> tuple[CatalogName, ...]:
        with self._catalog.lock:
            return tuple(sorted(name for name in self._catalog.rows if name.namespace not in HIDDEN))

    def snapshot(self, catalog: CatalogName, snapshot_id: SnapshotId | None = None) -> SnapshotState | None:
        row = self._catalog.rows.get(catalog)
        table = self._files[row[0]].content if row else None
        if not isinstance(table, MemoryTable):
            return None
        wanted = table.refs.get(_MAIN) if snapshot_id is None else snapshot_id
        return None if wanted is None else table.snapshots.get(wanted)

    def growth(self, catalog: CatalogName, since: SnapshotId, until: SnapshotId) -> SnapshotGrowth | None:
        row = self._catalog.rows.get(catalog)
        table = self._files[row[0]].content if row else None
        if not isinstance(table, MemoryTable) or since not in table.snapshots:
            return None
        between: list[SnapshotState] = []
        at: SnapshotId | None = until
        while at is not None and at != since and at in table.snapshots:
            between.append(table.snapshots[at])
            at = table.snapshots[at].parent_id
        if at != since:
            return None
        old, new = table.snapshots[since].schema, table.snapshots[until].schema
        same = frozenset(column.name.lower() for column in new.columns if column in old.columns)
        if not between:
            return SnapshotGrowth("none", same, old == new)
        kind: Literal["appended", "replaced"] = "appended"
        if any(snapshot.statistics.rows_deleted for snapshot in between):
            kind = "replaced"
        return SnapshotGrowth(kind, same, old == new)

    # staging

    def open_stage(self, run_id: RunId, table: TableName, origin: CatalogName | None, base: SnapshotId | None) -> Stage:
        hidden = CatalogName(STAGING, f"{run_id}__{table.schema}__{table.name}")
        with self._catalog.lock:
            self._catalog.rows.pop(hidden, None)
            if origin is None:
                folder = f"memory/{table.schema}/{table.name}-{uuid.uuid4().hex[:8]}"
                return Stage(run_id=run_id, table=table, catalog=hidden, location=folder, base=None, origin=None)
            current = self._table(origin)
            self._expect_snapshot(origin, current, base)
            copy = replace(
                current,
                snapshots=_ancestry(current, base),
                refs={} if base is None else {_MAIN: base},
                schema_id=current.schema_id if base is None else current.snapshots[base].schema_id,
                log=(),
            )
            self._catalog.rows[hidden] = (self._write(current.folder, copy), "TABLE")
            return Stage(run_id=run_id, table=table, catalog=hidden, location=current.folder, base=base, origin=origin)

    def prepare(
        self, stage: Stage, branch: BranchName, *, is_default: bool, expected: SnapshotId | None
    ) -> Pointer | PointerConflict:
        ref = ref_of(branch, is_default=is_default)
        with self._catalog.lock:
            staged = self._table(stage.catalog)
            if stage.origin is None:
                return self._prepare_new(stage, staged, ref)
            row = self._catalog.rows.get(stage.origin)
            current = self._files[row[0]].content if row else None
            if row is None or not isinstance(current, MemoryTable):
                return PointerConflict((stage.origin,), branch_moved=False)
            actual = current.refs.get(ref)
            untouched = actual is None and ref != _MAIN and expected == stage.base
            shared = min(len(current.schemas), len(staged.schemas))
            if (actual != expected and not untouched) or current.schemas[:shared] != staged.schemas[:shared]:
                return PointerConflict((stage.origin,), branch_moved=False)
            location = self._write(current.folder, _published(current, row[0], staged, ref))
            return Pointer(catalog=stage.origin, expected=row[0], location=location, kind="TABLE", staged=stage.catalog)

    def _prepare_new(self, stage: Stage, staged: MemoryTable, ref: str) -> Pointer | PointerConflict:
        name = CatalogName(stage.table.schema, stage.table.name)
        if ref != _MAIN:
            name = hidden_name(stage.table, staged.uuid)
        if name in self._catalog.rows:
            return PointerConflict((name,), branch_moved=False)
        head = staged.refs.get(_MAIN)
        table = replace(staged, refs={} if head is None else {ref: head}, log=())
        return Pointer(
            catalog=name, expected=None, location=self._write(table.folder, table), kind="TABLE", staged=stage.catalog
        )

    def stages(self) -> tuple[tuple[RunId, CatalogName], ...]:
        with self._catalog.lock:
            names = sorted(name for name in self._catalog.rows if name.namespace == STAGING)
        return tuple((RunId(name.name.partition("__")[0]), name) for name in names)

    def drop_stages(self, run_id: RunId) -> int:
        with self._catalog.lock:
            names = [name for run, name in self.stages() if run == run_id]
            for name in names:
                del self._catalog.rows[name]
        return len(names)

    def set_ref(self, catalog: CatalogName, ref: str, snapshot_id: SnapshotId | None) -> None:
        with self._catalog.lock:
            table = self._table(catalog)
            self._expect_snapshot(catalog, table, snapshot_id)
            refs = {name: value for name, value in table.refs.items() if name != ref}
            if snapshot_id is not None:
                refs[ref] = snapshot_id
            old = self._catalog.rows[catalog][0]
            self._catalog.rows[catalog] = (
                self._write(table.folder, replace(table, refs=refs, log=(*table.log, old))),
                "TABLE",
            )

    # measures, views, unused files

    def measure(
        self, catalog: CatalogName, snapshot_id: SnapshotId, measures: Sequence[Measure]
    ) -> dict[Measure, Reading]:
        """Of the measures that manifests answer, only the row count."""
        snapshot = self.snapshot(catalog, snapshot_id)
        rows = snapshot.statistics.record_count if snapshot else None
        return {m: rows for m in measures if m == Measure(kind="rows") and rows is not None}

    def rows(
        self, catalog: CatalogName, snapshot_id: SnapshotId, columns: Sequence[str], limit: int
    ) -> tuple[tuple[object, ...], ...] | None:
        """Rows that were not given are numbered in their first column."""
        table = self._table(catalog)
        self._expect_snapshot(catalog, table, snapshot_id)
        state = table.snapshots[snapshot_id]
        first = state.schema.names[0]
        numbered = [{first: number} for number in range(state.statistics.record_count)]
        rows = self._rows.get(snapshot_id, numbered)[:limit]
        return tuple(tuple(row.get(name) for name in columns) for row in rows)

    def write_view(self, table: TableName, sql: str, schema: Schema, previous: str | None) -> str:
        with self._catalog.lock:
            old = self._files[previous].content if previous else None
            known = old if isinstance(old, MemoryView) else None
            number = known.schema_id + 1 if known else 0
            view = MemoryView(known.uuid if known else str(uuid.uuid4()), sql, number, schema)
            return self._write(f"memory/{table.schema}/{table.name}", view)

    def read_view(self, location: str) -> str:
        return self._view(location).sql

    def view_schema(self, location: str) -> Schema:
        return self._view(location).schema

    def _view(self, location: str) -> MemoryView:
        file = self._files.get(location)
        if file is None or not isinstance(file.content, MemoryView):
            raise ForgeError("E406", "A metadata file of the lake cannot be read", where=location, fix="forge doctor")
        return file.content

    def schema(self, catalog: CatalogName) -> Schema | None:
        row = self._catalog.rows.get(catalog)
        content = self._files[row[0]].content if row else None
        if isinstance(content, MemoryTable):
            return content.schemas[content.schema_id]
        return content.schema if isinstance(content, MemoryView) else None

    def before(self, catalog: CatalogName) -> EarlierMetadata | None:
        return None

    def sync(self, locations: Iterable[str]) -> None:
        """There is no disk."""

    def orphans(self, older_than: datetime) -> tuple[OrphanFile, ...]:
        with self._catalog.lock:
            used = set(self._catalog.view_files)
            for location, _ in self._catalog.rows.values():
                used.add(location)
                if isinstance(table := self._files[location].content, MemoryTable):
                    used.update(table.log, (_data_file(table, snapshot_id) for snapshot_id in table.snapshots))
            return tuple(
                OrphanFile(path, file.size, file.modified)
                for path, file in sorted(self._files.items())
                if path not in used and file.modified < older_than
            )

    def delete(self, orphans: Sequence[OrphanFile]) -> int:
        with self._catalog.lock:
            return sum(self._files.pop(orphan.path, None) is not None for orphan in orphans)

    def at(self, location: str) -> MemoryTable | None:
        """The table in a metadata file."""
        content = self._files[location].content
        return content if isinstance(content, MemoryTable) else None

    def put(self, catalog: CatalogName, table: MemoryTable) -> None:
        """Points the row at another metadata file."""
        self._catalog.rows[catalog] = (self._write(table.folder, table), "TABLE")

    def _table(self, catalog: CatalogName) -> MemoryTable:
        row = self._catalog.rows.get(catalog)
        table = self._files[row[0]].content if row else None
        if not isinstance(table, MemoryTable):
            raise UnknownNameError(f"There is no table {catalog} in the catalog", fix="forge doctor")
        return table

    def _expect_snapshot(self, catalog: CatalogName, table: MemoryTable, snapshot_id: SnapshotId | None) -> None:
        if snapshot_id is not None and snapshot_id not in table.snapshots:
            raise ForgeError("E406", f"{catalog} has no snapshot {snapshot_id}", fix="forge doctor")

    def _write(self, folder: str, content: MemoryTable | MemoryView) -> str:
        location = f"{folder}/metadata/{uuid.uuid4()}.metadata"
        self._files[location] = _File(content, 1, self._clock())
        return location


def _published(current: MemoryTable, location: str, staged: MemoryTable, ref: str) -> MemoryTable:
    head = staged.refs.get(_MAIN)
    longer = max(current.schemas, staged.schemas, key=len)
    on_main = ref == _MAIN or _MAIN not in current.refs
    return replace(
        current,
        schemas=longer,
        schema_id=staged.schema_id if on_main else current.schema_id,
        snapshots={**current.snapshots, **staged.snapshots},
        refs=current.refs if head is None else {**current.refs, ref: head},
        log=(*current.log, location),
    )


def _ancestry(table: MemoryTable, snapshot_id: SnapshotId | None) -> dict[SnapshotId, SnapshotState]:
    line = {}
    while snapshot_id is not None:
        line[snapshot_id] = table.snapshots[snapshot_id]
        snapshot_id = line[snapshot_id].parent_id
    return line


def _data_file(table: MemoryTable, snapshot_id: SnapshotId) -> str:
    return f"{table.folder}/data/{snapshot_id}.rows"
