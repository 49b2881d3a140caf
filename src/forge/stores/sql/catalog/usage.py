"""Usage of assets on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Connection, Select, case, cast, delete, func, select

from forge.catalog.discovery.usage import AssetUsage, UsageCell, UsageCount, UsageKind, UsagePeriod, find_moved
from forge.stores.sql.catalog.usage_tables import usage
from forge.stores.sql.change_log import touch
from forge.stores.sql.database import writing
from forge.stores.sql.records import SqlRecords
from forge.stores.sql.statements import batches, find_rows, insert_into, only


class SqlUsage(SqlRecords):
    def add(self, counts: Sequence[UsageCount]) -> None:
        if not counts:
            return
        with writing(self._engine) as connection:
            insert = insert_into(connection, usage)
            new, u = insert.excluded, usage.c
            later = case((new.last_at > u.last_at, new.last_at), else_=u.last_at)
            key = [column.name for column in usage.primary_key]
            sums = {"uses": u.uses + new.uses, "last_at": later}
            upsert = insert.on_conflict_do_update(index_elements=key, set_=sums)
            # In one order, so that two servers that add the same never wait for each other in a circle.
            connection.execute(upsert, sorted((_row(one) for one in counts), key=lambda row: [row[k] for k in key]))
            touch(connection, "facts", _moved(connection, counts))

    def totals(
        self, since: date, until: date, *, assets: Iterable[str] | None = None, limit: int = 1000
    ) -> tuple[AssetUsage, ...]:
        if assets is None:
            return tuple(AssetUsage(**row) for row in self._all(_totals(since, until).limit(limit)))
        found = self._batched(_totals(since, until), usage.c.asset, assets)
        return tuple(sorted((AssetUsage(**row) for row in found), key=lambda one: one.rank)[:limit])

    def counts(self, assets: Iterable[str], since: date, until: date) -> tuple[UsageCount, ...]:
        found = self._batched(_between(select(usage), since, until), usage.c.asset, assets)
        return tuple(sorted(map(_count_of, found), key=lambda one: (one.day, one.asset, one.actor, one.kind)))

    def cells(
        self, since: date, until: date, *, actor: str | None = None, limit: int = 100_000
    ) -> tuple[UsageCell, ...]:
        u = usage.c
        uses = cast(func.sum(u.uses), BigInteger).label("uses")
        query = _between(select(u.actor, u.asset, uses), since, until).where(u.kind != UsageKind.RUN.value)
        newest = func.max(u.last_at).desc()
        query = only(query, (u.actor, actor)).group_by(u.actor, u.asset).order_by(newest, u.actor, u.asset)
        return tuple(UsageCell(**row) for row in self._all(query.limit(limit)))

    def fade(self, since: date, until: date) -> int:
        first, last = (UsagePeriod.MONTH.since(day).isoformat() for day in (since, until))
        query = select(usage.c.asset).distinct().where(usage.c.day >= first, usage.c.day < last)
        with writing(self._engine) as connection:
            left = connection.execute(query).scalars().all()
            touch(connection, "facts", left)
            return len(left)

    def forget(self, before: date) -> int:
        with writing(self._engine) as connection:
            return connection.execute(delete(usage).where(usage.c.day < before.isoformat())).rowcount


def _moved(connection: Connection, counts: Sequence[UsageCount]) -> tuple[str, ...]:
    until = max(one.day for one in counts)
    since, names = UsagePeriod.MONTH.since(until), sorted({one.asset for one in counts})
    query = _totals(since, until)
    found = [row for some in batches(names) for row in find_rows(connection, query.where(usage.c.asset.in_(some)))]
    return find_moved(counts, (AssetUsage(**row) for row in found), since)


def _between(query: Select[Any], since: date, until: date) -> Select[Any]:
    return query.where(usage.c.day >= since.isoformat(), usage.c.day <= until.isoformat())


def _totals(since: date, until: date) -> Select[Any]:
    u = usage.c
    views, queries, runs = (_sum_of(kind) for kind in UsageKind)
    users = func.count(u.actor.distinct())
    query = select(
        u.asset,
        views.label("views"),
        queries.label("queries"),
        runs.label("runs"),
        users.label("users"),
        func.max(u.last_at).label("last_at"),
    )
    by_hand = (views + queries).desc()
    return _between(query, since, until).group_by(u.asset).order_by(users.desc(), by_hand, runs.desc(), u.asset)


def _sum_of(kind: UsageKind) -> ColumnElement[int]:
    return cast(func.sum(case((usage.c.kind == kind.value, usage.c.uses), else_=0)), BigInteger)


def _count_of(row: Mapping[str, Any]) -> UsageCount:
    day, kind = date.fromisoformat(row["day"]), UsageKind(row["kind"])
    return UsageCount(day, row["asset"], row["actor"], kind, row["uses"], row["last_at"])


def _row(one: UsageCount) -> dict[str, Any]:
    return {
        "day": one.day.isoformat(),
        "asset": one.asset,
        "actor": one.actor,
        "kind": one.kind.value,
        "uses": one.count,
        "last_at": one.last_at,
    }
