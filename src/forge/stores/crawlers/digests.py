"""Sources that are read from their files as a whole: where these are as they were, nothing is read again."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from importlib.metadata import version

from forge.catalog.asset import AssetState, CrawledAsset
from forge.catalog.crawl import CrawlMark, SeenAsset, UnmovedAsset


def digest_of(parts: Iterable[bytes]) -> str:
    """Of what files hold. Another version of Forge may make other assets of the same."""
    found = hashlib.sha256()
    for part in (version("forge").encode(), *parts):
        found.update(len(part).to_bytes(8, "big"))
        found.update(part)
    return found.hexdigest()


def find_unmoved(known: Mapping[str, CrawlMark], digest: str) -> tuple[UnmovedAsset, ...]:
    """All assets that were made of these files; none where they have to be read: they are others, or not all that was
    in them was taken in."""
    active = [mark for mark in known.values() if mark.state is AssetState.ACTIVE]
    pointer = _pointer(digest, active)
    is_same = all(mark.pointer == pointer for mark in active)
    return tuple(UnmovedAsset(mark.name) for mark in active) if is_same else ()


def with_digest(assets: Collection[CrawledAsset], digest: str) -> Iterator[SeenAsset]:
    pointer = _pointer(digest, assets)
    return (SeenAsset(asset, pointer) for asset in assets)


def _pointer(digest: str, assets: Collection[object]) -> str:
    return f"{digest}/{len(assets)}"
