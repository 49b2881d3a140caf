"""Every door through which SQL comes over the network, tried by an intruder: with a real server and real Spark."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from shop_project import SHOP

from forge.api.app import create_app
from forge.connection import Connection
from forge.flows.upkeep.access import digest_of
from forge.model.errors import ForgeError

pytestmark = pytest.mark.spark

LOGIN = "forge_login-secret-of-the-tests"
SECRET = "the-content-of-a-file-of-the-server"
TRAVEL = "/api/v1/branches/datasets/core.orders/commits/main/data"


@pytest.fixture
def gated_shop(make_project: Callable[..., Connection]) -> Connection:
    gated_shop = make_project(SHOP)
    gated_shop.run()
    return gated_shop


@pytest.fixture
def client(gated_shop: Connection) -> Iterator[TestClient]:
    app = create_app(gated_shop.wiring, login_digest=digest_of(LOGIN))
    with TestClient(app, base_url="http://127.0.0.1:8765", raise_server_exceptions=False) as client:
        client.headers["authorization"] = f"Bearer {LOGIN}"
        yield client
        gated_shop.wiring.session._session = None  # Spark is the whole run's, and does not end with this server


@pytest.fixture
def reader(client: TestClient) -> dict[str, str]:
    made = client.post("/api/v1/tokens", json={"name": "reader", "scope": "read"})
    return {"authorization": f"Bearer {made.json()['token']}"}


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret.txt"
    path.write_text(SECRET)
    return path


def audit(gated_shop: Connection) -> list[Any]:
    return [row for row in gated_shop.wiring.metadata.audit() if row.action.startswith("query.")]


def count(gated_shop: Connection) -> int:
    return gated_shop.table("core.orders").count()


INTRUSIONS = (
    "SELECT TRANSFORM(id) USING 'touch {mark}' AS (x STRING) FROM core.orders",
    "SELECT 1 /* /*+ */ , (SELECT max(value) FROM text.`{file}`) -- */",
    "/* /*+ */ INSERT INTO forge.core.orders SELECT * FROM forge.core.orders -- */\nSELECT id FROM core.orders",
    "/* /*+ */ DROP TABLE forge.core.orders -- */ -- \\\nSELECT 1",
    "SELECT java_method('java.lang.System', 'getProperty', 'user.dir')",
    "SELECT * FROM text.`{file}`",
)


def test_time_travel_by_sql_refuses_what_a_reader_may_not_do(
    gated_shop: Connection, client: TestClient, reader: dict[str, str], secret: Path, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    for text in INTRUSIONS:
        sql = text.replace("{file}", str(secret)).replace("{mark}", str(mark))
        answer = client.get(TRAVEL, params={"sql": sql}, headers=reader)
        assert answer.status_code in (403, 404, 409, 422), (sql, answer.text)
        assert "nothing at this address" not in answer.text
        assert SECRET not in answer.text
        assert not mark.exists()
    assert count(gated_shop) == 2
    noted = audit(gated_shop)
    assert len(noted) == len(INTRUSIONS)
    assert {row.action for row in noted} <= {"query.refuse", "query.fail"}


def test_a_program_is_refused_by_name_and_the_refusal_is_audited(
    gated_shop: Connection, client: TestClient, reader: dict[str, str]
) -> None:
    sql = INTRUSIONS[0].replace("{mark}", "nothing")
    answer = client.get(TRAVEL, params={"sql": sql}, headers=reader)
    assert answer.status_code == 403
    assert answer.json()["code"] == "FORGE-E216"
    assert "program" in answer.text
    row = audit(gated_shop)[0]
    assert (row.action, row.subject) == ("query.refuse", "time travel, token reader")
    assert row.actor
    assert row.detail["text"] == sql
    assert row.detail["code"] == "E216"


def test_a_query_leaves_who_asked_what_of_which_tables_and_how_many_rows(
    gated_shop: Connection, client: TestClient, reader: dict[str, str]
) -> None:
    sql = "SELECT id FROM data WHERE id > 1 -- a comment"
    answer = client.get(TRAVEL, params={"sql": sql}, headers=reader)
    assert answer.status_code == 200, answer.text
    assert len(answer.json()["rows"]) == 1
    row = audit(gated_shop)[0]
    assert (row.action, row.subject) == ("query.run", "time travel, token reader")
    assert row.actor
    assert {**row.detail, "ms": 0} == {"text": sql, "tables": ["core.orders"], "rows": 1, "ms": 0}


def test_settings_and_environment_of_the_server_cannot_be_put_into_a_text(
    client: TestClient, reader: dict[str, str]
) -> None:
    sql = "SELECT '${env:PATH}' AS a, '${spark.app.id}' AS b, '${system:user.dir}' AS c"
    rows = client.get(TRAVEL, params={"sql": sql}, headers=reader).json()["rows"]
    assert "${env:PATH}" in json.dumps(rows)
    assert "${spark.app.id}" in json.dumps(rows)
    assert "${system:user.dir}" in json.dumps(rows)


BAD_CHECKS = (
    {"type": "query", "query": "SELECT TRANSFORM(id) USING 'touch {mark}' AS (x STRING) FROM core.orders"},
    {"type": "query", "query": "SELECT 1 /* /*+ */ , (SELECT max(value) FROM text.`{file}`) -- */", "max": 0},
    {"type": "expression", "sql": "java_method('java.lang.System', 'getenv', 'PATH') IS NULL"},
    {"type": "unique", "column": "id", "where": "reflect('java.lang.System', 'getenv', 'PATH') IS NOT NULL"},
)


def test_checks_of_a_monitor_are_judged_before_they_run(
    gated_shop: Connection, client: TestClient, secret: Path, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    text = json.dumps(BAD_CHECKS).replace("{file}", str(secret)).replace("{mark}", str(mark))
    checks = json.loads(text)
    made = client.post("/api/v1/quality/monitors", json={"name": "odd", "dataset": "core.orders", "checks": checks})
    assert made.status_code == 201, made.text
    ticket = client.post(f"/api/v1/quality/monitors/{made.json()['id']}/run").json()
    deadline = time.monotonic() + 120
    while not (results := client.get("/api/v1/quality/monitors/odd/results").json()["items"]):
        assert time.monotonic() < deadline, client.get(f"/api/v1/runs/{ticket['run_id']}").text
        time.sleep(0.2)
    assert {one["verdict"] for one in results} == {"not measured"}, results
    assert len(results) == len(BAD_CHECKS)
    assert SECRET not in json.dumps(results)
    assert not mark.exists()
    noted = audit(gated_shop)
    assert len(noted) == len(BAD_CHECKS)
    assert all(row.subject.startswith("monitor ") and row.detail["why"] for row in noted)


@pytest.mark.parametrize("text", INTRUSIONS)
def test_a_query_from_python_and_a_commit_by_sql_go_through_the_same_gate(
    text: str, gated_shop: Connection, secret: Path, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    sql = text.replace("{file}", str(secret)).replace("{mark}", str(mark))
    with pytest.raises(ForgeError):
        gated_shop.query(sql, engine="spark")
    assert audit(gated_shop)[0].action in ("query.refuse", "query.fail")
    # Without Spark, what runs is made from the tree that was judged: what is hidden in comments is not there.
    with suppress(ForgeError):
        assert SECRET not in repr(gated_shop.query(sql, engine="in-process").rows)
    with pytest.raises(ForgeError):
        gated_shop.commit("core.copy", sql=sql)
    assert not mark.exists()
    assert count(gated_shop) == 2


def test_a_rule_of_a_merge_is_judged_before_it_becomes_a_column(spark: Any) -> None:
    from forge.engines.spark.merge.answers import expression_column

    paths = {"base": "b", "ours": "o", "theirs": "t"}
    frame = spark.createDataFrame([(1, 2, 3)], "b INT, o INT, t INT")
    assert frame.select(expression_column("greatest(ours, theirs) /* best */", paths)).first()[0] == 3
    hidden = "ours /* /*+ */ , (SELECT max(value) FROM text.`/etc/hostname`) -- */"
    assert frame.select(expression_column(hidden, paths)).first()[0] == 2, "what was judged is what runs"
    for text in (
        "java_method('java.lang.System', 'getenv', 'PATH')",
        "(SELECT 1)",
    ):
        with pytest.raises(ForgeError):
            frame.select(expression_column(text, paths)).first()


def java_process(gated_shop: Connection) -> int:
    jvm: Any = gated_shop.wiring.session.get()._jvm
    return int(jvm.java.lang.ProcessHandle.current().pid())


HUGE = (
    "SELECT array_repeat('xxxxxxxx', 1000000000) AS a",
    "SELECT array_repeat('xxxxxxxx', CAST(2000000 + id AS INT)) AS a FROM core.orders",
    "SELECT sequence(1, 1000000000) AS a",
    "SELECT map('k', repeat('v', CAST(5000000 + id AS INT))) AS a FROM core.orders",
    "SELECT struct(repeat('v', CAST(5000000 + id AS INT)) AS s) AS a FROM core.orders",
    "SELECT aggregate(sequence(1, 33), 'xxxxxxxx', (a, x) -> concat(a, a)) AS a",
    "SELECT replace(repeat('a', 1000000), 'a', repeat('b', 1000000)) AS a",
)


def test_a_value_that_is_too_large_is_refused_and_spark_lives_on(
    gated_shop: Connection, client: TestClient, reader: dict[str, str]
) -> None:
    before = java_process(gated_shop)
    for sql in HUGE:
        answer = client.get(TRAVEL, params={"sql": sql}, headers=reader)
        assert (answer.status_code, answer.json()["code"]) == (422, "FORGE-E917"), sql
    assert client.get(TRAVEL, params={"sql": "SELECT 7 AS n"}, headers=reader).json()["rows"] == [[7]]
    assert java_process(gated_shop) == before


def test_a_long_text_is_cut_and_says_so(client: TestClient, reader: dict[str, str]) -> None:
    sql = (
        "SELECT repeat('x', 50000000) AS a, repeat('é', 1000) AS e, repeat('x', 1000) AS a, "
        "CAST(repeat('z', 2000000) AS BINARY) AS b"
    )
    answer = client.get(TRAVEL, params={"sql": sql, "limit": 10}, headers=reader)
    (row,) = answer.json()["rows"]
    assert row[0] == "x" * 1_000_000 + "… (cut: 50000000 bytes)"
    assert (row[1], row[2]) == ("é" * 1000, "x" * 1000)
    assert len(row[3]) < 2_100_000
    assert [column["name"] for column in answer.json()["columns"]] == ["a", "e", "a", "b"]


def test_many_long_texts_share_what_one_answer_may_hold(client: TestClient, reader: dict[str, str]) -> None:
    sql = "SELECT repeat('x', CAST(1000000 + r.id AS INT)) AS a FROM range(500) AS r"
    rows = client.get(TRAVEL, params={"sql": sql, "limit": 1000}, headers=reader).json()["rows"]
    assert len(rows) == 500
    assert rows[0][0].endswith("… (cut: 1000000 bytes)")
    assert sum(len(row[0]) for row in rows) < 60_000_000


def test_a_value_that_python_cannot_hold_is_told(client: TestClient, reader: dict[str, str]) -> None:
    for sql in ("SELECT timestamp'9999-12-31' + interval 5 years AS t", "SELECT map(array(1), 2) AS m"):
        answer = client.get(TRAVEL, params={"sql": sql}, headers=reader)
        assert (answer.status_code, answer.json()["code"]) == (422, "FORGE-E211"), sql
