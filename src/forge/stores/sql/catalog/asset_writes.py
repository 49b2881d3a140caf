"""The writes of a crawl: set by set, in the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, select

from forge.catalog.asset import AssetState, CrawledAsset, Documentation, FileDocumentation
from forge.catalog.asset_json import read_documentation, read_filed
from forge.catalog.crawl import CrawlPlan, CrawlWrite
from forge.stores.sql.catalog import asset_rows as rows
from forge.stores.sql.catalog import asset_tables as t
from forge.stores.sql.record_columns import Row
from forge.stores.sql.statements import add, batches, find_rows, put

AssetParts = tuple[CrawledAsset, Documentation, FileDocumentation]


def write_crawl(connection: Connection, plan: CrawlPlan, at: datetime) -> list[str]:
    """The names that changed, former ones too."""
    writes = _known_by_name(connection, plan.writes)
    stored = _stored(connection, [write.uid for write in writes])
    _rename(connection, writes)
    fresh = [write for write in writes if write.uid not in stored]
    add(connection, t.assets, [_new_row(write, at) for write in fresh])
    _update(connection, [write for write in writes if write.uid in stored], stored, at)
    parts: dict[str, AssetParts] = {}
    for write in writes:
        documentation = stored.get(write.uid, (Documentation(), FileDocumentation()))
        parts[write.uid] = (write.asset, *documentation)
    write_labels(connection, parts, are_new=len(fresh) == len(writes))
    _vanish(connection, plan, at)
    _move(connection, plan.moved)
    names = [write.asset.qualified_name for write in writes]
    return [*names, *(w.former_name for w in writes if w.former_name), *(mark.name for mark in plan.vanished)]


def write_listed(connection: Connection, assets: Mapping[str, AssetParts]) -> None:
    """What lists filter by."""
    values = [{"of": uid, **rows.listed_columns(*parts)} for uid, parts in assets.items()]
    statement = t.assets.update().where(t.assets.c.uid == bindparam("of"))
    connection.execute(statement.values(domain=bindparam("domain"), owner=bindparam("owner")), values)
    write_labels(connection, assets)


def write_labels(connection: Connection, assets: Mapping[str, AssetParts], *, are_new: bool = False) -> None:
    for some in batches([] if are_new else list(assets)):
        connection.execute(t.labels.delete().where(t.labels.c.uid.in_(some)))
    add(connection, t.labels, [row for uid, parts in assets.items() for row in rows.label_rows(uid, *parts)])


def _known_by_name(connection: Connection, writes: tuple[CrawlWrite, ...]) -> list[CrawlWrite]:
    """Another crawl may have brought a name since the plan was made: it keeps its identity."""
    names = [write.asset.qualified_name for write in writes]
    c = t.assets.c
    uids = {
        row["name"]: row["uid"]
        for some in batches(names)
        for row in find_rows(connection, select(c.name, c.uid).where(c.name.in_(some)))
    }
    own = [replace(write, uid=uids.get(write.asset.qualified_name, write.uid)) for write in writes]
    return list({write.uid: write for write in own}.values())


def _stored(connection: Connection, uids: list[str]) -> dict[str, tuple[Documentation, FileDocumentation]]:
    c = t.assets.c
    return {
        row["uid"]: (read_documentation(row["edited"]), read_filed(row["filed"]))
        for some in batches(uids)
        for row in find_rows(connection, select(c.uid, c.edited, c.filed).where(c.uid.in_(some)))
    }


def _rename(connection: Connection, writes: list[CrawlWrite]) -> None:
    """A former name leads to its asset; one that is current again is no former name."""
    now = [write.asset.qualified_name for write in writes]
    for some in batches(now):
        connection.execute(t.former_names.delete().where(t.former_names.c.name.in_(some)))
    put(
        connection,
        t.former_names,
        [{"name": write.former_name, "uid": write.uid} for write in writes if write.former_name],
    )


def _new_row(write: CrawlWrite, at: datetime) -> Row:
    listed = rows.listed_columns(write.asset, Documentation(), FileDocumentation())
    own: Row = {"edited": {}, "filed": None, "version": 0, "created_at": at}
    return {**rows.crawled_columns(write, at), **listed, **own}


def _update(
    connection: Connection,
    writes: list[CrawlWrite],
    stored: Mapping[str, tuple[Documentation, FileDocumentation]],
    at: datetime,
) -> None:
    if not writes:
        return
    values: list[dict[str, Any]] = []
    for write in writes:
        row = {**rows.crawled_columns(write, at), **rows.listed_columns(write.asset, *stored[write.uid])}
        values.append({f"new_{name}": value for name, value in row.items()})
    names = [name.removeprefix("new_") for name in values[0] if name != "new_uid"]
    statement = t.assets.update().where(t.assets.c.uid == bindparam("new_uid"))
    connection.execute(statement.values(**{name: bindparam(f"new_{name}") for name in names}), values)


def _vanish(connection: Connection, plan: CrawlPlan, at: datetime) -> None:
    for some in batches([mark.uid for mark in plan.vanished]):
        gone = t.assets.update().where(t.assets.c.uid.in_(some), t.assets.c.source == plan.source)
        connection.execute(gone.values(state=AssetState.VANISHED.value, updated_at=at))


def _move(connection: Connection, moved: Mapping[str, str]) -> None:
    if moved:
        statement = t.assets.update().where(t.assets.c.uid == bindparam("of")).values(pointer=bindparam("to"))
        connection.execute(statement, [{"of": uid, "to": pointer} for uid, pointer in moved.items()])
