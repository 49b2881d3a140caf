"""Assets, edits and crawls in Python, in the terminal's JSON and in notebooks."""

from __future__ import annotations

from dataclasses import dataclass

from forge.catalog.approval import EditProposal
from forge.catalog.asset import CatalogAsset
from forge.catalog.asset_view import asset_sheet, asset_summary
from forge.catalog.classification import EffectiveClassification
from forge.catalog.edit import AssetEdit
from forge.connection.tabular import Row, TabularTuple
from forge.flows.catalog.asset_store import LabelCount
from forge.flows.catalog.crawl import SourceCrawl


@dataclass(frozen=True, slots=True)
class AssetItem:
    """`missing`: what its domain requires and nobody filled in. `classified`: which classification holds, and why."""

    asset: CatalogAsset
    missing: tuple[str, ...] = ()
    classified: EffectiveClassification | None = None

    @property
    def name(self) -> str:
        return self.asset.qualified_name

    @property
    def description(self) -> str:
        return self.asset.description

    @property
    def owner(self) -> str | None:
        return self.asset.owner

    @property
    def tags(self) -> tuple[str, ...]:
        return self.asset.tags

    @property
    def version(self) -> int:
        """Of its documentation."""
        return self.asset.version

    def to_dict(self) -> Row:
        return asset_sheet(self.asset, self.missing, self.classified)


@dataclass(frozen=True, slots=True)
class AssetLine:
    asset: CatalogAsset

    def to_dict(self) -> Row:
        return asset_summary(self.asset)


@dataclass(frozen=True, slots=True)
class EditItem:
    """The asset as it is now; `proposal`: the edit waits for someone else."""

    item: AssetItem
    edit: AssetEdit | None = None
    proposal: EditProposal | None = None

    @property
    def changed(self) -> bool:
        return self.edit is not None

    def to_dict(self) -> Row:
        return {
            "asset": self.item.to_dict(),
            "edit": self.edit.to_dict() if self.edit else None,
            "proposal": self.proposal.to_dict() if self.proposal else None,
        }


class Crawls(TabularTuple[SourceCrawl]):
    __slots__ = ()


class AssetLines(TabularTuple[AssetLine]):
    __slots__ = ()


class EditHistory(TabularTuple[AssetEdit]):
    __slots__ = ()


class EditProposals(TabularTuple[EditProposal]):
    __slots__ = ()


class LabelCounts(TabularTuple[LabelCount]):
    __slots__ = ()
