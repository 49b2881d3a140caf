"""The catalog's assets on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, bindparam, func, select

from forge.catalog.approval import EditProposal, ProposalState
from forge.catalog.asset import AssetState, CatalogAsset, FileDocumentation
from forge.catalog.asset_json import (
    documentation_fields,
    filed_json,
    read_crawled,
    read_documentation,
    read_filed,
)
from forge.catalog.crawl import CrawlMark, CrawlPlan
from forge.catalog.edit import AssetEdit, documented
from forge.flows.catalog.asset_store import ALL_ASSETS, AssetFilter, CatalogChange, ChangeKind, LabelCount
from forge.flows.runs.records import AuditRecord
from forge.stores.sql.catalog import asset_rows as rows
from forge.stores.sql.catalog import asset_tables as t
from forge.stores.sql.catalog.asset_writes import write_crawl, write_listed
from forge.stores.sql.change_log import changes, lock_catalog, log_changes, touch
from forge.stores.sql.database import reading, writing
from forge.stores.sql.records import SqlRecords, write_audit
from forge.stores.sql.statements import add, batches, find_rows, only

_MARK = [t.assets.c[name] for name in ("uid", "name", "source", "key", "digest", "pointer", "state")]


class SqlAssetStore(SqlRecords):
    # reads

    def asset(self, name: str) -> CatalogAsset | None:
        return self.assets_named([name]).get(name)

    def assets_named(self, names: Iterable[str]) -> Mapping[str, CatalogAsset]:
        wanted = list(dict.fromkeys(names))
        with reading(self._engine) as connection:
            found = _read(connection, _batched(connection, select(t.assets).where(_visible()), t.assets.c.name, wanted))
            known = {asset.qualified_name: asset for asset in found}
            rest = [name for name in wanted if name not in known]
            uids = {
                row["name"]: row["uid"]
                for row in _batched(connection, select(t.former_names), t.former_names.c.name, rest)
            }
            query = select(t.assets).where(_visible())
            former = _read(connection, _batched(connection, query, t.assets.c.uid, [*uids.values()]))
        by_uid = {asset.uid: asset for asset in former}
        return known | {name: by_uid[uid] for name, uid in uids.items() if uid in by_uid}

    def assets(
        self, wanted: AssetFilter = ALL_ASSETS, *, after: str = "", limit: int = 500
    ) -> tuple[CatalogAsset, ...]:
        query = _filtered(select(t.assets), wanted).where(t.assets.c.name > after).order_by(t.assets.c.name)
        with reading(self._engine) as connection:
            return tuple(_read(connection, find_rows(connection, query.limit(limit))))

    def count(self, wanted: AssetFilter = ALL_ASSETS) -> int:
        found = self._first(_filtered(select(func.count().label("number")).select_from(t.assets), wanted))
        return int(found["number"]) if found else 0

    def domains(self) -> tuple[LabelCount, ...]:
        c = t.assets.c
        query = select(c.domain, func.count().label("number")).where(c.domain.is_not(None), _active())
        return tuple(
            LabelCount(row["domain"], row["number"]) for row in self._all(query.group_by(c.domain).order_by(c.domain))
        )

    def tags(self, prefix: str = "", limit: int = 100) -> tuple[LabelCount, ...]:
        c, number = t.labels.c, func.count(t.labels.c.uid.distinct()).label("number")
        query = select(c.value, number).join(t.assets, t.assets.c.uid == c.uid).where(c.kind == rows.TAG, _active())
        if prefix:
            query = query.where(c.value.startswith(prefix, autoescape=True))
        query = query.group_by(c.value).order_by(number.desc(), c.value).limit(limit)
        return tuple(LabelCount(row["value"], row["number"]) for row in self._all(query))

    # crawls

    def marks(self, source: str) -> tuple[CrawlMark, ...]:
        return tuple(rows.read_mark(row) for row in self._all(select(*_MARK).where(t.assets.c.source == source)))

    def marks_named(self, names: Iterable[str]) -> tuple[CrawlMark, ...]:
        return tuple(rows.read_mark(row) for row in self._batched(select(*_MARK), t.assets.c.name, names))

    def apply(self, plan: CrawlPlan, at: datetime) -> None:
        if plan.is_empty:
            return
        with writing(self._engine) as connection:
            lock_catalog(connection)
            log_changes(connection, "asset", write_crawl(connection, plan, at))

    def put_state(
        self,
        within: str,
        before: Collection[AssetState],
        state: AssetState,
        at: datetime,
        *,
        spared: Collection[str] = (),
    ) -> tuple[str, ...]:
        c, prefix = t.assets.c, f"{within}."
        states = c.state.in_([one.value for one in before])
        query = select(c.uid, c.name).where(c.name.startswith(prefix, autoescape=True), states)
        found = self._all(query.where(c.source.not_in(list(spared))))
        uids = {row["uid"]: row["name"] for row in found if row["name"].startswith(prefix)}  # SQLite ignores case
        if not uids:
            return ()
        with writing(self._engine) as connection:
            lock_catalog(connection)
            for some in batches([*uids]):
                changed = t.assets.update().where(c.uid.in_(some), states)
                connection.execute(changed.values(state=state.value, updated_at=at))
            log_changes(connection, "asset", uids.values())
        return tuple(sorted(uids.values()))

    def put_files(self, documented: Mapping[str, FileDocumentation], at: datetime) -> tuple[str, ...]:
        with writing(self._engine) as connection:
            lock_catalog(connection)
            c = t.assets.c
            query = select(c.uid, c.name, c.crawled, c.edited, c.filed)
            old = find_rows(connection, query.where(c.filed.is_not(None)))
            known = {row["name"]: row for row in (*old, *_batched(connection, query, c.name, [*documented]))}
            changed = [
                (row, filed)
                for name, row in known.items()
                if read_filed(row["filed"]) != (filed := documented.get(name, FileDocumentation()))
            ]
            _write_files(connection, changed, at)
            names = tuple(sorted(str(row["name"]) for row, _ in changed))
            log_changes(connection, "asset", names)
            return names

    # edits

    def edit(self, edit: AssetEdit, audit: AuditRecord) -> bool:
        with writing(self._engine) as connection:
            lock_catalog(connection)
            if not _write_edit(connection, edit):
                return False
            write_audit(connection, audit)
            return True

    def history(self, uid: str, limit: int = 100) -> tuple[AssetEdit, ...]:
        query = select(t.edits).where(t.edits.c.uid == uid).order_by(t.edits.c.version.desc()).limit(limit)
        return tuple(rows.read_edit_row(row) for row in self._all(query))

    def propose(self, proposal: EditProposal, audit: AuditRecord) -> None:
        with writing(self._engine) as connection:
            add(connection, t.proposals, [rows.proposal_row(proposal)])
            write_audit(connection, audit)

    def proposal(self, proposal_id: str) -> EditProposal | None:
        found = self._first(select(t.proposals).where(t.proposals.c.id == proposal_id))
        return rows.read_proposal(found) if found else None

    def proposals(
        self, *, state: ProposalState | None = None, uid: str | None = None, limit: int = 100
    ) -> tuple[EditProposal, ...]:
        c = t.proposals.c
        is_visible = c.uid.not_in(select(t.assets.c.uid).where(~_visible()))
        query = only(select(t.proposals).where(is_visible), (c.state, state), (c.uid, uid))
        query = query.order_by(c.number.desc()).limit(limit)
        return tuple(rows.read_proposal(row) for row in self._all(query))

    def decide(self, proposal: EditProposal, edit: AssetEdit | None, audit: AuditRecord) -> bool:
        c = t.proposals.c
        with writing(self._engine) as connection:
            lock_catalog(connection)
            decided = {"state": proposal.state.value, "decided_by": proposal.decided_by}
            statement = t.proposals.update().where(c.id == proposal.id, c.state == ProposalState.OPEN.value)
            more = {"decided_at": proposal.decided_at, "comment": proposal.comment}
            is_open = connection.execute(statement.values(**decided, **more)).rowcount == 1
            if not is_open or (edit is not None and not _write_edit(connection, edit)):
                connection.rollback()
                return False
            write_audit(connection, audit)
            return True

    # changes

    def changes(self, after: int = 0, limit: int = 1000) -> tuple[CatalogChange, ...]:
        c = changes.c
        found = self._all(select(changes).where(c.id > after).order_by(c.id).limit(limit))
        return tuple(CatalogChange(row["id"], row["kind"], row["name"]) for row in found)

    def touch(self, kind: ChangeKind, names: Sequence[str]) -> None:
        if names:
            with writing(self._engine) as connection:
                touch(connection, kind, names)


def _active() -> Any:
    return t.assets.c.state == AssetState.ACTIVE.value


def _visible() -> Any:
    return t.assets.c.state != AssetState.CLOSED.value


def _filtered(query: Select[Any], wanted: AssetFilter) -> Select[Any]:
    c, label = t.assets.c, t.labels.c
    query = query.where(_visible())
    equal = {c.domain: wanted.domains, c.owner: wanted.owners, c.type: wanted.types, c.source: wanted.sources}
    for column, values in (*equal.items(), (c.state, wanted.states)):
        if values:
            query = query.where(column.in_([str(value) for value in values]))
    for kind, values in ((rows.TAG, wanted.tags), (rows.TERM, wanted.terms), (rows.READS, wanted.backed_by)):
        if values:
            query = query.where(c.uid.in_(select(label.uid).where(label.kind == kind, label.value.in_(values))))
    return query.where(c.name.startswith(wanted.prefix, autoescape=True)) if wanted.prefix else query


def _batched(connection: Connection, query: Select[Any], column: Any, wanted: Sequence[str]) -> list[Mapping[str, Any]]:
    return [row for some in batches(wanted) for row in find_rows(connection, query.where(column.in_(some)))]


def _read(connection: Connection, found: Sequence[Mapping[str, Any]]) -> list[CatalogAsset]:
    names: dict[str, list[str]] = {}
    query = select(t.former_names).order_by(t.former_names.c.name)
    for row in _batched(connection, query, t.former_names.c.uid, [one["uid"] for one in found]):
        names.setdefault(row["uid"], []).append(row["name"])
    return [rows.read_asset(row, tuple(names.get(row["uid"], ()))) for row in found]


def _write_edit(connection: Connection, edit: AssetEdit) -> bool:
    c = t.assets.c
    mine = (c.uid == edit.uid, c.version == edit.version - 1)
    found = connection.execute(select(t.assets).where(*mine)).mappings().first()
    if found is None:
        return False
    edited = documented(read_documentation(found["edited"]), edit.after)
    values = {"edited": documentation_fields(edited), "version": edit.version, "updated_at": edit.at}
    # Whoever writes without the lock of the catalog is refused here.
    if connection.execute(t.assets.update().where(*mine).values(**values)).rowcount != 1:
        return False
    crawled, filed = read_crawled(found["crawled"]), read_filed(found["filed"])
    write_listed(connection, {edit.uid: (crawled, edited, filed)})
    add(connection, t.edits, [rows.edit_row(edit)])
    log_changes(connection, "asset", [found["name"]])
    return True


def _write_files(
    connection: Connection, changed: Sequence[tuple[Mapping[str, Any], FileDocumentation]], at: datetime
) -> None:
    if not changed:
        return
    statement = t.assets.update().where(t.assets.c.uid == bindparam("of"))
    connection.execute(
        statement.values(filed=bindparam("documented"), updated_at=bindparam("at")),
        [
            {"of": row["uid"], "documented": filed_json(filed) if filed.places else None, "at": at}
            for row, filed in changed
        ],
    )
    write_listed(
        connection,
        {
            row["uid"]: (read_crawled(row["crawled"]), read_documentation(row["edited"]), filed)
            for row, filed in changed
        },
    )
