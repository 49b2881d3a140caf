"""The monitor store on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, and_, func, or_, select, update

from forge.flows.runs.records import AuditRecord, DatasetTally, VerdictTally
from forge.model.names import BranchName, TableName
from forge.quality.monitors.monitor import OPEN, CheckResult, Monitor, MonitorRun, MonitorRunStatus, Trigger
from forge.quality.verdict import Outcome
from forge.stores.sql.change_log import touch
from forge.stores.sql.database import writing
from forge.stores.sql.quality.monitor_rows import monitor_of, monitor_row, result_of, result_row, run_of, run_row
from forge.stores.sql.quality.monitor_tables import monitors, results, runs
from forge.stores.sql.records import SqlRecords, write_audit
from forge.stores.sql.statements import add, batches, insert_into, only
from forge.versioning.commit import TableVersion

_OPEN = [status.value for status in OPEN]
_UNSETTLED = [*_OPEN, MonitorRunStatus.INTERRUPTED.value]
_TABLES_AT_ONCE = 200


class SqlMonitors(SqlRecords):
    # monitors

    def monitors(
        self, *, table: TableName | None = None, enabled: bool | None = None, removed: bool = False
    ) -> tuple[Monitor, ...]:
        m = monitors.c
        query = select(monitors).order_by(m.name, m.id)
        query = only(query, (m.table_name, table))
        if enabled is not None:
            query = query.where(m.enabled.is_(enabled))
        if not removed:
            query = query.where(m.removed_at.is_(None))
        return tuple(monitor_of(row) for row in self._all(query))

    def monitor(self, monitor_id: str) -> Monitor | None:
        found = self._first(select(monitors).where(monitors.c.id == monitor_id))
        return monitor_of(found) if found else None

    def add(self, monitor: Monitor, audit: AuditRecord) -> bool:
        with writing(self._engine) as connection:
            if not _insert(connection, monitors, monitor_row(monitor)):
                return False
            write_audit(connection, audit)
            return True

    def change(self, monitor: Monitor, expected: datetime | None, audit: AuditRecord) -> bool:
        row = monitor_row(monitor)
        m = monitors.c
        same = m.updated_at.is_(None) if expected is None else m.updated_at == expected
        with writing(self._engine) as connection:
            changed = update(monitors).where(m.id == row.pop("id"), same).values(**row)
            if connection.execute(changed).rowcount == 0:
                return False
            write_audit(connection, audit)
            if monitor.removed_at is not None:  # its verdicts no longer count
                touch(connection, "facts", [str(monitor.table)])
            return True

    # runs

    def claim(self, run: MonitorRun) -> bool:
        with writing(self._engine) as connection:
            return _insert(connection, runs, run_row(run, run.queued_at))

    def save(self, run: MonitorRun) -> None:
        with writing(self._engine) as connection:
            _update(connection, run, _OPEN)

    def finish(self, run: MonitorRun, check_results: Sequence[CheckResult], audit: AuditRecord | None) -> bool:
        with writing(self._engine) as connection:
            if _update(connection, run, _UNSETTLED) == 0:
                return False
            add(connection, results, [result_row(one, run.id, number) for number, one in enumerate(check_results)])
            if audit is not None:
                write_audit(connection, audit)
            touch(connection, "facts", {one.dataset for one in check_results})
            return True

    def remark(self, run_id: str, notes: Sequence[str]) -> None:
        with writing(self._engine) as connection:
            known = connection.execute(select(runs.c.notes).where(runs.c.id == run_id)).scalar_one_or_none()
            connection.execute(update(runs).where(runs.c.id == run_id).values(notes=[*(known or ()), *notes]))

    def beat(self, run_ids: Sequence[str], at: datetime) -> None:
        with writing(self._engine) as connection:
            for some in batches(run_ids):
                connection.execute(update(runs).where(runs.c.id.in_(some)).values(seen_at=at))

    def silent(self, before: datetime) -> tuple[MonitorRun, ...]:
        return self._runs(select(runs).where(runs.c.status.in_(_OPEN), runs.c.seen_at < before).order_by(runs.c.id))

    def run(self, run_id: str) -> MonitorRun | None:
        found = self._runs(select(runs).where(runs.c.id == run_id))
        return found[0] if found else None

    def runs(
        self,
        *,
        monitor_id: str | None = None,
        table: TableName | None = None,
        statuses: Iterable[MonitorRunStatus] = (),
        triggers: Iterable[Trigger] = (),
        since: datetime | None = None,
        limit: int = 100,
    ) -> tuple[MonitorRun, ...]:
        r = runs.c
        query = select(runs).order_by(r.queued_at.desc(), r.id.desc()).limit(limit)
        query = only(query, (r.monitor_id, monitor_id), (r.table_name, table))
        query = only(query, (r.status, tuple(statuses) or None), (r.trigger, tuple(triggers) or None))
        if since is not None:
            query = query.where(r.queued_at >= since)
        return self._runs(query)

    def newest(
        self,
        monitor_ids: Iterable[str],
        triggers: Iterable[Trigger] = (),
        statuses: Iterable[MonitorRunStatus] = (),
    ) -> Mapping[str, MonitorRun]:
        r = runs.c
        found: dict[str, MonitorRun] = {}
        reasons, states = tuple(triggers) or None, tuple(statuses) or None
        for some in batches(sorted(set(monitor_ids))):
            place = func.row_number().over(partition_by=r.monitor_id, order_by=(r.queued_at.desc(), r.id.desc()))
            ranked = select(r.id, place.label("place")).where(r.monitor_id.in_(some))
            places = only(ranked, (r.trigger, reasons), (r.status, states)).subquery()
            first = select(places.c.id).where(places.c.place == 1)
            found |= {str(run.monitor_id): run for run in self._runs(select(runs).where(r.id.in_(first)))}
        return found

    def tallies(self, since: datetime, until: datetime, branch: BranchName | None = None) -> tuple[VerdictTally, ...]:
        return tuple(VerdictTally(*row.values()) for row in self._counts(runs.c.id, since, until, branch))

    def dataset_tallies(
        self, since: datetime, until: datetime, branch: BranchName | None = None
    ) -> tuple[DatasetTally, ...]:
        return tuple(DatasetTally(*row.values()) for row in self._counts(runs.c.table_name, since, until, branch))

    def _counts(
        self, name: ColumnElement[str], since: datetime, until: datetime, branch: BranchName | None
    ) -> list[Mapping[str, Any]]:
        r = runs.c
        query = select(name, r.started_at, r.passed, r.failed, r.not_measured)
        query = query.where(r.started_at >= since, r.started_at < until, r.status.not_in(_OPEN))
        return self._all(only(query, (r.branch, branch)).order_by(r.started_at, r.id))

    # results

    def results(
        self,
        *,
        monitor_id: str | None = None,
        run_ids: Iterable[str] | None = None,
        table: TableName | None = None,
        check_id: str | None = None,
        verdict: Outcome | None = None,
        since: datetime | None = None,
        limit: int = 100,
    ) -> tuple[CheckResult, ...]:
        t = results.c
        query = _newest_first(select(results)).limit(limit)
        query = only(query, (t.monitor_id, monitor_id), (t.run_id, run_ids), (t.table_name, table))
        query = only(query, (t.check_id, check_id), (t.verdict, verdict))
        if since is not None:
            query = query.where(t.executed_at >= since)
        return self._results(query)

    def result(self, result_id: str) -> CheckResult | None:
        run_id, _, number = result_id.rpartition(".")
        if not (number.isascii() and number.isdigit() and len(number) < 10):
            return None
        t = results.c
        found = self._results(select(results).where(t.run_id == run_id, t.position == int(number) - 1))
        return found[0] if found else None

    def standing(self, versions: Mapping[TableName, TableVersion]) -> tuple[CheckResult, ...]:
        found: list[CheckResult] = []
        for some in batches(sorted(versions.items()), _TABLES_AT_ONCE):
            found += self._results(_last_results(dict(some)))
        return tuple(found)

    def _runs(self, query: Select[Any]) -> tuple[MonitorRun, ...]:
        return tuple(run_of(row) for row in self._all(query))

    def _results(self, query: Select[Any]) -> tuple[CheckResult, ...]:
        return tuple(result_of(row) for row in self._all(query))


def _insert(connection: Connection, table: Table, row: Mapping[str, Any]) -> bool:
    """False: it exists. Drivers disagree on row counts, but not on RETURNING."""
    insert = insert_into(connection, table).values(row).on_conflict_do_nothing().returning(table.c.id)
    return connection.execute(insert).first() is not None


def _update(connection: Connection, run: MonitorRun, statuses: Sequence[str]) -> int:
    """Where it is in one of these states; finished runs are unchanged."""
    row = run_row(run, run.finished_at or run.started_at or run.queued_at)
    unchanged = update(runs).where(runs.c.id == row.pop("id"), runs.c.status.in_(statuses))
    return connection.execute(unchanged.values(**row)).rowcount


def _newest_first(query: Select[Any]) -> Select[Any]:
    t = results.c
    return query.order_by(t.executed_at.desc(), t.run_id.desc(), t.position)


def _last_results(versions: Mapping[TableName, TableVersion]) -> Select[Any]:
    t = results.c
    of = [
        and_(
            t.table_name == str(table),
            t.snapshot_id.is_(None) if version.snapshot_id is None else t.snapshot_id == version.snapshot_id,
        )
        for table, version in versions.items()
    ]
    gone = select(monitors.c.id).where(monitors.c.removed_at.is_not(None))
    place = func.row_number().over(
        partition_by=(t.table_name, t.check_id), order_by=(t.executed_at.desc(), t.run_id.desc(), t.position.desc())
    )
    kept = or_(t.monitor_id.is_(None), t.monitor_id.not_in(gone))
    ranked = select(t.run_id, t.position, place.label("place")).where(or_(*of), kept).subquery()
    first = and_(ranked.c.run_id == t.run_id, ranked.c.position == t.position, ranked.c.place == 1)
    return select(results).join(ranked, first).order_by(t.table_name, t.check_id)
