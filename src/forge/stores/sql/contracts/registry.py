"""The contract store on SQLite and PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Select, and_, bindparam, func, select, text

from forge.contracts.datacontract_results import MOST_RUNS, TestRun, TestSummary
from forge.contracts.registry import (
    CompileRecord,
    ContractCheck,
    ContractHead,
    RegisteredContract,
    VersionTakenError,
    find_touched_tables,
    unknown_contract,
    version_conflict,
)
from forge.contracts.semver import Version
from forge.stores.sql import tables
from forge.stores.sql.change_log import touch
from forge.stores.sql.contracts import rows
from forge.stores.sql.contracts import tables as t
from forge.stores.sql.contracts.namespaces import write_namespaces
from forge.stores.sql.database import reading, writing
from forge.stores.sql.records import SqlRecords
from forge.stores.sql.rows import audit_row
from forge.stores.sql.statements import add, insert_into, put

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from forge.contracts.lifecycle import LifecycleStep
    from forge.flows.contracts.ports import LifecycleWrite, Registration
    from forge.flows.runs.records import AuditRecord

_LOCK = 0x464F5243  # of all who register: "FORC"
_WITHOUT_TEXT = [column for column in t.versions.c if column.name != "text"]


def _heads(columns: Sequence[Any]) -> Select[Any]:
    """Each contract with its highest version and last lifecycle step."""
    s, newer = t.states, t.states.alias()
    last = select(func.max(newer.c.number)).where(newer.c.contract_id == t.contracts.c.id).scalar_subquery()
    of_version = and_(t.versions.c.contract_id == t.contracts.c.id, t.versions.c.version == t.contracts.c.version)
    return (
        select(*columns, t.contracts.c.versions, s.c.state, s.c.at, s.c.document.label("last"))
        .join_from(t.contracts, t.versions, of_version)
        .join(s, s.c.number == last)
    )


# Asked for each contract that is registered: written once, they cost half.
_HEAD = _heads(list(t.versions.c)).where(t.contracts.c.id == bindparam("contract"))
_VERSION = select(t.versions).where(
    t.versions.c.contract_id == bindparam("contract"), t.versions.c.version == bindparam("number")
)


class SqlContracts(SqlRecords):
    def register(self, registration: Registration) -> bool:
        with writing(self._engine) as connection:
            created, newest, touched = _write(connection, registration)
            write_namespaces(connection, [newest])
            touch(connection, "asset", touched)
            return created

    def register_all(self, registrations: Sequence[Registration]) -> tuple[bool | None, ...]:
        with writing(self._engine) as connection:
            return write_registrations(connection, registrations)

    def move(self, contract_id: str, decide: Callable[[ContractHead], LifecycleWrite]) -> ContractHead:
        with writing(self._engine) as connection:
            _one_at_a_time(connection)
            found = _head(connection, contract_id)
            if found is None:
                raise unknown_contract(contract_id, connection.execute(select(t.contracts.c.id)).scalars())
            _write_moving(connection, found.newest, decide(found), found.versions)
            moved = _head(connection, contract_id)
            assert moved is not None
            return moved

    def head(self, contract_id: str) -> ContractHead | None:
        with reading(self._engine) as connection:
            return _head(connection, contract_id)

    def heads(self) -> tuple[ContractHead, ...]:
        query = _heads(_WITHOUT_TEXT).order_by(t.contracts.c.name, t.contracts.c.id)
        return tuple(_read_head(row) for row in self._all(query))

    def versions(self, contract_id: str) -> tuple[RegisteredContract, ...]:
        query = select(t.versions).where(t.versions.c.contract_id == contract_id)
        found = [rows.read_version(row) for row in self._all(query)]
        return tuple(sorted(found, key=lambda one: Version(one.version), reverse=True))

    def version(self, contract_id: str, version: str) -> RegisteredContract | None:
        with reading(self._engine) as connection:
            return _version(connection, contract_id, version)

    def history(self, contract_id: str) -> tuple[LifecycleStep, ...]:
        query = select(t.states).where(t.states.c.contract_id == contract_id).order_by(t.states.c.number.desc())
        return tuple(rows.read_state(row) for row in self._all(query))

    # test results, checks, compiles

    def add_results(self, run: TestRun, audit: AuditRecord) -> bool:
        with writing(self._engine) as connection:
            statement = insert_into(connection, t.results).on_conflict_do_nothing()
            added = connection.execute(
                statement.execution_options(preserve_rowcount=True), [rows.result_row(run)]
            ).rowcount
            if added:
                _forget_old_results(connection, run.contract_id)
                add(connection, tables.audit, [audit_row(audit)])
            return bool(added)

    def results(self, contract_id: str, limit: int = 50) -> tuple[TestRun, ...]:
        c = t.results.c
        query = select(t.results).where(c.contract_id == contract_id).order_by(c.received_at.desc(), c.id.desc())
        return tuple(rows.read_result(row) for row in self._all(query.limit(limit)))

    def last_results(self) -> Mapping[str, TestSummary]:
        r = t.results
        newest = select(r.c.contract_id, func.max(r.c.received_at).label("at")).group_by(r.c.contract_id).subquery()
        same = and_(r.c.contract_id == newest.c.contract_id, r.c.received_at == newest.c.at)
        query = select(r.c.id, r.c.contract_id, r.c.result, r.c.summary).join(newest, same).order_by(r.c.id)
        return {row["contract_id"]: rows.read_summary(row) for row in self._all(query)}

    def keep_checks(self, checks: Iterable[ContractCheck]) -> None:
        kept = [rows.check_row(check) for check in checks]
        if kept:
            with writing(self._engine) as connection:
                put(connection, t.checks, kept)

    def checks(self) -> Mapping[str, ContractCheck]:
        return {row["contract_id"]: rows.read_check(row) for row in self._all(select(t.checks))}

    def keep_compiled(self, record: CompileRecord) -> None:
        with writing(self._engine) as connection:
            put(connection, t.compiles, [rows.compile_row(record)])

    def compiled(self) -> CompileRecord | None:
        found = self._first(select(t.compiles).where(t.compiles.c.id == "last"))
        return rows.read_compile(found) if found else None


def write_registrations(connection: Connection, registrations: Sequence[Registration]) -> tuple[bool | None, ...]:
    """In the caller's transaction. A version that exists with other content is left unchanged (None): it does not fail
    a publication."""
    found: list[bool | None] = []
    listed: dict[str, RegisteredContract] = {}
    touched: list[str] = []
    for registration in registrations:
        try:
            created, newest, tables_of_it = _write(connection, registration)
        except VersionTakenError:
            found.append(None)
        else:
            found.append(created)
            listed[newest.id] = newest
            touched += tables_of_it
    write_namespaces(connection, list(listed.values()))
    touch(connection, "asset", touched)
    return tuple(found)


def _write(connection: Connection, registration: Registration) -> tuple[bool, RegisteredContract, tuple[str, ...]]:
    """Whether the version is new, the highest version then, and the tables that have another one now."""
    _one_at_a_time(connection)
    new = registration.new
    known = _version(connection, new.id, new.version)
    if known is not None and known.digest != new.digest:
        raise version_conflict(known, new)
    before = _head(connection, new.id)
    if known is None:
        connection.execute(t.versions.insert(), [rows.version_row(new)])
    newest = new if before is None or Version(new.version) > Version(before.newest.version) else before.newest
    count = (before.versions if before else 0) + (known is None)
    moving = registration.decide(before)
    if moving is not None:
        _write_moving(connection, newest, moving, count)
    elif before is not None and known is None:
        put(connection, t.contracts, [_head_row(newest, before.state.value, count)])
    if known is None:
        add(connection, tables.audit, [audit_row(one) for one in registration.audit])
    return known is None, newest, find_touched_tables(before.newest if before else None, newest)


def _write_moving(connection: Connection, newest: RegisteredContract, moving: LifecycleWrite, count: int) -> None:
    from forge.stores.sql.outbox import add_deliveries

    put(connection, t.contracts, [_head_row(newest, moving.change.state.value, count)])
    connection.execute(t.states.insert(), [rows.state_row(newest.id, moving.change)])
    add_deliveries(connection, moving.deliveries)
    add(connection, tables.audit, [audit_row(one) for one in moving.audit])


def _forget_old_results(connection: Connection, contract_id: str) -> None:
    c = t.results.c
    old = select(c.id).where(c.contract_id == contract_id).order_by(c.received_at.desc(), c.id.desc())
    gone = connection.execute(old.offset(MOST_RUNS).limit(1000)).scalars().all()
    if gone:
        connection.execute(t.results.delete().where(c.id.in_(gone)))


def _head_row(newest: RegisteredContract, state: str, count: int) -> dict[str, Any]:
    return {
        "id": newest.id,
        "name": newest.name,
        "version": newest.version,
        "state": state,
        "versions": count,
    }


def _one_at_a_time(connection: Connection) -> None:
    """SQLite has a single writer anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})


def _version(connection: Connection, contract_id: str, version: str) -> RegisteredContract | None:
    found = connection.execute(_VERSION, {"contract": contract_id, "number": version}).mappings().first()
    return rows.read_version(found) if found else None


def _head(connection: Connection, contract_id: str) -> ContractHead | None:
    found = connection.execute(_HEAD, {"contract": contract_id}).mappings().first()
    return _read_head(found) if found else None


def _read_head(row: rows.Row) -> ContractHead:
    last = rows.read_state({"state": row["state"], "at": row["at"], "document": row["last"]})
    return ContractHead(rows.read_version(row), last.state, last, row["versions"])
