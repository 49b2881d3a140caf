"""Assets that people and programs register: what no crawler sees, like the dashboards of a tool. Upserts by name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from forge.catalog.asset import AssetState, AssetType, CatalogAsset, CrawledAsset, CrawledColumn
from forge.catalog.crawl import BY_HAND, CrawlMark, SeenAsset, plan_crawl
from forge.catalog.edit import EDITABLE, read_edit
from forge.catalog.text import clean_text
from forge.flows.catalog.crawl import CrawlPorts
from forge.flows.catalog.edit import EditOutcome, EditPorts, check_edit, edit_asset, find_asset
from forge.model.errors import ForgeError, errors_of, raise_errors
from forge.model.name_suggestions import did_you_mean

MOST = 1000  # assets of one batch
_LONGEST = 1000
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufffd]")
_TEXTS = ("system", "location", "key")
_NUMBERS = ("row_count", "size_bytes")
_OWN = ("qualified_name", "type", "schema", "backed_by", *_TEXTS, *_NUMBERS)
KNOWN = (*_OWN, *EDITABLE)


@dataclass(frozen=True, slots=True)
class RegisteredAsset:
    outcome: EditOutcome
    is_new: bool


def register_assets(
    items: Sequence[Mapping[str, Any]], crawls: CrawlPorts, edits: EditPorts
) -> tuple[RegisteredAsset, ...]:
    """All that is wrong with any of them is reported before anything is written. E852 for what a crawler found of an
    asset; its documentation may be set."""
    if len(items) > MOST:
        raise ForgeError("E851", f"A batch has at most {MOST:,} assets", fix="Send more batches.")
    read = [_read(item, f"assets[{number}]" if len(items) > 1 else "") for number, item in enumerate(items)]
    marks = {mark.name: mark for mark in crawls.store.marks_named(asset.qualified_name for asset, _ in read)}
    for closed in (mark.name for mark in marks.values() if mark.state is AssetState.CLOSED):
        find_asset(crawls.store, closed)  # E850: nobody is told of it
    raise_errors(
        _crawled(mark, item)
        for item, (asset, _) in zip(items, read, strict=True)
        if (mark := marks.get(asset.qualified_name)) is not None and mark.source != BY_HAND and _says_more(item)
    )
    own = [asset for asset, _ in read if marks.get(asset.qualified_name, _MINE).source == BY_HAND]
    merged = _merged(own, crawls)
    _check(read, {asset.qualified_name: asset for asset in merged}, crawls, edits)
    plan = plan_crawl(BY_HAND, marks.values(), map(SeenAsset, merged), crawls.new_uid, scope=())
    crawls.store.apply(plan, crawls.clock())
    crawls.file_sync()
    synced = replace(edits, file_sync=lambda: None)
    now = crawls.store.assets_named(asset.qualified_name for asset, _ in read)
    return tuple(
        RegisteredAsset(
            edit_asset(asset.qualified_name, entry, synced) if entry else EditOutcome(now[asset.qualified_name]),
            asset.qualified_name not in marks,
        )
        for asset, entry in read
    )


def _check(
    read: Sequence[tuple[CrawledAsset, Mapping[str, Any]]],
    seen: Mapping[str, CrawledAsset],
    crawls: CrawlPorts,
    edits: EditPorts,
) -> None:
    """What would be wrong with the documentation of the assets as they will be."""
    now = crawls.clock()
    known = crawls.store.assets_named(asset.qualified_name for asset, _ in read)
    faults: list[ForgeError] = []
    for asset, entry in read:
        name = asset.qualified_name
        old = known.get(name)
        if old is None or old.qualified_name != name:
            old = CatalogAsset(uid="", crawled=seen[name], created_at=now, updated_at=now)
        try:
            check_edit(replace(old, crawled=seen.get(name, old.crawled)), entry, edits)
        except ForgeError as error:
            faults += errors_of(error)
    raise_errors(faults)


_MINE = CrawlMark(uid="", name="", source=BY_HAND)


def _read(item: Mapping[str, Any], where: str) -> tuple[CrawledAsset, dict[str, Any]]:
    faults = [
        ForgeError(
            "E851",
            f"There is no field {name}",
            where=where or None,
            fix=did_you_mean(str(name), KNOWN) or f"What can be set: {', '.join(KNOWN)}.",
        )
        for name in item
        if name not in KNOWN
    ]
    name = item.get("qualified_name")
    if not isinstance(name, str) or not 0 < len(name.strip()) <= _LONGEST or _CONTROL.search(clean_text(name)):
        message = "qualified_name is one line of at most 1,000 letters"
        faults.append(ForgeError("E851", message, where=where or None, fix="Like bi:sales.weekly."))
    try:
        type_ = AssetType(item.get("type", AssetType.DATASET))
    except ValueError:
        words = ", ".join(one.value for one in AssetType)
        faults.append(ForgeError("E851", f"type is one of {words}", where=where or None))
        type_ = AssetType.DATASET
    entry = {key: value for key, value in item.items() if key in EDITABLE}
    try:
        read_edit(entry)
    except ForgeError as error:
        faults.append(error)
    faults += _faults(item, where or None)
    raise_errors(faults)
    more: dict[str, Any] = {key: clean_text(item[key]) for key in _TEXTS if item.get(key)}
    more |= {key: item[key] for key in _NUMBERS if item.get(key) is not None}
    columns = tuple(_column(one) for one in item.get("schema") or ())
    backed_by = tuple(clean_text(one) for one in item.get("backed_by") or ())
    assert isinstance(name, str)
    asset = CrawledAsset(
        qualified_name=name.strip(), type=type_, source=BY_HAND, columns=columns, backed_by=backed_by, **more
    )
    return asset, entry


def _faults(item: Mapping[str, Any], where: str | None) -> list[ForgeError]:
    wrong = [f"{key} is a text" for key in _TEXTS if not isinstance(item.get(key) or "", str)]
    wrong += [f"{key} is at most 1,000 letters long" for key in _TEXTS if len(str(item.get(key) or "")) > _LONGEST]
    wrong += [
        f"{key} is a number from 0 on"
        for key in _NUMBERS
        if (value := item.get(key)) is not None
        and (not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**62)
    ]
    schema, backed_by = item.get("schema") or [], item.get("backed_by") or []
    if not isinstance(schema, list) or not all(_is_column(one) for one in schema) or len(schema) > 10_000:
        wrong.append("schema is a list of columns, each with name and type")
    if not isinstance(backed_by, list) or not all(isinstance(one, str) for one in backed_by) or len(backed_by) > 1000:
        wrong.append("backed_by is a list of names of assets")
    return [ForgeError("E851", message, where=where) for message in wrong]


def _is_column(one: object) -> bool:
    texts = ("name", "type", "description")
    return (
        isinstance(one, Mapping)
        and bool(one.get("name"))
        and all(isinstance(one.get(key, ""), str) and len(one.get(key, "")) <= 100_000 for key in texts)
        and isinstance(one.get("nullable", True), bool)
        and set(one) <= {*texts, "nullable"}
    )


def _column(one: Mapping[str, Any]) -> CrawledColumn:
    words = [clean_text(one.get(key, "")) for key in ("name", "type", "description")]
    return CrawledColumn(words[0], words[1], one.get("nullable", True), words[2])


def _says_more(item: Mapping[str, Any]) -> bool:
    return any(key in item for key in _OWN if key != "qualified_name")


def _crawled(mark: CrawlMark, item: Mapping[str, Any]) -> ForgeError:
    given = [key for key in _OWN if key in item and key != "qualified_name"]
    return ForgeError(
        "E852",
        f"{mark.name} is crawled from {mark.source}: {', '.join(given)} cannot be set",
        why="Only its source changes what was crawled. Nothing was changed.",
        fix=f"Leave it out; what can be set: {', '.join(EDITABLE)}.",
    )


def _merged(assets: Sequence[CrawledAsset], ports: CrawlPorts) -> list[CrawledAsset]:
    """An upsert keeps what it does not say."""
    known = ports.store.assets_named(asset.qualified_name for asset in assets)
    once = {asset.qualified_name: asset for asset in assets}
    found = []
    for name, asset in once.items():
        old = known[name].crawled if name in known and known[name].qualified_name == name else None
        empty = [one.name for one in fields(CrawledAsset) if getattr(asset, one.name) in ("", None, ())]
        found.append(replace(asset, **{field: getattr(old, field) for field in empty}) if old else asset)
    return found
