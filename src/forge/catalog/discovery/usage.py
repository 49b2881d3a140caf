"""Usage of assets: who viewed, queried or ran over what on which day, and what is most used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import StrEnum

from forge.catalog.search.rank import usage_points
from forge.model.record_json import record_json

KEPT_DAYS = 400
"""Older usage is forgotten."""


class UsageKind(StrEnum):
    VIEW = "view"
    QUERY = "query"
    RUN = "run"  # read as an input


class UsagePrivacy(StrEnum):
    """What is kept of who used an asset. `anonymous`: a pseudonym that nobody can trace, another one every day."""

    NAMED = "named"
    ANONYMOUS = "anonymous"
    OFF = "off"


class UsagePeriod(StrEnum):
    DAY = "day"
    WEEK = "week"
    MONTH = "month"

    @property
    def days(self) -> int:
        return {"day": 1, "week": 7, "month": 30}[self.value]

    def since(self, today: date) -> date:
        """Its first day; today is the last."""
        return today - timedelta(days=self.days - 1)


@dataclass(frozen=True, slots=True)
class UsageCount:
    """How often one actor used one asset on one day, in UTC."""

    day: date
    asset: str
    actor: str
    kind: UsageKind
    count: int
    last_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetUsage:
    """The usage of an asset over some days. `users` are distinct actors."""

    asset: str
    views: int = 0
    queries: int = 0
    runs: int = 0
    users: int = 0
    last_at: datetime | None = None

    @property
    def uses(self) -> int:
        """Of all kinds: the popularity of search results."""
        return self.views + self.queries + self.runs

    @property
    def rank(self) -> tuple[int, int, int, str]:
        """Most used first: by how many people, then how often by hand, so that a job that runs every minute does not
        make its inputs popular."""
        return -self.users, -(self.views + self.queries), -self.runs, self.asset

    def to_dict(self) -> dict[str, object]:
        return record_json(self)


@dataclass(frozen=True, slots=True)
class UsageDay:
    day: date
    views: int = 0
    queries: int = 0
    runs: int = 0
    users: int = 0

    def to_dict(self) -> dict[str, object]:
        return {**record_json(self), "day": self.day.isoformat()}


@dataclass(frozen=True, slots=True)
class UsageCell:
    """How often an actor used an asset in a period."""

    actor: str
    asset: str
    uses: int


@dataclass(frozen=True, slots=True)
class UsageHistory:
    """An asset in a period: its sum, and every day, also those without any use."""

    total: AssetUsage
    period: UsagePeriod
    days: tuple[UsageDay, ...]

    def to_dict(self) -> dict[str, object]:
        return {**self.total.to_dict(), "period": str(self.period), "days": [day.to_dict() for day in self.days]}


def total_usage(asset: str, counts: Iterable[UsageCount]) -> AssetUsage:
    """All of these as the usage of one asset."""
    found = tuple(counts)
    return AssetUsage(
        asset=asset,
        views=_sum(found, UsageKind.VIEW),
        queries=_sum(found, UsageKind.QUERY),
        runs=_sum(found, UsageKind.RUN),
        users=len({one.actor for one in found}),
        last_at=max((one.last_at for one in found), default=None),
    )


def find_moved(added: Iterable[UsageCount], totals: Iterable[AssetUsage], since: date) -> tuple[str, ...]:
    """The assets whose place among search results these uses can change. `totals`: with them, from that day on."""
    news: Counter[str] = Counter()
    for one in added:
        if one.day >= since:
            news[one.asset] += one.count
    return tuple(
        sorted(one.asset for one in totals if usage_points(one.uses) != usage_points(one.uses - news[one.asset]))
    )


def usage_by_day(counts: Iterable[UsageCount], since: date, until: date) -> tuple[UsageDay, ...]:
    """Every day from the first to the last."""
    by_day: dict[date, list[UsageCount]] = {}
    for one in counts:
        by_day.setdefault(one.day, []).append(one)
    days = (since + timedelta(days=number) for number in range((until - since).days + 1))
    return tuple(_day(day, by_day.get(day, ())) for day in days)


def _day(day: date, counts: Iterable[UsageCount]) -> UsageDay:
    total = total_usage("", counts)
    return UsageDay(day, total.views, total.queries, total.runs, total.users)


def _sum(counts: Iterable[UsageCount], kind: UsageKind) -> int:
    return sum(one.count for one in counts if one.kind is kind)


def under_current_names(usage: Iterable[AssetUsage], names: Mapping[str, str]) -> tuple[AssetUsage, ...]:
    """Usage under former names counts for the asset; what is in no catalog is left out. Most used first. People who
    used it under both names are counted once or twice: at least as many as the name with the most."""
    found: dict[str, AssetUsage] = {}
    for one in usage:
        name = names.get(one.asset)
        if name is None:
            continue
        known = found.get(name)
        found[name] = replace(one, asset=name) if known is None else _joined(known, one)
    return tuple(sorted(found.values(), key=lambda one: one.rank))


def _joined(one: AssetUsage, other: AssetUsage) -> AssetUsage:
    times = [at for at in (one.last_at, other.last_at) if at is not None]
    return AssetUsage(
        asset=one.asset,
        views=one.views + other.views,
        queries=one.queries + other.queries,
        runs=one.runs + other.runs,
        users=max(one.users, other.users),
        last_at=max(times, default=None),
    )
