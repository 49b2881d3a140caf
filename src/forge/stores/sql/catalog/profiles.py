"""The store of profiles on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Select, delete, func, select, update

from forge.catalog.profile import TableProfile, mask_profile
from forge.flows.catalog.profiling.ports import HELD, detail_of, in_order
from forge.model.names import TableName
from forge.stores.sql.catalog.profile_tables import profiles
from forge.stores.sql.database import writing
from forge.stores.sql.records import SqlRecords
from forge.stores.sql.statements import add_new, batches


class SqlProfiles(SqlRecords):
    def add(self, profile: TableProfile) -> None:
        row = {
            "table_name": str(profile.table),
            "state": profile.state,
            "detail": detail_of(profile),
            "snapshot_id": profile.snapshot_id,
            "commit_id": profile.commit_id,
            "profiled_at": profile.profiled_at,
            "profile": profile.to_dict(),
        }
        with writing(self._engine) as connection:
            add_new(connection, profiles, [row])
            _forget_old(connection, profile.table)

    def of_state(self, table: TableName, state: str) -> tuple[TableProfile, ...]:
        p = profiles.c
        found = self._all(select(p.profile).where(p.table_name == str(table), p.state == state))
        return in_order(map(_profile, found))

    def profiled(self, states: Collection[str]) -> frozenset[tuple[TableName, str]]:
        p = profiles.c
        query = select(p.table_name, p.state)
        rows = [row for some in batches(sorted(states)) for row in self._all(query.where(p.state.in_(some)))]
        return frozenset((TableName.parse(row["table_name"]), str(row["state"])) for row in rows)

    def history(self, table: TableName, *, limit: int = 100, offset: int = 0) -> tuple[TableProfile, ...]:
        query = _newest_first(select(profiles.c.profile).where(profiles.c.table_name == str(table)))
        return tuple(_profile(row) for row in self._all(query.limit(limit).offset(offset)))

    def newest(self, tables: Sequence[TableName]) -> dict[TableName, TableProfile]:
        p = profiles.c
        found: dict[TableName, TableProfile] = {}
        order = (p.profiled_at.desc(), p.state.desc(), p.detail)
        for some in batches(sorted({str(table) for table in tables})):
            place = func.row_number().over(partition_by=p.table_name, order_by=order)
            ranked = select(p.profile, place.label("place")).where(p.table_name.in_(some)).subquery()
            for row in self._all(select(ranked.c.profile).where(ranked.c.place == 1)):
                profile = _profile(row)
                found[profile.table] = profile
        return found

    def mask(self, table: TableName, columns: Collection[str]) -> int:
        p = profiles.c
        own = p.table_name == str(table)
        changed = 0
        with writing(self._engine) as connection:
            for row in connection.execute(select(p.state, p.detail, p.profile).where(own)).all():
                known = TableProfile.from_dict(row.profile)
                masked = mask_profile(known, columns)
                if masked != known:
                    same = update(profiles).where(own, p.state == row.state, p.detail == row.detail)
                    connection.execute(same.values(profile=masked.to_dict()))
                    changed += 1
        return changed


def _profile(row: Mapping[str, Any]) -> TableProfile:
    return TableProfile.from_dict(row["profile"])


def _newest_first(query: Select[Any]) -> Select[Any]:
    p = profiles.c
    return query.order_by(p.profiled_at.desc(), p.state.desc(), p.detail)


def _forget_old(connection: Connection, table: TableName) -> None:
    p = profiles.c
    own = p.table_name == str(table)
    for row in connection.execute(_newest_first(select(p.state, p.detail).where(own)).offset(HELD)).all():
        connection.execute(delete(profiles).where(own, p.state == row.state, p.detail == row.detail))
