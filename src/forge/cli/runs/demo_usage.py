"""Who uses what in the demo: its days are long gone some day, and its people have used it until today all the same."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from forge.catalog.discovery.usage import UsageCount
    from forge.flows.catalog.discovery.ports import UsageStore
    from forge.flows.catalog.discovery.record import UsageRecorder

DAYS = 10
# Who asks what each day: for popularity and recommendations.
READERS = {
    "fiona@shop.example": (("marts.daily_revenue", 5), ("core.orders", 2)),
    "sven@shop.example": (("marts.country_performance", 4), ("marts.daily_revenue", 2), ("core.orders", 1)),
    "maria@shop.example": (("marts.customer_value", 3), ("marts.newsletter_audience", 2), ("core.customers", 1)),
    "carlos@shop.example": (("core.orders", 3), ("core.order_items", 2), ("raw.orders", 1)),
}
# Who opens the demo has looked at so much that there is something to recommend for each of the reasons.
OWNER = "sam@shop.example"
VIEWS = (("core.customers", 2),)


def use_that_day(recorder: UsageRecorder) -> None:
    """What the people of the shop asked that day."""
    from forge.catalog.discovery.usage import UsageKind

    for user, tables in READERS.items():
        for table, times in tables:
            recorder.record(UsageKind.QUERY, [table] * times, user)


def use_until_today(store: UsageStore, now: datetime) -> None:
    """Of the last days, those on which nobody of the shop has asked anything yet: whoever opens the demo again finds
    it used until then."""
    today = now.date()
    since = today - timedelta(days=DAYS - 1)
    asked = {table for tables in READERS.values() for table, _ in tables}
    known = {one.day for one in store.counts(sorted(asked), since, today) if one.actor in READERS}
    store.add(uses_of(today, known, now))


def uses_of(today: date, known: Collection[date], now: datetime) -> tuple[UsageCount, ...]:
    from forge.catalog.discovery.usage import UsageCount, UsageKind

    days = [day for n in range(DAYS) if (day := today - timedelta(days=n)) not in known]
    at = {day: min(now, datetime.combine(day, time(8, 30), UTC)) for day in days}
    asked = [
        UsageCount(day, table, user, UsageKind.QUERY, times, at[day])
        for day in days
        for user, tables in READERS.items()
        for table, times in tables
    ]
    viewed = [UsageCount(day, table, OWNER, UsageKind.VIEW, times, at[day]) for day in days for table, times in VIEWS]
    return (*asked, *viewed)
