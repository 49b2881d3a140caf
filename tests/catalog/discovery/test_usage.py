"""Usage by period and day."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from forge.catalog.discovery.usage import (
    AssetUsage,
    UsageCount,
    UsageKind,
    UsagePeriod,
    total_usage,
    under_current_names,
    usage_by_day,
)

DAY = date(2026, 11, 18)
NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)


def test_a_period_ends_today() -> None:
    assert [DAY - period.since(DAY) for period in UsagePeriod] == [timedelta(days=n) for n in (0, 6, 29)]


def test_days_without_use_are_shown() -> None:
    counts = [
        UsageCount(DAY, "a", "eve", UsageKind.VIEW, 3, NOON),
        UsageCount(DAY, "a", "bob", UsageKind.QUERY, 1, NOON),
        UsageCount(DAY - timedelta(days=2), "a", "eve", UsageKind.RUN, 5, NOON),
    ]
    days = usage_by_day(counts, DAY - timedelta(days=2), DAY)
    assert [(one.views, one.queries, one.runs, one.users) for one in days] == [(0, 0, 5, 1), (0, 0, 0, 0), (3, 1, 0, 2)]
    assert total_usage("a", counts) == AssetUsage(asset="a", views=3, queries=1, runs=5, users=2, last_at=NOON)
    assert total_usage("a", ()) == AssetUsage(asset="a")


def test_a_renamed_asset_keeps_its_usage_and_what_is_gone_has_none() -> None:
    used = [
        AssetUsage(asset="old", views=1, users=3),
        AssetUsage(asset="new", views=2, users=1, last_at=NOON),
        AssetUsage(asset="dropped", views=9, users=9),
    ]
    assert under_current_names(used, {"old": "new", "new": "new"}) == (
        AssetUsage(asset="new", views=3, users=3, last_at=NOON),
    )
