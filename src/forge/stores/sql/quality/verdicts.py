"""Check verdicts of runs, in SQL."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, ScalarSelect, Select, func, select

from forge.flows.runs.records import (
    JUDGED,
    MAKES_TABLES,
    SETTLED,
    DatasetTally,
    OutputStatus,
    RunRecord,
    RunStatus,
    RunVerdict,
    VerdictTally,
)
from forge.model.names import BranchName, RunId, TableName
from forge.quality.verdict import Outcome, Verdict
from forge.stores.sql import rows, tables
from forge.stores.sql.database import reading
from forge.stores.sql.records import SqlRecords
from forge.stores.sql.run_rows import NEWEST, runs_by_id
from forge.stores.sql.statements import find_rows, only

_BLOCKED_RUNS = 500  # so many of the newest runs that did not end well are looked at for tables they held back
_UNHAPPY = (RunStatus.BLOCKED, RunStatus.FAILED, RunStatus.CONFLICT, RunStatus.CANCELLED, RunStatus.INTERRUPTED)


class SqlVerdicts(SqlRecords):
    def verdicts(
        self,
        *,
        run_id: RunId | None = None,
        run_ids: Iterable[RunId] | None = None,
        table: TableName | None = None,
        outcome: Outcome | None = None,
        limit: int = 1000,
    ) -> tuple[tuple[RunId, Verdict], ...]:
        t = tables.verdicts.c
        query = select(tables.verdicts).join(tables.runs, tables.runs.c.id == t.run_id).order_by(*NEWEST, t.id)
        query = only(query, (t.run_id, run_id), (t.run_id, run_ids), (t.table_name, table), (t.outcome, outcome))
        return tuple((RunId(row["run_id"]), rows.verdict_of(row)) for row in self._all(query.limit(limit)))

    def blocked(self, branch: BranchName) -> tuple[tuple[RunRecord, TableName], ...]:
        r, o = tables.runs.c, tables.outputs.c
        unhappy = select(r.id).where(r.branch == branch, r.status.in_([status.value for status in _UNHAPPY]))
        recent = unhappy.order_by(*NEWEST).limit(_BLOCKED_RUNS).subquery()
        once = select(o.table_name).join(recent, recent.c.id == o.run_id).distinct()
        ever = once.where(o.status == OutputStatus.BLOCKED.value).subquery()
        with reading(self._engine) as connection:
            query = select(
                ever.c.table_name,
                _newest_judge(branch, ever.c.table_name, MAKES_TABLES).label("made"),
                _newest_judge(branch, ever.c.table_name).label("any"),
            )
            judges = {row["table_name"]: (row["made"], row["any"]) for row in find_rows(connection, query)}
            runs = runs_by_id(connection, list(dict.fromkeys(one for both in judges.values() for one in both if one)))
        now = []
        for name, both in sorted(judges.items()):
            table = rows.table_of(name)
            now += [(runs[one], table) for one in both if one and _held_back(runs[one], table)][:1]
        return tuple(sorted(now, key=lambda pair: (pair[0].started_at, pair[0].id), reverse=True))

    def judgements(
        self, branch: BranchName, names: Iterable[TableName], check_ids: Iterable[str], *, runs: int = 500
    ) -> tuple[RunVerdict, ...]:
        r, o, v = tables.runs.c, tables.outputs.c, tables.verdicts.c
        recent = select(r.id, r.started_at, r.kind).where(r.branch == branch).order_by(*NEWEST).limit(runs).subquery()
        # Verdicts are found by their run alone: the index by table would lead through the whole history of the table.
        query = (
            select(recent.c.id, recent.c.started_at, o.table_name, o.status, v.check_id, v.outcome, v.message)
            .add_columns(v.table_name.label("judged"), recent.c.kind)
            .select_from(recent)
            .join(tables.outputs, o.run_id == recent.c.id)
            .outerjoin(tables.verdicts, (v.run_id == recent.c.id) & v.check_id.in_(list(check_ids)))
            .where(o.table_name.in_([str(table) for table in names]), o.status.in_([s.value for s in JUDGED]))
            .order_by(recent.c.started_at.desc(), recent.c.id.desc(), o.position, v.id)
        )
        return _judgements(self._all(query))

    def tallies(self, branch: BranchName, since: datetime, until: datetime) -> tuple[VerdictTally, ...]:
        r, v = tables.runs.c, tables.verdicts.c
        query = select(r.id, r.started_at, v.outcome, func.count(v.id).label("number"))
        query = query.outerjoin(tables.verdicts, v.run_id == r.id).group_by(r.id, r.started_at, v.outcome)
        counted = self._counted(query.order_by(r.started_at, r.id), branch, since, until)
        return tuple(VerdictTally(RunId(run_id), time, *numbers) for (run_id, time, _), numbers in counted)

    def dataset_tallies(self, branch: BranchName, since: datetime, until: datetime) -> tuple[DatasetTally, ...]:
        r, v = tables.runs.c, tables.verdicts.c
        query = select(r.id, r.started_at, v.table_name, v.outcome, func.count(v.id).label("number"))
        query = query.join(tables.verdicts, v.run_id == r.id).group_by(r.id, r.started_at, v.table_name, v.outcome)
        counted = self._counted(query.order_by(r.started_at, r.id, v.table_name), branch, since, until)
        return tuple(DatasetTally(table, time, *numbers) for (_, time, table), numbers in counted)

    def _counted(
        self, query: Select[Any], branch: BranchName, since: datetime, until: datetime
    ) -> list[tuple[tuple[str, datetime, str], list[int]]]:
        """The numbers of verdicts by run, its time and the table, in the order of the outcomes."""
        r = tables.runs.c
        counted: dict[tuple[str, datetime, str], dict[str, int]] = defaultdict(dict)
        for row in self._all(query.where(r.branch == branch, r.started_at >= since, r.started_at < until)):
            counted[row["id"], row["started_at"], row.get("table_name", "")][row["outcome"]] = row["number"]
        return [(key, [numbers.get(outcome.value, 0) for outcome in Outcome]) for key, numbers in counted.items()]


def _newest_judge(branch: BranchName, table: ColumnElement[str], kind: str | None = None) -> ScalarSelect[str]:
    """The newest run that settled the table, found by walking back, which ends soon."""
    r, o = tables.runs.alias().c, tables.outputs.alias().c
    query = (
        select(o.run_id)
        .where(r.id == o.run_id, o.table_name == table)
        .where(r.branch == branch, o.status.in_([status.value for status in SETTLED]))
    )
    query = query if kind is None else query.where(r.kind == kind)
    return query.order_by(r.started_at.desc(), r.id.desc()).limit(1).scalar_subquery()


def _held_back(run: RunRecord, table: TableName) -> bool:
    return any(output.table == table and output.status is OutputStatus.BLOCKED for output in run.outputs)


def _judgements(found: Iterable[Mapping[str, Any]]) -> tuple[RunVerdict, ...]:
    """Verdicts of the same run on other tables are excluded."""
    kept: dict[tuple[str, str, str | None], RunVerdict] = {}
    for row in found:
        table, status, run_id = rows.table_of(row["table_name"]), OutputStatus(row["status"]), RunId(row["id"])
        one = RunVerdict(run_id=run_id, time=row["started_at"], table=table, status=status, kind=row["kind"])
        if row["judged"] == row["table_name"]:
            one = replace(one, check_id=row["check_id"], outcome=Outcome(row["outcome"]), message=row["message"])
        kept.setdefault((run_id, row["table_name"], one.check_id), one)
    spoken = {(run, name) for run, name, check in kept if check is not None}
    return tuple(j for (run, name, check), j in kept.items() if check is not None or (run, name) not in spoken)
