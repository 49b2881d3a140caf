"""`forge catalog profile` in the terminal. No JVM: the table is small."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest

pytestmark = pytest.mark.slow

CONTRACT = """apiVersion: v3.1.0
kind: DataContract
id: orders
version: 1.0.0
status: active
schema:
  - name: core.orders
    properties:
      - {name: customer, logicalType: string, classification: pii}
"""


def test_a_profile_is_a_table_with_a_picture_of_each_column(torn: Any) -> None:
    ended = torn("catalog", "profile", "core.orders")
    assert ended.status == 0, ended.err
    first = ended.out.splitlines()[0]
    assert first == "core.orders  3 rows, 4 columns, 0 duplicate rows"
    amount = next(line for line in ended.out.splitlines() if line.startswith("amount"))
    assert "█" in amount
    assert "30" in amount


def test_the_same_as_data(torn: Any) -> None:
    found = torn("catalog", "profile", "core.orders", "--json").json
    assert (found["schema_version"], found["row_count"], found["sampled"]) == (1, 3, False)
    amount = next(column for column in found["columns"] if column["name"] == "amount")
    assert (amount["minimum"], amount["nulls"], amount["distinct"]) == (11.0, 0, 3)


def test_a_revision_a_difference_and_the_history(torn: Any) -> None:
    assert torn("catalog", "profile", "core.orders@fix", "--json").json["row_count"] == 4
    changes = torn("catalog", "profile", "core.orders@fix", "--diff", "main", "--json").json["changes"]
    assert {"column": None, "statistic": "row_count", "before": 3, "after": 4, "by": 1.0}.items() <= changes[0].items()
    shown = torn("catalog", "profile", "core.orders@fix", "--diff", "main").out
    assert "main → fix" in shown
    assert "+1 (+33.3%)" in shown
    past = torn("catalog", "profile", "core.orders", "--history", "--json").json["profiles"]
    assert {one["row_count"] for one in past} == {3, 4}


def test_a_sample_says_that_it_is_one(torn: Any) -> None:
    assert "SAMPLE: 0.5 of the rows" in torn("catalog", "profile", "core.orders@fix", "--sample", "0.5").out


def test_personal_values_are_not_shown(house: Any) -> None:
    """What was stored before the contract came is taken out as well."""
    (house.root / "contracts").mkdir()
    (house.root / "contracts" / "orders.odcs.yaml").write_text(CONTRACT)
    ended = house("catalog", "profile", "core.orders")
    assert "*** personal" in ended.out
    assert "ada" not in ended.out + house("catalog", "profile", "core.orders", "--json").out
    with closing(sqlite3.connect(house.root / ".forge" / "forge.db")) as database:
        stored = str(database.execute("SELECT profile FROM forge_table_profiles").fetchall())
    assert "customer" in stored
    assert "ada" not in stored


@pytest.mark.parametrize(
    "words", [("core.nothing",), ("core.orders", "--sample", "2"), ("core.orders", "--history", "--exact")]
)
def test_what_cannot_be_is_an_error_with_a_fix(house: Any, words: tuple[str, ...]) -> None:
    ended = house("catalog", "profile", *words)
    assert ended.status in (2, 3)
    assert "fix:" in ended.err or "why:" in ended.err
