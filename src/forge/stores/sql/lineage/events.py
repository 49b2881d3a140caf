"""Pending OpenLineage events in SQL, held until their run is complete."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import delete, func, select

from forge.flows.lineage.openlineage.ingest import PendingEvent
from forge.stores.sql.database import reading, writing
from forge.stores.sql.record_columns import columns_of
from forge.stores.sql.records import SqlRecords
from forge.stores.sql.statements import insert_into
from forge.stores.sql.tables import lineage_events

KEPT = timedelta(days=30)
MOST = 100  # events of one run; a stream sends them as long as it runs


class SqlLineageEvents(SqlRecords):
    def keep(self, event: PendingEvent, now: datetime) -> bool:
        e = lineage_events
        values = {**columns_of(event), "received_at": now}
        with writing(self._engine) as connection:
            insert = insert_into(connection, e).values(values).on_conflict_do_nothing()
            if connection.execute(insert.returning(e.c.digest)).first() is None:
                return False
            connection.execute(delete(e).where(e.c.received_at < now - KEPT))
            of_run = e.c.run_id == event.run_id
            if connection.execute(select(func.count()).where(of_run)).scalar_one() > MOST:
                newest = select(e.c.digest).where(of_run).order_by(e.c.at.desc(), e.c.digest).limit(MOST - 1)
                first = select(e.c.digest).where(of_run).order_by(e.c.at, e.c.digest).limit(1)  # often says most
                stay = [*connection.execute(newest).scalars(), *connection.execute(first).scalars()]
                connection.execute(delete(e).where(of_run, e.c.digest.not_in(stay)))
            return True

    def of_run(self, producer: str, run_id: str) -> tuple[PendingEvent, ...]:
        e = lineage_events
        columns = e.c.producer, e.c.run_id, e.c.digest, e.c.at, e.c.document
        query = select(*columns).where(e.c.run_id == run_id, e.c.producer == producer).order_by(e.c.at, e.c.digest)
        with reading(self._engine) as connection:
            return tuple(PendingEvent(*row) for row in connection.execute(query))
