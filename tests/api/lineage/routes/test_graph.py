"""Pictures of lineage over HTTP: only what is reached."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient
from recorded_history import MORNING, verdict

from forge.api.app import create_app
from forge.flows.runs.records import AuditRecord, OutputRecord, OutputStatus, TableLineage
from forge.flows.upkeep.access import digest_of
from forge.lineage.edge import Edge
from forge.model.names import ColumnName, RunId, TableName
from forge.quality.verdict import Outcome
from forge.settings import load_settings
from forge.wiring import Wiring


def get(client: TestClient, path: str, **query: Any) -> Any:
    answer = client.get(f"/api/v1/lineage{path}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def names(graph: Any) -> list[str]:
    return [node["id"] for node in graph["nodes"]]


def test_the_graph_of_a_column_has_its_tables_and_touched_columns(client: TestClient) -> None:
    found = get(client, "/graph", root_id="marts.revenue.revenue")
    assert names(found) == [
        "files:data/*.csv",
        "raw.orders",
        "marts.revenue",
        "files:data/*.csv.amount",
        "raw.orders.amount",
        "marts.revenue.revenue",
    ]
    (last,) = [edge for edge in found["edges"] if edge["target"] == "marts.revenue.revenue"]
    assert (last["source"], last["expression"], last["transformation"], last["level"]) == (
        "raw.orders.amount",
        "sum(amount)",
        "aggregation",
        "certain",
    )
    assert (found["total_entities"], found["greatest_depth"], found["hidden"]) == (2, 2, 0)
    assert found["nodes"][-1]["attributes"] == {
        "table": "marts.revenue",
        "data_type": "bigint",
        "nullable": True,
        "pii": False,
        "failing": True,
        "depth": 0,
        "confidence": 1.0,
        "direction": None,
    }
    assert (found["levels"], found["truncated"], found["next_cursor"]) == ({"certain": 2}, False, None)


def test_an_edge_says_all_that_a_panel_shows(client: TestClient) -> None:
    (last,) = get(client, "/graph", root_id="marts.revenue.revenue", depth=1)["edges"]
    assert last.pop("valid_from") is not None
    assert last == {
        "id": "raw.orders.amount->marts.revenue.revenue#aggregated",
        "source": "raw.orders.amount",
        "target": "marts.revenue.revenue",
        "type": "derives_from",
        "relationship": "aggregated",
        "kind": "direct",
        "subtype": None,
        "transformation": "aggregation",
        "expression": "sum(amount)",
        "masking": False,
        "confidence": 1.0,
        "level": "certain",
        "valid_to": None,
    }


def test_a_table_says_what_the_picture_leaves_out(client: TestClient) -> None:
    found = get(client, "/graph", root_id="marts.revenue.revenue", depth=1, direction="upstream")
    attributes = {node["id"]: node["attributes"] for node in found["nodes"]}
    orders = attributes["raw.orders"]
    assert (orders["hidden_upstream"], orders["hidden_downstream"], orders["more_columns"]) == (1, 0, 0)
    assert (orders["depth"], orders["confidence"], orders["layer"], orders["external"]) == (1, 1.0, 0, False)
    revenue = attributes["marts.revenue"]
    assert (revenue["hidden_upstream"], revenue["depth"], revenue["layer"], revenue["columns"]) == (0, 0, 1, 1)
    assert (revenue["owner"], revenue["kind"], revenue["failing"]) == ("finance@example.com", "table", True)


def test_short_names_are_found(client: TestClient) -> None:
    assert get(client, "/graph", root_id="revenue.revenue")["root_id"] == "marts.revenue.revenue"
    assert get(client, "/columns/orders.amount/lineage")["root_id"] == "raw.orders.amount"


def test_direction_and_depth_prune_it(client: TestClient) -> None:
    assert names(get(client, "/graph", root_id="raw.orders.amount", direction="downstream")) == [
        "raw.orders",
        "marts.revenue",
        "raw.orders.amount",
        "marts.revenue.revenue",
    ]
    near = get(client, "/graph", root_id="marts.revenue.revenue", depth=1, direction="upstream")
    assert "files:data/*.csv" not in names(near)


def test_something_outside_the_lake_can_be_the_root(client: TestClient) -> None:
    found = get(client, "/graph", root_id="files:data/*.csv.amount")
    assert names(found)[-1] == "marts.revenue.revenue"
    assert found["nodes"][0]["attributes"]["external"] is True


def test_a_table_is_shown_by_table_or_by_column(client: TestClient) -> None:
    by_table = get(client, "/tables/raw.orders/lineage")
    assert names(by_table) == ["files:data/*.csv", "raw.orders", "marts.revenue"]
    assert {(edge["source"], edge["target"]) for edge in by_table["edges"]} == {
        ("files:data/*.csv", "raw.orders"),
        ("raw.orders", "marts.revenue"),
    }
    assert "raw.orders.amount" in names(get(client, "/tables/raw.orders/lineage", column_level=True))


def test_a_column_is_shown_with_or_without_expressions(client: TestClient) -> None:
    def expressions(**query: Any) -> set[str]:
        return {edge["expression"] for edge in get(client, "/columns/raw.orders.amount/lineage", **query)["edges"]}

    assert expressions() == {"", "sum(amount)"}
    assert expressions(include_transformations=False) == {""}


def test_the_past_is_not_marked_with_what_failed_later(client: TestClient) -> None:
    found = get(client, "/graph", root_id="marts.revenue.revenue", at="HEAD~1")
    assert found["at"] == "HEAD~1"
    assert not any(node["attributes"].get("failing") for node in found["nodes"])


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/graph?root_id=marts.revenu", 404, "FORGE-E801"),
        ("/graph?root_id=marts.revenue.nosuch", 404, "FORGE-E801"),
        ("/tables/marts.revenu/lineage", 404, "FORGE-E801"),
        ("/columns/revenues/lineage", 404, "FORGE-E801"),
        ("/paths?source=raw.orders.amount&target=nosuch", 404, "FORGE-E801"),
        ("/edges?id=a-%3Eb%23copied", 404, "FORGE-E801"),
        ("/edges/raw.orders.amount", 404, "FORGE-E801"),
        ("/graph?root_id=raw.orders&at=nowhere", 404, "FORGE-E601"),
        ("/graph?root_id=raw.orders&depth=0", 422, "FORGE-E105"),
        ("/graph?root_id=raw.orders&min_confidence=1.5", 422, "FORGE-E105"),
        ("/graph?root_id=raw.orders&limit=2001", 422, "FORGE-E105"),
        ("/graph?root_id=raw.orders&cursor=nonsense", 422, "FORGE-E105"),
        ("/graph?root_id=raw.orders&node_types=nosuch", 422, "FORGE-E105"),
        ("/graph?root_id=raw.orders&level=row", 422, "FORGE-E105"),
        ("/search?cursor=%C3%A9", 422, "FORGE-E105"),
    ],
)
def test_what_does_not_exist_is_named(client: TestClient, path: str, status: int, code: str) -> None:
    answer = client.get(f"/api/v1/lineage{path}")
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"


def test_an_unknown_name_answers_with_the_nearest(client: TestClient) -> None:
    told = client.get("/api/v1/lineage/graph", params={"root_id": "marts.revenu"}).json()
    assert "marts.revenue" in told["fix"]


def test_nothing_is_told_to_strangers(anonymous: TestClient) -> None:
    for path in ("/graph?root_id=raw.orders", "/search", "/stats", "/snapshots", "/edges?id=a"):
        assert anonymous.get(f"/api/v1/lineage{path}").status_code == 401


def test_the_column_of_both_sides_is_listed_with_transformations(client: TestClient) -> None:
    found = get(client, "/columns/raw.orders.amount/lineage")
    (before,), (after,) = found["upstream"], found["downstream"]
    assert (before["id"], before["depth"], before["transformation"]) == ("files:data/*.csv.amount", 1, "identity")
    assert (after["id"], after["relationship"], after["expression"]) == (
        ("marts.revenue.revenue", "aggregated", "sum(amount)")
    )
    (hidden,) = get(client, "/columns/raw.orders.amount/lineage", include_transformations=False)["downstream"]
    assert (hidden["transformation"], hidden["expression"]) == ("aggregation", "")


def test_an_id_with_slashes_and_stars_is_one_part_of_the_path(client: TestClient) -> None:
    found = get(client, f"/columns/{quote('files:data/*.csv.amount', safe='')}/lineage")
    assert [one["id"] for one in found["downstream"]] == ["raw.orders.amount", "marts.revenue.revenue"]
    plain = get(client, "/columns/files:data/*.csv.amount/lineage")
    assert plain["downstream"] == found["downstream"]


def test_paths_are_the_most_confident_and_none_goes_against_the_flow(client: TestClient) -> None:
    found = get(client, "/paths", source="files:data/*.csv.amount", target="revenue.revenue")
    (path,) = found["paths"]
    assert [hop["id"] for hop in path["hops"]] == ["raw.orders.amount", "marts.revenue.revenue"]
    assert (path["confidence"], path["level"], path["length"]) == (1.0, "certain", 2)
    assert [hop["expression"] for hop in path["hops"]] == ["", "sum(amount)"]
    assert get(client, "/paths", source="revenue.revenue", target="raw.orders.amount")["paths"] == []


def test_search_finds_nodes_page_by_page(client: TestClient) -> None:
    whole = [node["id"] for node in get(client, "/search", query="orders")["items"]]
    assert {"raw.orders", "raw.orders.amount"} <= set(whole)
    (only,) = get(client, "/search", query="ORDERS amount", node_types=["column"])["items"]
    assert (only["id"], only["type"], only["attributes"]["table"]) == ("raw.orders.amount", "column", "raw.orders")
    assert only["attributes"]["data_type"]
    everything = [node["id"] for node in get(client, "/search")["items"]]
    walked, cursor = [], None
    while True:
        page = get(client, "/search", limit=1, **({"cursor": cursor} if cursor else {}))
        walked += [node["id"] for node in page["items"]]
        cursor = page["next_cursor"]
        assert page["has_more"] == (cursor is not None)
        if cursor is None:
            break
    assert walked == everything


@pytest.mark.parametrize("limit", [1, 2])
def test_all_pages_of_a_picture_are_the_whole(client: TestClient, limit: int) -> None:
    whole = get(client, "/graph", root_id="raw.orders.amount")
    nodes: set[str] = set()
    edges: list[str] = []
    cursor: str | None = None
    while True:
        page = get(client, "/graph", root_id="raw.orders.amount", limit=limit, **({"cursor": cursor} if cursor else {}))
        nodes |= set(names(page))
        edges += [edge["id"] for edge in page["edges"]]
        assert page["total_entities"] == whole["total_entities"] == 2
        assert page["truncated"] == (page["next_cursor"] is not None)
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert nodes == set(names(whole))
    assert sorted(edges) == sorted(edge["id"] for edge in whole["edges"])


def test_at_a_time_the_lineage_is_what_it_was_then(client: TestClient) -> None:
    def edges(at: str) -> list[str]:
        found = get(client, "/graph", root_id="marts.revenue.revenue", at=at)
        assert found["at"] == at
        return [edge["id"] for edge in found["edges"]]

    assert edges("2026-11-01T00:00:00Z") == []
    assert edges("2026-11-14T12:00:00Z") == edges("HEAD") == edges("main")
    assert edges("dev") == edges("HEAD")


def test_types_of_nodes_choose_what_is_shown(client: TestClient) -> None:
    found = get(client, "/graph", root_id="marts.revenue.revenue", schema=["raw"])
    assert "raw.orders.amount" in names(found)
    assert "files:data/*.csv.amount" not in names(found)


def test_a_level_above_columns_has_no_columns(client: TestClient) -> None:
    found = get(client, "/graph", root_id="raw.orders", level="schema")
    assert all(node["type"] != "column" for node in found["nodes"])
    assert found["level"] == "schema"
    assert found["total_entities"] >= 1


@pytest.fixture
def attempted(make_site_project: Callable[[], Path]) -> Iterator[TestClient]:
    """A project whose newest run made core.fresh from raw.orders and could not publish it."""
    wiring = Wiring(load_settings(make_site_project(), {"HOME": "/nowhere"}))
    fresh = TableName("core", "fresh")
    edge = Edge(source=ColumnName("raw.orders", "amount"), target=ColumnName(str(fresh), "amount"))
    run = replace(
        wiring.metadata.runs()[0],
        id=RunId("r4"),
        started_at=MORNING + timedelta(days=3),
        outputs=(OutputRecord(table=fresh, status=OutputStatus.BLOCKED),),
    )
    said = replace(verdict(Outcome.FAILED, "bad"), table=str(fresh), columns=("amount",), check_id="c2")
    audit = (AuditRecord(MORNING, "ada", "run.blocked", "r4"),)
    wiring.metadata.finish_run(run, (said,), audit, (TableLineage(fresh, (edge,)),))
    app = create_app(wiring, login_digest=digest_of("forge_secret"))
    with TestClient(app, base_url="http://127.0.0.1:8765", headers={"authorization": "Bearer forge_secret"}) as client:
        yield client


@pytest.mark.slow
def test_a_table_that_was_never_published_still_has_its_lineage(attempted: TestClient) -> None:
    found = get(attempted, "/graph", root_id="core.fresh.amount")
    assert names(found)[:3] == ["files:data/*.csv", "raw.orders", "core.fresh"]
    assert "core.fresh" not in names(get(attempted, "/graph", root_id="raw.orders"))
    incidents = attempted.get("/api/v1/quality/incidents").json()["items"]
    assert {one["table"]: one["origin"] for one in incidents} == {
        "core.fresh": "raw.orders.amount",
        "marts.revenue": "raw.orders.amount",
    }
    assert attempted.get("/api/v1/quality/datasets/core.fresh/health").json()["held_back"][0]["message"] == "bad"
