"""Virtual tables over HTTP: what they are, their rows in pages, who may do what, and what an intruder gets."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlite_source import alter, lay_shop
from version_site import VersionSite, open_version_site, problem

from forge.flows.catalog.personal_data import PersonalColumns
from forge.flows.federation.virtual_tables import create_virtual_table
from forge.flows.upkeep.access import TokenScope

API = "/api/v1/federation/virtual-tables"
YAML = "project: shop\nuser: {name: Ada, email: ada@example.com}\nversioning: {keys: {core.orders: [id]}}\n"
SOURCES = """\
sources:
  - {name: till, connector: sqlite, path: data/till.db, hidden: [customers.email]}
  - {name: safe, connector: sqlite, path: data/safe.db, readers: [bob@example.com, ada@example.com]}
"""
ORDERS = "id,name,amount\n1,a,10.5\n2,b,20.0\n3,c,30.0\n"
SECRET = "ada@example.com"  # the e-mail of a customer, hidden
PEOPLE: dict[str, Any] = {
    "name": "people",
    "sources": [{"alias": "c", "connector_id": "till", "table_name": "customers"}],
    "columns": [
        {"name": "id", "source_column": "c.id"},
        {"name": "city", "source_column": "c.city"},
        {"name": "mail", "source_column": "c.email"},
        {"name": "shout", "expression": "upper(c.email)", "data_type": "string"},
    ],
}
BOUGHT: dict[str, Any] = {
    "name": "bought",
    "sources": [{"alias": "o", "connector_id": "lake", "schema_name": "core", "table_name": "orders"}],
    "columns": [
        {"name": "id", "source_column": "o.id"},
        {"name": "name", "source_column": "o.name"},
        {"name": "double", "expression": "o.amount * 2", "data_type": "double"},
    ],
}

pytestmark = pytest.mark.slow


@pytest.fixture
def site(tmp_path: Path) -> Iterator[VersionSite]:
    with open_version_site(tmp_path / "shop", YAML) as opened:
        (opened.root / "sources").mkdir()
        (opened.root / "sources" / "all.yaml").write_text(SOURCES)
        for name in ("till", "safe"):
            file = lay_shop(opened.root / "data" / f"{name}.db")
            with closing(sqlite3.connect(file)) as opened_file, opened_file:
                more = [(2, "b@example.com", "Paris"), (3, None, "Paris"), (4, "d@example.com", None)]
                opened_file.executemany("INSERT INTO customers VALUES (?, ?, ?)", more)
        opened.commit(ORDERS)
        yield opened


@pytest.fixture
def reader(site: VersionSite) -> dict[str, str]:
    return site.token_of("eve@example.com", TokenScope.READ)


def add(site: VersionSite, fields: dict[str, Any], as_: dict[str, str] | None = None, **more: Any) -> dict[str, Any]:
    made = site.client.post(API, json={**fields, **more}, headers=as_)
    assert made.status_code == 201, made.text
    assert made.headers["location"] == f"{API}/{made.json()['id']}"
    found: dict[str, Any] = made.json()
    return found


def get(site: VersionSite, path: str = "", as_: dict[str, str] | None = None, **query: Any) -> Any:
    answer = site.client.get(f"{API}{path}", params=query, headers=as_)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_virtual_table_is_made_read_changed_tested_and_deleted(site: VersionSite) -> None:
    made = add(site, PEOPLE, description="Customers")
    assert (made["id"], made["version"], made["origin"], made["may_read"]) == ("people", 1, "http", True)
    assert (made["cache_enabled"], made["cache_ttl_seconds"], made["allowed_operations"]) == (True, 3600, ["SELECT"])
    assert [one["data_type"] for one in made["columns"]] == ["bigint", "string", "string", "string"]
    assert get(site, "/people") == get(site, "/PEOPLE") == made
    assert [one["id"] for one in get(site)["items"]] == ["people"]
    body = {"expected_version": 1, "columns": PEOPLE["columns"][:2], "cache_ttl_seconds": 60}
    changed = site.client.patch(f"{API}/people", json=body).json()
    assert (changed["version"], len(changed["columns"]), changed["description"]) == (2, 2, "Customers")
    stale = problem(site.client.patch(f"{API}/people", json={"expected_version": 1, "description": "x"}), 409, "E897")
    assert "Read it again" in stale["fix"]
    assert site.client.post(f"{API}/people/test").json()["changes"] == []
    assert site.client.delete(f"{API}/people", params={"expected_version": 2}).status_code == 204
    problem(site.client.get(f"{API}/people"), 404, "E895")


def test_a_select_becomes_a_virtual_table(site: VersionSite, reader: dict[str, str]) -> None:
    sql = "SELECT c.id, c.id * 2 AS twice FROM till.customers c WHERE c.city = 'Paris'"
    missing = problem(site.client.post(f"{API}/draft", json={"sql": sql}), 422, "E889")
    assert "Run the query first" in missing["fix"]
    draft = site.client.post(f"{API}/draft", json={"sql": sql, "types": {"twice": "bigint"}})
    assert draft.status_code == 200, draft.text
    made = add(site, draft.json(), name="drafted")
    assert made["columns"][1]["expression"] == "c.id * 2"
    assert "CAST(`c`.`id` AS BIGINT) AS `id`" in made["sql"]
    assert get(site, "/drafted/rows", reader)["items"] == [{"id": 2, "twice": 4}, {"id": 3, "twice": 6}]
    again = site.client.post(f"{API}/draft", json={"sql": made["sql"]}).json()
    assert {key: made[key] for key in again} == again


def test_a_draft_tells_nothing_of_what_its_asker_may_not_read(site: VersionSite, reader: dict[str, str]) -> None:
    eve = site.token_of("eve@example.com")
    for sql in ("SELECT * FROM safe.customers", "SELECT nothing FROM safe.customers", "SELECT * FROM safe.no_table"):
        problem(site.client.post(f"{API}/draft", json={"sql": sql}, headers=eve), 403, "E885")
    safe = {**PEOPLE, "sources": [{**PEOPLE["sources"][0], "connector_id": "safe"}]}
    add(site, safe)
    problem(site.client.post(f"{API}/draft", json={"sql": "SELECT * FROM virtual.people"}, headers=eve), 403, "E885")
    problem(
        site.client.post(f"{API}/draft", json={"sql": "SELECT id FROM till.customers"}, headers=reader), 403, "E904"
    )
    assert get(site, "/people", reader)["sql"] is None
    for sql in ("DROP TABLE x", "WITH x AS (SELECT 1) DELETE FROM till.customers"):
        problem(site.client.post(f"{API}/draft", json={"sql": sql}), 409, "E213")


def test_rows_come_filtered_sorted_and_in_pages(site: VersionSite) -> None:
    add(site, PEOPLE)
    page = get(site, "/people/rows", columns="id,city", sort="-city", limit=3)
    assert [(one["id"], one["city"]) for one in page["items"]] == [(2, "Paris"), (3, "Paris"), (1, "London")]
    assert page["has_more"] is True
    rest = get(site, "/people/rows", columns="id,city", sort="-city", limit=3, cursor=page["next_cursor"])
    assert ([one["id"] for one in rest["items"]], rest["next_cursor"], rest["has_more"]) == ([4], None, False)
    for filters, ids in (
        ("city=Paris", [2, 3]),
        (["city=Paris", "id>2"], [3]),
        ("city is null", [4]),
        ("city is not null", [1, 2, 3]),
        ("id<>2", [1, 3, 4]),
        ("id<=2", [1, 2]),
        ("city=Paris' OR '1'='1", []),
        ("city=:p0", []),
        ("id=2 ", None),
    ):
        answer = site.client.get(f"{API}/people/rows", params={"filter": filters})
        if ids is None:
            problem(answer, 422, "E105")
        else:
            assert [one["id"] for one in answer.json()["items"]] == ids, filters
    problem(site.client.get(f"{API}/people/rows", params={"columns": "id", "cursor": page["next_cursor"]}), 422, "E105")


def test_pages_read_one_commit_of_the_lake(site: VersionSite) -> None:
    add(site, BOUGHT)
    page = get(site, "/bought/rows", limit=2)
    assert page["commit"]
    assert [(one["id"], one["double"]) for one in page["items"]] == [(1, 21.0), (2, 40.0)]
    site.commit("id,name,amount\n0,z,1.0\n")
    rest = get(site, "/bought/rows", limit=2, cursor=page["next_cursor"])
    assert ([one["id"] for one in rest["items"]], rest["commit"]) == ([3], page["commit"])


@pytest.mark.parametrize(
    "query",
    [
        {"columns": "id,(SELECT 1)"},
        {"columns": "*"},
        {"columns": "`id`"},
        {"sort": "id; DROP TABLE x"},
        {"sort": "(SELECT 1)"},
        {"sort": "1"},
        {"filter": "1=1 OR id=1"},
        {"filter": "upper(city)=PARIS"},
        {"filter": "id=1 OR 1=1"},
        {"filter": "id=(SELECT max(id) FROM safe.customers)"},
        {"filter": "email=x"},
        {"filter": "id like 1"},
    ],
)
def test_no_text_of_a_request_becomes_sql(site: VersionSite, query: dict[str, str]) -> None:
    add(site, PEOPLE)
    answer = site.client.get(f"{API}/people/rows", params=query)
    assert answer.status_code in (404, 422), answer.text
    assert SECRET not in answer.text


def test_what_is_hidden_is_null_through_columns_filters_and_order(site: VersionSite, reader: dict[str, str]) -> None:
    add(site, PEOPLE)
    page = get(site, "/people/rows", reader, sort="shout,mail,-id")
    assert [(one["id"], one["mail"], one["shout"]) for one in page["items"]] == [
        (number, None, None) for number in (4, 3, 2, 1)
    ]
    assert {one["name"] for one in page["columns"] if one["masked"]} == {"mail", "shout"}
    for filters in (f"mail={SECRET}", "shout>A", "mail is not null", "shout<>x"):
        assert get(site, "/people/rows", reader, filter=filters)["items"] == []
    assert len(get(site, "/people/rows", reader, filter="mail is null")["items"]) == 4


def test_personal_data_of_the_lake_is_null_through_it(
    site: VersionSite, reader: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    add(site, BOUGHT)
    hidden = PersonalColumns(frozenset({("core.orders", "name"), ("core.orders", "amount")}))
    monkeypatch.setitem(site.wiring.catalog.__dict__, "personal_at", lambda commit=None: hidden)
    page = get(site, "/bought/rows", reader, sort="-double")
    assert [(one["name"], one["double"]) for one in page["items"]] == [(None, None)] * 3
    assert get(site, "/bought/rows", reader, filter="double>0")["items"] == []


def test_a_reader_changes_nothing(site: VersionSite, reader: dict[str, str]) -> None:
    problem(site.client.post(API, json=PEOPLE, headers=reader), 403, "E904")
    add(site, PEOPLE)
    problem(site.client.patch(f"{API}/people", json={"description": "x"}, headers=reader), 403, "E904")
    problem(site.client.delete(f"{API}/people", headers=reader), 403, "E904")
    problem(site.client.post(f"{API}/people/test", headers=reader), 403, "E904")
    shown = get(site, "/people", reader)
    assert (shown["readers"], shown["hidden"], len(shown["columns"])) == (None, None, 4)
    assert site.wiring.federation.virtual_declared.seen("people") is not None


def test_who_may_not_read_a_source_gets_nothing_of_it_through_it(site: VersionSite, reader: dict[str, str]) -> None:
    safe = {**PEOPLE, "sources": [{**PEOPLE["sources"][0], "connector_id": "safe"}]}
    eve = site.token_of("eve@example.com")
    problem(site.client.post(API, json=safe, headers=eve), 403, "E885")
    add(site, safe, readers=["eve@example.com", "ada@example.com", "bob@example.com"])
    for headers in (reader, eve):
        for path in ("/people/rows", "/people/rows?columns=nothing_here_id", "/people/drift"):
            answer = site.client.get(f"{API}{path}", headers=headers)
            problem(answer, 403, "E885")
        problem(site.client.get(f"{API}/people/rows", headers=headers), 403, "E885")
        sql = {"sql": "SELECT * FROM virtual.people"}
        problem(site.client.post("/api/v1/federation/query", json=sql, headers=headers), 403, "E885")
        problem(site.client.post("/api/v1/federation/query/explain", json=sql, headers=headers), 403, "E885")
    shown = get(site, "/people", reader)
    assert (shown["may_read"], shown["sources"], shown["columns"]) == (False, None, None)
    assert len(get(site, "/people/rows", site.token_of("bob@example.com", TokenScope.READ))["items"]) == 4


def test_who_is_no_reader_of_it_is_refused_and_cannot_let_himself_in(site: VersionSite) -> None:
    add(site, PEOPLE, readers=["ada@example.com"])
    eve = site.token_of("eve@example.com")
    problem(site.client.get(f"{API}/people/rows", headers=eve), 403, "E885")
    body = {"readers": ["eve@example.com"]}
    problem(site.client.patch(f"{API}/people", json=body, headers=eve), 403, "E885")
    problem(site.client.delete(f"{API}/people", headers=eve), 403, "E885")


def test_what_a_table_with_readers_is_made_of_is_not_in_the_graph_of_everyone(
    site: VersionSite, reader: dict[str, str]
) -> None:
    def graph() -> str:
        query = {"root_id": "virtual.people.shout", "direction": "upstream"}
        return str(site.client.get("/api/v1/lineage/graph", params=query, headers=reader).text)

    add(site, PEOPLE)
    assert "till.main.customers" in graph() or "till.customers" in graph()
    site.client.patch(f"{API}/people", json={"readers": ["ada@example.com"]})
    assert "customers" not in graph()
    assert "upper" not in graph()
    site.client.patch(f"{API}/people", json={"readers": []})
    assert "upper" in graph()
    safe = {**PEOPLE["sources"][0], "connector_id": "safe"}
    site.client.patch(f"{API}/people", json={"sources": [safe]})
    assert "customers" not in graph()
    assert "upper" not in graph()


def test_readers_of_a_table_of_the_lake_are_those_of_what_is_made_of_it(tmp_path: Path) -> None:
    readers = "federation: {lake: {readers: {core.orders: [ada@example.com]}}}\n"
    with open_version_site(tmp_path / "shop", f"{YAML}{readers}") as site:
        site.commit(ORDERS)
        add(site, BOUGHT, default_filters=["o.name <> 'kestrel'"])
        above = {"alias": "b", "connector_id": "virtual", "table_name": "bought"}
        add(site, {"name": "above", "sources": [above], "columns": [{"name": "id", "source_column": "b.id"}]})
        eve = site.token_of("eve@example.com", TokenScope.READ)
        for name in ("bought", "above"):
            shown = get(site, f"/{name}", eve)
            assert (shown["may_read"], shown["sources"], shown["columns"], shown["sql"]) == (False, None, None, None)
            problem(site.client.get(f"{API}/{name}/rows", headers=eve), 403, "E885")
            assert get(site, f"/{name}")["may_read"]
        for path in (API, f"{API}/bought", "/api/v1/federation/sources/lake/users"):
            assert "kestrel" not in site.client.get(path, headers=eve).text
        for name in ("bought", "above"):
            query = {"root_id": f"virtual.{name}.id", "direction": "upstream"}
            for headers in (eve, None):  # the graph is for everyone
                graph = site.client.get("/api/v1/lineage/graph", params=query, headers=headers)
                problem(graph, 404, "E801")


def test_rights_that_are_taken_away_hold_at_once(site: VersionSite) -> None:
    add(site, PEOPLE)
    eve = site.token_of("eve@example.com", TokenScope.READ)
    assert get(site, "/people/rows", eve)["items"]
    site.client.patch(f"{API}/people", json={"readers": ["ada@example.com"]})
    problem(site.client.get(f"{API}/people/rows", headers=eve), 403, "E885")


def test_tables_of_files_and_commands_are_not_changed_here(site: VersionSite) -> None:
    create_virtual_table(PEOPLE, site.wiring.federation.virtual_ports())
    folder = site.root / "virtual_tables"
    folder.mkdir()
    text = "virtual_tables:\n- name: bought\n  sources: [{alias: c, connector_id: till, table_name: customers}]\n"
    (folder / "a.yaml").write_text(f"{text}  columns: [{{name: id, source_column: c.id}}]\n- {{name: bad}}\n")
    listed = get(site)
    assert [(one["id"], one["origin"], one["where"]) for one in listed["items"]] == [
        ("bought", "file", "virtual_tables/a.yaml:2"),
        ("people", "command", None),
    ]
    assert {one["code"] for one in listed["errors"]} == {"FORGE-E894"}
    for name in ("bought", "people"):
        problem(site.client.patch(f"{API}/{name}", json={"description": "x"}), 409, "E898")
        problem(site.client.delete(f"{API}/{name}"), 409, "E898")
    problem(site.client.post(API, json=BOUGHT), 409, "E896")
    assert [one["id"] for one in get(site, "/bought/rows")["items"]] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (
            {
                "columns": [
                    {"name": "x", "expression": "(SELECT max(email) FROM safe.customers)", "data_type": "string"}
                ]
            },
            "E894",
        ),
        ({"columns": [{"name": "x", "expression": "max(c.id)", "data_type": "int"}]}, "E894"),
        ({"columns": [{"name": "x", "expression": "reflect('java.lang.System', 'exit')", "data_type": "int"}]}, "E894"),
        ({"columns": [{"name": "x", "expression": "c.id FROM safe.customers c --", "data_type": "int"}]}, "E894"),
        ({"columns": [{"name": "x, (SELECT 1)", "source_column": "c.id"}]}, "E894"),
        ({"columns": [{"name": "x", "source_column": "c.id", "data_type": "int) --"}]}, "E894"),
        ({"default_filters": ["EXISTS (SELECT 1 FROM safe.customers)"]}, "E894"),
        ({"default_filters": ["1=1; DROP TABLE x"]}, "E894"),
        ({"name": "people; drop"}, "E894"),
        ({"sources": [{"alias": "c", "connector_id": "file:/etc/passwd"}]}, "E881"),
        (
            {"sources": [{"alias": "c", "connector_id": "till", "table_name": "customers; DROP TABLE customers"}]},
            "E887",
        ),
    ],
)
def test_no_definition_holds_anything_but_names_and_plain_expressions(
    site: VersionSite, change: dict[str, Any], code: str
) -> None:
    answer = site.client.post(API, json={**PEOPLE, **change})
    assert answer.status_code in (403, 404, 422), answer.text
    assert answer.json()["code"] == f"FORGE-{code}", answer.text
    assert get(site)["items"] == []


def test_operations_other_than_select_are_refused(site: VersionSite) -> None:
    for operations in (["INSERT"], ["SELECT", "DELETE"], []):
        answer = site.client.post(API, json={**PEOPLE, "allowed_operations": operations})
        assert answer.status_code == 422, answer.text


def test_a_source_that_drifts_is_told(site: VersionSite, reader: dict[str, str]) -> None:
    add(site, PEOPLE)
    alter(site.root / "data" / "till.db", "ALTER TABLE customers RENAME COLUMN city TO town")
    drift = get(site, "/people/drift", reader)
    assert [(one["table"], one["change"], one["column"]) for one in drift["changes"]] == [
        ("till.customers", "removed", "city")
    ]
    problem(site.client.get(f"{API}/people/rows"), 422, "E893")
    problem(site.client.post(f"{API}/people/test"), 422, "E893")


def test_who_is_refused_is_in_the_audit_wherever_he_asked(site: VersionSite, reader: dict[str, str]) -> None:
    guarded = [{"alias": "c", "connector_id": "safe", "table_name": "customers"}]
    add(site, {**PEOPLE, "name": "guarded", "sources": guarded})
    writer = site.token_of("eve@example.com", TokenScope.WRITE)
    draft = {"sql": "SELECT city FROM safe.customers"}
    asked = [
        (site.client.get(f"{API}/guarded/rows", headers=reader), "virtual.guarded"),
        (site.client.get(f"{API}/guarded/drift", headers=reader), "virtual.guarded"),
        (site.client.post(f"{API}/guarded/test", headers=writer), "virtual.guarded"),
        (site.client.post(f"{API}/draft", json=draft, headers=writer), draft["sql"]),
        (site.client.post(API, json={**PEOPLE, "name": "mine", "sources": guarded}, headers=writer), "virtual.mine"),
    ]
    for answer, _ in asked:
        problem(answer, 403, "E885")
    noted = site.wiring.metadata.audit(limit=len(asked))[::-1]
    assert [(one.action, one.actor, one.detail["text"]) for one in noted] == [
        ("query.refuse", "eve@example.com", text) for _, text in asked
    ]
    site.client.post(f"{API}/draft", json={"sql": "SELECT city FROM till.customers"})
    assert site.wiring.metadata.audit(limit=1)[0].action == "query.draft"
