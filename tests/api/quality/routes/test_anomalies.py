"""Histories of metrics, feedback and fitness over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from recorded_history import MORNING

from forge.api.site import Site
from forge.flows.quality.metrics.points import KeptFinding, MetricPoint
from forge.model.names import BranchName, TableName

ORDERS, MAIN = TableName("raw", "orders"), BranchName("main")
BASE = "/api/v1/quality"
WOBBLE = (0.97, 1.02, 1.0, 0.99, 1.03, 0.98, 1.01, 1.0, 1.02, 0.97, 0.99)


def point(day: int, value: float, *, odd: bool = False) -> MetricPoint:
    """Of what another engine wrote, so that no commit is needed."""
    time = MORNING - timedelta(days=30 - day)
    kept = KeptFinding(odd, 9.0 if odd else 0.5, "far out" if odd else "in order", 10.0, 9.0, 11.0)
    return MetricPoint(
        table=ORDERS,
        metric="mean(amount)",
        version=f"snapshot {day}",
        time=time,
        value=value,
        branch=MAIN,
        commit_id=None,
        run_id=None,
        recorded_at=time,
        finding=kept,
    )


@pytest.fixture(scope="module")
def own_project(make_site_project: Callable[[], Path]) -> Path:
    """The other tests know nothing of these points."""
    return make_site_project()


@pytest.fixture
def app(own_project: Path, make_app: Callable[[Path], FastAPI]) -> FastAPI:
    return make_app(own_project)


@pytest.fixture
def told(app: FastAPI, client: TestClient) -> TestClient:
    """Thirty days of a mean, the last of which is odd."""
    site: Site = app.state.site
    usual = tuple(point(day, 10 * WOBBLE[day % 11]) for day in range(29))
    site.wiring.quality.metrics.put((*usual, point(29, 30.0, odd=True)))
    return client


def get(client: TestClient, path: str, **query: Any) -> Any:
    answer = client.get(f"{BASE}{path}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def say(client: TestClient, verdict: str | None, time: str, metric: str = "mean(amount)") -> Any:
    body = {"metric": metric, "time": time, "verdict": verdict, "note": "a sale"}
    return client.post(f"{BASE}/datasets/raw.orders/feedback", json=body)


def test_every_metric_of_a_dataset_with_its_newest_value(told: TestClient) -> None:
    found = {one["metric"]: one for one in get(told, "/datasets/raw.orders/metrics")}
    assert set(found) == {"mean(amount)", "row_count", "rows_added", "rows_deleted", "size_bytes"}
    mean = found["mean(amount)"]
    assert (mean["kind"], mean["column"], mean["value"], mean["is_anomaly"]) == ("mean", "amount", 30.0, True)
    assert mean["low"] < 10 < mean["high"] < 30
    assert found["size_bytes"]["unit"] == "bytes"
    assert found["row_count"]["low"] is None


def test_a_series_has_a_band_for_each_point(told: TestClient) -> None:
    found = get(told, "/datasets/raw.orders/series", metric="mean(amount)")
    assert (found["method"], found["threshold"], found["branch"], len(found["points"])) == ("seasonal", 4.0, "main", 30)
    assert "zscore" in found["methods"]
    first, last = found["points"][0], found["points"][-1]
    assert (first["low"], first["is_anomaly"]) == (None, False)
    assert last["is_anomaly"]
    assert last["explanation"].startswith("30 is 190% above the expected 10")
    assert sum(one["is_anomaly"] for one in found["points"]) == 1


def test_another_method_and_fewer_points(told: TestClient) -> None:
    found = get(told, "/datasets/raw.orders/series", metric="mean(amount)", method="iqr", threshold=2, limit=3)
    assert (found["method"], found["threshold"], len(found["points"])) == ("iqr", 2.0, 3)


def test_rows_of_commits_are_a_series_without_any_check(client: TestClient) -> None:
    found = get(client, "/datasets/raw.orders/series")
    assert [one["value"] for one in found["points"]] == [6, 8]
    assert all(one["commit"] for one in found["points"])


def test_what_was_odd_lately_over_all_datasets(told: TestClient) -> None:
    (one,) = get(told, "/anomalies")
    assert (one["dataset_id"], one["metric"], one["value"], one["explanation"]) == (
        "raw.orders",
        "mean(amount)",
        30.0,
        "far out",
    )


def test_feedback_is_kept_with_who_gave_it_and_taken_back(told: TestClient) -> None:
    time = get(told, "/datasets/raw.orders/series", metric="mean(amount)")["points"][-1]["time"]
    answer = say(told, "expected", time)
    assert answer.status_code == 200, answer.text
    last = answer.json()["points"][-1]
    assert (last["is_anomaly"], last["feedback"], last["note"], last["feedback_by"]) == (
        False,
        "expected",
        "a sale",
        "ada@example.com",
    )
    assert get(told, "/anomalies")[0]["feedback"] == "expected"
    last = say(told, None, time).json()["points"][-1]
    assert (last["is_anomaly"], last["feedback"]) == (True, None)


def test_feedback_needs_someone_who_may_write(anonymous: TestClient) -> None:
    assert say(anonymous, "expected", "2026-11-14T06:10:00Z").status_code == 401


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/datasets/raw.orders/series?metric=mean(amuont)", 404, "FORGE-E742"),
        ("/datasets/raw.orders/series?metric=avg", 422, "FORGE-E740"),
        ("/datasets/raw.orders/series?method=magic", 422, "FORGE-E105"),
        ("/datasets/raw.orders/series?method=isolation_forest&threshold=3", 422, "FORGE-E740"),
        ("/datasets/raw.orders/series?threshold=-1", 422, "FORGE-E105"),
        ("/datasets/raw.orders/series?branch=nowhere", 404, "FORGE-E602"),
        ("/datasets/orders/series", 422, "FORGE-E101"),
        ("/datasets/raw.orders/metrics?branch=nowhere", 404, "FORGE-E602"),
        ("/datasets/raw.nothing/fitness?no_pii=true", 404, "FORGE-E108"),
        ("/datasets/raw.orders/fitness?min_score=101", 422, "FORGE-E105"),
        ("/anomalies?days=0", 422, "FORGE-E105"),
    ],
)
def test_what_cannot_be_answered_is_told(told: TestClient, path: str, status: int, code: str) -> None:
    answer = told.get(f"{BASE}{path}")
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text


@pytest.mark.parametrize(
    ("metric", "time", "status"),
    [
        ("mean(amount)", "2020-01-01T00:00:00Z", 404),
        ("mean(other)", "2026-11-14T06:10:00Z", 404),
        ("mean(amount)", 5, 422),
    ],
)
def test_feedback_on_what_is_not_there_changes_nothing(told: TestClient, metric: str, time: Any, status: int) -> None:
    assert say(told, "incident", time, metric).status_code == status
    assert get(told, "/anomalies")[0]["feedback"] is None


def test_fitness_is_told_with_evidence(client: TestClient) -> None:
    query = {"min_score": 90, "max_age_hours": 500_000}
    found = get(client, "/datasets/marts.revenue/fitness", **query)
    assert (found["fit"], found["dataset_id"], found["version"]) == (True, "marts.revenue", 1)
    assert [(one["name"], one["passed"]) for one in found["conditions"]] == [
        ("min_score", True),
        ("max_age", True),
    ]
    assert found["conditions"][0]["details"]["checks"][0]["message"] == "3 rows, none outside"
    found = get(client, "/datasets/raw.orders@main/fitness", min_score=90)
    assert not found["fit"]
    assert found["conditions"][0]["evidence"].startswith("no check has judged this version")
