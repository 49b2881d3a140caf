"""One asset with all that is known of it: the same for terminal, Python, HTTP and pages.

A table or view is shown as a commit has it, with what the catalog says of it now; an asset outside the lake, and one
that vanished, as it was crawled."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from forge.catalog.asset import CatalogAsset
from forge.catalog.asset_view import asset_summary, column_view, documentation_view
from forge.catalog.classification import EffectiveClassification
from forge.catalog.discovery.usage import AssetUsage
from forge.catalog.profile import TableProfile
from forge.contracts.lifecycle import ContractState
from forge.flows.catalog.asset_store import AssetStore
from forge.flows.catalog.assets import NEVER, Asset, AssetVersion
from forge.flows.catalog.downstream import AssetLineage, find_readers
from forge.flows.catalog.edit import find_asset
from forge.model.errors import ForgeError, UnknownNameError
from forge.model.names import TableName
from forge.model.time import Clock
from forge.quality.score import score_of
from forge.quality.verdict import Outcome

NOW = "HEAD"
_STATISTICS = ("nulls", "distinct", "distinct_exact", "minimum", "maximum", "mean", "median", "masked")


_UNDOCUMENTED: Mapping[str, Any] = {  # of a table that no crawl has seen yet
    **dict.fromkeys(("team", "domain", "deprecated", "created_at")),
    **dict.fromkeys(("source", "source_system", "location"), ""),
    **{key: [] for key in ("stewards", "terms", "primary_key", "backed_by", "former_names", "missing")},
    "catalog_state": "active",
    "documentation_version": 0,
    "origins": {},
}


@dataclass(frozen=True, slots=True)
class AssetContract:
    """The newest version of the contract that holds for it."""

    id: str
    version: str
    state: ContractState

    def to_dict(self) -> dict[str, object]:
        return {"id": self.id, "version": self.version, "state": self.state.value}


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetFacts:
    """What other rooms know of an asset. `pii_types`: of columns, by name in lower case. `profile`: that is
    stored of its rows, without values of personal columns."""

    usage: AssetUsage
    classified: EffectiveClassification
    contract: AssetContract | None = None
    pii_types: Mapping[str, str] = field(default_factory=dict)
    profile: TableProfile | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetSheetPorts:
    """`version_at`: a table as a commit has it, E108 where it does not. `lineage_of` an asset that no commit has.
    `facts_of` gets the name, the former names and
    the revision."""

    store: AssetStore
    lineage_of: Callable[[str], AssetLineage]
    look: Callable[[], object]  # at the files of the project that document assets
    version_at: Callable[[TableName, str], AssetVersion]
    has_commits: Callable[[], bool]
    missing_of: Callable[[CatalogAsset], tuple[str, ...]]
    facts_of: Callable[[str, tuple[str, ...], str], AssetFacts]
    clock: Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetSheet:
    """`asset`: None where nothing was crawled yet; `found`: None where no commit has it. One of them is there.
    `missing`: what its domain requires and nobody filled in. `lineage`: what comes before and after it. `readers`: what
    reads it, or what comes after it, without being in the lineage."""

    asset: CatalogAsset | None
    found: AssetVersion | None
    at: str
    missing: tuple[str, ...]
    facts: AssetFacts
    lineage: AssetLineage
    readers: frozenset[str]
    now: datetime

    @property
    def name(self) -> str:
        """Qualified."""
        if self.asset is not None:
            return self.asset.qualified_name
        assert self.found is not None
        return str(self.found.asset.record.table)

    @property
    def description(self) -> str:
        return str(self._row()["description"])

    @property
    def owner(self) -> str | None:
        owner = self._row()["owner"]
        return None if owner is None else str(owner)

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(self._row()["tags"])

    @property
    def version(self) -> int:
        """Of its documentation."""
        return self.asset.version if self.asset else 0

    @property
    def quality_score(self) -> float | None:
        """Percentage of its checks that passed."""
        return score_of(verdict.outcome for verdict in self.found.asset.standing.verdicts) if self.found else None

    def to_dict(self) -> dict[str, Any]:
        found, facts = self._row(), self.facts
        found |= documentation_view(self.asset, self.missing) if self.asset else copy.deepcopy(_UNDOCUMENTED)
        found |= self._of_commit() if self.found else self._as_crawled()
        level = facts.classified.level
        return found | {
            "upstream_tables": list(self.lineage.upstream),
            "downstream_tables": list(self.lineage.downstream),
            "downstream_count": len(self.lineage.reached | self.readers),
            "at": self.at if self.found else "",
            "classification": level.value if level else None,
            "classification_why": facts.classified.why,
            "quality_score": self.quality_score,
            "contract": facts.contract.to_dict() if facts.contract else None,
            "usage": {k: v for k, v in facts.usage.to_dict().items() if k != "asset"},
            "schema": self._columns_with_facts(),
        }

    def _row(self) -> dict[str, Any]:
        """The words of the catalog go before those of the last run."""
        row = asset_row(self.found.asset, self.now) if self.found else {}
        if self.asset is None:
            return row
        documentation = asset_summary(self.asset)
        if row:
            documentation |= {key: documentation[key] or row[key] for key in ("description", "owner", "tags")}
        return row | documentation

    def _of_commit(self) -> dict[str, Any]:
        found = self.found
        assert found is not None
        version = found.version
        last = found.last_commit.to_dict() if found.last_commit else None
        return {
            "columns": len(found.columns),
            "commit": found.commit.id,
            "version": version.number,
            "snapshot_id": None if version.snapshot_id is None else str(version.snapshot_id),
            "key": list(version.key),
            "last_commit": {key: value for key, value in last.items() if key != "metadata"} if last else None,
            "last_run": version.run_id,
        }

    def _as_crawled(self) -> dict[str, Any]:
        assert self.asset is not None
        seen = self.asset.crawled
        return {
            "columns": len(seen.columns),
            "row_count": seen.row_count,
            "size_bytes": seen.size_bytes,
            "updated_at": seen.updated_at,
            "freshness_hours": _hours(seen.updated_at, self.now),
            "checks_passed": 0,
            "checks_failed": 0,
            "checks_not_measured": 0,
            "state": "unchecked",
            "commit": "",
            "version": 0,
            "snapshot_id": None,
            "key": list(self.asset.primary_key),
            "last_commit": None,
            "last_run": None,
        }

    def _columns(self) -> list[dict[str, Any]]:
        asset = self.asset
        words = {one.name.lower(): column_view(asset, one) for one in asset.crawled.columns} if asset else {}
        if self.found is None:
            return [{**one, "pii": False, "upstream": [], "failing": False} for one in words.values()]
        columns = []
        for state in self.found.columns:
            name = state.column.name
            documentation = words.get(name.lower())
            own = asset.of_column(name) if asset else None
            description = documentation["description"] if documentation else own.description if own else None
            columns.append(
                {
                    "name": name,
                    "type": state.column.type,
                    "nullable": state.column.nullable,
                    "description": description or state.description,
                    "tags": list(own.tags) if own else [],
                    "term": own.term if own else None,
                    "pii": state.personal,
                    "upstream": list(state.upstream),
                    "failing": state.failing,
                }
            )
        return columns

    def _columns_with_facts(self) -> list[dict[str, Any]]:
        types, profile = self.facts.pii_types, self.facts.profile
        measured: dict[str, dict[str, Any]] = {}
        if profile is not None:
            for one in profile.columns:
                counted = {key: getattr(one, key) for key in _STATISTICS}
                measured[one.name.lower()] = {"rows": profile.rows_read, "sampled": profile.sampled, **counted}
        return [
            {**one, "pii_type": types.get(one["name"].lower()), "statistics": measured.get(one["name"].lower())}
            for one in self._columns()
        ]


def asset_row(asset: Asset, now: datetime) -> dict[str, Any]:
    """A table or view of a commit, for lists."""
    record, standing = asset.record, asset.standing
    updated = record.updated_at if record.updated_at != NEVER else None
    return {
        "id": str(record.table),
        "name": record.table.name,
        "qualified_name": str(record.table),
        "type": record.kind,
        "description": record.description,
        "owner": record.owner,
        "tags": list(record.tags),
        "columns": len(record.columns),
        "row_count": record.row_count,
        "size_bytes": record.size_bytes,
        "updated_at": updated,
        "freshness_hours": _hours(updated, now),
        "checks_passed": standing.count(Outcome.PASSED),
        "checks_failed": standing.count(Outcome.FAILED),
        "checks_not_measured": standing.count(Outcome.NOT_MEASURED),
        "state": standing.state,
    }


def find_asset_sheet(name: str, ports: AssetSheetPorts, *, at: str = NOW) -> AssetSheet:
    """By its qualified name, or one that it had before. E850 or E108, with the nearest names."""
    ports.look()
    asset = ports.store.asset(name)
    known_as = asset.qualified_name if asset else name
    found = _at_commit(known_as, asset, ports, at)
    former = asset.former_names if asset else ()
    lineage = _lineage_of(found) if found else ports.lineage_of(known_as)
    return AssetSheet(
        asset=asset,
        found=found,
        at=at,
        missing=ports.missing_of(asset) if asset else (),
        facts=ports.facts_of(known_as, former, at),
        lineage=lineage,
        readers=find_readers(ports.store, {known_as, *former, *lineage.reached}),
        now=ports.clock(),
    )


def _lineage_of(found: AssetVersion) -> AssetLineage:
    return AssetLineage(found.upstream_tables, found.downstream_tables, found.reached)


def _at_commit(name: str, asset: CatalogAsset | None, ports: AssetSheetPorts, at: str) -> AssetVersion | None:
    """None: the catalog knows it, and no commit does."""
    try:
        table = TableName.parse(name)
    except ForgeError:
        if asset is not None:
            return None
        find_asset(ports.store, name)  # tells the nearest names
        raise
    is_known = asset is not None and at == NOW
    if is_known and not ports.has_commits():
        return None
    try:
        return ports.version_at(table, at)
    except UnknownNameError:
        if is_known:
            return None
        raise


def _hours(then: datetime | None, now: datetime) -> float | None:
    return None if then is None else round(max((now - then).total_seconds() / 3600, 0.0), 2)
