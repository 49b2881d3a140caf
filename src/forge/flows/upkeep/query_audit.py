"""Audit of untrusted queries: who asked, the text, its tables, and the number of rows returned, or why none."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from forge.flows.runs.input_pins import inputs_of
from forge.flows.runs.records import AuditRecord
from forge.model.codes import CODES
from forge.model.errors import ErrorKind, ForgeError
from forge.model.names import TableName
from forge.model.time import Clock
from forge.quality.check import Check
from forge.quality.checks import ExpressionCheck, QueryCheck
from forge.quality.verdict import Outcome

if TYPE_CHECKING:
    from forge.federation.relation import RelationName
    from forge.flows.quality.judge import JudgedTable

T = TypeVar("T")
ASKED, REFUSED, FAILED = "query.run", "query.refuse", "query.fail"
EXPLAINED, DRAFTED = "query.explain", "query.draft"  # no row was read
SHARED = "query.share"  # the answer that another request of the same person waited for
_LONGEST = 10_000  # letters of a text that are kept


class AuditLog(Protocol):
    def note(self, audit: AuditRecord) -> None: ...


def audited(
    log: AuditLog,
    clock: Clock,
    actor: str,
    door: str,
    sql: str,
    tables: Callable[[], Iterable[TableName | RelationName]],
    ask: Callable[[], T],
    facts: Callable[[T], Mapping[str, object]],
    action: str = ASKED,
) -> T:
    """The result or error of `ask`, after writing the audit row. `door` is the channel by which the text came,
    `facts` what is noted of the result: how many rows, for one."""
    began = time.monotonic()
    with noting_failures(log, clock, actor, door, sql, tables, action):
        found = ask()
    log.note(query_record(clock, actor, action, door, sql, _known(tables), {"ms": _since(began), **facts(found)}))
    return found


@contextmanager
def noting_failures(
    log: AuditLog,
    clock: Clock,
    actor: str,
    door: str,
    sql: str,
    tables: Callable[[], Iterable[TableName | RelationName]] = tuple,
    action: str = ASKED,
) -> Iterator[None]:
    """An audit row of what is refused or fails, and of nothing else: what comes before a question is asked."""
    began = time.monotonic()
    of: dict[str, object] = {} if action == ASKED else {"asked": action}
    try:
        yield
    except ForgeError as error:
        refused = CODES[error.code].kind is ErrorKind.REFUSED
        why = " ".join(part for part in (error.what, error.why) if part)
        detail: dict[str, object] = {"code": error.code, "why": why, "ms": _since(began), **of}
        log.note(query_record(clock, actor, REFUSED if refused else FAILED, door, sql, _known(tables), detail))
        raise
    except BaseException as error:
        log.note(query_record(clock, actor, FAILED, door, sql, _known(tables), {**_ended(error, began), **of}))
        raise


def _ended(error: BaseException, began: float) -> dict[str, object]:
    return {"why": type(error).__name__, "ms": _since(began)}


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)


def audit_checks(log: AuditLog, clock: Clock, actor: str, door: str, judged: JudgedTable) -> None:
    """Checks with SQL that came over the network: a row for each text, with the rows it found, or why it could not
    be measured."""
    for check, verdict in zip(judged.checks, judged.verdicts, strict=True):
        for text in _texts(check):
            missed = verdict.outcome is Outcome.NOT_MEASURED
            detail: dict[str, object] = {"check": verdict.check_id, "verdict": str(verdict.outcome)}
            detail |= {"why": verdict.message} if missed else {"rows": _failing(check, judged)}
            tables = _known(partial(_read_by, check, text, judged.table))
            log.note(query_record(clock, actor, FAILED if missed else ASKED, door, text, tables, detail))


def _texts(check: Check) -> tuple[str, ...]:
    own = check.query if isinstance(check, QueryCheck) else check.sql if isinstance(check, ExpressionCheck) else None
    return tuple(text for text in (own, check.where) if text)


def _failing(check: Check, judged: JudgedTable) -> int:
    found = (judged.readings.get(one) for one in check.violations(judged.schema))
    return sum(one for one in found if isinstance(one, int))


def _read_by(check: Check, text: str, table: TableName) -> tuple[TableName, ...]:
    return inputs_of(text, "query") if isinstance(check, QueryCheck) else (table,)


def query_record(
    clock: Clock,
    actor: str,
    action: str,
    door: str,
    sql: str,
    tables: Iterable[TableName | RelationName],
    detail: dict[str, object],
) -> AuditRecord:
    facts = {"text": sql[:_LONGEST], "tables": sorted(map(str, tables)), **detail}
    return AuditRecord(clock(), actor, action, door, facts)


def _known(tables: Callable[[], Iterable[TableName | RelationName]]) -> tuple[TableName | RelationName, ...]:
    """None where the text cannot be parsed."""
    try:
        return tuple(tables())
    except ForgeError:
        return ()
