"""Searching over HTTP: facets, reasons, pages, context."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from catalog_site import LATER, MAIN, STAFF, open_catalog, problem
from fastapi.testclient import TestClient
from sqlite_source import lay_shop
from version_site import VersionSite, open_version_site

from forge.catalog.discovery.usage import UsageKind
from forge.catalog.pii.review import PiiRecord
from forge.contracts.lifecycle import ContractState, LifecycleStep
from forge.contracts.registry import RegisteredContract
from forge.flows.catalog.crawl import crawl
from forge.flows.contracts.ports import LifecycleWrite, Registration
from forge.flows.runs.records import AuditRecord
from forge.flows.upkeep.access import TokenScope
from forge.quality.monitors.monitor import CheckResult, MonitorRun, MonitorRunStatus, Trigger
from forge.quality.verdict import Outcome, Severity
from forge.wiring import Wiring

API = "/api/v1/catalog"


@pytest.fixture(scope="module")
def catalog_client(make_site_project: Callable[[], Path], login: str) -> Iterator[TestClient]:
    with open_catalog(make_site_project(), login) as (_, client):
        yield client


def ask(client: TestClient, path: str = "search", **params: Any) -> Any:
    answer = client.get(f"{API}/{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_facets_count_what_matches_and_what_else_could_be_chosen(catalog_client: TestClient) -> None:
    found = ask(catalog_client, facets=["type", "tag", "owner"], types="view")
    assert found["total_count"] == 2
    types = {one["value"]: one["count"] for one in found["facets"]["type"]}
    assert types == {"schema": 3, "table": 2, "view": 2}
    assert found["facets"]["tag"] == [{"value": "silver", "count": 2}, {"value": "pii", "count": 1}]
    assert set(found["facets"]) == {"type", "tag", "owner"}
    assert ask(catalog_client)["facets"] == {}


def test_a_hit_says_where_it_matched_and_why_it_is_there(catalog_client: TestClient) -> None:
    hit = ask(catalog_client, q="full name", explain=True)["items"][0]
    assert (hit["id"], hit["stage"]) == ("hr.staff", "related")
    assert hit["matched_columns"] == [{"name": "fullName", "marks": [[0, 8]]}]
    assert hit["explanation"]["stage"] == "related"
    assert hit["explanation"]["points"] == hit["explanation"]["base"] + sum(
        boost["points"] for boost in hit["explanation"]["boosts"]
    )
    marked = ask(catalog_client, q="works")["items"][0]["highlight"]["description"]
    assert (marked["text"], marked["marks"]) == ("Who works here", [[4, 9]])


def test_schemas_are_results_of_their_own(catalog_client: TestClient) -> None:
    assert [(hit["id"], hit["qualified_name"]) for hit in ask(catalog_client, q="hr", types="schema")["items"]] == [
        ("schema:hr", "hr")
    ]
    assert [hit["id"] for hit in ask(catalog_client, containers="hr")["items"]] == ["hr.staff", "hr.staff_names"]


def test_pages_are_followed_by_their_cursor_alone(catalog_client: TestClient) -> None:
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = ask(catalog_client, q="staff", limit=1, **({"cursor": cursor} if cursor else {}))
        seen += [hit["id"] for hit in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == ["hr.staff", "hr.staff_names"]


@pytest.mark.parametrize(
    "params",
    [
        {"cursor": "nonsense"},
        {"cursor": "x" * 6001},
        {"limit": 0},
        {"limit": 501},
        {"q": "a b c d e f g h i j k l m n o p q"},
        {"types": "nonsense"},
        {"facets": "nonsense"},
        {"classification": "secret"},
        {"tags": ["x"] * 21},
        {"tags": "x" * 301},
        {"explain": "perhaps"},
    ],
    ids=str,
)
def test_a_search_that_means_nothing_is_refused(catalog_client: TestClient, params: dict[str, Any]) -> None:
    problem(catalog_client.get(f"{API}/search", params=params), 422, "E105")


def test_a_cursor_of_another_search_is_refused(catalog_client: TestClient) -> None:
    cursor = ask(catalog_client, q="staff", limit=1)["next_cursor"]
    problem(catalog_client.get(f"{API}/search", params={"q": "orders", "cursor": cursor}), 422, "E105")


def test_the_context_is_bounded_and_holds_words_and_columns(catalog_client: TestClient) -> None:
    whole = ask(catalog_client, "context", q="staff")
    assert whole["assets"] == ["hr.staff", "hr.staff_names"]
    assert whole["text"].startswith("## hr.staff (view)\nWho works here\n")
    assert "- fullName string: First and last" in whole["text"]
    assert whole["chars"] == len(whole["text"]) <= 8000
    small = ask(catalog_client, "context", q="staff", max_chars=200)
    assert small["chars"] <= 200
    assert small["left_out"] == 2 - len(small["assets"])
    problem(catalog_client.get(f"{API}/context"), 422, "E105")
    problem(catalog_client.get(f"{API}/context", params={"q": "x", "max_chars": 10}), 422, "E105")


SOURCES = """\
sources:
  - {name: till, connector: sqlite, path: data/till.db}
  - {name: safe, connector: sqlite, path: data/safe.db, readers: [bob@example.com]}
"""
CRAWLED = """\
project: shop
user: {name: Ada, email: ada@example.com}
catalog:
  follow: false
  sources: {a: {url: "jdbc:sqlite:data/till.db"}, b: {url: "jdbc:sqlite:data/safe.db"}}
"""


def test_the_context_has_a_source_that_names_its_readers_for_them_alone(tmp_path: Path) -> None:
    with open_version_site(tmp_path / "shop", CRAWLED) as site:
        (site.root / "sources").mkdir()
        (site.root / "sources" / "all.yaml").write_text(SOURCES)
        for name in ("till", "safe"):
            lay_shop(site.root / "data" / f"{name}.db")
        crawl(site.wiring.catalog.crawl_ports())
        people = {user: site.token_of(user, TokenScope.READ) for user in ("bob@example.com", "eve@example.com")}
        both = ["sqlite:safe.customers", "sqlite:till.customers"]
        for question in ("customers", "which customers are in that city"):
            for user, found in (("bob@example.com", both), ("eve@example.com", both[1:])):
                answer = site.client.get(f"{API}/context", params={"q": question}, headers=people[user]).json()
                assert sorted(answer["assets"]) == found
                assert answer["left_out"] == 0
                assert ("sqlite:safe" in answer["text"]) == (user == "bob@example.com")


def told(site: VersionSite, headers: dict[str, str]) -> str:
    """All that every door of the catalog and of the lineage tells a person who looks for customers."""
    safe = "sqlite:safe.customers"
    doors: list[tuple[str, dict[str, Any]]] = [
        (f"{API}/search", {"q": "customers", "facets": ["type", "owner", "tag"]}),
        (f"{API}/search", {"containers": "sqlite:safe"}),
        (f"{API}/search", {"q": "safe", "types": ["column", "schema", "database"]}),
        (f"{API}/suggest", {"prefix": "cust"}),
        (f"{API}/suggest", {"prefix": "safe"}),
        (f"{API}/context", {"q": "customers"}),
        (f"{API}/assets/sqlite:till.customers/similar", {}),
        (f"{API}/popular", {}),
        (f"{API}/recommendations", {}),
        (f"{API}/tags", {}),
        (f"{API}/domains", {}),
        ("/api/v1/lineage/search", {}),
        ("/api/v1/lineage/erd", {}),
    ]
    answers = [site.client.get(door, params=params, headers=headers) for door, params in doors]
    assert {answer.status_code for answer in answers} == {200}
    unknown = [f"{API}/assets/{safe}{path}" for path in ("", "/similar", "/usage", "/history")]
    for door in (*unknown, f"/api/v1/lineage/graph?root_id={safe}"):
        assert site.client.get(door, headers=headers).status_code == 404, door
    return "".join(answer.text for answer in answers)


def test_a_source_that_names_its_readers_is_at_no_door_of_the_catalog(tmp_path: Path) -> None:
    settings = CRAWLED.partition("  sources:")[0]
    with open_version_site(tmp_path / "shop", settings) as site:
        (site.root / "sources").mkdir()
        (site.root / "sources" / "all.yaml").write_text(SOURCES)
        for name in ("till", "safe"):
            lay_shop(site.root / "data" / f"{name}.db")
        crawl(site.wiring.catalog.crawl_ports())
        found = told(site, site.token_of("eve@example.com", TokenScope.READ))
        assert "sqlite:till.customers" in found
        assert "sqlite:safe" not in found


def test_a_source_that_gets_readers_leaves_every_door_and_comes_back_without_them(tmp_path: Path) -> None:
    settings = CRAWLED.partition("  sources:")[0] + "federation: {folders: [data]}\n"
    with open_version_site(tmp_path / "shop", settings) as site:
        sources, eve = "/api/v1/federation/sources", site.token_of("eve@example.com", TokenScope.READ)
        for name in ("till", "safe"):
            lay_shop(site.root / "data" / f"{name}.db")
            body = {"name": name, "connector": "sqlite", "path": f"data/{name}.db"}
            assert site.client.post(sources, json=body).status_code == 201
        ports = site.wiring.catalog.crawl_ports
        crawl(ports())
        note = {"description": "salaries of sqlite:safe", "tags": ["sqlite:safe"]}
        safe = f"{API}/assets/sqlite:safe.customers"
        assert site.client.patch(safe, json=note).status_code == 200
        assert "sqlite:safe" in site.client.get(f"{API}/search", params={"q": "salaries"}, headers=eve).text
        assert site.client.patch(f"{sources}/safe", json={"readers": ["ada@example.com"]}).status_code == 200
        assert "sqlite:safe" not in told(site, eve)
        crawl(ports())
        assert "sqlite:safe" not in told(site, eve)
        for more in ({}, {"tags": ["mine"]}):
            registered = {"qualified_name": "sqlite:safe.customers", **more}
            assert site.client.post(f"{API}/assets", json=registered).status_code == 404
        assert site.client.patch(f"{sources}/safe", json={"readers": []}).status_code == 200
        crawl(ports())
        assert site.client.get(safe, headers=eve).json()["description"] == note["description"]


@pytest.fixture(scope="module")
def changing(make_site_project: Callable[[], Path], login: str) -> Iterator[tuple[Wiring, TestClient]]:
    with open_catalog(make_site_project(), login) as (wiring, client):
        yield wiring, client


def facet(client: TestClient, name: str, **params: Any) -> dict[str, int]:
    return {one["value"]: one["count"] for one in ask(client, facets=[name], **params)["facets"][name]}


def test_what_is_outside_the_lake_counts_what_comes_after_it_and_so_do_dashboards(
    changing: tuple[Wiring, TestClient],
) -> None:
    _, client = changing

    def register(name: str, kind: str, *backed_by: str) -> None:
        item = {"qualified_name": name, "type": kind, "backed_by": list(backed_by)}
        assert client.post(f"{API}/assets", json=item).status_code in (200, 201)

    def sheet(name: str) -> tuple[list[str], list[str], int]:
        found = client.get(f"{API}/assets/{name}").json()
        return found["upstream_tables"], found["downstream_tables"], found["downstream_count"]

    register("files:x", "dataset", "hr.staff")  # what it fills is no reader of it
    assert sheet("files:x") == ([], ["hr.staff"], 2)
    assert sheet("hr.staff")[2] == 1
    register("bi:staff", "dashboard", "hr.staff_names", "pg:crm.public.people")
    register("metric:headcount", "metric", "bi:staff")
    register("forge:hr", "pipeline", "hr.staff_names")
    assert sheet("files:x") == ([], ["hr.staff"], 4)
    assert sheet("hr.staff_names")[2] == 2
    register("bi:staff", "dashboard", "pg:crm.public.people")
    assert sheet("hr.staff_names")[2] == 0
    register("pg:crm.public.people", "table")
    assert sheet("pg:crm.public.people") == ([], [], 2)


def test_a_finding_that_is_rejected_leaves_the_facets_at_once(changing: tuple[Wiring, TestClient]) -> None:
    wiring, client = changing
    assert facet(client, "pii") == {"name": 1, "personal": 1}  # hr.staff.fullName, and `who`, which comes from it
    finding = PiiRecord(
        id="f1",
        table="hr.staff_names",
        table_key="u",
        column="who",
        type="ssn",
        score=0.95,
        evidence=("it looks like it",),
        first_seen=LATER,
        last_seen=LATER,
    )
    wiring.catalog.pii.findings.save([finding], None, AuditRecord(LATER, "ada", "pii.scan", "hr.staff_names"))
    assert facet(client, "pii") == {"name": 1, "ssn": 1}
    assert ask(client, classification="restricted")["items"][0]["id"] == "hr.staff_names"
    body = {"state": "rejected", "expected_version": 1}
    assert client.patch(f"{API}/pii/findings/f1", json=body).status_code == 200
    assert facet(client, "pii") == {"name": 1}
    assert ask(client, classification="restricted")["items"] == []


def test_use_moves_results_at_once(changing: tuple[Wiring, TestClient]) -> None:
    wiring, client = changing
    wiring.catalog.discovery.recorder.record(UsageKind.VIEW, ["hr.staff_names"] * 5, "eve")
    wiring.catalog.discovery.recorder.flush()
    assert ask(client, sort="popularity")["items"][0]["id"] == "hr.staff_names"
    assert ask(client, q="staff")["items"][0]["id"] == "hr.staff"  # its name is the better one
    wiring.catalog.discovery.recorder.record(UsageKind.VIEW, ["raw.orders"] * 9, "eve")
    wiring.catalog.discovery.recorder.flush()
    assert [hit["id"] for hit in ask(client, sort="popularity")["items"]][:2] == ["raw.orders", "hr.staff_names"]


def test_the_verdict_of_a_monitor_moves_the_quality_at_once(changing: tuple[Wiring, TestClient]) -> None:
    wiring, client = changing
    assert [hit["id"] for hit in ask(client, q="staff", quality="excellent")["items"]] == ["hr.staff"]
    main = wiring.metadata.branch(MAIN)
    assert main is not None
    version = wiring.metadata.tree(main.head)[STAFF]
    monitors = wiring.quality.monitors
    begun = MonitorRun(
        id="m1",
        claim="now",
        status=MonitorRunStatus.RUNNING,
        queued_at=LATER,
        trigger=Trigger.MANUAL,
        dataset="hr.staff",
        monitor_id=None,
    )
    assert monitors.claim(begun)
    result = CheckResult(
        id="",
        check_id="k1",
        type="range",
        dataset="hr.staff",
        branch=MAIN,
        commit_id=main.head,
        snapshot_id=version.snapshot_id,
        verdict=Outcome.FAILED,
        severity=Severity.ERROR,
        message="bad",
        executed_at=LATER,
    )
    ended = replace(begun, status=MonitorRunStatus.FAILED, started_at=LATER, finished_at=LATER, branch=MAIN, failed=1)
    assert monitors.finish(ended, [result], None)
    assert ask(client, q="staff", quality="excellent")["items"] == []
    assert "hr.staff" in [hit["id"] for hit in ask(client, q="staff", quality="poor")["items"]]


PERSONAL = """\
apiVersion: v3.1.0
kind: DataContract
id: urn:staff
name: staff
version: 1.0.0
status: active
schema:
  - name: hr.staff
    properties: [{name: id, logicalType: integer, classification: pii}]
"""


def test_a_registered_contract_counts_at_once(changing: tuple[Wiring, TestClient]) -> None:
    wiring, client = changing

    def boosts() -> set[str]:
        (hit, *_) = ask(client, q="staff", explain=True)["items"]
        return {boost["name"] for boost in hit["explanation"]["boosts"]}

    assert "contract" not in boosts()
    assert ask(client, q="staff")["items"][0]["pii"] == ["name"]
    contract = RegisteredContract(
        id="urn:staff",
        name="staff",
        version="1.0.0",
        api_version="v3.1.0",
        schema_hash="sha256:a",
        digest="sha256:b",
        text=PERSONAL,
        registered_at=LATER,
        registered_by="ada",
        tables=("HR.Staff",),
    )
    step = LifecycleStep(state=ContractState.ACTIVE, before=None, at=LATER, by="ada", version="1.0.0")
    wiring.contracts.registry.register(Registration(contract, lambda head: LifecycleWrite(step), ()))
    assert "contract" in boosts()
    assert ask(client, q="staff")["items"][0]["pii"] == ["name", "personal"]  # it says so of the id
    assert "hr.staff" in [hit["id"] for hit in ask(client, pii="personal")["items"]]


def test_a_term_is_suggested_with_its_id(changing: tuple[Wiring, TestClient]) -> None:
    _, client = changing
    made = client.post(f"{API}/glossary/terms", json={"name": "Head count", "domain": "people"})
    assert made.status_code == 201, made.text
    found = {one["text"]: one["id"] for one in ask(client, "suggest", prefix="head c")["items"]}
    assert found == {"Head count": made.json()["id"]}
    assert {one["id"] for one in ask(client, "suggest", prefix="staff")["items"]} == {None}


def test_nobody_searches_without_signing_in(catalog_client: TestClient) -> None:
    for path in ("search", "suggest?prefix=a", "context?q=a"):
        answer = catalog_client.get(f"{API}/{path}", headers={"authorization": "Bearer wrong"})
        assert answer.status_code == 401, path
