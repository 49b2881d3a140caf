"""The catalog's assets in memory; passes the test suite of the SQL store."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from forge.catalog.approval import EditProposal, ProposalState
from forge.catalog.asset import AssetState, CatalogAsset, FileDocumentation, with_files
from forge.catalog.crawl import CrawlMark, CrawlPlan, CrawlWrite
from forge.catalog.edit import AssetEdit, documented
from forge.flows.catalog.asset_store import ALL_ASSETS, AssetFilter, CatalogChange, ChangeKind, LabelCount
from forge.flows.runs.records import AuditRecord


class MemoryAssetStore:
    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._assets: dict[str, CatalogAsset] = {}  # by uid
        self._crawls: dict[str, tuple[str, str]] = {}  # digest and pointer, by uid
        self._filed: dict[str, FileDocumentation] = {}
        self._former: dict[str, str] = {}
        self._edits: dict[str, list[AssetEdit]] = {}
        self._proposals: dict[str, EditProposal] = {}
        self._changes: dict[tuple[ChangeKind, str], int] = {}
        self._last = 0
        self.audit: list[AuditRecord] = []

    # reads

    def asset(self, name: str) -> CatalogAsset | None:
        with self._lock:
            uid = self._uids().get(name) or self._former.get(name)
            return self._shown(uid) if uid and self._assets[uid].state is not AssetState.CLOSED else None

    def assets_named(self, names: Iterable[str]) -> Mapping[str, CatalogAsset]:
        found = {name: self.asset(name) for name in names}
        return {name: asset for name, asset in found.items() if asset is not None}

    def assets(
        self, wanted: AssetFilter = ALL_ASSETS, *, after: str = "", limit: int = 500
    ) -> tuple[CatalogAsset, ...]:
        with self._lock:
            shown = [self._shown(uid) for uid, one in self._assets.items() if one.state is not AssetState.CLOSED]
        found = [asset for asset in shown if asset.qualified_name > after and _is_wanted(asset, wanted)]
        return tuple(sorted(found, key=lambda asset: asset.qualified_name)[:limit])

    def count(self, wanted: AssetFilter = ALL_ASSETS) -> int:
        return len(self.assets(wanted, limit=len(self._assets)))

    def domains(self) -> tuple[LabelCount, ...]:
        counted = Counter(asset.domain for asset in self._active() if asset.domain is not None)
        return tuple(LabelCount(name, counted[name]) for name in sorted(counted))

    def tags(self, prefix: str = "", limit: int = 100) -> tuple[LabelCount, ...]:
        counted = Counter(tag for asset in self._active() for tag in _tags(asset) if tag.startswith(prefix))
        ordered = sorted(counted, key=lambda tag: (-counted[tag], tag))
        return tuple(LabelCount(name, counted[name]) for name in ordered[:limit])

    # crawls

    def marks(self, source: str) -> tuple[CrawlMark, ...]:
        with self._lock:
            return tuple(self._mark(one) for one in self._assets.values() if one.crawled.source == source)

    def marks_named(self, names: Iterable[str]) -> tuple[CrawlMark, ...]:
        with self._lock:
            uids = self._uids()
            return tuple(self._mark(self._assets[uids[name]]) for name in dict.fromkeys(names) if name in uids)

    def apply(self, plan: CrawlPlan, at: datetime) -> None:
        with self._lock:
            uids = self._uids()
            for write in plan.writes:
                self._write(replace(write, uid=uids.get(write.asset.qualified_name, write.uid)), at)
            for mark in plan.vanished:
                known = self._assets[mark.uid]
                self._assets[mark.uid] = replace(known, state=AssetState.VANISHED, updated_at=at)
                self._log("asset", mark.name)
            for uid, pointer in plan.moved.items():
                self._crawls[uid] = (self._crawls[uid][0], pointer)

    def put_state(
        self,
        within: str,
        before: Collection[AssetState],
        state: AssetState,
        at: datetime,
        *,
        spared: Collection[str] = (),
    ) -> tuple[str, ...]:
        with self._lock:
            changed = [
                one
                for one in self._assets.values()
                if one.qualified_name.startswith(f"{within}.")
                and one.state in before
                and one.crawled.source not in spared
            ]
            for one in changed:
                self._assets[one.uid] = replace(one, state=state, updated_at=at)
                self._log("asset", one.qualified_name)
            return tuple(sorted(one.qualified_name for one in changed))

    def put_files(self, documented: Mapping[str, FileDocumentation], at: datetime) -> tuple[str, ...]:
        with self._lock:
            changed = [
                one
                for one in self._assets.values()
                if self._filed.get(one.uid, FileDocumentation())
                != documented.get(one.qualified_name, FileDocumentation())
            ]
            for one in changed:
                self._filed[one.uid] = documented.get(one.qualified_name, FileDocumentation())
                self._assets[one.uid] = replace(one, updated_at=at)
            names = tuple(sorted(one.qualified_name for one in changed))
            for name in names:
                self._log("asset", name)
            return names

    # edits

    def edit(self, edit: AssetEdit, audit: AuditRecord) -> bool:
        with self._lock:
            known = self._assets.get(edit.uid)
            if known is None or known.version != edit.version - 1:
                return False
            edited = documented(known.edited, edit.after)
            self._assets[edit.uid] = replace(known, edited=edited, version=edit.version, updated_at=edit.at)
            self._edits.setdefault(edit.uid, []).insert(0, edit)
            self._log("asset", known.qualified_name)
            self.audit.append(audit)
            return True

    def history(self, uid: str, limit: int = 100) -> tuple[AssetEdit, ...]:
        return tuple(self._edits.get(uid, ())[:limit])

    def propose(self, proposal: EditProposal, audit: AuditRecord) -> None:
        with self._lock:
            self._proposals[proposal.id] = proposal
            self.audit.append(audit)

    def proposal(self, proposal_id: str) -> EditProposal | None:
        return self._proposals.get(proposal_id)

    def proposals(
        self, *, state: ProposalState | None = None, uid: str | None = None, limit: int = 100
    ) -> tuple[EditProposal, ...]:
        newest = reversed(list(self._proposals.values()))
        closed = {one.uid for one in self._assets.values() if one.state is AssetState.CLOSED}
        found = [one for one in newest if state in (None, one.state) and uid in (None, one.uid)]
        return tuple([one for one in found if one.uid not in closed][:limit])

    def decide(self, proposal: EditProposal, edit: AssetEdit | None, audit: AuditRecord) -> bool:
        with self._lock:
            known = self._proposals.get(proposal.id)
            is_open = known is not None and known.state is ProposalState.OPEN
            if not is_open or (edit is not None and not self.edit(edit, audit)):
                return False
            self._proposals[proposal.id] = proposal
            if edit is None:
                self.audit.append(audit)
            return True

    # changes

    def changes(self, after: int = 0, limit: int = 1000) -> tuple[CatalogChange, ...]:
        with self._lock:
            found = sorted((number, *key) for key, number in self._changes.items() if number > after)
        return tuple(CatalogChange(number, kind, name) for number, kind, name in found[:limit])

    def touch(self, kind: ChangeKind, names: Sequence[str]) -> None:
        with self._lock:
            for name in names:
                self._log(kind, name)

    # inside

    def _uids(self) -> dict[str, str]:
        return {asset.qualified_name: uid for uid, asset in self._assets.items()}

    def _active(self) -> tuple[CatalogAsset, ...]:
        return self.assets(AssetFilter(states=(AssetState.ACTIVE,)), limit=len(self._assets))

    def _shown(self, uid: str) -> CatalogAsset:
        asset, filed = self._assets[uid], self._filed.get(uid, FileDocumentation())
        former = tuple(sorted(name for name, of in self._former.items() if of == uid))
        documentation = with_files(asset.edited, filed)
        return replace(asset, documentation=documentation, places=filed.places, former_names=former)

    def _mark(self, asset: CatalogAsset) -> CrawlMark:
        digest, pointer = self._crawls[asset.uid]
        seen = asset.crawled
        return CrawlMark(
            uid=asset.uid,
            name=seen.qualified_name,
            source=seen.source,
            key=seen.key,
            digest=digest,
            pointer=pointer,
            state=asset.state,
        )

    def _write(self, write: CrawlWrite, at: datetime) -> None:
        known = self._assets.get(write.uid) or CatalogAsset(
            uid=write.uid, crawled=write.asset, created_at=at, updated_at=at
        )
        self._assets[write.uid] = replace(known, crawled=write.asset, state=AssetState.ACTIVE, updated_at=at)
        self._crawls[write.uid] = (write.digest, write.pointer)
        self._former.pop(write.asset.qualified_name, None)
        if write.former_name:
            self._former[write.former_name] = write.uid
            self._log("asset", write.former_name)
        self._log("asset", write.asset.qualified_name)

    def _log(self, kind: ChangeKind, name: str) -> None:
        self._last += 1
        self._changes[(kind, name)] = self._last


def _is_wanted(asset: CatalogAsset, wanted: AssetFilter) -> bool:
    terms = {*asset.documentation.terms, *(one.term for one in asset.documentation.columns.values())}
    return (
        (not wanted.domains or asset.domain in wanted.domains)
        and (not wanted.owners or asset.owner in wanted.owners)
        and (not wanted.types or asset.crawled.type in wanted.types)
        and (not wanted.sources or asset.crawled.source in wanted.sources)
        and (not wanted.states or asset.state in wanted.states)
        and (not wanted.tags or not _tags(asset).isdisjoint(wanted.tags))
        and (not wanted.terms or not terms.isdisjoint(wanted.terms))
        and (not wanted.backed_by or not set(asset.crawled.read_assets).isdisjoint(wanted.backed_by))
        and asset.qualified_name.startswith(wanted.prefix)
    )


def _tags(asset: CatalogAsset) -> set[str]:
    return {*asset.tags, *(tag for one in asset.documentation.columns.values() for tag in one.tags)}
