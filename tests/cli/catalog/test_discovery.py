"""`forge catalog popular|usage|similar|recommend` in the terminal."""

from __future__ import annotations

from typing import Any

import pytest
from catalog_world import CatalogWorld, table

from forge.catalog.discovery.usage import UsageKind
from forge.wiring import Wiring

pytestmark = pytest.mark.slow


@pytest.fixture
def used(house: Any) -> Any:
    wiring = Wiring.of(house.root)
    CatalogWorld(wiring.catalog.assets).crawl(
        table("core.sales", "id:bigint amount:double day:date", domain="sales"),
        table("core.refunds", "id:bigint amount:double day:date why", domain="sales"),
        table("hr.staff", "name", domain="hr"),
    )
    recorder = wiring.catalog.discovery.recorder
    recorder.record(UsageKind.VIEW, ["core.sales", "hr.staff"], "eve")
    recorder.record(UsageKind.QUERY, ["core.sales"], "ada@example.com")
    recorder.record(UsageKind.RUN, ["core.refunds"], "job")
    wiring.close()
    return house


def found(house: Any, *words: str, key: str = "assets") -> list[dict[str, Any]]:
    ended = house("catalog", *words, "--json")
    assert ended.status == 0, ended.err
    items: list[dict[str, Any]] = ended.json[key]
    return items


def test_popular_by_domain_and_period(used: Any) -> None:
    assert [one["id"] for one in found(used, "popular")] == ["core.sales", "hr.staff", "core.refunds"]
    assert [one["id"] for one in found(used, "popular", "--domain", "hr", "--time-range", "day")] == ["hr.staff"]
    assert "core.sales" in used("catalog", "popular", "-n", "1").out
    assert "Nothing of the catalog was used" in used("catalog", "popular", "--domain", "x").err


def test_usage_day_by_day(used: Any) -> None:
    days = found(used, "usage", "core.sales", "--time-range", "week", key="days")
    assert (len(days), days[-1]["users"], days[-1]["queries"]) == (7, 2, 1)
    assert used("catalog", "usage", "core.nope").status == 2


def test_similar_says_why(used: Any) -> None:
    (one,) = found(used, "similar", "core.sales")
    assert (one["id"], one["reasons"][0]) == ("core.refunds", "shares 3 of 3 columns: id, amount, day")
    assert "shares 3 of 3 columns" in used("catalog", "similar", "core.sales").out


def test_recommendations_say_why(used: Any) -> None:
    items = found(used, "recommend")
    assert [one["id"] for one in items] == ["hr.staff", "core.refunds"]
    assert items[0]["reasons"][0]["text"] == "people who used core.sales also used it"
    assert "of the domain sales" in used("catalog", "recommend", "--context", "core.sales").out
