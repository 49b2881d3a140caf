"""The rows that a blame follows, found by key in the files that may hold them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from forge.flows.runs.engine import Pin
from forge.flows.versioning.file_sides import slice_of
from forge.flows.versioning.key_bounds import find_candidates
from forge.flows.versioning.merge.compare import unrecorded_operation
from forge.flows.versioning.ports import VersionPorts
from forge.flows.versioning.tables import DataFile, NeedsEngine, TableFiles
from forge.flows.versioning.upload.values import InvalidValue, converter
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.versioning.arrow_types import arrow_type, python_values
from forge.versioning.commit import TableVersion
from forge.versioning.errors import IncomparableError
from forge.versioning.field import Fields, TableField, by_name
from forge.versioning.rows.codes import canonical, code_rows, sort_rows
from forge.versioning.rows.values import fit_value

Key = tuple[object, ...]
Values = Mapping[int | str, object]


@dataclass(frozen=True, slots=True)
class ParentRow:
    """A row in a parent. Without values it is the same row, in a file that both have."""

    columns: frozenset[int | str]  # that the table had
    values: Values | None = None

    def has(self, column: int | str, value: object) -> bool:
        return column in self.columns and (self.values is None or self.values.get(column) == value)


@dataclass(slots=True)
class BlameRows:
    """Columns are identified by their ids at the requested revision; in an earlier table of the same name, by their
    names."""

    ports: VersionPorts
    table: TableName
    key: tuple[str, ...]
    uuid: str
    fields: Fields

    def first(self, files: TableFiles, given: Mapping[str, object], limit: int) -> dict[Key, Values]:
        """Rows of the revision with the given values, by key, up to the limit."""
        fields = by_name(files.fields)
        asked = pa.table(
            {name: pa.array([_fit(v, fields[name], self.table)], _kind(fields[name])) for name, v in given.items()}
        )
        candidates = find_candidates(files, asked, tuple(given)) if given else tuple(files.files)
        found = self._read(files, candidates, list(dict.fromkeys((*self.key, *given))))
        if given:
            found = _only(found, asked, tuple(given))
        order = sort_rows([_one(found.column(name)) for name in self.key], found.num_rows)[:limit]
        chosen = found.take(pa.array(order))
        keys = list(zip(*(python_values(chosen.column(name)) for name in self.key), strict=True))
        return self.find(files, self.uuid, files.files, keys)

    def find(self, files: TableFiles, uuid: str, among: Collection[DataFile], keys: Sequence[Key]) -> dict[Key, Values]:
        """Whole rows of these keys from these files, in the order of the keys. E611 for a duplicate key."""
        ids, mine_ids = self._ids(files, uuid), by_name(self.fields)
        names = {number: f.name for f in files.fields if (number := ids.get(f.id)) is not None}
        mine = tuple(names[mine_ids[name].id] for name in self.key if mine_ids[name].id in names)
        if not keys or len(mine) < len(self.key):
            return {}
        kinds = by_name(files.fields)
        asked = pa.table(
            {
                name: pa.array(list(column), _kind(kinds[name]))
                for name, column in zip(mine, zip(*keys, strict=True), strict=True)
            }
        )
        found: dict[Key, Values] = {}
        for file in find_candidates(files, asked, mine):
            if file not in among:
                continue
            rows = _only(self._read(files, (file,), None), asked, mine)
            for key, values in _listed(rows, mine, names):
                if key in found:
                    raise self._twice(key)
                found[key] = values
        return {key: found[key] for key in keys if key in found}

    def _ids(self, files: TableFiles, uuid: str) -> dict[int | str, int | str]:
        """From the ids of these files' columns to those of the revision."""
        if uuid == self.uuid:
            return {f.id: f.id for f in files.fields}
        now = {f.name: f.id for f in self.fields}
        return {f.id: now[f.name] for f in files.fields if f.name in now}

    def _twice(self, key: Key) -> ForgeError:
        shown = ", ".join(f"{name}={value}" for name, value in zip(self.key, key, strict=True))
        return IncomparableError(
            "E611",
            f"{self.table} has more than one row with {shown}",
            why="Which of them is meant cannot be told.",
            fix="Name a key whose values are there once.",
        )

    def before(self, version: TableVersion, older: TableVersion, keys: Sequence[Key]) -> dict[Key, ParentRow]:
        """These rows in the parent; missing where it does not have them."""
        assert version.snapshot_id is not None
        assert older.snapshot_id is not None
        now = self.ports.tables.files(version.catalog, version.snapshot_id)
        then = self.ports.tables.files(older.catalog, older.snapshot_id)
        # A row of the version in a file that both have is the same row; one in a new file may be, or may not.
        moved = self.find(now, version.uuid, now.files - then.files, keys)
        old = self.find(then, older.uuid, then.files - now.files, list(moved))
        columns = frozenset(self._ids(then, older.uuid).values())
        return {key: ParentRow(columns, old.get(key)) for key in keys if key not in moved or key in old}

    def _read(self, files: TableFiles, chosen: Iterable[DataFile], columns: Sequence[str] | None) -> pa.Table:
        part = slice_of(files, chosen)
        if part is None:
            kinds = {f.name: arrow_type(f.type) for f in files.fields if columns is None or f.name in columns}
            return pa.schema(list(kinds.items())).empty_table()
        try:
            return self.ports.tables.read(part, columns)
        except NeedsEngine:
            return self._by_engine(files, part.files, columns)

    def _by_engine(self, files: TableFiles, chosen: tuple[DataFile, ...], columns: Sequence[str] | None) -> pa.Table:
        ports = self.ports
        part = slice_of(files, chosen)
        assert part is not None
        names = list(columns) if columns is not None else [f.name for f in files.fields]
        with unrecorded_operation(ports, ports.default_branch) as work:
            catalog = ports.tables.expose(work.run_id, part, "blame")
            state = ports.lake.snapshot(catalog)
            assert state is not None, "what was exposed has a snapshot"
            pin = Pin(self.table, catalog, state.snapshot_id)
            quoted = ", ".join("`" + name.replace("`", "``") + "`" for name in names)
            sql = f"SELECT {quoted} FROM {self.table}"  # noqa: S608  a parsed name, and columns as the table has them
            _, rows = ports.engine().query(sql, {self.table: pin}, {}, None)
        kinds = {f.name: arrow_type(f.type) for f in files.fields}
        values: list[list[Any]] = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in names]
        return pa.table({n: pa.array(v, kinds[n]) for n, v in zip(names, values, strict=True)})


def _kind(field: TableField) -> pa.DataType:
    return arrow_type(field.type)


def _fit(value: object, field: TableField, table: TableName) -> object:
    """In the column's type; text, as from a command line or URL, is parsed."""
    try:
        return converter(field.type)(value) if isinstance(value, str) else fit_value(value, _kind(field), field.name)
    except InvalidValue as error:
        raise ForgeError(
            "E105", f"'{value}' is not a {field.type}", where=f"{table}.{field.name}", why=f"{error}."
        ) from error


def _listed(
    rows: pa.Table, key: Sequence[str], names: Mapping[int | str, str]
) -> Iterator[tuple[Key, dict[int | str, object]]]:
    """Each row's key, and its values in comparable form."""
    columns = {name: python_values(rows.column(name)) for name in rows.column_names}
    compared = {
        number: [canonical(value, rows.schema.field(name).type) for value in columns[name]]
        for number, name in names.items()
    }
    for place in range(rows.num_rows):
        values = {number: found[place] for number, found in compared.items()}
        yield tuple(columns[name][place] for name in key), values


def _only(rows: pa.Table, keys: pa.Table, names: Sequence[str]) -> pa.Table:
    """The rows that have one of these keys."""
    mine = [_one(rows.column(name)) for name in names]
    theirs = [_one(keys.column(name).cast(column.type)) for name, column in zip(names, mine, strict=True)]
    (codes, wanted), size = code_rows([mine, theirs], [rows.num_rows, keys.num_rows])
    is_wanted = np.zeros(size, dtype=np.bool_)
    is_wanted[wanted] = True
    return rows.take(pa.array(np.flatnonzero(is_wanted[codes])))


def _one(column: pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
