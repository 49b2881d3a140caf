"""Records of source files in SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import delete, select

from forge.flows.lineage.code.records import SourceGap, SourceRecord, definition_from, definition_json
from forge.stores.sql.database import writing
from forge.stores.sql.record_columns import columns_of, record_of
from forge.stores.sql.records import SqlRecords
from forge.stores.sql.statements import batches, only
from forge.stores.sql.tables import lineage_sources as t


class SqlSources(SqlRecords):
    def sources(self, root: str | None = None) -> tuple[SourceRecord, ...]:
        query = select(t).order_by(t.c.root, t.c.path)
        return tuple(_record(row) for row in self._all(only(query, (t.c.root, root))))

    def keep(self, records: Sequence[SourceRecord]) -> None:
        with writing(self._engine) as connection:
            for some in batches(records):
                for root in sorted({one.root for one in some}):
                    paths = [one.path for one in some if one.root == root]
                    connection.execute(delete(t).where(t.c.root == root, t.c.path.in_(paths)))
                connection.execute(t.insert(), [_row(one) for one in some])

    def forget(self, root: str, paths: Sequence[str]) -> None:
        with writing(self._engine) as connection:
            for some in batches(paths):
                connection.execute(delete(t).where(t.c.root == root, t.c.path.in_(some)))


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
