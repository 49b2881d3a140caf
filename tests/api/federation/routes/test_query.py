"""Queries over HTTP: rows, plans, the end of a query, and what an intruder gets."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlite_source import lay_shop
from version_site import VersionSite, open_version_site, problem

from forge.api.federation.routes import query
from forge.flows.catalog.personal_data import PersonalColumns
from forge.flows.federation.query import FederationPorts
from forge.flows.upkeep.access import TokenScope
from forge.wiring import Wiring

API = "/api/v1/federation/query"
YAML = "project: shop\nuser: {name: Ada, email: ada@example.com}\nversioning: {keys: {core.orders: [id]}}\n"
SOURCES = """\
sources:
  - name: till
    connector: sqlite
    path: data/till.db
    hidden: [customers.email]
    rows: [{table: long, filter: "true"}]  # a view of the tests
  - {name: safe, connector: sqlite, path: data/safe.db, readers: [bob@example.com]}
  - {name: gone, connector: sqlite, path: data/very-secret-place.db}
  - name: part
    connector: sqlite
    path: data/till.db
    rows: [{table: customers, filter: "city = 'Rome'", except: [ada@example.com]}]
    masks: [{column: customers.email, as: partial, except: [ada@example.com]}]
"""
ORDERS = "id,name,amount\n1,a,10.5\n2,b,20.0\n3,c,30.0\n"
SECRET = "ada@example.com"  # the e-mail of a customer, hidden

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VersionSite]:
    with open_version_site(tmp_path_factory.mktemp("query") / "shop", YAML) as opened:
        (opened.root / "sources").mkdir()
        (opened.root / "sources" / "all.yaml").write_text(SOURCES)
        lay_shop(opened.root / "data" / "till.db")
        lay_shop(opened.root / "data" / "safe.db")
        opened.commit(ORDERS)
        yield opened


@pytest.fixture(scope="module")
def reader(site: VersionSite) -> dict[str, str]:
    return site.token_of("eve@example.com", TokenScope.READ)


@pytest.fixture
def hide_name(site: VersionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """core.orders.name holds personal data."""
    hidden = PersonalColumns(frozenset({("core.orders", "name")}))
    monkeypatch.setitem(site.wiring.catalog.__dict__, "personal_at", lambda commit=None: hidden)


def post(site: VersionSite, sql: str, as_: dict[str, str] | None = None, path: str = "", **body: Any) -> Any:
    found: httpx.Response = site.client.post(f"{API}{path}", json={"sql": sql, **body}, headers=as_)
    return found


def ask(site: VersionSite, sql: str, as_: dict[str, str] | None = None, **body: Any) -> dict[str, Any]:
    answer = post(site, sql, as_, "", **{"engine": "in-process", **body})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


JOINED = "SELECT o.id, c.city, c.email FROM core.orders o JOIN till.customers c ON o.id = c.id"


def test_rows_of_the_lake_and_a_source(site: VersionSite, reader: dict[str, str]) -> None:
    found = ask(site, JOINED, reader, engine="auto", explain=True)
    assert found["rows"] == [[1, "London", None]]
    assert found["items"] == [{"id": 1, "city": "London", "email": None}]
    assert [(one["name"], one["masked"]) for one in found["columns"]] == [
        ("id", False),
        ("city", False),
        ("email", True),
    ]
    assert (found["engine"], found["truncated"], found["has_more"]) == ("in-process", False, False)
    assert sum(found["rows_read"].values()) >= 2
    assert found["plan"]["executor"] == {"name": "in-process", "why": found["why"]}
    assert {one["source"] for one in found["plan"]["sources"]} == {"lake", "till"}
    noted = site.wiring.metadata.audit(limit=1)[0]
    assert noted.actor == "eve@example.com"
    assert noted.subject == "federation, token of eve@example.com read"


def test_a_reader_has_his_rows_and_masked_values_and_shares_no_answer(
    site: VersionSite, reader: dict[str, str]
) -> None:
    sql = "SELECT city, email FROM part.customers ORDER BY id"
    assert ask(site, sql)["rows"] == [["London", SECRET]]
    found = ask(site, sql, reader, explain=True)
    assert found["rows"] == []
    assert [one["masked"] for one in found["columns"]] == [False, True]
    assert "Rome" not in str(found["plan"])
    assert ask(site, sql)["rows"] == [["London", SECRET]]
    assert ask(site, "SELECT count(*) AS n FROM part.customers WHERE email = :m", reader, parameters={"m": SECRET})[
        "rows"
    ] == [[0]]


def test_limit_at_and_columns_of_one_name(site: VersionSite, reader: dict[str, str]) -> None:
    before = site.head()
    few = ask(site, "SELECT id, name AS id FROM core.orders", reader, limit=2)
    assert (few["rows"], few["truncated"], few["has_more"]) == ([[1, "a"], [2, "b"]], True, True)
    assert few["items"][0] == {"id": 1, "id_2": "a"}
    site.commit("id,name,amount\n4,d,1.0\n", mode="append")
    count = "SELECT count(*) AS n FROM core.orders"
    assert ask(site, count, reader)["rows"] == [[4]]
    assert ask(site, count, reader, at=before)["rows"] == [[3]]
    assert ask(site, count, reader, at="main~1")["rows"] == [[3]]
    problem(post(site, count, reader, at="nowhere"), 404, "E601")
    for limit in (0, 100_001):
        assert post(site, count, reader, limit=limit).status_code == 422


def test_a_branch_is_read_as_it_is_now_and_masked(site: VersionSite, reader: dict[str, str], hide_name: None) -> None:
    site.branch("trial")
    count = "SELECT count(*) AS n, count(o.name) AS names FROM core.orders@trial o"
    before = ask(site, count, reader)["rows"]
    assert before[0][1] == 0
    site.commit("id,name,amount\n90,x,1.0\n91,y,1.0\n", mode="append", branch="trial")
    found = ask(site, count, reader, explain=True)
    assert found["rows"] == [[before[0][0] + 2, 0]]
    assert found["plan"]["sources"][0]["relations"] == ["core.orders@trial"]
    assert "Did you mean trial?" in problem(post(site, count.replace("trial", "trail"), reader), 404, "E601")["why"]


def test_parameters_stay_values(site: VersionSite, reader: dict[str, str]) -> None:
    evil = "x' OR '1'='1' --"
    for sql in ("SELECT id FROM core.orders WHERE name = :n", "SELECT id FROM till.customers WHERE city = :n"):
        assert ask(site, sql, reader, parameters={"n": evil})["rows"] == []
    assert ask(site, "SELECT :n AS n FROM till.customers", reader, parameters={"n": evil})["rows"] == [[evil]]
    assert ask(site, "SELECT id FROM till.customers WHERE id = :n", reader, parameters={"n": 1})["rows"] == [[1]]
    assert ask(site, "SELECT id FROM core.orders WHERE amount > :n", reader, parameters={"n": 25.0})["rows"] == [[3]]
    assert post(site, "SELECT :n FROM till.customers", reader, parameters={"n": [1]}).status_code == 422
    assert post(site, "SELECT :n FROM till.customers", reader, parameters={"n; --": 1}).status_code == 422
    assert post(site, "SELECT :n FROM till.customers", reader, parameters={"n": 10**40}).status_code == 422
    missing = post(site, "SELECT :missing FROM till.customers", reader, engine="in-process")
    assert "missing" in missing.json()["why"]


def test_a_plan_reads_no_row(site: VersionSite, reader: dict[str, str]) -> None:
    found = post(site, JOINED, reader, "/explain").json()
    assert found["executor"]["name"] == "in-process"
    assert found["nodes"]["type"]
    assert "email" not in repr([one["asked"] for one in found["sources"]])
    assert "rows_read': 1" not in repr(found["nodes"])


PROBES = [
    "SELECT id FROM till.customers WHERE email LIKE 'ada%'",
    "SELECT id FROM till.customers WHERE `EMAIL` = 'ada@example.com'",
    "SELECT a.id FROM till.customers a JOIN till.customers b ON a.email = b.email",
    "WITH c AS (SELECT email AS x, id FROM till.customers) SELECT id FROM c WHERE x > 'a'",
    "SELECT id FROM (SELECT * FROM till.customers) AS t(i, e, c) JOIN till.customers u ON e = u.email",
    "SELECT id FROM till.customers WHERE id IN (SELECT id FROM till.main.customers WHERE length(email) > 3)",
    "SELECT count(*) AS n FROM till.customers GROUP BY id HAVING max(email) IS NOT NULL",
    "SELECT id FROM till.customers t WHERE t.email IS NOT NULL",
    "SELECT id FROM till.customers WHERE CASE WHEN email = 'ada@example.com' THEN TRUE ELSE FALSE END",
]
SHOWN = [
    "SELECT email AS x FROM till.customers",
    "SELECT * FROM till.customers",
    "SELECT upper(email) AS x FROM till.customers ORDER BY email",
    "SELECT email, count(*) AS n FROM till.customers GROUP BY email",
    "SELECT max(email) AS x, min(email) AS y FROM till.customers",
    "SELECT x FROM (SELECT email x FROM till.customers UNION ALL SELECT city FROM till.customers) AS q",
    "SELECT concat(city, coalesce(email, '-')) AS x FROM till.customers",
]


@pytest.mark.parametrize("sql", PROBES)
def test_no_predicate_meets_a_hidden_value(site: VersionSite, reader: dict[str, str], sql: str) -> None:
    answer = post(site, sql, reader, engine="in-process")
    assert answer.status_code < 500, answer.text
    if answer.status_code == 200:
        assert answer.json()["rows"] == []
    _asks_no_email(site, sql, reader)


@pytest.mark.parametrize("sql", SHOWN)
def test_no_hidden_value_is_shown(site: VersionSite, reader: dict[str, str], sql: str) -> None:
    assert SECRET not in repr(ask(site, sql, reader)).lower()
    _asks_no_email(site, sql, reader)


def _asks_no_email(site: VersionSite, sql: str, reader: dict[str, str]) -> None:
    """Whoever computes the rest gets no hidden value either."""
    plan = post(site, sql, reader, "/explain")
    if plan.status_code == 200:
        assert plan.json()["sources"] or plan.json()["rest"]
        assert not [one for one in plan.json()["sources"] if "email" in one["asked"].lower()], plan.text


@pytest.mark.usefixtures("hide_name")
@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT name FROM core.orders WHERE id = 1", [[None]]),
        ("SELECT id FROM core.orders WHERE name = 'a'", []),
        ("SELECT o.name FROM core.orders o JOIN till.customers c ON o.id = c.id", [[None]]),
        ("SELECT o.id FROM core.orders o JOIN till.customers c ON o.id = c.id AND o.name = 'a'", []),
        ("WITH d AS (SELECT name AS n FROM core.orders) SELECT max(n) AS m FROM d", [[None]]),
    ],
)
def test_masked_columns_of_the_lake(site: VersionSite, reader: dict[str, str], sql: str, rows: object) -> None:
    assert ask(site, sql, reader)["rows"] == rows


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO core.orders VALUES (9, 'x', 1.0)",
        "DELETE FROM core.orders",
        "UPDATE till.customers SET city = 'x'",
        "DROP TABLE till.customers",
        "WITH x AS (SELECT 1) DELETE FROM till.customers",
        "SELECT 1; DROP TABLE till.customers",
        "FROM core.orders INSERT INTO core.orders SELECT *",
        "CREATE TABLE core.x AS SELECT * FROM till.customers",
        "SET spark.sql.ansi.enabled = false",
        "SELECT * FROM csv.`/etc/passwd`",
        "SELECT * FROM text.`file:///etc/passwd`",
        "SELECT * FROM `csv.``/etc/passwd```",
        "SELECT c.id FROM till.customers c JOIN csv.`/etc/passwd` p ON TRUE",
        "SELECT * FROM till.`../safe.db`.customers",
        "SELECT * FROM read_files('/etc/passwd')",
        "SELECT * FROM till.customers, read_csv('/etc/passwd')",
        "SELECT c.id, java_method('java.lang.System', 'exit', 1) FROM till.customers c",
        "SELECT load_extension('x') FROM till.customers",
        "SELECT readfile('/etc/passwd') FROM till.customers",
        "SELECT * FROM till.sqlite_schema",
        "SELECT * FROM till.pragma_table_info('customers')",
        "SELECT * FROM information_schema.tables",
        "SELECT * FROM till.customers /* ' */ WHERE id = 1 UNION SELECT * FROM safe.customers -- x",
        "SELECT /*+ BROADCAST(s) */ * FROM till.customers JOIN safe.customers s ON TRUE",
        "SELECT id FROM till.customers WHERE EXISTS (SELECT 1 FROM `SAFE`.main.customers)",
        "WITH safe AS (SELECT 1 AS a) SELECT * FROM safe.customers",
        "SELECT * FROM safe.nothing",
        "SELECT * FROM till.nothing",
        "SELECT nothing FROM till.customers",
        "",
        ";",
        "SELECT '\x00' FROM till.customers WHERE",
    ],
)
def test_what_is_refused(site: VersionSite, reader: dict[str, str], sql: str) -> None:
    planned = post(site, sql, reader, "/explain")
    assert planned.status_code < 500, planned.text
    refused = post(site, sql, reader, engine="in-process")
    assert 400 <= refused.status_code < 500, refused.text
    for answer in (planned, refused):
        assert "root:" not in answer.text
        assert "very-secret" not in answer.text
    assert ask(site, "SELECT city FROM till.customers", reader)["rows"] == [["London"]]
    assert ask(site, "SELECT count(*) AS n FROM core.orders WHERE id < 4", reader)["rows"] == [[3]]


def test_a_source_is_for_its_readers(site: VersionSite, reader: dict[str, str]) -> None:
    sql = "SELECT city FROM safe.customers"
    bob = site.token_of("bob@example.com", TokenScope.READ)
    assert ask(site, sql, bob)["rows"] == [["London"]]
    for path in ("", "/explain"):
        for table in ("customers", "nothing"):
            refused = problem(post(site, f"SELECT * FROM safe.{table}", reader, path), 403, "E885")
            assert "city" not in repr(refused)


def test_why_a_source_fails_is_not_for_who_may_only_read(site: VersionSite, reader: dict[str, str]) -> None:
    answer = post(site, "SELECT * FROM gone.customers", reader)
    assert answer.status_code == 503
    assert "gone" in answer.json()["detail"]
    assert not answer.json().get("why")
    assert post(site, "SELECT * FROM gone.customers").json()["why"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT " + "(" * 10_000 + "1" + ")" * 10_000 + " AS x FROM till.customers",
        "SELECT id FROM till.customers WHERE " + "NOT " * 5_000 + "TRUE",
        "SELECT id FROM till.customers WHERE " + " + ".join(["id"] * 10_000) + " > 1",
        "SELECT * FROM " + "(SELECT * FROM " * 500 + "till.customers" + ")" * 500,
        " UNION ALL ".join(["SELECT id FROM till.customers"] * 2_000),
        "SELECT id FROM core.orders WHERE " + " + ".join(["id"] * 10_000) + " > 1",
        " UNION ALL ".join(["SELECT id FROM core.orders"] * 2_000),
    ],
    ids=["parentheses", "not", "plus", "subqueries", "unions", "plus of the lake", "unions of the lake"],
)
def test_deep_text_is_refused(site: VersionSite, reader: dict[str, str], sql: str) -> None:
    assert 400 <= post(site, sql, reader, engine="in-process").status_code < 500
    assert post(site, sql, reader, "/explain").status_code < 500


def test_long_values_share_the_room_of_an_answer(site: VersionSite, reader: dict[str, str]) -> None:
    longest = "SELECT city AS x FROM till.customers"
    for place in range(6):
        longest = f"SELECT concat(x, x, x, x, x, x, x, x) AS x FROM ({longest}) AS q{place}"
    (row,) = ask(site, longest, reader, limit=1000)["rows"]
    assert len(row[0]) < 100_000
    assert "(cut: " in row[0]


def test_long_text_is_refused(site: VersionSite, reader: dict[str, str]) -> None:
    assert post(site, "SELECT 1 -- " + "x" * 1_048_000, reader).status_code in (413, 422)
    assert post(site, "SELECT 1 -- " + "x" * 2_000_000, reader).status_code == 413


# every query is in the audit


def test_a_plan_is_in_the_audit_and_one_that_is_refused_too(site: VersionSite, reader: dict[str, str]) -> None:
    post(site, JOINED, reader, "/explain")
    noted = site.wiring.metadata.audit(limit=1)[0]
    assert (noted.action, noted.actor, noted.detail["text"]) == ("query.explain", "eve@example.com", JOINED)
    assert noted.detail["sources"] == ["lake", "till"]
    problem(post(site, "SELECT * FROM safe.customers", reader, "/explain"), 403, "E885")
    noted = site.wiring.metadata.audit(limit=1)[0]
    assert (noted.action, noted.detail["code"], noted.detail["asked"]) == ("query.refuse", "E885", "query.explain")


def test_who_is_given_what_another_request_asked_for_is_in_the_audit(
    site: VersionSite, reader: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = query._ports

    def slowly(*given: Any) -> FederationPorts:
        time.sleep(0.1)
        return opened(*given)

    monkeypatch.setattr(query, "_ports", slowly)
    monkeypatch.setattr(site.site.executor, "patience", 0.0)
    sql = "SELECT city FROM till.customers WHERE id < 4712"
    body = {"sql": sql, "engine": "in-process"}
    assert site.client.post(API, json=body, headers=reader).status_code == 202
    wait_for(lambda: site.client.post(API, json=body, headers=reader).status_code == 200)
    noted = [one for one in site.wiring.metadata.audit(limit=20) if one.detail.get("text") == sql]
    assert [one.action for one in noted] == ["query.share", "query.run"]
    assert (noted[0].actor, noted[0].detail["rows"], noted[0].detail["tables"]) == (
        "eve@example.com",
        1,
        ["till.customers"],
    )


def test_what_is_refused_before_it_begins_is_in_the_audit(
    site: VersionSite, reader: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    executor = site.site.executor
    monkeypatch.setattr(executor, "limits", replace(executor.limits, per_token=0, waiting=0))
    sql = "SELECT city FROM till.customers WHERE id < 4713"
    assert post(site, sql, reader).json()["code"] == "FORGE-E915"
    noted = site.wiring.metadata.audit(limit=1)[0]
    assert (noted.detail["text"], noted.detail["code"]) == (sql, "E915")


def test_rows_come_in_the_form_that_is_asked_for(site: VersionSite, reader: dict[str, str]) -> None:
    sql = "SELECT id, city FROM till.customers WHERE id = 1"
    rows, items = [[1, "London"]], [{"id": 1, "city": "London"}]
    for form, expected in {"both": (rows, items), "rows": (rows, None), "items": (None, items)}.items():
        answer = ask(site, sql, reader, form=form)
        assert (answer["rows"], answer["items"]) == expected
    assert post(site, sql, reader, form="neither").status_code == 422


# the end of a query


def endless(root: Path) -> str:
    """A view of a source that is read for minutes."""
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000000000) "
    with closing(sqlite3.connect(root / "data" / "till.db")) as connection, connection:
        connection.execute(f"CREATE VIEW IF NOT EXISTS long AS {numbers} SELECT max(i) AS i FROM n")
    return "SELECT i FROM till.long"


def readers_of_sources(site: VersionSite) -> int:
    return sum(not task.is_over for task in site.site.executor.reads())


def wait_for(what: Any) -> None:
    ends = time.monotonic() + 60
    while not what():
        assert time.monotonic() < ends
        time.sleep(0.02)


def test_a_query_that_takes_long_goes_on_and_is_cancelled(
    site: VersionSite, reader: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = endless(site.root)
    monkeypatch.setattr(site.site.executor, "patience", 0.3)
    ticket = post(site, sql, reader, engine="in-process")
    assert (ticket.status_code, ticket.json()["kind"]) == (202, "query")
    run_id = ticket.json()["run_id"]
    wait_for(lambda: site.site.executor.task(run_id).began)  # type: ignore[union-attr]
    other = site.token_of("carol@example.com", TokenScope.READ)
    problem(site.client.delete(f"{API}/{run_id}", headers=other), 403, "E904")
    problem(site.client.delete(f"{API}/r-nothing", headers=reader), 403, "E904")
    problem(site.client.delete(f"{API}/r-nothing"), 404, "E108")
    assert site.client.delete(f"{API}/{run_id}", headers=reader).status_code == 202
    wait_for(lambda: not readers_of_sources(site))
    task = site.site.executor.task(run_id)
    assert task is not None
    assert task.failure is not None
    assert task.failure.code == "E901"


def test_a_run_that_is_no_query_is_not_ended_as_one(site: VersionSite) -> None:
    runs = site.client.get("/api/v1/runs", params={"limit": 500}).json()["items"]
    other = next(one["run_id"] for one in runs if one["kind"] != "query")
    problem(site.client.delete(f"{API}/{other}"), 404, "E108")


def test_the_time_limit_ends_it_at_the_source(
    site: VersionSite, reader: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = endless(site.root)
    executor = site.site.executor
    monkeypatch.setattr(executor, "limits", replace(executor.limits, seconds=0.5))
    refused = post(site, f"{sql} WHERE 1 = 1", reader, engine="in-process")
    assert refused.json()["code"] == "FORGE-E916"
    wait_for(lambda: not readers_of_sources(site))


def test_a_request_gives_its_query_a_time(site: VersionSite, reader: dict[str, str]) -> None:
    sql = endless(site.root)
    refused = post(site, f"{sql} WHERE 3 = 3", reader, engine="in-process", timeout=0.4)
    assert (refused.status_code, refused.json()["code"]) == (408, "FORGE-E916")
    assert "(timeout)" in refused.json()["fix"]
    wait_for(lambda: not readers_of_sources(site))
    assert ask(site, "SELECT 1 AS one", reader, timeout=30)["rows"] == [[1]]
    for bad in (0, -1, 86_401, "soon"):
        assert post(site, "SELECT 1", reader, timeout=bad).status_code == 422


def test_who_is_gone_waits_for_nothing(site: VersionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    from forge.api import auth

    sql = endless(site.root)
    monkeypatch.setattr(auth, "_is_gone", lambda request: True)
    assert post(site, f"{sql} WHERE 2 = 2", engine="in-process").status_code >= 400
    wait_for(lambda: not readers_of_sources(site))


def test_no_spark_is_started(site: VersionSite, reader: dict[str, str]) -> None:
    wiring: Wiring = site.wiring
    ask(site, JOINED, reader)
    assert "session" not in wiring.__dict__ or wiring.session.peek() is None


# a source that is down


def test_a_source_that_is_down_is_named_with_the_plan_of_the_rest(site: VersionSite, reader: dict[str, str]) -> None:
    sql = "SELECT c.city, g.total FROM till.customers c JOIN gone.orders g ON c.id = g.id WHERE c.city = 'Rome'"
    told = {}
    for name, headers in (("reader", reader), ("writer", None)):
        answer = post(site, sql, headers, "/explain")
        assert answer.status_code == 200, answer.text
        plan = answer.json()
        asked = {one["source"]: one for one in plan["sources"]}
        assert "city" in asked["till"]["asked"]
        assert "unavailable" not in asked["till"]
        told[name] = asked["gone"]["unavailable"]
        nodes = {one["source"]: one for one in plan["nodes"]["children"]}
        assert nodes["gone"]["unavailable"] == told[name]
        assert "unavailable" not in nodes["till"]
    assert told["reader"] == "The source gone cannot be read."
    assert told["writer"] == "gone cannot be reached. There is no such file."
    problem(post(site, sql, reader, engine="in-process"), 503, "E308")


def test_what_was_seen_of_a_source_that_is_down_is_in_the_plan(site: VersionSite) -> None:
    file = lay_shop(site.root / "data" / "very-secret-place.db")
    assert site.client.post("/api/v1/federation/sources/gone/test").status_code == 200
    file.unlink()
    sql = "SELECT * FROM core.orders o JOIN gone.customers g ON o.id = g.id"
    plan = post(site, sql, None, "/explain").json()
    (gone,) = [one for one in plan["sources"] if one["source"] == "gone"]
    assert (gone["columns"], "unavailable" in gone) == (["id", "email", "city"], True)


def test_a_plan_without_any_source_that_can_be_reached_is_an_error(site: VersionSite, reader: dict[str, str]) -> None:
    refused = problem(post(site, "SELECT id FROM gone.customers", reader, "/explain"), 503, "E308")
    assert (refused["detail"], refused["why"]) == ("The source gone cannot be read", None)
