"""What the catalog can find: one document for each asset, database, schema and term. Columns are in their asset's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

KEPT_TEXT = 2000  # letters of a description that an index keeps to show; all are searched
SEARCHED_TEXT = 100_000


class DocumentType(StrEnum):
    TABLE = "table"
    VIEW = "view"
    DATASET = "dataset"
    PIPELINE = "pipeline"
    DASHBOARD = "dashboard"
    MODEL = "model"
    FEATURE = "feature"
    METRIC = "metric"
    DATABASE = "database"
    SCHEMA = "schema"
    TERM = "term"
    COLUMN = "column"  # a result of its own, found in the document of its asset


ASSET_TYPES = (
    DocumentType.TABLE,
    DocumentType.VIEW,
    DocumentType.DATASET,
    DocumentType.PIPELINE,
    DocumentType.DASHBOARD,
    DocumentType.MODEL,
    DocumentType.FEATURE,
    DocumentType.METRIC,
)


class QualityBand(StrEnum):
    EXCELLENT = "excellent"
    GOOD = "good"
    FAIR = "fair"
    POOR = "poor"
    UNKNOWN = "unknown"


def quality_band(score: float | None) -> QualityBand:
    if score is None:
        return QualityBand.UNKNOWN
    if score >= 95:
        return QualityBand.EXCELLENT
    return QualityBand.GOOD if score >= 80 else QualityBand.FAIR if score >= 60 else QualityBand.POOR


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentColumn:
    name: str
    type: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()  # names and synonyms of its glossary terms
    pii: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentTerm:
    """A glossary term that something is linked with."""

    name: str
    synonyms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchDocument:
    """`id` is its qualified name, of databases, schemas and terms behind their type: schema:core."""

    id: str
    type: DocumentType
    name: str
    qualified_name: str
    container: str = ""  # what holds it: the schema of a table, the database of a schema
    description: str = ""
    columns: tuple[DocumentColumn, ...] = ()
    tags: tuple[str, ...] = ()
    terms: tuple[DocumentTerm, ...] = ()
    synonyms: tuple[str, ...] = ()  # of a term
    owner: str | None = None
    team: str | None = None
    domain: str | None = None
    classification: str | None = None
    pii: tuple[str, ...] = ()  # types of personal data in its columns
    quality: float | None = None  # 0 to 100
    popularity: int = 0  # how often it was used lately
    fresh_at: datetime | None = None  # when its data changed
    deprecated: bool = False
    vanished: bool = False
    has_contract: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Without what is empty: an index keeps this for each document."""
        found: dict[str, Any] = {"id": self.id, "type": self.type.value, "name": self.name}
        if self.qualified_name != self.id:
            found["qualified_name"] = self.qualified_name
        for key in _PLAIN:
            if value := getattr(self, key):
                found[key] = value
        if self.description:
            found["description"] = self.description[:KEPT_TEXT]
        if self.columns:
            found["columns"] = [_column_dict(column) for column in self.columns]
        if self.terms:
            found["terms"] = [[term.name, *term.synonyms] for term in self.terms]
        if self.quality is not None:
            found["quality"] = self.quality
        if self.fresh_at is not None:
            found["fresh_at"] = self.fresh_at.isoformat()
        return found

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> SearchDocument:
        fresh = given.get("fresh_at")
        return cls(
            id=given["id"],
            type=DocumentType(given["type"]),
            name=given["name"],
            qualified_name=given.get("qualified_name", given["id"]),
            container=given.get("container", ""),
            description=given.get("description", ""),
            columns=tuple(_column_of(column) for column in given.get("columns", ())),
            tags=tuple(given.get("tags", ())),
            terms=tuple(DocumentTerm(term[0], tuple(term[1:])) for term in given.get("terms", ())),
            synonyms=tuple(given.get("synonyms", ())),
            owner=given.get("owner"),
            team=given.get("team"),
            domain=given.get("domain"),
            classification=given.get("classification"),
            pii=tuple(given.get("pii", ())),
            quality=given.get("quality"),
            popularity=given.get("popularity", 0),
            fresh_at=None if fresh is None else datetime.fromisoformat(fresh),
            deprecated=given.get("deprecated", False),
            vanished=given.get("vanished", False),
            has_contract=given.get("has_contract", False),
        )


_PLAIN = (
    "container",
    "tags",
    "synonyms",
    "owner",
    "team",
    "domain",
    "classification",
    "pii",
    "popularity",
    "deprecated",
    "vanished",
    "has_contract",
)


def _column_dict(column: DocumentColumn) -> dict[str, Any]:
    found: dict[str, Any] = {"name": column.name}
    for key in ("type", "description", "tags", "terms", "pii"):
        if value := getattr(column, key):
            found[key] = value[:KEPT_TEXT] if key == "description" else value
    return found


def _column_of(given: Mapping[str, Any]) -> DocumentColumn:
    return DocumentColumn(
        name=given["name"],
        type=given.get("type", ""),
        description=given.get("description", ""),
        tags=tuple(given.get("tags", ())),
        terms=tuple(given.get("terms", ())),
        pii=given.get("pii"),
    )
