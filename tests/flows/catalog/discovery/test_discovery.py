"""Popular and similar assets, usage over time and recommendations, over a catalog in memory."""

from __future__ import annotations

from datetime import timedelta

import pytest
from catalog_world import NOW, CatalogWorld, table

from forge.catalog.discovery.usage import UsageCount, UsageKind, UsagePeriod
from forge.flows.catalog.discovery.popular import find_popular, find_usage
from forge.flows.catalog.discovery.recommend import RecommendationPorts, recommend
from forge.flows.catalog.discovery.similar import SimilarAssets
from forge.model.errors import ForgeError
from forge.stores.memory.usage import MemoryUsage

ORDERS = table("core.orders", "id:bigint customer_id:bigint amount:double day:date", domain="sales", tags=("gold",))
REFUNDS = table("core.refunds", "id:bigint customer_id:bigint amount:double reason", domain="sales")
REVENUE = table("marts.revenue", "day:date total:double", domain="finance", description="Revenue by day")
STAFF = table("hr.staff", "name email", domain="hr", tags=("gold",))
ALL = (ORDERS, REFUNDS, REVENUE, STAFF)


class Site:
    def __init__(self) -> None:
        self.world, self.usage = CatalogWorld(), MemoryUsage()
        self.neighbours: dict[str, list[tuple[str, str]]] = {}

    def use(self, actor: str, *names: str, kind: UsageKind = UsageKind.VIEW, days_ago: int = 0, count: int = 1) -> None:
        at = NOW - timedelta(days=days_ago)
        self.usage.add([UsageCount(at.date(), name, actor, kind, count, at) for name in names])

    def popular(self, **asked: object) -> list[str]:
        found = find_popular(self.usage, self.world.assets, lambda: NOW, **asked)  # type: ignore[arg-type]
        return [one.asset.qualified_name for one in found]

    def recommended(self, user: str, context: str | None = None, limit: int = 10) -> dict[str, list[str]]:
        ports = RecommendationPorts(
            self.usage, self.world.assets, lambda: NOW, lambda name: name, lambda name: self.neighbours.get(name, ())
        )
        found = recommend(ports, user, context=context, limit=limit)
        return {one.asset.qualified_name: [str(r.source) for r in one.recommendation.reasons] for one in found}


@pytest.fixture
def site() -> Site:
    site = Site()
    site.world.crawl(*ALL)
    return site


def test_popular_by_period_and_domain(site: Site) -> None:
    site.use("a", "core.orders", "marts.revenue")
    site.use("b", "core.orders")
    site.use("c", "core.refunds", days_ago=3, count=9)
    site.use("d", "hr.staff", days_ago=20)
    assert site.popular(period=UsagePeriod.DAY) == ["core.orders", "marts.revenue"]
    assert site.popular(period=UsagePeriod.WEEK) == ["core.orders", "core.refunds", "marts.revenue"]
    assert site.popular(domain="hr") == ["hr.staff"]
    assert site.popular(limit=1) == ["core.orders"]
    assert site.popular(domain="nope") == []


def test_what_vanished_or_is_unknown_is_not_popular(site: Site) -> None:
    site.use("a", "core.orders", "hr.staff", "tmp.scratch")
    site.world.crawl(ORDERS)
    assert site.popular() == ["core.orders"]


def test_a_renamed_asset_stays_popular_and_keeps_its_days(site: Site) -> None:
    site.use("a", "core.refunds", days_ago=2)
    site.world.crawl(ORDERS, table("core.returns", "id:bigint", key="core.refunds", domain="sales"))
    site.use("b", "core.returns", kind=UsageKind.QUERY)
    assert site.popular() == ["core.returns"]
    for name in ("core.returns", "core.refunds"):
        history = find_usage(site.usage, site.world.assets, lambda: NOW, name, UsagePeriod.WEEK)
        assert (history.total.asset, history.total.views, history.total.queries) == ("core.returns", 1, 1)
        assert [day.users for day in history.days] == [0, 0, 0, 0, 1, 0, 1]


def test_usage_of_an_unknown_asset_is_not_found(site: Site) -> None:
    with pytest.raises(ForgeError) as unknown:
        find_usage(site.usage, site.world.assets, lambda: NOW, "core.nope")
    assert unknown.value.code == "E850"


def test_similar_assets_follow_the_catalog(site: Site) -> None:
    similar = SimilarAssets(site.world.assets)
    found, other = similar.find("core.orders")
    assert other.match.reasons == ("shares 1 of 4 columns: day",)
    shown = found.to_dict()
    assert (shown["qualified_name"], shown["name"], shown["domain"]) == ("core.refunds", "refunds", "sales")
    assert found.match.reasons[0] == "shares 3 of 4 columns: id, customer_id, amount"
    site.world.crawl(ORDERS, table("core.returns", "id:bigint customer_id:bigint amount:double", key="core.refunds"))
    assert [one.asset.qualified_name for one in similar.find("core.orders")] == ["core.returns"]  # revenue is gone
    site.world.crawl(ORDERS)
    assert similar.find("core.orders") == ()


def test_similar_takes_a_former_name(site: Site) -> None:
    site.world.crawl(table("core.sales", "id:bigint amount:double", key="core.orders"), REFUNDS)
    similar = SimilarAssets(site.world.assets)
    assert [one.asset.qualified_name for one in similar.find("core.orders")] == ["core.refunds"]


def test_four_sources_each_say_why(site: Site) -> None:
    site.use("me", "core.orders")
    site.use("eve", "core.orders", "marts.revenue")
    site.use("bob", "hr.staff")
    site.neighbours = {"core.orders": [("marts.revenue", "downstream")]}
    assert list(site.recommended("me").items()) == [
        ("marts.revenue", ["people", "lineage", "popular"]),
        ("hr.staff", ["domain", "popular"]),
        ("core.refunds", ["domain"]),
    ]


def test_a_new_user_gets_what_is_popular_and_a_new_catalog_what_is_described(site: Site) -> None:
    assert site.recommended("new") == {"marts.revenue": ["popular"]}
    site.use("eve", "core.orders")
    assert site.recommended("new") == {"core.orders": ["popular"]}


def test_the_asset_that_is_looked_at_leads(site: Site) -> None:
    site.neighbours = {"hr.staff": [("core.refunds", "upstream")]}
    found = site.recommended("new", context="hr.staff")
    assert found == {"core.refunds": ["lineage"], "core.orders": ["domain"]}
    with pytest.raises(ForgeError):
        site.recommended("new", context="core.nope")


def test_nothing_vanished_or_deprecated_is_recommended(site: Site) -> None:
    site.use("eve", "core.orders", "core.refunds", "hr.staff", "marts.revenue")
    site.use("me", "core.orders")
    site.neighbours = {"core.orders": [("hr.staff", "upstream"), ("gone.table", "upstream")]}
    site.world.say("marts.revenue", deprecated="use another")
    site.world.crawl(ORDERS, REFUNDS, REVENUE)
    assert list(site.recommended("me")) == ["core.refunds"]


def test_a_renamed_asset_is_recommended_once_and_not_to_who_used_it(site: Site) -> None:
    site.use("eve", "core.orders", "core.refunds")
    site.use("me", "core.orders")
    site.use("bob", "core.refunds", "core.orders")
    renamed = table("core.returns", "id:bigint", key="core.refunds", domain="sales")
    site.world.crawl(ORDERS, renamed, REVENUE, STAFF)
    site.use("eve", "core.returns")
    found = site.recommended("me")
    assert [name for name in found if name.startswith("core.re")] == ["core.returns"]
    assert "core.returns" not in site.recommended("bob")


def test_the_number_of_answers_is_bounded_and_their_order_fixed(site: Site) -> None:
    many = [table(f"s.t{n:03}", "a b", domain="sales") for n in range(150)]
    site.world.crawl(*ALL, *many)
    site.use("me", "core.orders")
    first = site.recommended("me", limit=5)
    assert len(first) == 5
    assert list(first) == list(site.recommended("me", limit=5))
