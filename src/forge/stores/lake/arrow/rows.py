"""Row operations on the driver, in Arrow: diffs and merges of small parts of tables. Starts no engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from forge.flows.ports import Stage
from forge.flows.versioning.tables import DataFile, DuplicateKeys, FileSlice, MergedRows, TableMerge, open_conflicts
from forge.model.names import RunId, SnapshotId
from forge.stores.lake.tables import IcebergTables
from forge.versioning.changes import RowDiff
from forge.versioning.conflict import Conflict
from forge.versioning.field import Fields, Layout

if TYPE_CHECKING:  # Arrow is slow to import
    import pyarrow

    from forge.versioning.rows.apply import RowMerge


class ArrowRows:
    def __init__(self, tables: IcebergTables) -> None:
        self._tables = tables

    def diff(
        self, left: FileSlice | None, right: FileSlice | None, layout: Layout, *, limit: int = 100, offset: int = 0
    ) -> RowDiff:
        from forge.versioning.rows.diff import diff_rows

        reader = PartReader(self._tables)
        before, after = reader.read(layout, (("base", left), ("theirs", right)))
        return diff_rows(layout, before, after, limit=limit, offset=offset)

    def merge(self, work: TableMerge, run_id: RunId) -> MergedRows:
        from forge.versioning.rows.merge import merge_rows

        reader = PartReader(self._tables)
        sides = (("base", work.base_ours), ("ours", work.ours), ("base", work.base_theirs), ("theirs", work.theirs))
        base_ours, ours, base_theirs, theirs = reader.read(work.layout, sides)
        merged = merge_rows(
            work.layout,
            base_ours=base_ours,
            ours=ours,
            base_theirs=base_theirs,
            theirs=theirs,
            answers=work.answers,
            table=str(work.table),
            limit=work.limit,
        )
        return ArrowMerge(merged, work, reader)

    def find_twins(self, new: FileSlice, old: FileSlice | None, key: Sequence[str], limit: int) -> DuplicateKeys:
        from forge.stores.lake.unique_keys import find_twins

        parts = [self._tables.read(part, list(key)) for part in (new, old) if part is not None]
        return find_twins(parts[0], parts[1] if old is not None else None, key, limit)


@dataclass(frozen=True, slots=True)
class ArrowMerge:
    """The merge of one table's rows."""

    merged: RowMerge
    work: TableMerge
    reader: PartReader

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        return self.merged.conflicts

    @property
    def conflict_count(self) -> int:
        return self.merged.conflict_count

    @property
    def resolved_count(self) -> int:
        return self.merged.resolved_count

    @property
    def inserted(self) -> int:
        return self.merged.inserted

    @property
    def updated(self) -> int:
        return self.merged.updated

    @property
    def deleted(self) -> int:
        return self.merged.deleted

    @property
    def is_separate(self) -> bool:
        return self.merged.is_separate

    def write(self, stage: Stage) -> SnapshotId:
        """Files without a changed row stay as they are, even if named as rewritable."""
        import pyarrow as pa

        from forge.stores.lake.unique_keys import find_touched
        from forge.versioning.rows.apply import apply_rows

        if self.conflict_count:
            raise open_conflicts(self.work.table, self.conflict_count)
        layout = self.work.layout
        rows = self.reader.read_each(self.work.rewritten)
        changed = list(rows) if self.work.is_whole else find_touched(rows, self.merged, layout)
        written = self.merged.upserts
        if changed:
            written = apply_rows(pa.concat_tables([rows[file] for file in changed]), self.merged, layout)
        return self.reader.tables.rewrite(stage, changed, written, layout.fields)


@dataclass(slots=True)
class PartReader:
    """Reads each file once, however many parts of a merge it belongs to."""

    tables: IcebergTables
    _read: dict[tuple[DataFile, Fields], pyarrow.Table] = field(default_factory=dict)

    def read_each(self, part: FileSlice | None) -> dict[DataFile, pyarrow.Table]:
        if part is None or not part.files:
            return {}
        fields = self.tables.fields(part.catalog, part.snapshot_id)
        missing = tuple(file for file in part.files if (file, fields) not in self._read)
        if missing:
            for file, rows in self.tables.read_each(replace(part, files=missing)).items():
                self._read[file, fields] = rows
        return {file: self._read[file, fields] for file in part.files}

    def read(self, layout: Layout, parts: Sequence[tuple[str, FileSlice | None]]) -> list[pyarrow.Table]:
        """One table for each part of a side. A part without files has the columns of its side, typed like the other
        parts, and no rows."""
        import pyarrow as pa

        found = [(side, list(self.read_each(part).values())) for side, part in parts]
        tables = [(side, pa.concat_tables(each) if each else None) for side, each in found]
        known = [(side, table) for side, table in tables if table is not None]
        return [_empty(layout, side, known) if table is None else table for side, table in tables]


def _empty(layout: Layout, side: str, known: Sequence[tuple[str, pyarrow.Table]]) -> pyarrow.Table:
    import pyarrow as pa

    from forge.versioning.arrow_types import arrow_type
    from forge.versioning.rows.sides import name_on

    fields = []
    for column in (*layout.columns, *layout.dropped):
        kinds = (table.schema.field(name).type for other, table in known if (name := name_on(column, other)))
        if name := name_on(column, side):
            fields.append((name, next(kinds, None) or arrow_type(column.field.type)))
    return pa.schema(fields).empty_table()
