"""Queries over an API beside a database: what is asked of it, what is not, and who learns what."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from asked_plan import explain
from migrated import lay_database
from rest_api import Answer, Asked, RestApi, rest_api
from sqlite_source import lay_shop

from forge.flows.federation.query import QueryAnswer, QueryRequest, ask
from forge.flows.versioning.read import QueryCaller
from forge.model.errors import ForgeError
from forge.settings import load_settings
from forge.wiring import Wiring

SOURCES = """
sources:
  - name: shop
    connector: rest
    url: {url}/v1
    password: env:SHOP_TOKEN
    hidden: [orders.note]
    tables:
      orders:
        path: /orders
        records: items
        columns: {{id: bigint, city: string, amount: "decimal(10,2)", day: date, open: boolean, note: string}}
        filters: {{city: town, day: day, id: id, open: open, note: note}}
        paging: {{type: offset, size: 2, size_parameter: limit}}
  - name: vault
    connector: rest
    url: {url}
    readers: [eve@example.com]
    tables: {{t: {{path: /t, columns: {{a: int}}}}}}
  - {{name: till, connector: sqlite, path: data/till.db}}
"""
ORDERS: list[dict[str, Any]] = [
    {"id": 1, "city": "London", "amount": 10.00, "day": "2026-01-30", "open": True, "note": "secret"},
    {"id": 2, "city": "Paris", "amount": 2.5, "day": "2026-01-31", "open": False, "note": None},
    {"id": 3, "city": "London", "amount": None, "day": "2026-01-31", "open": None, "note": "x"},
    {"id": 4, "city": None, "amount": 7.25, "day": None, "open": True, "note": "y"},
    {"id": 5, "city": "london", "amount": 1.00, "day": "2026-02-01", "open": False, "note": "z"},
]


def orders(asked: Asked) -> Answer:
    """Ignores case, and knows `town` alone."""
    town = asked.query.get("town")
    found = [one for one in ORDERS if town is None or str(one["city"]).lower() == town.lower()]
    start = int(asked.query["offset"])
    return Answer({"items": found[start : start + int(asked.query["limit"])]})


@pytest.fixture
def api() -> Iterator[RestApi]:
    with rest_api() as opened:
        opened.endpoints["/v1/orders"] = orders
        yield opened


@pytest.fixture
def wiring(api: RestApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Wiring]:
    monkeypatch.setenv("SHOP_TOKEN", "s3cret")
    (tmp_path / "forge.yaml").write_text("project: x\nuser: {name: Ada, email: ada@example.com}\n")
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "all.yaml").write_text(SOURCES.format(url=api.url))
    lay_shop(tmp_path / "data" / "till.db")
    lay_database(tmp_path / ".forge" / "forge.db")
    with closing(Wiring(load_settings(tmp_path, {"PATH": "", "HOME": "/nowhere"}))) as made:
        yield made


def answer(wiring: Wiring, sql: str, **more: Any) -> QueryAnswer:
    caller = QueryCaller("ada@example.com", "test", wiring.clock)
    found = ask(wiring.federation.query_ports(), QueryRequest(sql, executor="in-process", **more), caller)
    assert "session" not in wiring.__dict__, "a JVM was started"
    return found


def rows(wiring: Wiring, sql: str, **more: Any) -> list[tuple[object, ...]]:
    return list(answer(wiring, sql, **more).rows)


def towns(api: RestApi) -> set[str | None]:
    return {one.query.get("town") for one in api.asked}


def test_an_api_and_a_database_are_one(wiring: Wiring, api: RestApi) -> None:
    sql = """SELECT c.email, count(*) AS n, sum(o.amount) AS total FROM shop.orders o
             JOIN till.customers c ON c.city = o.city GROUP BY c.email"""
    assert [tuple(map(str, one)) for one in rows(wiring, sql)] == [("ada@example.com", "2", "10.00")]
    assert {one.headers["authorization"] for one in api.asked} == {"Bearer s3cret"}


@pytest.mark.slow
def test_what_the_api_can_be_asked_is_asked_and_the_rest_computed(wiring: Wiring, api: RestApi) -> None:
    cases: list[tuple[str, dict[str, object], list[int], str | None]] = [
        ("city = 'London'", {}, [1, 3], "London"),
        ("'London' = city AND amount > 5", {}, [1], "London"),
        ("city = :c", {"c": "' OR 1=1 --&town=Paris"}, [], "' OR 1=1 --&town=Paris"),
        ("city = 'London' AND city = 'Paris'", {}, [], "London"),
        ("city = 'London' OR id = 2", {}, [1, 2, 3], None),
        ("city IN ('London', 'Paris')", {}, [1, 2, 3], None),
        ("city <> 'London'", {}, [2, 5], None),
        ("city IS NULL", {}, [4], None),
        ("lower(city) = 'london'", {}, [1, 3, 5], None),
        ("city = city", {}, [1, 2, 3, 5], None),
        ("city <=> NULL", {}, [4], None),
        ("open", {}, [1, 4], None),
        ("open = false", {}, [2, 5], None),
        ("day = '2026-01-31'", {}, [2, 3], None),
        ("day = DATE '2026-01-31' AND id = 3", {}, [3], None),
        ("id = 2.0", {}, [2], None),
        ("amount = 7.25", {}, [4], None),
        ("note = 'secret'", {}, [], None),
        ("note IS NULL", {}, [1, 2, 3, 4, 5], None),
    ]
    for condition, parameters, ids, town in cases:
        sql = f"SELECT id FROM shop.orders WHERE {condition} ORDER BY id"
        for pushdown in (True, False):
            api.asked.clear()
            found = rows(wiring, sql, parameters=parameters, pushdown=pushdown)
            assert found == [(one,) for one in ids], condition
            assert towns(api) == {town if pushdown else None}, condition
            assert all("note" not in one.query for one in api.asked), "a hidden column was asked for"


def test_a_limit_reads_no_more_pages_than_it_needs(wiring: Wiring, api: RestApi) -> None:
    many = [{**ORDERS[0], "id": number} for number in range(1000)]
    api.endpoints["/v1/orders"] = lambda asked: Answer(
        {"items": many[int(asked.query["offset"]) :][: int(asked.query["limit"])]}
    )
    assert len(rows(wiring, "SELECT id FROM shop.orders WHERE city = 'London' LIMIT 3")) == 3
    assert len(api.asked) < 50
    api.asked.clear()
    assert len(rows(wiring, "SELECT * FROM shop.orders", limit=3)) == 3
    assert len(api.asked) < 50


def test_a_limit_ends_the_reading_of_rows_that_are_looked_at_as_they_come(wiring: Wiring, api: RestApi) -> None:
    many = [{**ORDERS[0], "id": number} for number in range(10_000)]
    api.endpoints["/v1/orders"] = lambda asked: Answer({"items": many[int(asked.query["offset"]) :][:2]})
    file = wiring.root / "sources" / "all.yaml"
    rule = 'rows: [{table: orders, filter: "id >= 100"}]'
    file.write_text(file.read_text().replace("hidden: [orders.note]", rule))
    found = answer(wiring, "SELECT id, upper(city) AS city FROM shop.orders", limit=3)
    assert found.rows == ((100, "LONDON"), (101, "LONDON"), (102, "LONDON"))
    assert len(api.asked) < 600


def test_rows_are_counted(wiring: Wiring) -> None:
    assert rows(wiring, "SELECT count(*) FROM shop.orders") == [(5,)]
    assert rows(wiring, "SELECT max(day) FROM shop.orders") == [(date(2026, 2, 1),)]


def test_the_plan_says_what_is_pushed_and_why_not(wiring: Wiring, api: RestApi) -> None:
    sql = "SELECT id FROM shop.orders WHERE city = 'London' AND amount > 5 AND id < 9"
    request = QueryRequest(sql)
    found = explain(wiring.federation.query_ports(), request).to_dict()
    decisions = found["decisions"]
    assert isinstance(decisions, list)
    assert {(one["text"].split(".")[-1], one["pushed"], one.get("why", "")) for one in decisions} == {
        ("`city` = 'London'", True, ""),
        ("`amount` > 5", False, "an API is asked for equal values alone"),
        ("`id` < 9", False, "an API is asked for equal values alone"),
    }
    assert api.asked == []


def test_who_may_not_read_an_api_sends_no_request(wiring: Wiring, api: RestApi) -> None:
    with pytest.raises(ForgeError) as caught:
        rows(wiring, "SELECT * FROM vault.t")
    assert (caught.value.code, api.asked) == ("E885", [])


def test_an_api_that_fails_is_named_without_its_secret(wiring: Wiring, api: RestApi) -> None:
    api.serve("/v1/orders", Answer({"you": "s3cret"}, 403))
    with pytest.raises(ForgeError) as caught:
        rows(wiring, "SELECT * FROM shop.orders")
    assert caught.value.code == "E308"
    assert "shop" in caught.value.what
    assert "s3cret" not in str(caught.value)
    for text in ("SELECT * FROM shop.order", "SELECT nr FROM shop.orders"):
        with pytest.raises(ForgeError) as caught:
            rows(wiring, text)
        assert caught.value.code in ("E887", "E108")


RULES = """
    rows: [{table: orders, filter: "city = 'London' OR amount > 7", except: [bob@example.com]}]
    masks: [{column: orders.day, as: year, except: [bob@example.com]}]
"""


@pytest.mark.slow
def test_rows_and_values_that_are_not_yours_are_neither_read_nor_asked_for(wiring: Wiring, api: RestApi) -> None:
    file = wiring.root / "sources" / "all.yaml"
    file.write_text(file.read_text().replace("    hidden: [orders.note]\n", RULES.lstrip("\n"), 1))
    assert rows(wiring, "SELECT id FROM shop.orders ORDER BY id") == [(1,), (3,), (4,)]
    assert rows(wiring, "SELECT count(*) FROM shop.orders WHERE city = 'Paris'") == [(0,)]
    assert rows(wiring, "SELECT id FROM shop.orders LIMIT 2 OFFSET 2") == [(4,)]
    api.asked.clear()
    masked = "SELECT id FROM shop.orders WHERE day = '2026-01-31'"
    assert rows(wiring, masked) == rows(wiring, masked, pushdown=False) == []
    assert all("day" not in one.query for one in api.asked), "a masked column was asked for"
    file.write_text(file.read_text().replace(" OR amount > 7", ""))
    api.asked.clear()
    assert rows(wiring, "SELECT id FROM shop.orders ORDER BY id") == [(1,), (3,)]
    assert towns(api) == {"London"}
