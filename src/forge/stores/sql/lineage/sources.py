"""Records of source files in SQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import Engine, delete, select

from forge.flows.lineage.code.records import SourceGap, SourceRecord, definition_from, definition_json
from forge.stores.sql.database import reading, writing
from forge.stores.sql.record_columns import columns_of, record_of
from forge.stores.sql.tables import lineage_sources as t

_AT_ONCE = 500  # parameters of one statement
T = TypeVar("T")


class SqlSources:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def sources(self, root: str | None = None) -> tuple[SourceRecord, ...]:
        query = select(t).order_by(t.c.root, t.c.path)
        if root is not None:
            query = query.where(t.c.root == root)
        with reading(self._engine) as connection:
            return tuple(_record(dict(row)) for row in connection.execute(query).mappings())

    def keep(self, records: Sequence[SourceRecord]) -> None:
        with writing(self._engine) as connection:
            for some in _parts(records):
                for root in sorted({one.root for one in some}):
                    paths = [one.path for one in some if one.root == root]
                    connection.execute(delete(t).where(t.c.root == root, t.c.path.in_(paths)))
                connection.execute(t.insert(), [_row(one) for one in some])

    def forget(self, root: str, paths: Sequence[str]) -> None:
        with writing(self._engine) as connection:
            for some in _parts(paths):
                connection.execute(delete(t).where(t.c.root == root, t.c.path.in_(some)))


def _parts(values: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(values), _AT_ONCE):
        yield values[start : start + _AT_ONCE]


def _row(one: SourceRecord) -> dict[str, Any]:
    return {
        **columns_of(one),
        "gaps": [[gap.line, gap.reason, gap.code] for gap in one.gaps],
        "definitions": [definition_json(definition) for definition in one.definitions],
    }


def _record(row: Mapping[str, Any]) -> SourceRecord:
    return record_of(
        SourceRecord,
        row,
        gaps=tuple(SourceGap(*gap) for gap in row["gaps"]),
        definitions=tuple(definition_from(one) for one in row["definitions"]),
    )
