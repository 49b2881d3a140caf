"""What a crawl changes: new, changed, renamed, returned and vanished assets, from what is stored and what was seen.

Nothing is dropped: an asset that its source does not have any more is marked, and its documentation waits for it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from forge.catalog.asset import AssetState, CrawledAsset
from forge.catalog.asset_json import crawled_digest, crawled_json

BY_HAND = "api"  # the source of assets that people and programs register


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlMark:
    """What is stored of an asset, as far as a crawl compares it."""

    uid: str
    name: str
    source: str
    key: str = ""
    digest: str = ""
    pointer: str = ""  # what its source says of its version; the same: nothing has to be read
    state: AssetState = AssetState.ACTIVE


@dataclass(frozen=True, slots=True)
class UnmovedAsset:
    """Seen, and its pointer is the one that is stored: not read again."""

    name: str


@dataclass(frozen=True, slots=True)
class SeenAsset:
    asset: CrawledAsset
    pointer: str = ""


@dataclass(frozen=True, slots=True)
class UnreadAsset:
    """Seen, but it could not be read. It stays as it is stored."""

    name: str
    reason: str


Sighting = SeenAsset | UnmovedAsset | UnreadAsset


class CrawlChange(StrEnum):
    NEW = "new"
    CHANGED = "changed"
    RENAMED = "renamed"
    RETURNED = "returned"


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlWrite:
    change: CrawlChange
    uid: str
    asset: CrawledAsset
    document: Mapping[str, Any] = field(repr=False)  # its JSON, which the digest is of
    digest: str
    pointer: str = ""
    former_name: str | None = None  # of a renamed one


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlPlan:
    """`moved`: assets that are the same behind another pointer; only the pointer is written."""

    source: str
    writes: tuple[CrawlWrite, ...] = ()
    vanished: tuple[CrawlMark, ...] = ()
    moved: Mapping[str, str] = field(default_factory=dict)  # uid → pointer
    unchanged: int = 0
    unread: tuple[UnreadAsset, ...] = ()

    def names(self, change: CrawlChange) -> tuple[str, ...]:
        return tuple(one.asset.qualified_name for one in self.writes if one.change is change)

    @property
    def is_empty(self) -> bool:
        return not (self.writes or self.vanished or self.moved)


def plan_crawl(
    source: str,
    marks: Iterable[CrawlMark],
    sightings: Iterable[Sighting],
    new_uid: Callable[[], str],
    *,
    scope: Collection[str] | None = None,
    sources: Collection[str] = (),
) -> CrawlPlan:
    """`marks`: all of the source, and whatever else has a name that was seen. `scope`: the names that were looked for,
    where not all were. `sources`: those that are still declared; an asset of another one is taken over."""
    by_name = {mark.name: mark for mark in marks}
    seen = list(sightings)
    names = {one.asset.qualified_name if isinstance(one, SeenAsset) else one.name for one in seen}
    gone = _lost(by_name.values(), names, source, scope)
    free = {mark.key: mark for mark in gone if mark.key}
    writes: list[CrawlWrite] = []
    moved: dict[str, str] = {}
    unread: list[UnreadAsset] = []
    unchanged = 0
    for one in seen:
        match one:
            case UnmovedAsset(name):
                unchanged += 1 if name in by_name else 0
            case UnreadAsset():
                unread.append(one)
            case SeenAsset(asset, pointer):
                mark = by_name.get(asset.qualified_name)
                if mark is None or _may_take(mark, source, sources):
                    write = _write(one, mark, free, new_uid)
                    if write is None and mark is not None:
                        unchanged += 1
                        if mark.pointer != pointer:
                            moved[mark.uid] = pointer
                    elif write is not None:
                        writes.append(write)
                else:
                    unchanged += 1
    taken = {write.uid for write in writes}
    vanished = tuple(mark for mark in gone if mark.uid not in taken and mark.state is AssetState.ACTIVE)
    return CrawlPlan(
        source=source,
        writes=tuple(writes),
        vanished=vanished,
        moved=moved,
        unchanged=unchanged,
        unread=tuple(unread),
    )


def _lost(
    marks: Iterable[CrawlMark], names: Collection[str], source: str, scope: Collection[str] | None
) -> list[CrawlMark]:
    """Those that the source had and that were not seen. A table's new name may be in scope without its old one."""
    mine = (mark for mark in marks if mark.source == source and mark.name not in names)
    return [mark for mark in mine if scope is None or mark.name in scope]


def _may_take(mark: CrawlMark, source: str, sources: Collection[str]) -> bool:
    """Two declared sources that see the same thing do not take it from each other again and again. What people said of
    a closed asset is not told by way of another source that has a table of its name."""
    is_free = mark.state is AssetState.VANISHED or mark.source == BY_HAND or mark.source not in sources
    return mark.source == source or (is_free and mark.state is not AssetState.CLOSED)


def _write(
    seen: SeenAsset, mark: CrawlMark | None, free: dict[str, CrawlMark], new_uid: Callable[[], str]
) -> CrawlWrite | None:
    """None: it is as stored. A name that is stored stays with its documentation, whatever key stands behind it: tables
    that are swapped keep the words of their names."""
    asset, document = seen.asset, crawled_json(seen.asset)
    digest = crawled_digest(document)
    change, uid, former = CrawlChange.NEW, "", None
    if mark is not None:
        is_back = mark.state is not AssetState.ACTIVE
        if mark.digest == digest and not is_back:
            return None
        change, uid = CrawlChange.RETURNED if is_back else CrawlChange.CHANGED, mark.uid
    elif asset.key and asset.key in free:
        before = free.pop(asset.key)
        change, uid, former = CrawlChange.RENAMED, before.uid, before.name
    return CrawlWrite(
        change=change,
        uid=uid or new_uid(),
        asset=asset,
        document=document,
        digest=digest,
        pointer=seen.pointer,
        former_name=former,
    )
