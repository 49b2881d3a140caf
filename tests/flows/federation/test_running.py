"""The end of a query: cancelled, or after the time that it was given."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from migrated import lay_database

from forge.flows.federation.query import QueryAnswer, QueryRequest, ask
from forge.flows.federation.running import RunningQuery, ends_after
from forge.flows.versioning.read import QueryCaller
from forge.model.errors import CancellationError, ForgeError
from forge.settings import load_settings
from forge.wiring import Wiring

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"


@pytest.fixture
def wiring(tmp_path: Path) -> Iterator[Wiring]:
    (tmp_path / "forge.yaml").write_text("project: x\nuser: {name: Ada, email: ada@example.com}\n")
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "all.yaml").write_text("sources:\n  - {name: crm, connector: sqlite, path: crm.db}\n")
    with closing(sqlite3.connect(tmp_path / "crm.db")) as crm, crm:
        crm.execute(f"CREATE VIEW endless AS {ENDLESS}")
        crm.execute("CREATE VIEW greatest AS SELECT max(i) AS i FROM endless")
    lay_database(tmp_path / ".forge" / "forge.db")
    with closing(Wiring(load_settings(tmp_path, {"PATH": "", "HOME": "/nowhere"}))) as made:
        yield made


def answer(wiring: Wiring, sql: str, timeout: float | None) -> QueryAnswer:
    request = QueryRequest(sql, executor="in-process", timeout=timeout)
    caller = QueryCaller("ada@example.com", "test", wiring.clock)
    return ask(wiring.federation.query_ports(), request, caller)


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param("SELECT i FROM crm.greatest", id="while the source computes"),
        pytest.param("SELECT i FROM crm.endless", id="while it is read"),
    ],
)
def test_a_query_ends_when_its_time_is_over(wiring: Wiring, sql: str) -> None:
    began = time.monotonic()
    with pytest.raises(ForgeError) as caught:
        answer(wiring, sql, 0.4)
    assert 0.4 <= time.monotonic() - began < 20
    assert (caught.value.code, caught.value.what) == ("E916", "The query was stopped after 0.4 seconds")
    assert "timeout" in str(caught.value.fix)
    assert wiring.metadata.audit()[0].detail["code"] == "E916"


def test_a_query_in_time_is_left_alone(wiring: Wiring) -> None:
    assert answer(wiring, "SELECT i FROM crm.endless LIMIT 2", 60).rows == (("1",), ("2",))


@pytest.mark.parametrize("seconds", [0, -1, 86_401, float("nan"), float("inf")])
def test_a_time_that_is_none_is_refused(wiring: Wiring, seconds: float) -> None:
    with pytest.raises(ForgeError, match="timeout") as caught:
        answer(wiring, "SELECT 1 AS one", seconds)
    assert caught.value.code == "E105"


def test_what_ends_for_another_reason_says_that() -> None:
    running = RunningQuery()
    running.cancel()
    with pytest.raises(CancellationError), ends_after(running, 60):
        running.check()
