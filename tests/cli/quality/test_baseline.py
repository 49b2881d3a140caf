"""`forge quality baseline` and `forge quality gate`, on real stores. No JVM."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from forge.flows.quality.metrics.points import KeptFinding, MetricPoint
from forge.model.names import BranchName, TableName
from forge.wiring import Wiring

ORDERS, MAIN = TableName("core", "orders"), BranchName("main")
WOBBLE = (0.97, 1.02, 1.0, 0.99, 1.03, 0.98, 1.01, 1.0, 1.02, 0.97, 0.99)
TODAY = datetime.now(UTC).replace(hour=6, minute=0, second=0, microsecond=0)


def point(day: int, value: float) -> MetricPoint:
    time = TODAY - timedelta(days=29 - day)
    kept = KeptFinding(value > 20, 9.0, "far out" if value > 20 else "in order", 10.0, 9.0, 11.0)
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


@pytest.fixture
def told(house: Any) -> Any:
    """Thirty days of a mean, the last of which is odd."""
    wiring = Wiring.of(house.root)
    wiring.quality.metrics.put((*(point(day, 10 * WOBBLE[day % 11]) for day in range(29)), point(29, 30.0)))
    wiring.close()
    return house


def series(told: Any, *words: str) -> list[dict[str, object]]:
    ended = told("quality", "baseline", "core.orders", "--metric", "mean(amount)", "--json", *words)
    assert ended.status == 0, ended.err
    found: list[dict[str, object]] = ended.json["points"]
    return found


def test_what_was_odd_lately_of_all_tables(told: Any) -> None:
    ended = told("quality", "baseline")
    assert (ended.status, "core.orders" in ended.out, "far out" in ended.out) == (0, True, True)
    (one,) = told("quality", "baseline", "--json").json["anomalies"]
    assert (one["table"], one["metric"], one["value"]) == ("core.orders", "mean(amount)", 30.0)


def test_every_metric_of_a_table(told: Any) -> None:
    ended = told("quality", "baseline", "core.orders")
    lines = ended.out.splitlines()
    assert [line.split()[1] for line in lines[1:]] == [
        "mean(amount)",
        "row_count",
        "rows_added",
        "rows_deleted",
        "size_bytes",
    ]
    assert lines[1].startswith("✗")
    assert "190% above the expected" in lines[1]
    assert lines[2].startswith("·")


def test_a_series_with_its_band_by_any_method(told: Any) -> None:
    found = series(told)
    assert (len(found), found[-1]["is_anomaly"], found[-1]["season"] is not None) == (30, True, True)
    assert len(series(told, "--method", "mad", "--limit", "5")) == 5
    ended = told("quality", "baseline", "core.orders", "--metric", "mean(amount)")
    assert "not known yet" in ended.out
    assert ended.out.count("✗") == 1


@pytest.mark.slow
def test_feedback_is_given_by_the_beginning_of_a_time_and_taken_back(told: Any) -> None:
    day = f"{TODAY:%Y-%m-%d}"
    ended = told("quality", "baseline", "core.orders", "--metric", "mean(amount)", "--expected", day, "--note", "sale")
    assert (ended.status, "called expected" in ended.err) == (0, True), ended.err
    assert (series(told)[-1]["feedback"], series(told)[-1]["note"]) == ("expected", "sale")
    assert not series(told)[-1]["is_anomaly"]
    assert told("quality", "baseline", "core.orders", "--metric", "mean(amount)", "--incident", day).status == 0
    assert series(told)[-1]["feedback"] == "incident"
    assert told("quality", "baseline", "core.orders", "--metric", "mean(amount)", "--forget", day).status == 0
    assert series(told)[-1]["feedback"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("core.orders", "--metric", "mean(x)"), "E742"),
        (("core.orders", "--metric", "avg(amount)"), "E740"),
        (("core.orders", "--method", "magic"), "E740"),
        (("core.orders", "--metric", "mean(amount)", "--expected", "2020"), "E742"),
        (("core.orders", "--metric", "mean(amount)", "--expected", "20"), "E742"),
        (("core.orders", "--expected", "2026", "--incident", "2026"), "E105"),
        (("--metric", "row_count"), "E105"),
        (("core.orders@nowhere",), "E602"),
    ],
)
def test_what_cannot_be_answered_is_told_and_changes_nothing(told: Any, words: tuple[str, ...], said: str) -> None:
    ended = told("quality", "baseline", *words)
    assert (ended.status, said in ended.err) == (2, True), ended.err
    assert all(one["feedback"] is None for one in series(told))


def test_the_gate_answers_with_evidence_and_fails_with_one(house: Any) -> None:
    ended = house("quality", "gate", "core.orders", "--max-age", "24")
    assert ended.status == 0, ended.err
    assert "is fit" in ended.err
    ended = house("quality", "gate", "core.orders@HEAD", "--min-score", "90", "--max-age", "24", "--no-pii", "--json")
    assert ended.status == 1
    assert (ended.json["fit"], ended.json["dataset_id"]) == (False, "core.orders")
    assert [(c["name"], c["passed"]) for c in ended.json["conditions"]] == [
        ("min_score", False),
        ("max_age", True),
        ("no_pii", False),  # no contract says which columns are personal
    ]
    assert "is not fit: min_score, no_pii failed" in ended.err


@pytest.mark.parametrize(
    ("words", "status", "code"),
    [
        (("core.orders",), 2, "E744"),
        (("core.orders", "--min-score", "101"), 2, "E744"),
        (("core.order", "--no-pii"), 2, "E108"),
        (("core.orders@nowhere", "--no-pii"), 2, "E601"),
    ],
)
def test_a_gate_that_means_nothing_is_refused(house: Any, words: tuple[str, ...], status: int, code: str) -> None:
    ended = house("quality", "gate", *words)
    assert (ended.status, code in ended.err) == (status, True), ended.err
