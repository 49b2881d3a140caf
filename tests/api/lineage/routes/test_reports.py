"""Reports over HTTP: snapshots and differences, numbers, order, and what a change would hit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from lineage_http import ask, post, reading_headers

from forge.api.app import create_app
from forge.flows.upkeep.access import digest_of
from forge.settings import load_settings
from forge.wiring import Wiring

SECRET = "forge_secret"
ADDRESS = "http://127.0.0.1:8765"


@pytest.fixture(scope="module")
def own(make_site_project: Callable[[], Path]) -> Iterator[TestClient]:
    """A project that the tests of this file write to, each under names of its own."""
    root = make_site_project()
    with (root / "forge.yaml").open("a") as settings:
        settings.write("owners: {marts.*: finance@example.com}\n")
    wiring = Wiring(load_settings(root, {"HOME": "/nowhere"}))
    app = create_app(wiring, login_digest=digest_of(SECRET))
    with TestClient(app, base_url=ADDRESS, headers={"authorization": f"Bearer {SECRET}"}) as client:
        yield client


@pytest.fixture(scope="module")
def reader(own: TestClient) -> dict[str, str]:
    return reading_headers(own)


def declare(client: TestClient, name: str, **edge: Any) -> str:
    body = {
        "reason": "a test",
        "nodes": [{"id": f"dashboard:{name}", "type": "dashboard"}],
        "edges": [{"source": "marts.revenue.revenue", "target": f"dashboard:{name}", "type": "consumes", **edge}],
    }
    written: str = post(client, "/edges", body)["edges"][0]
    return written


def test_a_snapshot_names_how_the_lineage_was(own: TestClient) -> None:
    made = post(own, "/snapshots", {"name": "before", "description": "first"})
    assert (made["name"], made["description"], made["created_by"]) == ("before", "first", "ada@example.com")
    assert made["nodes"]["column"] >= 3
    assert made["edges"]["aggregated"] == 1
    listed = ask(own, "/snapshots")["items"]
    assert made in listed
    edge_id = declare(own, "later")
    root = {"root_id": "marts.revenue.revenue", "direction": "downstream"}
    assert edge_id in [edge["id"] for edge in ask(own, "/graph", **root)["edges"]]
    then = ask(own, "/graph", **root, at="before")
    assert (then["at"], edge_id in [edge["id"] for edge in then["edges"]]) == ("before", False)


def test_a_snapshot_can_name_a_time_of_the_past_and_be_dropped(own: TestClient) -> None:
    made = post(own, "/snapshots", {"name": "fourteenth", "at": "2026-11-14T12:00:00Z"})
    assert made["at"].startswith("2026-11-14T12:00:00")
    assert post(own, "/snapshots", {"name": "fourteenth"}, 409)["code"] == "FORGE-E808"
    assert own.delete("/api/v1/lineage/snapshots/fourteenth").status_code == 204
    gone = own.delete("/api/v1/lineage/snapshots/fourteenth")
    assert (gone.status_code, gone.json()["code"]) == (404, "FORGE-E809")


def test_snapshots_come_in_pages(own: TestClient) -> None:
    for name in ("page-1", "page-2", "page-3"):
        post(own, "/snapshots", {"name": name})
    whole = [one["name"] for one in ask(own, "/snapshots")["items"]]
    walked, cursor = [], None
    while True:
        page = ask(own, "/snapshots", limit=2, **({"cursor": cursor} if cursor else {}))
        walked += [one["name"] for one in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert walked == whole
    assert page["total_count"] == len(whole)


def test_a_difference_says_what_was_added_and_removed(own: TestClient) -> None:
    post(own, "/snapshots", {"name": "without"})
    edge_id = declare(own, "new")
    post(own, "/snapshots", {"name": "with"})
    found = ask(own, "/diff", a="without", b="with")
    assert found["counts"] == {
        "nodes": {"added": 1, "removed": 0, "modified": 0},
        "edges": {"added": 1, "removed": 0, "modified": 0},
    }
    assert [edge["id"] for edge in found["edges"]["added"]] == [edge_id]
    assert [node["id"] for node in found["nodes"]["added"]] == ["dashboard:new"]
    assert found["seconds"] >= 0
    assert (found["a"]["label"], found["b"]["label"], found["truncated"]) == ("without", "with", False)
    back = ask(own, "/diff", a="with", b="without")
    assert [edge["id"] for edge in back["edges"]["removed"]] == [edge_id]


@pytest.mark.slow
def test_a_difference_is_bounded_and_its_counts_are_whole(own: TestClient) -> None:
    post(own, "/snapshots", {"name": "few"})
    for name in ("many-1", "many-2", "many-3"):
        declare(own, name)
    found = ask(own, "/diff", a="few", limit=2)
    assert found["counts"]["edges"]["added"] == 3
    assert (len(found["edges"]["added"]), found["truncated"]) == (2, True)


def test_a_change_of_an_edge_says_what_changed(own: TestClient) -> None:
    declare(own, "doubt", confidence=0.6)
    post(own, "/snapshots", {"name": "doubtful"})
    edge_id = declare(own, "doubt", confidence=0.9)
    (changed,) = ask(own, "/diff", a="doubtful")["edges"]["modified"]
    assert changed["id"] == edge_id
    assert {"field": "confidence", "before": 0.6, "after": 0.9} in changed["changes"]


def test_the_past_of_an_edge_is_in_its_history(own: TestClient) -> None:
    declare(own, "learned", confidence=0.6)
    post(own, "/snapshots", {"name": "unlearned"})
    edge_id = declare(own, "learned", confidence=0.9)
    now, then = ask(own, "/edges", id=edge_id), ask(own, "/edges", id=edge_id, at="unlearned")
    assert (now["confidence"], then["confidence"]) == (0.9, 0.6)
    assert [life["confidence"] for life in now["history"]] == [0.9, 0.6]
    assert now["history"][1]["valid_to"] == now["history"][0]["valid_from"]


def test_the_numbers_of_the_graph(own: TestClient) -> None:
    found = ask(own, "/stats", at="2026-11-14T12:00:00Z")
    assert found["edges"]["by_relationship"] == {"aggregated": 1, "copied": 1}
    assert found["edges"]["total"] == 2
    assert found["producers"] == {"table:marts.revenue": 1, "table:raw.orders": 1}
    assert found["hubs"]["out"][0]["out"] == 1
    assert found["roots"]["first"] == ["files:data/*.csv.amount"]
    assert found["cycles"] == {"count": 0, "first": []}


def test_the_order_of_dependencies_page_by_page(own: TestClient) -> None:
    at = "2026-11-14T12:00:00Z"
    whole = ask(own, "/order", at=at)
    assert [step["members"] for step in whole["order"]] == [["files:data/*.csv"], ["raw.orders"], ["marts.revenue"]]
    assert [step["stage"] for step in whole["order"]] == [0, 1, 2]
    assert (whole["total"], whole["cycles"], whole["truncated"]) == (3, [], False)
    first = ask(own, "/order", at=at, limit=2)
    second = ask(own, "/order", at=at, limit=2, cursor=first["next_cursor"])
    assert first["truncated"]
    assert [*first["order"], *second["order"]] == whole["order"]


def test_the_order_names_what_goes_in_a_circle(own: TestClient) -> None:
    body = {
        "reason": "a test",
        "nodes": [{"id": f"loop.{name}", "type": "table"} for name in "ab"],
        "edges": [{"source": "loop.a", "target": "loop.b"}, {"source": "loop.b", "target": "loop.a"}],
    }
    post(own, "/edges", body)
    found = ask(own, "/order")
    assert found["cycles"] == [["loop.a", "loop.b"]]
    assert {"members": ["loop.a", "loop.b"], "stage": 0, "cycle": True} in found["order"]


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/diff?a=nosuch", 404, "FORGE-E601"),
        ("/diff", 422, "FORGE-E105"),
        ("/diff?a=HEAD&limit=0", 422, "FORGE-E105"),
        ("/stats?at=nosuch", 404, "FORGE-E601"),
        ("/erd?schema=nosuch", 404, "FORGE-E801"),
        ("/erd?schema=raw&format=pdf", 422, "FORGE-E105"),
        ("/impact?focus=nosuch.nothing&change=drop", 404, "FORGE-E801"),
        ("/impact?focus=raw.orders.amount&change=shout", 422, "FORGE-E810"),
        ("/impact?focus=raw.orders.amount&change=rename", 422, "FORGE-E810"),
    ],
)
def test_what_cannot_be_reported_says_why(own: TestClient, path: str, status: int, code: str) -> None:
    answer = own.get(f"/api/v1/lineage{path}")
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_the_impact_of_dropping_a_column(own: TestClient) -> None:
    found = post(own, "/impact/column", {"column_id": "raw.orders.amount", "change_type": "drop", "to": None}, 200)
    assert found["change"] == {"type": "drop", "entity": "raw.orders.amount", "to": None, "direction": None}
    hit = {one["id"]: one for one in found["affected"]}["marts.revenue.revenue"]
    # 5.0 for a drop, 0.8 for a column, certain, one hop, aggregated 1.2
    assert hit["score"] == pytest.approx(5.0 * 0.8 * 1.0 * 0.9 * 1.2)
    assert (hit["severity"], hit["use"], hit["depth"], hit["owner"]) == ("high", "aggregated", 1, "finance@example.com")
    assert hit["effort_hours"] == pytest.approx(8 * 0.5 * min(3, hit["score"] / 2))
    assert (found["is_breaking"], found["risk"]) == (True, "high")
    assert found["counts"]["total"] == len(found["affected"]) == sum(found["groups"].values())
    assert {"asset", "type", "reason"} == set(found["breaking_changes"][0])
    assert found["migration_steps"]
    assert found["owners"][0]["owner"] == "finance@example.com"


def test_the_impact_of_a_column_that_a_window_is_over(own: TestClient) -> None:
    edge = {"source": "raw.orders.amount", "target": "marts.windowed", "relationship": "derived", "subtype": "window"}
    post(own, "/edges", {"nodes": [{"id": "marts.windowed", "type": "table"}], "edges": [edge], "reason": "a test"})
    found = ask(own, "/impact", focus="raw.orders.amount", change="drop")
    (windowed,) = (one for one in found["affected"] if one["id"] == "marts.windowed")
    assert (windowed["use"], windowed["factors"]["use"]) == ("aggregated", 1.2)
    assert windowed["reason"] == "marts.windowed has a window over the dropped column raw.orders.amount"


def test_the_address_of_an_impact_gives_the_same_report(own: TestClient) -> None:
    posted = post(own, "/impact/column", {"column_id": "orders.amount", "change_type": "type", "to": "string"}, 200)
    assert posted["change"]["entity"] == "raw.orders.amount"
    assert ask(own, "/impact", focus="raw.orders.amount", change="type", to="string") == posted


def test_the_impact_of_several_changes_of_a_schema(own: TestClient) -> None:
    changes = [
        {"change_type": "rename", "column_name": "amount", "new_value": "total"},
        {"change_type": "add", "column_name": "currency", "new_value": "string"},
    ]
    found = post(own, "/impact/schema", {"table_id": "raw.orders", "changes": changes}, 200)
    assert "marts.revenue.revenue" in [one["id"] for one in found["affected"]]
    assert found["is_breaking"] is True


def test_nothing_downstream_is_no_risk(own: TestClient) -> None:
    declare(own, "end")
    found = ask(own, "/impact", focus="dashboard:end", change="semantics")
    assert (found["affected"], found["risk"]) == ([], "none")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/impact/column", {"column_id": "raw.orders.amount", "change_type": "drop"}),
        ("/impact/schema", {"table_id": "raw.orders", "changes": [{"change_type": "drop", "column_name": "amount"}]}),
    ],
)
def test_a_question_needs_no_right_to_write(
    own: TestClient, reader: dict[str, str], path: str, body: dict[str, Any]
) -> None:
    address = f"/api/v1/lineage{path}"
    assert own.post(address, json=body, headers=reader).status_code == 200
    assert own.post(address, json=body, headers={"authorization": "Bearer forge_wrong"}).status_code == 401


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("/impact/column", {"column_id": "nosuch", "change_type": "drop"}, 404, "FORGE-E801"),
        ("/impact/column", {"column_id": "raw.orders.amount", "change_type": "shout"}, 422, "FORGE-E810"),
        ("/impact/column", {"column_id": "raw.orders.amount"}, 422, "FORGE-E105"),
        ("/impact/schema", {"table_id": "raw.orders", "changes": []}, 422, "FORGE-E105"),
        (
            "/impact/schema",
            {"table_id": "raw.orders", "changes": [{"change_type": "drop", "column_name": "nosuch"}]},
            404,
            "FORGE-E801",
        ),
    ],
)
def test_a_change_that_cannot_be_is_told(
    own: TestClient, path: str, body: dict[str, Any], status: int, code: str
) -> None:
    assert post(own, path, body, status)["code"] == code


def test_a_diagram_of_a_schema_in_every_format(own: TestClient) -> None:
    drawn = ask(own, "/erd", schema="raw")
    assert "raw.orders" in str(drawn)
    assert "amount" in str(drawn)
    kinds = {"mermaid": "text/plain", "dot": "text/plain", "svg": "image/svg+xml"}
    begins = {"mermaid": "erDiagram", "dot": "digraph", "svg": "<svg"}
    for form, kind in kinds.items():
        answer = own.get("/api/v1/lineage/erd", params={"schema": "raw", "format": form})
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"].startswith(kind)
        assert begins[form] in answer.text
        assert "amount" in answer.text
