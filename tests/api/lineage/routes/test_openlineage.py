"""OpenLineage over HTTP: one event, many, packed, malformed, too large."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from fastapi.testclient import TestClient
from lineage_http import ask, reading_headers
from openlineage_events import columns, dataset, event, field, schema

URL = "/api/v1/lineage"


@pytest.fixture
def fresh(make_app: Any, make_site_project: Any, login: str) -> Any:
    with TestClient(make_app(make_site_project()), base_url="http://127.0.0.1:8765") as opened:
        opened.headers["authorization"] = f"Bearer {login}"
        yield opened


def told(**more: Any) -> dict[str, Any]:
    facet = columns(total=[field("shop.public.orders", "amount", "DIRECT/AGGREGATION", text="sum(amount)")])
    outputs = [dataset("marts.daily_sales", "forge", columnLineage=facet)]
    return event(inputs=[dataset("shop.public.orders", schema=schema(amount="int"))], outputs=outputs, **more)


def test_an_event_becomes_an_edge_that_can_be_asked_for(fresh: TestClient) -> None:
    answer = fresh.post(URL, json=told())
    assert answer.status_code == 201
    assert answer.json()["status"] == "recorded"
    assert answer.json()["producer"] == "openlineage:airflow/nightly.orders"
    found = ask(fresh, "/columns/marts.daily_sales.total/lineage")
    assert "postgres@db.example:shop.public.orders.amount" in json.dumps(found)
    edge = "postgres@db.example:shop.public.orders.amount->marts.daily_sales.total#aggregated"
    detail = ask(fresh, "/edges", id=edge)
    assert (detail["expression"], detail["confidence"]) == ("sum(amount)", 1.0)
    assert detail["evidence"][0]["run_id"] == told()["run"]["runId"]


def test_the_same_event_again_is_200_and_changes_nothing(fresh: TestClient) -> None:
    first, second = fresh.post(URL, json=told()), fresh.post(URL, json=told())
    assert (first.status_code, second.status_code) == (201, 200)
    assert second.json()["status"] == "unchanged"
    assert second.json()["recorded"]["revision"] == first.json()["recorded"]["revision"]


def test_a_packed_event_is_read(fresh: TestClient) -> None:
    headers = {"content-encoding": "gzip", "content-type": "application/json"}
    answer = fresh.post(URL, content=gzip.compress(json.dumps(told()).encode()), headers=headers)
    assert answer.status_code == 201, answer.text


def test_what_is_malformed_is_told_with_its_pointers(client: TestClient) -> None:
    bad = told()
    bad["run"]["runId"] = "7"
    bad["outputs"][0]["facets"]["columnLineage"]["fields"]["total"]["inputFields"][0]["field"] = 5
    answer = client.post(URL, json=bad)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == "FORGE-E818"
    assert [error["where"] for error in answer.json()["errors"]] == [
        "/run/runId",
        "/outputs/0/facets/columnLineage/fields/total/inputFields/0/field",
    ]


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"", {}, 422),
        (b"{", {}, 422),
        (b"\xff\xfe\xfa", {}, 422),
        (b"[" * 100_000, {}, 422),
        (b'{"a": NaN}', {}, 422),
        (b'{"a": ' + b"9" * 5000 + b"}", {}, 422),
        (b"not gzip", {"content-encoding": "gzip"}, 422),
        (gzip.compress(b'{"a": 1}')[:-6], {"content-encoding": "gzip"}, 422),
        (b"{}", {"content-encoding": "br"}, 415),
        (b"{}", {"content-type": "text/plain"}, 422),
        (gzip.compress(b" " * (17 * 1024 * 1024)), {"content-encoding": "gzip"}, 413),
        (gzip.compress(b" " * (200 * 1024 * 1024), 1), {"content-encoding": "gzip"}, 413),
        (b" " * (17 * 1024 * 1024), {}, 413),
    ],
    ids=["empty", "cut", "bytes", "deep", "nan", "digits", "unzipped", "half", "br", "text", "bomb", "big bomb", "big"],
)
def test_a_body_that_cannot_be_read_is_refused(
    client: TestClient, body: bytes, headers: dict[str, str], status: int
) -> None:
    answer = client.post(URL, content=body, headers={"content-type": "application/json", **headers})
    assert (answer.status_code, answer.json()["status"]) == (status, status)


@pytest.mark.parametrize("depth", [900, 940, 960, 980, 1000])
def test_an_event_that_is_nested_too_deeply_is_refused_or_taken(client: TestClient, depth: int) -> None:
    text = json.dumps(told()).replace('"facets": {}', f'"facets": {{"own": {"[" * depth}{"]" * depth}}}', 1)
    answer = client.post(URL, content=text, headers={"content-type": "application/json"})
    assert answer.status_code in (200, 201, 422), answer.text


def test_a_list_is_taken_event_by_event(fresh: TestClient) -> None:
    answer = fresh.post(f"{URL}/batch", json=[told(), {"producer": 1}, told()])
    assert answer.status_code == 200
    body = answer.json()
    assert body["summary"] == {"received": 3, "successful": 2, "failed": 1}
    assert (body["status"], [one["status"] for one in body["events"]]) == (
        "partial_success",
        ["recorded", "failed", "unchanged"],
    )
    assert [error["where"] for error in body["events"][1]["errors"]][:2] == ["/1/eventTime", "/1/producer"]


def test_a_list_without_a_good_event_is_refused(client: TestClient) -> None:
    answer = client.post(f"{URL}/batch", json=[{}, 7])
    assert answer.status_code == 422
    assert {error["where"].split("/")[1] for error in answer.json()["errors"]} == {"0", "1"}
    assert client.post(f"{URL}/batch", json={}).status_code == 422
    assert client.post(f"{URL}/batch", json=[{}] * 1001).status_code == 422
    assert client.post(f"{URL}/batch", json=[]).json()["status"] == "success"


def test_who_may_only_read_sends_no_events(client: TestClient) -> None:
    reader = reading_headers(client)
    assert client.post(URL, json=told(), headers=reader).status_code == 403
    del client.headers["authorization"]
    assert client.post(URL, json=told()).status_code == 401
    assert client.post(f"{URL}/batch", json=[told()]).status_code == 401
