"""Pictures of lineage over HTTP: only what is reached."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from recorded_history import MORNING, verdict

from forge.api.app import create_app
from forge.flows.access import digest_of
from forge.flows.records import AuditRecord, OutputRecord, OutputStatus, TableLineage
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
    column = found["nodes"][-1]["attributes"]
    assert column == {"table": "marts.revenue", "data_type": "bigint", "pii": False, "failing": True}


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
        ("/graph?root_id=marts.revenu", 404, "FORGE-E108"),
        ("/graph?root_id=marts.revenue.nosuch", 404, "FORGE-E108"),
        ("/tables/marts.revenu/lineage", 404, "FORGE-E108"),
        ("/tables/revenue/lineage", 422, "FORGE-E101"),
        ("/columns/revenue/lineage", 404, "FORGE-E108"),
        ("/graph?root_id=raw.orders&at=nowhere", 404, "FORGE-E601"),
        ("/graph?root_id=raw.orders&depth=0", 422, "FORGE-E105"),
    ],
)
def test_what_does_not_exist_is_named(client: TestClient, path: str, status: int, code: str) -> None:
    answer = client.get(f"/api/v1/lineage{path}")
    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.fixture
def attempted(make_site_project: Callable[[], Path]) -> Iterator[TestClient]:
    """A project whose newest run made core.fresh from raw.orders and could not publish it."""
    wiring = Wiring(load_settings(make_site_project(), {"HOME": "/nowhere"}))
    fresh = TableName("core", "fresh")
    edge = Edge(ColumnName("raw.orders", "amount"), ColumnName(str(fresh), "amount"))
    run = replace(
        wiring.metadata.runs()[0],
        id=RunId("r4"),
        started_at=MORNING + timedelta(days=3),
        outputs=(OutputRecord(fresh, OutputStatus.BLOCKED),),
    )
    said = replace(verdict(Outcome.FAILED, "bad"), table=str(fresh), columns=("amount",), check_id="c2")
    audit = (AuditRecord(MORNING, "ada", "run.blocked", "r4"),)
    wiring.metadata.finish_run(run, (said,), audit, (TableLineage(fresh, (edge,)),))
    app = create_app(wiring, login_digest=digest_of("forge_secret"))
    with TestClient(app, base_url="http://127.0.0.1:8765", headers={"authorization": "Bearer forge_secret"}) as client:
        yield client


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
