"""The publish transaction in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine

from forge.flows.runs.records import BranchAdvance, PointerConflict, Publication, PublishedCommit
from forge.model.names import CommitId
from forge.stores.sql.database import writing
from forge.stores.sql.publish import PointerMoved, write_advance, write_publication
from forge.stores.sql.records import SqlRecords

if TYPE_CHECKING:
    from collections.abc import Callable

    from forge.flows.ports import FaultPoint


class SqlPublications(SqlRecords):
    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.published: Callable[[], None] = lambda: None  # called after a branch has moved

    def publish(self, publication: Publication, fault_point: FaultPoint) -> PublishedCommit | PointerConflict:
        head = publication.commit.id
        return self._write(lambda connection: write_publication(connection, publication, fault_point), head)

    def advance(self, advance: BranchAdvance, fault_point: FaultPoint) -> PublishedCommit | PointerConflict:
        return self._write(lambda connection: write_advance(connection, advance, fault_point), advance.head)

    def _write(self, write: Callable[[Connection], None], head: CommitId) -> PublishedCommit | PointerConflict:
        try:
            with writing(self._engine, durable=True) as connection:
                write(connection)
        except PointerMoved as news:
            return news.moved
        self.published()
        return PublishedCommit(head)
