"""The diff of two revisions, row by row. Manifests show which files both have; only the rows of the others are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from forge.flows.upkeep.unreadable_metadata import UNREADABLE, UnreadableMetadata
from forge.flows.versioning.file_sides import slice_of
from forge.flows.versioning.key_check import with_remembered_key
from forge.flows.versioning.ports import VersionPorts, row_engine
from forge.flows.versioning.revisions import find_commit
from forge.flows.versioning.tables import FileSlice, NeedsEngine, TableFiles
from forge.model.errors import UnknownNameError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import BranchName, TableName
from forge.versioning.changes import ChangeKind, RowChange, RowDiff, TableChangeKind, TableDiff, TableSchemaChange
from forge.versioning.commit import TableVersion, Tree, same
from forge.versioning.field import AlignedColumn, Fields, Layout

Keys = Mapping[TableName, tuple[str, ...]]
NO_KEYS: Keys = {}


@dataclass(frozen=True, slots=True)
class DiffPage:
    """The shown part of each table. `columns`: no others are compared."""

    columns: tuple[str, ...] | None = None
    limit: int = 100
    offset: int = 0


NO_PAGE = DiffPage(limit=0)
"""Counts alone."""


def diff(
    ports: VersionPorts,
    left: str,
    right: str,
    *,
    tables: Sequence[TableName] | None = None,
    columns: Sequence[str] | None = None,
    limit: int = 100,
    offset: int = 0,
    keys: Keys = NO_KEYS,
    current: BranchName | None = None,
) -> tuple[TableDiff, ...]:
    """From the left revision to the right one, table by table; HEAD resolves to `current`. Rows are matched by the
    key of the call, else of the settings, else of the table; without one they are counted."""
    head = current or ports.default_branch
    before = ports.metadata.tree(find_commit(ports.metadata, left, head).id)
    after = ports.metadata.tree(find_commit(ports.metadata, right, head).id)
    page = DiffPage(tuple(columns) if columns is not None else None, limit, offset)
    return diff_trees(ports, before, after, tables=tables, page=page, keys=keys)


def diff_trees(
    ports: VersionPorts,
    before: Tree,
    after: Tree,
    *,
    tables: Sequence[TableName] | None = None,
    page: DiffPage,
    keys: Keys = NO_KEYS,
) -> tuple[TableDiff, ...]:
    every = {*before, *after}
    for table in tables or ():
        if table not in every:
            near = did_you_mean(str(table), map(str, every))
            raise UnknownNameError(f"There is no table {table} on either side", why=near, fix="forge show")
    wanted = sorted(every if tables is None else every & set(tables))
    found = []
    for table in wanted:
        old, new = before.get(table), after.get(table)
        if not same(old, new):
            try:
                found.append(_diff_one(ports, table, old, new, page, keys.get(table)))
            except UnreadableMetadata:
                if tables is not None:
                    raise
                found.append(
                    TableDiff(table=str(table), change=UNREADABLE, rows=RowDiff())
                )  # the others are reported all the same
    return tuple(found)


def _diff_one(
    ports: VersionPorts,
    table: TableName,
    old: TableVersion | None,
    new: TableVersion | None,
    page: DiffPage,
    key: tuple[str, ...] | None,
) -> TableDiff:
    change: TableChangeKind = "added" if old is None else "removed" if new is None else "changed"
    if "view" in (old.kind if old else None, new.kind if new else None):
        return _diff_views(ports, table, old, new, change)
    left, right = _files(ports, old), _files(ports, new)
    if left is None or right is None:
        return _diff_whole(ports, table, left, right, page, key)
    return _diff_files(ports, table, left, right, page, key, is_one=bool(old and new and old.uuid == new.uuid))


def _diff_views(
    ports: VersionPorts, table: TableName, old: TableVersion | None, new: TableVersion | None, change: TableChangeKind
) -> TableDiff:
    """A view holds no rows: its text is compared."""
    texts = [
        ports.lake.read_view(v.metadata_location or "").strip() if v is not None and v.kind == "view" else None
        for v in (old, new)
    ]
    schema = () if texts[0] == texts[1] else (TableSchemaChange("sql", "", *texts),)
    return TableDiff(table=str(table), change=change, rows=RowDiff(), schema=schema)


def _files(ports: VersionPorts, version: TableVersion | None) -> TableFiles | None:
    if version is None or version.snapshot_id is None:
        return None
    return with_remembered_key(version, ports.tables.files(version.catalog, version.snapshot_id))


def choose_key(
    ports: VersionPorts, table: TableName, requested: tuple[str, ...] | None, sides: Sequence[TableFiles]
) -> tuple[str, ...]:
    """The requested key unconditionally; a declared one only where all sides have it."""
    if requested:
        return requested
    declared = tuple(ports.keys.get(table, ())) or sides[-1].identifier
    have = all({field.name for field in side.fields}.issuperset(declared) for side in sides)
    return declared if have else ()


def _diff_files(
    ports: VersionPorts,
    table: TableName,
    left: TableFiles,
    right: TableFiles,
    page: DiffPage,
    requested: tuple[str, ...] | None,
    *,
    is_one: bool,
) -> TableDiff:
    from forge.versioning.schema.merge import align_for_diff, diff_schemas

    before, after = match_fields(left.fields, right.fields, is_one)
    key = choose_key(ports, table, requested, (left, right))
    layout = _narrowed(align_for_diff(before, after, key), page, table)
    gone, new = slice_of(left, left.files - right.files), slice_of(right, right.files - left.files)
    rows = RowDiff()
    if gone or new:
        rows = _diff_rows(ports, gone, new, layout, page, left.needs_engine or right.needs_engine)
    return TableDiff(
        table=str(table),
        change="changed",
        rows=rows,
        schema=diff_schemas(before, after),
        key=layout.key,
        fields=layout.fields,
        files_added=len(new.files) if new else 0,
        files_removed=len(gone.files) if gone else 0,
        bytes_read=sum(part.size for part in (gone, new) if part),
    )


def _diff_rows(
    ports: VersionPorts,
    gone: FileSlice | None,
    new: FileSlice | None,
    layout: Layout,
    page: DiffPage,
    needs_engine: bool,
) -> RowDiff:
    work, _ = row_engine(ports, (gone, new), needs_engine)
    try:
        return work.diff(gone, new, layout, limit=page.limit, offset=page.offset)
    except NeedsEngine:
        return ports.large().diff(gone, new, layout, limit=page.limit, offset=page.offset)


def match_fields(before: Fields, after: Fields, is_one: bool) -> tuple[Fields, Fields]:
    """Field ids are unique within one table only; columns of another table are matched by name."""
    if is_one:
        return before, after
    return tuple(replace(f, id=f.name) for f in before), tuple(replace(f, id=f.name) for f in after)


def _narrowed(layout: Layout, page: DiffPage, table: TableName) -> Layout:
    """Only the requested columns, and the key."""
    if page.columns is None:
        return layout
    every = (*layout.columns, *layout.dropped)
    known = {name for column in every for name in (column.field.name, column.base, column.theirs) if name}
    for name in page.columns:
        if name not in known:
            near = did_you_mean(name, known)
            raise UnknownNameError(
                f"{table} has no column {name} on either side",
                why=near,
                fix=f"Its columns are {', '.join(sorted(known))}.",
            )
    asked = {*page.columns, *layout.key}

    def is_asked(column: AlignedColumn) -> bool:
        return not asked.isdisjoint({column.field.name, column.base, column.theirs})

    columns = tuple(column for column in layout.columns if is_asked(column))
    return Layout(columns, layout.key, tuple(column for column in layout.dropped if is_asked(column)))


def _diff_whole(
    ports: VersionPorts,
    table: TableName,
    left: TableFiles | None,
    right: TableFiles | None,
    page: DiffPage,
    requested: tuple[str, ...] | None,
) -> TableDiff:
    """A table that one side does not have: counted by its metadata, and no more rows are read than are shown."""
    from forge.versioning.schema.merge import align_for_diff

    side = right or left
    if side is None:
        return TableDiff(table=str(table), change="changed", rows=RowDiff())
    key = choose_key(ports, table, requested, (side,))
    before, after = (side.fields if left else (), side.fields if right else ())
    layout = _narrowed(align_for_diff(side.fields, side.fields, key), page, table)
    count = _count(ports, side)
    kind = ChangeKind.INSERTED if right else ChangeKind.DELETED
    rows = _first_rows(ports, side, layout, page, kind)
    words = [TableSchemaChange("added", f.name, None, f"{f.name} {f.type}", f.id) for f in after]
    words += [TableSchemaChange("dropped", f.name, f"{f.name} {f.type}", None, f.id) for f in before]
    counted = RowDiff(inserted=count if right else 0, deleted=0 if right else count, rows=rows, columns={})
    return TableDiff(
        table=str(table),
        change="added" if right else "removed",
        rows=counted,
        schema=tuple(words),
        key=layout.key,
        fields=layout.fields,
        files_added=len(side.files) if right else 0,
        files_removed=0 if right else len(side.files),
        bytes_read=_opened(side, page.offset + page.limit if page.limit else 0),
    )


def _count(ports: VersionPorts, side: TableFiles) -> int:
    if not any(file.deletes for file in side.files):
        return sum(file.rows for file in side.files)
    found = ports.lake.snapshot(side.catalog, side.snapshot_id)
    return found.statistics.record_count if found else 0


def _first_rows(
    ports: VersionPorts, side: TableFiles, layout: Layout, page: DiffPage, kind: ChangeKind
) -> tuple[RowChange, ...]:
    if not page.limit or not side.files:
        return ()
    names = [column.field.name for column in layout.columns]
    last = page.offset + page.limit
    found = ports.lake.rows(side.catalog, side.snapshot_id, names, last)
    if found is None:  # only an engine can read it
        part = slice_of(side, side.files)
        gone, new = (None, part) if kind is ChangeKind.INSERTED else (part, None)
        return ports.large().diff(gone, new, layout, limit=page.limit, offset=page.offset).rows
    changes = []
    for values in found[page.offset : last]:
        row = dict(zip(names, values, strict=True))
        key = {name: row[name] for name in layout.key} if layout.key else row
        inserted = kind is ChangeKind.INSERTED
        changes.append(RowChange(kind, key, None if inserted else row, row if inserted else None))
    return tuple(changes)


def _opened(side: TableFiles, rows: int) -> int:
    """An upper bound of the bytes to read: as many of the largest files as it takes to find that many rows in any
    order."""
    size, left = 0, rows
    for file in sorted(side.files, key=lambda f: -f.rows):
        if left <= 0:
            break
        size, left = size + file.size, left - file.rows
    return size
