"""Verdicts, health, incidents and trend over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient


def get(client: TestClient, path: str, **query: Any) -> Any:
    answer = client.get(f"/api/v1/quality{path}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_health_is_what_is_behind_the_version_and_what_was_held_back(client: TestClient) -> None:
    found = get(client, "/datasets/marts.revenue/health")
    assert (found["score"], found["passed"], found["failed"], found["run_id"]) == (100.0, 1, 0, "r1")
    assert [check["message"] for check in found["checks"]] == ["3 rows, none outside"]
    assert [(check["run_id"], check["outcome"], check["commit"]) for check in found["held_back"]] == [
        ("r3", "failed", None)
    ]
    assert found["checks"][0]["commit"] is not None


def test_health_of_the_past_knows_nothing_of_later_attempts(client: TestClient) -> None:
    found = get(client, "/datasets/marts.revenue/health", at="HEAD~1")
    assert (found["at"], found["passed"], found["held_back"]) == ("HEAD~1", 1, [])


def test_a_table_without_checks_has_no_score(client: TestClient) -> None:
    found = get(client, "/datasets/raw.orders/health")
    assert (found["score"], found["checks"], found["run_id"]) == (None, [], "r2")


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/datasets/marts.revenu/health", 404, "FORGE-E108"),
        ("/datasets/revenue/health", 422, "FORGE-E101"),
        ("/datasets/marts.revenue/health?at=nowhere", 404, "FORGE-E601"),
        ("/results?run_id=r9", 404, "FORGE-E108"),
        ("/results?dataset_id=marts.revenu", 404, "FORGE-E108"),
        ("/incidents?branch=nowhere", 404, "FORGE-E602"),
        ("/trend?branch=nowhere", 404, "FORGE-E602"),
        ("/trend?days=0", 422, "FORGE-E105"),
    ],
)
def test_what_does_not_exist_is_named(client: TestClient, path: str, status: int, code: str) -> None:
    answer = client.get(f"/api/v1/quality{path}")
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_an_unknown_table_is_answered_with_the_nearest(client: TestClient) -> None:
    assert client.get("/api/v1/quality/datasets/marts.revenu/health").json()["why"] == "Did you mean marts.revenue?"


def test_results_are_newest_first_and_filtered(client: TestClient) -> None:
    assert [one["run_id"] for one in get(client, "/results")["items"]] == ["r3", "r1"]
    assert [one["run_id"] for one in get(client, "/results", outcome="passed")["items"]] == ["r1"]
    assert [one["message"] for one in get(client, "/results", run_id="r3")["items"]] == ["1 row outside 0 … 10000"]
    assert get(client, "/results", dataset_id="raw.orders")["items"] == []
    (one,) = get(client, "/results", run_id="r1")["items"]
    assert (one["executed_at"], one["check_id"], one["type"]) == ("2026-11-14T06:10:03Z", "c1", "range")


def test_results_come_in_pages(client: TestClient) -> None:
    first = get(client, "/results", limit=1)
    assert (len(first["items"]), first["has_more"]) == (1, True)
    second = get(client, "/results", limit=1, cursor=first["next_cursor"])
    assert (second["items"][0]["run_id"], second["has_more"]) == ("r1", False)


def test_incidents_are_those_of_the_branch(client: TestClient) -> None:
    found = get(client, "/incidents")
    assert (found["total_count"], [one["run_id"] for one in found["items"]]) == (1, ["r3"])
    assert get(client, "/incidents", branch="dev")["items"] == []
    assert get(client, "/incidents", offset=1)["items"] == []


def test_the_trend_has_the_days_that_were_asked_for(client: TestClient) -> None:
    days = get(client, "/trend", days=365)
    assert len(days) == 365
    assert {day["day"]: day["failed"] for day in days if day["failed"]} == {"2026-11-16": 1}
    assert sum(day["runs"] for day in get(client, "/trend", days=365, branch="dev")) == 0
