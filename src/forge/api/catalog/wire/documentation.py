"""Edits of assets, their history, and proposals."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import ConfigDict, Field, StrictInt

from forge.api.catalog.wire.assets import AssetTypeWord, ClassificationWord
from forge.api.wire import Name, Text, Wire


class ColumnWords(Wire):
    description: str | None = None
    tags: list[str] | None = None
    term: str | None = None


class DocumentationFields(Wire):
    """What a person may say; null takes a field away. What was crawled is refused by name."""

    model_config = ConfigDict(extra="allow")

    description: str | None = Field(default=None, description="Markdown, at most 1 MB.")
    owner: str | None = None
    team: str | None = None
    stewards: list[str] | None = None
    tags: list[str] | None = None
    terms: list[str] | None = Field(default=None, description="Ids of glossary terms.")
    classification: ClassificationWord | None = None
    domain: str | None = None
    primary_key: list[str] | None = None
    deprecated: str | None = Field(default=None, description="Why, and what to use instead.")
    columns: dict[str, ColumnWords] | None = None


class AssetChange(DocumentationFields):
    expected_version: StrictInt | None = Field(
        default=None, ge=0, description="`documentation_version` as it was read; 409 where it is another one by now."
    )


class NewColumn(Wire):
    name: Name
    type: Name = ""
    nullable: bool = True
    description: Text = ""


class NewAsset(DocumentationFields):
    """An asset that no crawler sees; or, of one that a crawler has seen, its documentation."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)

    qualified_name: str = Field(min_length=1, max_length=1000, examples=["bi:sales.weekly"])
    type: AssetTypeWord | None = None
    system: Name | None = None
    location: Text | None = None
    row_count: int | None = Field(default=None, ge=0)
    size_bytes: int | None = Field(default=None, ge=0)
    backed_by: list[Name] | None = Field(default=None, max_length=1000)
    schema_: list[NewColumn] | None = Field(default=None, alias="schema", max_length=10_000)


class AssetBatch(Wire):
    assets: list[NewAsset] = Field(min_length=1, max_length=1000)


class UndoRequest(Wire):
    documentation_version: int | None = Field(
        default=None, ge=1, description="Of the edit that is taken back. Default: the last."
    )
    expected_version: StrictInt | None = Field(default=None, ge=0)


class AssetLineView(Wire):
    """An asset in a list."""

    id: str
    name: str
    qualified_name: str
    type: AssetTypeWord
    description: str = ""
    owner: str | None = None
    tags: list[str] = []
    domain: str | None = None
    source: str = ""
    catalog_state: Literal["active", "vanished"] = "active"
    documentation_version: int = 0


class EditView(Wire):
    documentation_version: int
    at: datetime
    by: str
    before: dict[str, Any]  # by path, like columns.amount.description; null: there was nothing
    after: dict[str, Any]
    undoes: int | None = None
    approved_by: str | None = None


class ProposalView(Wire):
    id: str
    asset: str
    state: Literal["open", "approved", "rejected"]
    changes: dict[str, Any]
    documentation_version: int  # that was seen
    undoes: int | None = None
    by: str
    at: datetime
    decided_by: str | None = None
    decided_at: datetime | None = None
    comment: str = ""


class EditOutcomeView(Wire):
    """Neither an edit nor a proposal: the asset says that already."""

    asset: AssetLineView
    edit: EditView | None = None
    proposal: ProposalView | None = None


class ProposalDecision(Wire):
    comment: Text = ""


class LabelCountView(Wire):
    name: str
    assets: int


class ScanRequest(Wire):
    sources: list[Name] = Field(default_factory=list, max_length=100, description="Default: all.")
