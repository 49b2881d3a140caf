"""The catalog over HTTP: searching, suggesting, one asset."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from catalog_site import LATER, MAIN, open_catalog, problem
from fastapi.testclient import TestClient
from sqlalchemy import event

from forge.api.catalog.wire.assets import AssetDetail
from forge.connection.catalog.assets import CatalogView
from forge.flows.runs.records import Publication, PublishedCommit, RunRecord, RunStatus
from forge.model.names import CatalogName, RunId, TableName
from forge.versioning.commit import Author, TableStatistics, TableVersion, make_commit
from forge.wiring import Wiring

API = "/api/v1/catalog"


@pytest.fixture(scope="module")
def own_client(make_site_project: Callable[[], Path], login: str) -> Iterator[TestClient]:
    """One catalog for all tests that only read it."""
    with open_catalog(make_site_project(), login) as (_, client):
        yield client


@pytest.fixture
def fresh(make_site_project: Callable[[], Path], login: str) -> Iterator[tuple[Wiring, TestClient]]:
    with open_catalog(make_site_project(), login) as made:
        yield made


def names(client: TestClient, **params: Any) -> list[str]:
    found = client.get(f"{API}/search", params=params).json()
    assert found["total_count"] == len(found["items"])
    return [hit["qualified_name"] for hit in found["items"]]


# searching


@pytest.mark.slow
def test_an_empty_query_browses_tables_and_views_by_name(own_client: TestClient) -> None:
    assert names(own_client) == ["hr.staff", "hr.staff_names", "marts.revenue", "raw.orders"]
    assert names(own_client, types="column")[:2] == ["hr.staff.fullName", "hr.staff.id"]


@pytest.mark.slow
def test_a_hit_carries_what_a_list_shows(own_client: TestClient) -> None:
    hits = own_client.get(f"{API}/search", params={"q": "revenue"}).json()["items"]
    assert [hit["type"] for hit in hits] == ["table"]
    hit = hits[0]
    assert (hit["id"], hit["name"], hit["table"]) == ("marts.revenue", "revenue", "marts.revenue")
    assert (hit["owner"], hit["tags"], hit["description"]) == ("finance@example.com", ["gold"], "All revenue")
    asset = hit["asset"]
    assert (asset["type"], asset["columns"], asset["state"]) == ("table", 1, "failing")
    assert (asset["checks_passed"], asset["checks_failed"], asset["checks_not_measured"]) == (0, 1, 0)
    assert asset["freshness_hours"] == 78.0
    column = own_client.get(f"{API}/search", params={"q": "fullname", "types": "column"}).json()["items"][0]
    assert (column["id"], column["table"], column["asset"]) == ("hr.staff.fullName", "hr.staff", None)
    assert (column["owner"], column["tags"]) == ("hr@example.com", ["silver", "pii"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"q": "staff"}, ["hr.staff", "hr.staff_names"]),
        ({"q": "name", "types": ["view", "column"]}, ["hr.staff_names", "hr.staff.fullName", "hr.staff"]),
        ({"q": "stfaf"}, ["hr.staff", "hr.staff_names"]),
        ({"q": "works"}, ["hr.staff"]),
        ({"q": "staff works"}, ["hr.staff"]),
        ({"q": "staff nowhere"}, []),
        ({"types": "view"}, ["hr.staff", "hr.staff_names"]),
        ({"tags": "gold"}, ["marts.revenue", "raw.orders"]),
        ({"tags": ["gold", "PII"]}, ["hr.staff", "marts.revenue", "raw.orders"]),
        ({"tags": "gold", "owners": "hr@example.com"}, []),
        ({"owners": ["hr@example.com", "nobody"], "tags": "pii"}, ["hr.staff"]),
        ({"state": "failing"}, ["hr.staff_names", "marts.revenue"]),
        ({"state": "ok"}, ["hr.staff"]),
        ({"state": ["ok", "unchecked"]}, ["hr.staff", "raw.orders"]),
        ({"types": "column", "tags": "pii"}, ["hr.staff.fullName", "hr.staff.id"]),
        ({"sort": "name", "q": "s"}, ["hr.staff", "hr.staff_names"]),
        ({"sort": "freshness"}, ["hr.staff", "hr.staff_names", "raw.orders", "marts.revenue"]),
    ],
    ids=str,
)
def test_words_filters_and_order(own_client: TestClient, params: dict[str, Any], expected: list[str]) -> None:
    assert names(own_client, **params) == expected


def test_pages_of_a_search(own_client: TestClient) -> None:
    first = own_client.get(f"{API}/search", params={"limit": 3}).json()
    assert ([h["id"] for h in first["items"]], first["total_count"], first["has_more"]) == (
        ["hr.staff", "hr.staff_names", "marts.revenue"],
        4,
        True,
    )
    rest = own_client.get(f"{API}/search", params={"limit": 3, "cursor": first["next_cursor"]}).json()
    assert ([h["id"] for h in rest["items"]], rest["total_count"], rest["has_more"]) == (["raw.orders"], 4, False)
    for offset, expected in ((3, ["raw.orders"]), (1, ["hr.staff_names", "marts.revenue", "raw.orders"]), (4, [])):
        page = own_client.get(f"{API}/search", params={"limit": 3, "offset": offset}).json()
        assert ([h["id"] for h in page["items"]], page["total_count"], page["has_more"]) == (expected, 4, False)
    problem(own_client.get(f"{API}/search", params={"offset": 10_001}), 422, "E105")


@pytest.mark.parametrize("params", [{"types": "nonsense"}, {"state": "bad"}, {"sort": "luck"}, {"q": "x" * 201}])
def test_a_search_that_means_nothing_is_refused(client: TestClient, params: dict[str, str]) -> None:
    problem(client.get(f"{API}/search", params=params), 422, "E105")


def test_what_was_published_since_is_found(fresh: tuple[Wiring, TestClient]) -> None:
    wiring, client = fresh
    assert names(client, q="later") == []
    metadata = wiring.metadata
    head = metadata.branch(MAIN)
    assert head is not None
    assert head.head is not None
    table = TableName("hr", "later")
    version = TableVersion(
        catalog=CatalogName("hr", "later"),
        uuid="u",
        snapshot_id=None,
        schema_id=0,
        kind="view",
        metadata_location="y",
        run_id="r5",
    )
    tree = {**metadata.tree(head.head), table: version}
    commit = make_commit(
        tree=tree,
        parents=(head.head,),
        author=Author("Ada", "ada@example.com"),
        message="Later",
        time=LATER,
        branch=MAIN,
        statistics={table: TableStatistics()},
        metadata={},
    )
    run = RunRecord(
        id=RunId("r5"),
        branch=MAIN,
        status=RunStatus.SUCCEEDED,
        started_at=LATER,
        user="ada",
        host="host",
        pid=1,
        process_started="",
    )
    assert isinstance(
        metadata.publish(
            Publication(pointers=(), branch=MAIN, expected_head=head.head, commit=commit, tree=tree, run=run),
            lambda step: None,
        ),
        PublishedCommit,
    )
    hit = client.get(f"{API}/search", params={"q": "later"}).json()["items"][0]
    assert (hit["id"], hit["asset"]["updated_at"], hit["asset"]["freshness_hours"]) == ("hr.later", None, None)


def test_a_list_of_assets_asks_the_database_a_handful_of_times(fresh: tuple[Wiring, TestClient]) -> None:
    wiring, client = fresh
    asked: list[str] = []

    @event.listens_for(wiring.database, "before_cursor_execute")
    def note(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        if statement.startswith(("SELECT", "WITH")):
            asked.append(statement)

    client.get(f"{API}/search")
    first = len(asked)
    asked.clear()
    client.get(f"{API}/search", params={"q": "orders"})
    assert first <= 70  # the index is built: the checks that there are now, what is personal, and lineage among it
    assert len(asked) <= 5
    asked.clear()
    client.get(f"{API}/assets/hr.staff")
    assert len(asked) <= 55  # what is personal is worked out once for each change, and of what no scan has seen
    asked.clear()
    client.get(f"{API}/assets/hr.staff")
    assert len(asked) <= 36


# suggesting


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("sta", [("hr.staff", "view"), ("hr.staff_names", "view")]),
        ("rev", [("marts.revenue", "table"), ("marts.revenue.revenue", "column")]),
        ("de", [("dev", "branch")]),
        ("main", [("main", "branch")]),
        ("r4", [("r4", "run")]),
        ("R4", [("r4", "run")]),
        ("hr.", [("hr", "schema"), ("hr.staff", "view"), ("hr.staff_names", "view")]),
        ("rveenue", [("marts.revenue", "table"), ("marts.revenue.revenue", "column")]),
        ("zzzz", []),
    ],
)
def test_the_search_box_is_helped(own_client: TestClient, prefix: str, expected: list[tuple[str, str]]) -> None:
    found = own_client.get(f"{API}/suggest", params={"prefix": prefix}).json()
    assert [(one["text"], one["type"]) for one in found["items"]] == expected
    assert (found["total_count"], found["has_more"], found["next_cursor"]) == (len(expected), False, None)


def test_no_more_is_suggested_than_asked_for(own_client: TestClient) -> None:
    assert len(own_client.get(f"{API}/suggest", params={"prefix": "", "limit": 3}).json()["items"]) == 3
    problem(own_client.get(f"{API}/suggest"), 422, "E105")
    problem(own_client.get(f"{API}/suggest", params={"prefix": "a", "limit": 51}), 422, "E105")


@pytest.mark.slow
@pytest.mark.parametrize("prefix", ["ma", "r", "r4", "core.", "staf", "raw.orders", "nothing"])
def test_python_suggests_what_the_search_box_suggests(fresh: tuple[Wiring, TestClient], prefix: str) -> None:
    wiring, client = fresh
    told = client.get(f"{API}/suggest", params={"prefix": prefix}).json()["items"]
    assert [one.to_dict() for one in CatalogView(wiring).suggest(prefix)] == told


# one asset


def test_a_table_is_shown_as_it_is_now(own_client: TestClient) -> None:
    found = own_client.get(f"{API}/assets/raw.orders").json()
    assert (found["id"], found["type"], found["at"], found["version"]) == ("raw.orders", "table", "HEAD", 2)
    assert (found["row_count"], found["columns"], found["state"]) == (8, 1, "unchecked")
    assert found["schema"] == [
        {
            "name": "amount",
            "type": "bigint",
            "nullable": True,
            "description": "The amount",
            "pii": False,
            "upstream": ["files:data/*.csv.amount"],
            "failing": False,
            "tags": [],
            "term": None,
            "pii_type": None,
            "statistics": None,
        }
    ]
    assert (found["last_commit"]["message"], found["last_run"]) == ("Orders of the 15th", "r2")
    assert found["upstream_tables"] == ["files:data/*.csv"]
    assert found["downstream_tables"] == ["hr.staff", "marts.revenue"]
    assert int(found["snapshot_id"]) > 0


def test_a_table_is_shown_as_an_older_commit_had_it(own_client: TestClient) -> None:
    found = own_client.get(f"{API}/assets/raw.orders", params={"at": "HEAD~2"}).json()
    assert (found["at"], found["version"], found["row_count"]) == ("HEAD~2", 1, 6)
    assert (found["last_commit"]["message"], found["last_run"]) == ("First load", "r1")
    assert found["downstream_tables"] == ["marts.revenue"]
    assert found["commit"] == found["last_commit"]["id"]


def test_a_table_whose_newest_attempt_was_held_back_is_failing_though_its_version_was_fine(
    own_client: TestClient,
) -> None:
    found = own_client.get(f"{API}/assets/marts.revenue").json()
    assert (found["version"], found["state"], found["checks_failed"]) == (1, "failing", 1)
    assert [column["failing"] for column in found["schema"]] == [True]
    assert found["schema"][0]["upstream"] == ["raw.orders.amount"]


def test_a_view_has_its_columns_from_the_catalog(own_client: TestClient) -> None:
    staff = own_client.get(f"{API}/assets/hr.staff").json()
    assert (staff["type"], staff["snapshot_id"], staff["row_count"], staff["state"]) == ("view", None, None, "ok")
    assert [(c["name"], c["type"], c["pii"]) for c in staff["schema"]] == [
        ("id", "bigint", False),
        ("fullName", "string", True),
    ]
    assert staff["schema"][0]["upstream"] == ["files:x.id", "raw.orders.amount"]
    assert staff["upstream_tables"] == ["files:x", "marts.revenue", "raw.orders"]
    assert staff["downstream_tables"] == ["hr.staff_names"]


def test_a_copy_of_personal_data_is_marked_and_failing_columns_are_found_whatever_their_case(
    own_client: TestClient,
) -> None:
    found = own_client.get(f"{API}/assets/hr.staff_names").json()
    assert found["state"] == "failing"
    assert [(c["name"], c["pii"], c["failing"]) for c in found["schema"]] == [("who", True, True)]


@pytest.mark.slow
@pytest.mark.parametrize("at", ["HEAD", "main"])
def test_an_asset_is_the_same_over_http_and_from_python(fresh: tuple[Wiring, TestClient], at: str) -> None:
    wiring, client = fresh
    names = ("hr.staff", "hr.staff_names", "marts.revenue", "raw.orders")
    for name in (*names, "crawled", *names):
        if name == "crawled":
            CatalogView(wiring).scan("lake")
            continue
        own = CatalogView(wiring).get(name, at).to_dict()
        told = client.get(f"{API}/assets/{name}", params={"at": at}).json()
        assert set(own) == set(told)
        alike = AssetDetail.model_validate(own).model_dump(mode="json", by_alias=True)
        assert {**alike, "usage": told["usage"]} == {**told, "last_commit": alike["last_commit"]}


@pytest.mark.slow
def test_what_a_person_says_is_in_a_hit_as_on_the_page_of_the_asset(fresh: tuple[Wiring, TestClient]) -> None:
    wiring, client = fresh
    CatalogView(wiring).scan("lake")
    said = {"description": "What the till sold.", "owner": "grace@example.com"}
    assert client.patch(f"{API}/assets/raw.orders", json=said).status_code == 200
    (hit,) = client.get(f"{API}/search", params={"q": "till"}).json()["items"]
    for key, value in said.items():
        assert (hit[key], hit["asset"][key]) == (value, value)


def test_an_asset_that_is_not_there_is_answered_with_the_nearest(own_client: TestClient) -> None:
    assert problem(own_client.get(f"{API}/assets/raw.ordrs"), 404, "E108")["why"] == "Did you mean raw.orders?"
    problem(own_client.get(f"{API}/assets/hr.staff", params={"at": "HEAD~1"}), 404, "E108")
    problem(own_client.get(f"{API}/assets/raw.orders", params={"at": "nosuch"}), 404, "E601")
    problem(own_client.get(f"{API}/assets/nonsense"), 404, "E850")


def test_a_classification_is_never_below_personal_columns_nor_what_an_asset_derives_from(
    fresh: tuple[Wiring, TestClient],
) -> None:
    _, client = fresh

    def level(name: str) -> tuple[str | None, str]:
        found = client.get(f"{API}/assets/{name}").json()
        assert (
            client.get(f"{API}/search", params={"q": name}).json()["items"][0]["classification"]
            == (found["classification"])
        )
        return found["classification"], found["classification_why"]

    assert level("hr.staff") == ("confidential", "proposed by its columns")
    assert level("marts.revenue") == (None, "nobody set it, and no rule proposes one")
    said = {"qualified_name": "raw.orders", "classification": "restricted"}
    assert client.post(f"{API}/assets", json=said).status_code in (200, 201)
    assert level("raw.orders") == ("restricted", "set by a person")
    assert level("marts.revenue") == ("restricted", "proposed by what it derives from")
    assert level("hr.staff") == ("restricted", "proposed by what it derives from")
    facet = client.get(f"{API}/search", params={"facets": "classification"}).json()["facets"]["classification"]
    assert "restricted" in [one["value"] for one in facet]
    found = client.get(f"{API}/search", params={"classification": "restricted"}).json()["items"]
    assert {"raw.orders", "marts.revenue", "hr.staff"} <= {one["id"] for one in found}
