"""What stays of a query that someone sent."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from forge.flows.runs.records import AuditRecord
from forge.flows.upkeep.query_audit import audited
from forge.model.errors import ForgeError
from forge.model.names import TableName

NOW = datetime(2026, 11, 17, tzinfo=UTC)
ORDERS = TableName("core", "orders")


def _rows(found: list[int]) -> dict[str, object]:
    return {"rows": len(found)}


class Log:
    def __init__(self) -> None:
        self.rows: list[AuditRecord] = []

    def note(self, audit: AuditRecord) -> None:
        self.rows.append(audit)


def ask(log: Log, error: BaseException | None = None) -> list[int]:
    def work() -> list[int]:
        if error is not None:
            raise error
        return [1, 2]

    return audited(log, lambda: NOW, "ada", "time travel", "SELECT 1", lambda: (ORDERS,), work, _rows)


def test_an_answer_is_noted_with_its_tables_and_rows() -> None:
    log = Log()
    assert ask(log) == [1, 2]
    detail = {"text": "SELECT 1", "tables": ["core.orders"], "rows": 2}
    (row,) = log.rows
    assert isinstance(row.detail["ms"], int)
    assert row == AuditRecord(NOW, "ada", "query.run", "time travel", {**detail, "ms": row.detail["ms"]})


@pytest.mark.parametrize(
    ("error", "action"),
    [
        (ForgeError("E216", "no"), "query.refuse"),
        (ForgeError("E203", "Unknown column"), "query.fail"),
        (KeyboardInterrupt(), "query.fail"),
    ],
)
def test_what_was_refused_and_what_failed_is_noted_too(error: BaseException, action: str) -> None:
    log = Log()
    with pytest.raises(type(error)):
        ask(log, error)
    assert [row.action for row in log.rows] == [action]
    assert log.rows[0].detail["why"]


def test_a_text_that_nobody_can_read_names_no_tables() -> None:
    log = Log()

    def unreadable() -> Any:
        raise ForgeError("E201", "not SQL")

    with pytest.raises(ForgeError):
        audited(log, lambda: NOW, "ada", "Python", "SELEC", unreadable, unreadable, _rows)
    assert log.rows[0].detail["tables"] == []
