"""Runs in SQL, with the lineage of their outputs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table, select, update

from forge.flows.runs.records import AuditRecord, RunRecord, TableLineage
from forge.model.names import BranchName, RunId
from forge.quality.verdict import Verdict
from forge.stores.sql import rows, tables
from forge.stores.sql.change_log import touch
from forge.stores.sql.database import reading, writing
from forge.stores.sql.publish import write_lineage, write_run, write_verdicts
from forge.stores.sql.records import SqlRecords
from forge.stores.sql.run_rows import NEWEST, runs_by_id, with_outputs
from forge.stores.sql.statements import add, batches, find_rows, only


class SqlRuns(SqlRecords):
    def start_run(self, run: RunRecord) -> None:
        with writing(self._engine) as connection:
            write_run(connection, run)

    def enter_step(self, run_id: RunId, step: str) -> None:
        with writing(self._engine) as connection:
            connection.execute(update(tables.runs).where(tables.runs.c.id == run_id).values(step=step))

    def finish_run(
        self,
        run: RunRecord,
        verdicts: Sequence[Verdict],
        audit: Sequence[AuditRecord],
        lineage: Sequence[TableLineage] = (),
    ) -> None:
        with writing(self._engine) as connection:
            write_run(connection, run)
            write_verdicts(connection, run.id, verdicts)
            write_lineage(connection, run.id, None, lineage)
            add(connection, tables.audit, [rows.audit_row(record) for record in audit])
            touch(connection, "facts", {verdict.table for verdict in verdicts})

    def run(self, run_id: RunId) -> RunRecord | None:
        return self.find_runs([run_id]).get(run_id)

    def runs(
        self, *, limit: int = 50, branch: BranchName | None = None, status: str | None = None
    ) -> tuple[RunRecord, ...]:
        query = select(tables.runs).order_by(*NEWEST).limit(limit)
        query = only(query, (tables.runs.c.branch, branch), (tables.runs.c.status, status))
        with reading(self._engine) as connection:
            return with_outputs(connection, find_rows(connection, query))

    def find_runs(self, ids: Iterable[RunId]) -> dict[RunId, RunRecord]:
        with reading(self._engine) as connection:
            return runs_by_id(connection, list(dict.fromkeys(ids)))

    def lineage(self, run_ids: Iterable[RunId]) -> tuple[tuple[RunId, TableLineage], ...]:
        wanted = list(dict.fromkeys(run_ids))
        with reading(self._engine) as connection:
            edges = _by_output(connection, tables.edges, wanted)
            table_edges = _by_output(connection, tables.table_edges, wanted)
        keys = sorted(set(edges) | set(table_edges), key=lambda key: (wanted.index(key[0]), key[1]))
        return tuple(
            (run_id, rows.lineage_of(rows.table_of(output), edges[run_id, output], table_edges[run_id, output]))
            for run_id, output in keys
        )


def _by_output(
    connection: Connection, table: Table, run_ids: Sequence[RunId]
) -> dict[tuple[RunId, str], list[Mapping[str, Any]]]:
    found: dict[tuple[RunId, str], list[Mapping[str, Any]]] = defaultdict(list)
    for some in batches(run_ids):
        query = select(table).where(table.c.run_id.in_(some)).order_by(table.c.id)
        for row in find_rows(connection, query):
            found[RunId(row["run_id"]), row["output"]].append(row)
    return found
