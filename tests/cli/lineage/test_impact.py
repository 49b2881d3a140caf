"""`forge impact`: the report of a change, and when it fails. No JVM."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

AMOUNT, REVENUE, DASHBOARD = "raw.orders.amount", "marts.revenue.revenue", "dashboard:revenue"


@pytest.mark.slow
def test_a_drop_names_who_is_hit_the_worst_first(traced: Any) -> None:
    document = traced("impact", AMOUNT, "--change", "drop", "--json").json
    assert document["schema_version"] == 1
    assert document["change"] == {"type": "drop", "entity": AMOUNT, "to": None, "direction": None}
    hit = {one["id"]: one for one in document["affected"]}
    # base × entity × confidence × depth × use
    assert hit[DASHBOARD]["score"] == pytest.approx(5.0 * 2.0 * 1.0 * 0.8 * 1.0)
    assert hit[REVENUE]["score"] == pytest.approx(5.0 * 0.8 * 1.0 * 0.9 * 1.2)
    assert [one["id"] for one in document["affected"]] == [DASHBOARD, REVENUE]
    assert hit[REVENUE]["use"] == "aggregated"
    assert hit[DASHBOARD]["owner"] == "board@example.com"
    assert (document["risk"], document["is_breaking"], document["counts"]["high"]) == ("high", True, 2)
    assert document["hidden"] == 1


def test_a_column_that_only_filters_rows_hits_the_table(traced: Any) -> None:
    document = traced("impact", "raw.orders.status", "--json").json
    assert {one["id"]: one["use"] for one in document["affected"]}["marts.revenue"] == "filter"


def test_the_report_is_readable(traced: Any) -> None:
    text = traced("impact", AMOUNT, "--change", "drop").out
    lines = text.splitlines()
    assert lines[0] == "drop raw.orders.amount"
    assert lines[1].startswith("risk HIGH: 2 entities hit (2 high): 1 column, 1 dashboard; about ")
    for title in ("breaks:", "critical paths:", "migration:", "recommended:", "tell:"):
        assert title in lines
    assert "  board@example.com (high): dashboard:revenue" in lines
    assert "1 edge not sure enough to follow. All: --min-confidence 0" in lines
    assert "marts.guess.value" in traced("impact", AMOUNT, "--min-confidence", "0").out


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ((AMOUNT, "--fail-on", "high"), 1),
        ((AMOUNT, "--fail-on", "low"), 1),
        ((AMOUNT, "--fail-on", "critical"), 0),
        ((AMOUNT,), 0),
        ((DASHBOARD, "--fail-on", "low", "--change", "semantics"), 0),
        ((AMOUNT, "--fail-on", "low", "--at", "2026-11-13"), 0),
        ((AMOUNT, "--fail-on", "high", "--change", "type", "--to", "decimal(38,0)"), 1),
        ((AMOUNT, "--fail-on", "high", "--change", "type", "--to", "int"), 1),
    ],
    ids=[
        "high",
        "low",
        "not so bad",
        "not asked for",
        "nothing is hit",
        "before a run",
        "every value fits",
        "a narrower",
    ],
)
def test_the_exit_status_follows_the_risk(traced: Any, words: tuple[str, ...], status: int) -> None:
    ended = traced("impact", *words)
    assert ended.status == status, ended.err
    if status == 1:
        assert "is met" in ended.err
        assert "risk HIGH" in ended.out


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("raw.orders.amont",), "E801", "raw.orders.amount"),
        (("amount",), "E807", "raw.orders.amount"),
        ((AMOUNT, "--change", "typ"), "E810", "Did you mean type"),
        ((AMOUNT, "--change", "type"), "E810", "--to"),
        ((AMOUNT, "--change", "rename"), "E810", "--to"),
        ((AMOUNT, "--change", "location"), "E810", "table"),
        ((AMOUNT, "--fail-on", "hihg"), "E105", "Did you mean high"),
    ],
    ids=["unknown", "ambiguous", "no change", "no type", "no name", "of a table", "no risk"],
)
def test_what_cannot_be_told_is_a_usage_error(traced: Any, words: tuple[str, ...], code: str, told: str) -> None:
    ended = traced("impact", *words)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith(f"FORGE-{code} ")
    assert told in ended.err


def test_a_type_that_loses_values_is_told_from_another_one(traced: Any) -> None:
    def direction(to: str) -> str:
        return str(traced("impact", AMOUNT, "--change", "type", "--to", to, "--json").json["change"]["direction"])

    # a decimal holds every bigint, but whoever counts with whole numbers sees another type
    assert (direction("decimal(38,0)"), direction("int"), direction("string")) == (
        "unrelated",
        "narrowing",
        "unrelated",
    )


def test_rows_of_a_table_form_are_what_is_hit(traced: Any) -> None:
    rows = list(csv.DictReader(io.StringIO(traced("impact", AMOUNT, "--format", "csv").out)))
    assert [(row["id"], row["severity"]) for row in rows] == [(DASHBOARD, "high"), (REVENUE, "high")]
    lines = traced("impact", AMOUNT, "--format", "ndjson").out.splitlines()
    assert len(lines) == 2


def test_nothing_hit_is_said(traced: Any) -> None:
    ended = traced("impact", DASHBOARD, "--change", "semantics")
    assert ended.status == 0, ended.err
    assert "risk NONE: nothing is hit" in ended.out
