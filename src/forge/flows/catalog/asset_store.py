"""The port of the catalog's assets: what was crawled, what people say, its history, and a log of changes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from forge.catalog.approval import EditProposal, ProposalState
from forge.catalog.asset import AssetState, AssetType, CatalogAsset, FileDocumentation
from forge.catalog.crawl import CrawlMark, CrawlPlan
from forge.catalog.edit import AssetEdit
from forge.flows.runs.records import AuditRecord

ChangeKind = Literal["asset", "facts", "term"]
"""`asset`: anything about it, so that what derives from it is looked at as well. `facts`: only what other rooms count
of it, like verdicts and usage."""


@dataclass(frozen=True, slots=True)
class CatalogChange:
    """`name` has changed, was renamed from or to, or is gone. Ids grow in the order of commits; of several changes of
    one name only the last is kept."""

    id: int
    kind: ChangeKind
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetFilter:
    """Values of one are OR, different ones AND. `prefix`: of the qualified name. `backed_by`: assets of which those are
    wanted that read one of them (`READING_TYPES`)."""

    domains: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()  # of the asset or of one of its columns
    types: tuple[AssetType, ...] = ()
    sources: tuple[str, ...] = ()
    states: tuple[AssetState, ...] = ()
    prefix: str = ""
    backed_by: tuple[str, ...] = ()


ALL_ASSETS = AssetFilter()


@dataclass(frozen=True, slots=True)
class LabelCount:
    """How many active assets have a domain or tag."""

    name: str
    assets: int

    def to_dict(self) -> dict[str, object]:
        return {"name": self.name, "assets": self.assets}


class AssetStore(Protocol):
    """Every method is one transaction. Every write that a reader can see is in the log of changes. What is closed is
    in no read, and only crawls know of it."""

    # reads
    def asset(self, name: str) -> CatalogAsset | None:
        """By its qualified name, or else by one that it had before."""

    def assets_named(self, names: Iterable[str]) -> Mapping[str, CatalogAsset]:
        """By the names that were asked for; former names resolve, unknown ones are left out."""

    def assets(
        self, wanted: AssetFilter = ALL_ASSETS, *, after: str = "", limit: int = 500
    ) -> tuple[CatalogAsset, ...]:
        """By name, those behind `after`."""

    def count(self, wanted: AssetFilter = ALL_ASSETS) -> int: ...
    def domains(self) -> tuple[LabelCount, ...]:
        """By name."""

    def tags(self, prefix: str = "", limit: int = 100) -> tuple[LabelCount, ...]:
        """The most used first; of assets and their columns."""

    # crawls
    def marks(self, source: str) -> tuple[CrawlMark, ...]:
        """Of all its assets, vanished ones too."""

    def marks_named(self, names: Iterable[str]) -> tuple[CrawlMark, ...]: ...
    def apply(self, plan: CrawlPlan, at: datetime) -> None:
        """All of a crawl, or nothing. A name that came meanwhile keeps its documentation."""

    def put_state(
        self,
        within: str,
        before: Collection[AssetState],
        state: AssetState,
        at: datetime,
        *,
        spared: Collection[str] = (),
    ) -> tuple[str, ...]:
        """Of all assets of a database, like `postgresql:shop`, that were in one of these states and are not of a spared
        source. Their names."""

    def put_files(self, documented: Mapping[str, FileDocumentation], at: datetime) -> tuple[str, ...]:
        """What files say of assets, by name: exactly this from now on. The names of the assets that changed."""

    # edits
    def edit(self, edit: AssetEdit, audit: AuditRecord) -> bool:
        """Compare-and-set: False, and nothing written, where the asset's version is not the one before the edit's."""

    def history(self, uid: str, limit: int = 100) -> tuple[AssetEdit, ...]:
        """Newest first."""

    def propose(self, proposal: EditProposal, audit: AuditRecord) -> None: ...
    def proposal(self, proposal_id: str) -> EditProposal | None: ...
    def proposals(
        self, *, state: ProposalState | None = None, uid: str | None = None, limit: int = 100
    ) -> tuple[EditProposal, ...]:
        """Newest first."""

    def decide(self, proposal: EditProposal, edit: AssetEdit | None, audit: AuditRecord) -> bool:
        """The decision and, of an approved one, its edit. False, and nothing written, where it is no longer open or the
        asset's version is not the one before the edit's."""

    # changes
    def changes(self, after: int = 0, limit: int = 1000) -> tuple[CatalogChange, ...]:
        """In their order, of all kinds. Stores of findings, contracts, verdicts and usage write to it in their own
        transactions."""

    def touch(self, kind: ChangeKind, names: Sequence[str]) -> None:
        """Into the log of changes, for what is kept elsewhere and not written with it."""
