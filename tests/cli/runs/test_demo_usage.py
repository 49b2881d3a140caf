"""The demo is used until today, whenever it is opened, and has something to recommend for each of the reasons."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from catalog_world import CatalogWorld, table

from forge.catalog.discovery.recommend import RecommendationSource
from forge.catalog.discovery.usage import UsageCount, UsageKind, UsagePeriod
from forge.cli.runs.demo_folder import shop_folder
from forge.cli.runs.demo_usage import DAYS, OWNER, READERS, use_until_today
from forge.flows.catalog.asset_files import read_asset_files
from forge.flows.catalog.discovery.popular import find_popular
from forge.flows.catalog.discovery.recommend import RecommendationPorts, recommend
from forge.flows.runs.project import load_project
from forge.stores.memory.usage import MemoryUsage

NEXT_YEAR = datetime(2027, 8, 3, 7, tzinfo=UTC)


def test_the_last_days_are_used_whenever_the_demo_is_opened() -> None:
    world, store = CatalogWorld(), MemoryUsage()
    world.crawl(*(table(name) for name in {name for tables in READERS.values() for name, _ in tables}))
    use_until_today(store, NEXT_YEAR)
    found = find_popular(store, world.assets, lambda: NEXT_YEAR, period=UsagePeriod.MONTH, limit=50)
    assert {one.asset.qualified_name for one in found} == {name for tables in READERS.values() for name, _ in tables}
    counts = store.counts(["core.orders"], NEXT_YEAR.date() - timedelta(days=30), NEXT_YEAR.date())
    assert len({one.day for one in counts}) == DAYS
    assert max(one.last_at for one in counts) <= NEXT_YEAR


def test_a_day_is_used_once_however_often_the_demo_is_opened_and_whatever_its_owner_does() -> None:
    store, today = MemoryUsage(), NEXT_YEAR.date()

    def uses(days: int) -> int:
        until = today + timedelta(days=days)
        return sum(one.count for one in store.counts(["core.orders"], today - timedelta(days=9), until))

    use_until_today(store, NEXT_YEAR)
    once = uses(0)
    use_until_today(store, NEXT_YEAR + timedelta(hours=3))
    assert uses(0) == once
    store.add([UsageCount(today + timedelta(days=1), "core.orders", OWNER, UsageKind.VIEW, 1, NEXT_YEAR)])
    use_until_today(store, NEXT_YEAR + timedelta(days=1))
    assert uses(1) == once + once // DAYS + 1


@pytest.mark.slow
def test_who_opens_the_demo_gets_recommendations_of_all_four_kinds() -> None:
    shop, store, world = shop_folder(), MemoryUsage(), CatalogWorld()
    said, _ = read_asset_files(shop)
    domains = {name: one.documentation.domain for name, one in said.items()}
    project = load_project(shop, lambda name: None)
    world.crawl(*(table(str(name), domain=domains.get(str(name))) for name in project.transforms))

    def neighbours(name: str) -> list[tuple[str, str]]:
        pairs = [(str(source), str(made)) for made, one in project.transforms.items() for source in one.inputs]
        up = [(source, "upstream") for source, made in pairs if made == name]
        return up + [(made, "downstream") for source, made in pairs if source == name]

    use_until_today(store, NEXT_YEAR)
    ports = RecommendationPorts(
        usage=store, assets=world.assets, clock=lambda: NEXT_YEAR, actor_of=lambda user: user, neighbours=neighbours
    )
    found = recommend(ports, OWNER, limit=6)  # as many as the home page shows
    assert {reason.source for one in found for reason in one.recommendation.reasons} == set(RecommendationSource)
    assert "core.customers" not in {one.asset.qualified_name for one in found}
