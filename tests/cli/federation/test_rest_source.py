"""`forge source` and `forge query` of an API, in the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from rest_api import Answer, RestApi, rest_api

pytestmark = pytest.mark.slow

TABLES = """\
orders:
  path: /orders
  columns: {id: bigint, city: string}
  filters: {city: town}
"""


@pytest.fixture
def api() -> Iterator[RestApi]:
    with rest_api() as opened:
        opened.serve_list("/v1/orders", [{"id": 1, "city": "London"}, {"id": 2, "city": "Paris"}])
        yield opened


def test_an_api_is_added_tested_shown_asked_and_edited(
    house: Any, api: RestApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_TOKEN", "s3cret")
    tables = house.root / "api.yaml"
    tables.write_text(TABLES)
    given = ("--connector", "rest", "--url", f"{api.url}/v1", "--tables", str(tables), "--password", "env:API_TOKEN")
    made = house("source", "add", "api", *given, "--json")
    assert made.status == 0, made.err
    assert made.json["sources"][0]["tables"]["orders"]["filters"] == {"city": "town"}
    assert f"✓ api: 1 endpoint of {api.url}, 1 table" in house("source", "test", "api").out
    columns = house("source", "show", "api", "orders", "--json").json["columns"]
    assert [(one["name"], one["type"]) for one in columns] == [("id", "bigint"), ("city", "string")]
    asked = house("query", "SELECT id FROM api.orders WHERE city = 'Paris'", "--engine", "in-process", "--json")
    assert asked.status == 0, asked.err
    assert '"id":2' in asked.out.replace(" ", "")
    assert api.asked[-1].query == {"town": "Paris"}
    tables.write_text("tables:\n" + "".join(f"  {line}\n" for line in TABLES.replace("id: bigint, ", "").splitlines()))
    assert "version 2" in house("source", "edit", "api", "--tables", str(tables)).err
    assert "removed orders.id" in house("source", "test", "api").out
    tables.write_text("orders: {path: orders, columns: {id: lng}}")
    wrong = house("source", "edit", "api", "--tables", str(tables))
    assert wrong.status == 2
    assert wrong.err.count("FORGE-E880") == 2
    assert house("source", "edit", "api", "--tables", str(house.root / "none.yaml")).status == 2
    api.serve("/v1/orders", Answer(status=401))
    down = house("source", "test", "api")
    assert (down.status, "FORGE-E308" in down.err, "s3cret" in down.err) == (5, True, False)
