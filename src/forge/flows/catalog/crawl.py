"""Crawls: each source is asked what it has, and the catalog takes in what changed. A source that fails is reported
with its reason, and none of its assets is touched."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from forge.catalog.asset import CrawledAsset
from forge.catalog.crawl import (
    CrawlChange,
    CrawlMark,
    CrawlPlan,
    SeenAsset,
    Sighting,
    UnreadAsset,
    plan_crawl,
)
from forge.flows.catalog.asset_store import AssetStore
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.time import Clock

_SHOWN = 20  # names of each kind of change
_log = logging.getLogger("forge.catalog")


class Crawler(Protocol):
    """What one source has. ForgeError where it cannot be asked at all."""

    @property
    def source(self) -> str:
        """Its name, and that of its assets' source."""

    def sightings(self, known: Mapping[str, CrawlMark]) -> Iterable[Sighting]:
        """All that it has, in any order. `known`: what is stored of it, by name; what has not moved since is not read
        again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlPorts:
    store: AssetStore
    clock: Clock
    crawlers: Sequence[Crawler]
    begin: Callable[[], object] = lambda: None  # before anything is crawled
    file_sync: Callable[[], object] = lambda: None  # documentation of files, once there is something to document
    new_uid: Callable[[], str] = lambda: uuid.uuid4().hex
    on_change: Callable[[Sequence[CrawlPlan]], object] = lambda plans: None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceCrawl:
    """What became of one source. `reason`: why it failed; nothing of it was changed then."""

    source: str
    plan: CrawlPlan
    seconds: float
    reason: str | None = None

    @property
    def failed(self) -> bool:
        return self.reason is not None

    def to_dict(self) -> dict[str, object]:
        plan = self.plan
        changes = {change.value: plan.names(change) for change in CrawlChange}
        names = {**changes, "vanished": tuple(mark.name for mark in plan.vanished)}
        return {
            "source": self.source,
            **{kind: len(found) for kind, found in names.items()},
            "unchanged": plan.unchanged,
            "unread": [{"name": one.name, "reason": one.reason} for one in plan.unread[:_SHOWN]],
            "failed": self.reason,
            "seconds": round(self.seconds, 3),
            "names": {kind: list(found[:_SHOWN]) for kind, found in names.items() if found},
        }


def crawl(ports: CrawlPorts, sources: Sequence[str] = (), *, dry_run: bool = False) -> tuple[SourceCrawl, ...]:
    """Of these sources, or of all. E858 for one that there is not."""
    chosen = _chosen(ports.crawlers, sources)
    declared = frozenset(one.source for one in ports.crawlers)
    if not dry_run:
        ports.begin()
    found = tuple(_crawl_source(one, ports, declared, dry_run=dry_run) for one in chosen)
    if not dry_run:
        ports.file_sync()
        ports.on_change([one.plan for one in found])
    return found


def _chosen(crawlers: Sequence[Crawler], sources: Sequence[str]) -> list[Crawler]:
    by_name = {one.source: one for one in crawlers}
    for name in sources:
        if name not in by_name:
            raise ForgeError(
                "E858",
                f"There is no source '{name}' to crawl",
                why=did_you_mean(name, by_name),
                fix=f"Sources: {', '.join(by_name)}.",
            )
    return [by_name[name] for name in dict.fromkeys(sources)] if sources else list(crawlers)


def _crawl_source(
    crawler: Crawler, ports: CrawlPorts, declared: frozenset[str], *, dry_run: bool = False
) -> SourceCrawl:
    begin = time.perf_counter()
    source = crawler.source
    reason = None
    try:
        plan = _plan(crawler, ports, declared)
        if not dry_run:
            ports.store.apply(plan, ports.clock())
    except ForgeError as error:
        _log.warning("the crawl of %s failed: %s", source, error.line)
        plan, reason = CrawlPlan(source=source), error.line
    for one in plan.unread:
        _log.warning("%s of %s could not be read: %s", one.name, source, one.reason)
    return SourceCrawl(source=source, plan=plan, seconds=time.perf_counter() - begin, reason=reason)


def _plan(crawler: Crawler, ports: CrawlPorts, declared: frozenset[str]) -> CrawlPlan:
    marks = ports.store.marks(crawler.source)
    known = {mark.name: mark for mark in marks}
    seen = [_clean(one) for one in crawler.sightings(known)]
    others = ports.store.marks_named(
        one.asset.qualified_name for one in seen if isinstance(one, SeenAsset) and one.asset.qualified_name not in known
    )
    return plan_crawl(crawler.source, (*marks, *others), seen, ports.new_uid, sources=declared)


def _clean(one: Sighting) -> Sighting:
    """A name that no database takes is not taken in."""
    if isinstance(one, SeenAsset) and not _is_storable(one.asset):
        shown = ascii(one.asset.qualified_name)[:200]
        return UnreadAsset(shown, "its name is too long, or holds characters that cannot be stored")
    return one


def _is_storable(asset: CrawledAsset) -> bool:
    name = asset.qualified_name
    return 0 < len(name) <= 1000 and "\0" not in name and not any("\ud800" <= sign <= "\udfff" for sign in name)
