"""Edges over HTTP: with all that is known of them, and as people and programs declare them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from lineage_http import ask, post, reading_headers

from forge.api.app import create_app
from forge.flows.upkeep.access import digest_of
from forge.settings import load_settings
from forge.wiring import Wiring

SECRET = "forge_secret"
ADDRESS = "http://127.0.0.1:8765"
TOTAL = "raw.orders.amount->marts.revenue.revenue#aggregated"


@pytest.fixture(scope="module")
def shop_app(make_site_project: Callable[[], Path]) -> FastAPI:
    """A project that the tests of this file write to, each under names of its own."""
    wiring = Wiring(load_settings(make_site_project(), {"HOME": "/nowhere"}))
    return create_app(wiring, login_digest=digest_of(SECRET))


@pytest.fixture(scope="module")
def own(shop_app: FastAPI) -> Iterator[TestClient]:
    with TestClient(shop_app, base_url=ADDRESS, headers={"authorization": f"Bearer {SECRET}"}) as client:
        yield client


@pytest.fixture(scope="module")
def reader(own: TestClient) -> dict[str, str]:
    """The headers of a token that may only read."""
    return reading_headers(own)


def dashboard(name: str, **edge: Any) -> dict[str, Any]:
    """A request that declares a dashboard and that the revenue is shown there."""
    target = f"dashboard:{name}"
    return {
        "reason": "it is shown there",
        "nodes": [{"id": target, "type": "dashboard", "attributes": {"owner": "@fin"}}],
        "edges": [{"source": "marts.revenue.revenue", "target": target, "type": "consumes", **edge}],
    }


def test_an_edge_has_its_evidence_its_producers_and_its_history(own: TestClient) -> None:
    found = ask(own, "/edges", id=TOTAL)
    assert (found["id"], found["expression"], found["level"]) == (TOTAL, "sum(amount)", "certain")
    (sight,) = found["evidence"]
    assert (sight["producer"], sight["basis"], sight["run_id"]) == ("table:marts.revenue", "observed", "r1")
    (producer,) = found["producers"]
    assert (producer["producer"], producer["confidence"], producer["actor"]) == ("table:marts.revenue", 1.0, "Ada")
    (life,) = found["history"]
    assert (life["valid_to"], life["producers"]) == (None, ["table:marts.revenue"])
    assert found["behind"] == []


def test_an_edge_can_be_asked_for_by_path(own: TestClient) -> None:
    assert ask(own, f"/edges/{quote(TOTAL, safe='')}") == ask(own, "/edges", id=TOTAL)
    outside = quote("files:data/*.csv.amount->raw.orders.amount#copied", safe="")
    assert ask(own, f"/edges/{outside}")["target"] == "raw.orders.amount"


def test_without_transformations_no_code_is_told(own: TestClient) -> None:
    body = dashboard("secretive", type="derives_from", expression="secret_rule(revenue)")
    body["nodes"] = [{"id": "dash.secret.rule", "type": "column", "table": "dash.secret"}]
    body["edges"][0]["target"] = "dash.secret.rule"
    (edge_id,) = post(own, "/edges", body)["edges"]
    assert "secret_rule" in own.get("/api/v1/lineage/edges", params={"id": edge_id}).text
    hidden = own.get("/api/v1/lineage/edges", params={"id": edge_id, "include_transformations": False})
    assert hidden.status_code == 200
    assert "secret_rule" not in hidden.text


def test_an_edge_between_tables_names_the_edges_behind_it(own: TestClient) -> None:
    by_table = ask(own, "/tables/raw.orders/lineage", depth=1)
    (edge,) = [edge for edge in by_table["edges"] if edge["target"] == "marts.revenue"]
    found = ask(own, "/edges", id=edge["id"])
    assert (found["source"], found["target"]) == ("raw.orders", "marts.revenue")
    assert [one["id"] for one in found["behind"]] == [TOTAL]
    assert found["producers"] == []


def test_a_recorded_edge_between_tables_names_them_too(own: TestClient) -> None:
    body = {
        "reason": "a test",
        "nodes": [{"id": "dash.copy", "type": "table"}, {"id": "dash.copy.total", "type": "column"}],
        "edges": [
            {"source": "marts.revenue", "target": "dash.copy"},
            {"source": "marts.revenue.revenue", "target": "dash.copy.total", "transformation": "direct"},
        ],
    }
    whole, part = post(own, "/edges", body)["edges"]
    found = ask(own, "/edges", id=whole)
    assert [one["id"] for one in found["behind"]] == [part]
    assert [one["producer"] for one in found["producers"]] == ["manual"]


def test_a_declared_edge_has_its_author_and_reason_and_is_followed(own: TestClient) -> None:
    written = post(own, "/edges", dashboard("board"))
    assert (written["added"], written["edges"]) == (1, ["marts.revenue.revenue->dashboard:board#consumes"])
    found = ask(own, "/edges", id=written["edges"][0])
    assert (found["actor"], found["metadata"]) == ("ada@example.com", {"reason": "it is shown there"})
    assert (found["type"], found["relationship"], found["confidence"]) == ("consumes", None, 1.0)
    assert found["producers"][0]["producer"] == "manual"
    picture = ask(own, "/graph", root_id="raw.orders.amount", direction="downstream")
    (node,) = [node for node in picture["nodes"] if node["id"] == "dashboard:board"]
    assert (node["type"], node["name"], node["qualified_name"]) == ("dashboard", "board", "board")
    assert (node["attributes"]["owner"], node["attributes"]["depth"]) == ("@fin", 2)


def test_saying_it_again_adds_nothing(own: TestClient) -> None:
    assert post(own, "/edges", dashboard("twice"))["added"] == 1
    again = post(own, "/edges", dashboard("twice"))
    assert (again["added"], again["changed"]) == (0, 0)


def test_the_relationship_follows_the_transformation_where_none_is_given(own: TestClient) -> None:
    def edge_id(**edge: Any) -> str:
        body = dashboard("x", type="derives_from", **edge)
        body["nodes"] = [{"id": "dash.kinds", "type": "table"}]
        body["edges"][0]["target"] = "dash.kinds"
        written: str = post(own, "/edges", body)["edges"][0]
        return written.rpartition("#")[2]

    assert edge_id(transformation="direct") == "copied"
    assert edge_id(transformation="expression") == "transformed"
    assert edge_id(transformation="aggregation") == "aggregated"
    assert edge_id(masking=True) == "anonymized"
    assert edge_id(subtype="filter") == "filter"
    assert edge_id(relationship="sampled") == "sampled"


def test_an_indirect_edge_is_followed_only_where_asked_for(own: TestClient) -> None:
    body = dashboard("x", type="derives_from", subtype="join")
    body["nodes"] = [{"id": "dash.joined", "type": "table"}]
    body["edges"][0]["target"] = "dash.joined"
    post(own, "/edges", body)

    def edges(**query: Any) -> dict[str, Any]:
        found = ask(own, "/graph", root_id="marts.revenue.revenue", direction="downstream", **query)
        return {edge["target"]: edge for edge in found["edges"]}

    assert "dash.joined" not in edges()
    shaped = edges(indirect=True)["dash.joined"]
    assert (shaped["kind"], shaped["subtype"], shaped["relationship"]) == ("indirect", "join", "joined")


def test_an_unsure_edge_is_hidden_and_counted(own: TestClient) -> None:
    post(own, "/edges", dashboard("guess", confidence=0.25))
    root = {"root_id": "marts.revenue.revenue", "direction": "downstream"}
    usual, all_of_it = ask(own, "/graph", **root), ask(own, "/graph", **root, min_confidence=0)
    assert "dashboard:guess" not in [node["id"] for node in usual["nodes"]]
    assert usual["hidden"] >= 1
    (edge,) = [edge for edge in all_of_it["edges"] if edge["target"] == "dashboard:guess"]
    assert (edge["confidence"], edge["level"], all_of_it["hidden"]) == (0.25, "uncertain", 0)


BAD: list[tuple[dict[str, Any], int, str]] = [
    ({"target": "marts.nowhere"}, 404, "FORGE-E802"),
    ({"confidence": 1.5}, 422, "FORGE-E803"),
    ({"confidence": -0.1}, 422, "FORGE-E803"),
    ({"valid_from": "2026-11-15T00:00:00Z", "valid_to": "2026-11-14T00:00:00Z"}, 422, "FORGE-E804"),
    ({"valid_from": "2026-11-15T00:00:00"}, 422, "FORGE-E805"),
    ({"relationship": "copied"}, 422, "FORGE-E805"),
    ({"subtype": "filter"}, 422, "FORGE-E805"),
    ({"type": "nosuch"}, 422, "FORGE-E105"),
    ({"source": ""}, 422, "FORGE-E105"),
    ({"valid_from": 5}, 422, "FORGE-E105"),
    ({"source": "a\x00b"}, 422, "FORGE-E105"),
    ({"metadata": {"a": "\x00"}}, 422, "FORGE-E105"),
]


@pytest.mark.parametrize(("change", "status", "code"), BAD, ids=[f"{c}-{n}" for n, (_, _, c) in enumerate(BAD)])
def test_one_bad_edge_and_nothing_is_written(own: TestClient, change: dict[str, Any], status: int, code: str) -> None:
    body = dashboard("never")
    body["edges"].append({**body["edges"][0], **change})
    told = post(own, "/edges", body, status)
    assert told["code"] == code
    assert told["code"] == "FORGE-E105" or "edge 2 of 2" in told["where"]
    assert own.get("/api/v1/lineage/graph", params={"root_id": "dashboard:never"}).status_code == 404


@pytest.mark.parametrize("reason", [None, "", "  "])
def test_a_reason_is_needed(own: TestClient, reason: str | None) -> None:
    body = {**dashboard("x"), "reason": reason}
    assert post(own, "/edges", body, 422)["code"] == "FORGE-E105"
    query = {"id": TOTAL, **({"reason": reason} if reason is not None else {})}
    assert own.delete("/api/v1/lineage/edges", params=query).json()["code"] == "FORGE-E105"


def test_the_column_of_a_declared_node_must_be_in_its_table(own: TestClient) -> None:
    body = dashboard("x")
    body["nodes"] = [{"id": "a.b.c", "type": "column", "table": "x.y"}]
    assert post(own, "/edges", body, 422)["code"] == "FORGE-E805"


def test_a_column_with_dots_in_its_name_can_be_declared_and_asked_for(own: TestClient) -> None:
    odd = "dash.odd.net amount/€ (v1.2)"
    body = dashboard("x", type="derives_from")
    body["nodes"] = [{"id": odd, "type": "column", "table": "dash.odd", "attributes": {"data_type": "int"}}]
    body["edges"][0]["target"] = odd
    post(own, "/edges", body)
    found = ask(own, f"/columns/{quote(odd, safe='')}/lineage")
    assert found["root_id"] == odd
    assert "raw.orders.amount" in [one["id"] for one in found["upstream"]]
    (node,) = [node for node in found["nodes"] if node["id"] == odd]
    assert (node["name"], node["attributes"]["table"]) == ("net amount/€ (v1.2)", "dash.odd")
    assert node["attributes"]["data_type"] == "int"


def test_what_was_declared_can_be_taken_back_and_stays_in_the_history(own: TestClient) -> None:
    (edge_id,) = post(own, "/edges", dashboard("gone"))["edges"]
    ended = own.delete("/api/v1/lineage/edges", params={"id": edge_id, "reason": "it was removed"})
    assert (ended.status_code, ended.json()["closed"]) == (200, 1)
    found = ask(own, "/edges", id=edge_id)
    assert found["valid_to"] is not None
    assert "it was removed" in str(found["metadata"])
    picture = ask(own, "/graph", root_id="marts.revenue.revenue", direction="downstream")
    assert edge_id not in [edge["id"] for edge in picture["edges"]]


def test_what_a_run_makes_cannot_be_taken_back(own: TestClient) -> None:
    told = own.delete("/api/v1/lineage/edges", params={"id": TOTAL, "reason": "no"})
    assert (told.status_code, told.json()["code"]) == (409, "FORGE-E815")
    missing = own.delete("/api/v1/lineage/edges", params={"id": "a->b#copied", "reason": "no"})
    assert (missing.status_code, missing.json()["code"]) == (404, "FORGE-E801")


@pytest.mark.parametrize(
    ("path", "role", "relationship"),
    [("/derivations", "transformation", "derived"), ("/anonymizations", "policy", "anonymized")],
)
def test_a_derivation_names_all_that_makes_it_the_one_it_is(
    own: TestClient, path: str, role: str, relationship: str
) -> None:
    named = {"name": f"mask {role}", "version": "2", "parameters": {"k": 5}, "code_hash": "sha256:ab"}
    body = {"source": "raw.orders@v1", "target": f"dash.{role}@v1", role: named}
    assert post(own, path, body)["added"] >= 1
    found = ask(own, "/edges", id=f"raw.orders@v1->dash.{role}@v1#{relationship}")
    assert found["metadata"][role] == named
    assert found["actor"] == "ada@example.com"
    assert found["masking"] == (role == "policy")


WRITES: list[tuple[str, str, Any]] = [
    ("POST", "/edges", dashboard("x")),
    ("DELETE", f"/edges?id={quote(TOTAL, safe='')}&reason=no", None),
    ("POST", "/derivations", {"source": "a", "target": "b", "transformation": {"name": "t"}}),
    ("POST", "/anonymizations", {"source": "a", "target": "b", "policy": {"name": "t"}}),
    ("POST", "/snapshots", {"name": "never"}),
    ("DELETE", "/snapshots/never", None),
]


@pytest.mark.parametrize(("method", "path", "body"), WRITES, ids=[f"{m} {p.partition('?')[0]}" for m, p, _ in WRITES])
def test_writing_needs_a_token_that_may(
    own: TestClient, reader: dict[str, str], method: str, path: str, body: Any
) -> None:
    def status(**headers: str) -> int:
        answer: httpx.Response = own.request(method, f"/api/v1/lineage{path}", json=body, headers=headers)
        return answer.status_code

    assert status(authorization="Bearer forge_wrong") == 401
    assert status(**reader) == 403
