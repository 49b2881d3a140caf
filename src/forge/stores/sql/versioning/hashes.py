"""Content hashes in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import select

from forge.flows.runs.records import Blob, HashRecords
from forge.stores.sql import tables
from forge.stores.sql.database import writing
from forge.stores.sql.record_columns import record_of
from forge.stores.sql.records import SqlRecords
from forge.stores.sql.versioning.writes import write_hashes


class SqlContentHashes(SqlRecords):
    def blobs(self, paths: Iterable[str]) -> dict[str, Blob]:
        t = tables.blobs
        found = self._batched(select(t), t.c.path, paths)
        return {row["path"]: record_of(Blob, row) for row in found}

    def table_trees(self, digests: Iterable[str]) -> dict[str, Mapping[str, object]]:
        t = tables.table_trees
        return {row["digest"]: row["body"] for row in self._batched(select(t), t.c.digest, digests)}

    def add_hashes(self, hashes: HashRecords) -> None:
        with writing(self._engine) as connection:
            write_hashes(connection, hashes)
