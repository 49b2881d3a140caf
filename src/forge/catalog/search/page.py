"""What a search answers: results with their reasons, counts by facet, and where the next page begins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from forge.catalog.search.document import DocumentColumn, SearchDocument
from forge.catalog.search.plan import MatchStage
from forge.catalog.search.query import SearchFacet
from forge.catalog.search.rank import BASE, RankBoost


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text and where it matched: from, to. It is plain text; whoever shows it marks it their own way."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()

    def to_dict(self) -> dict[str, object]:
        return {"text": self.text, "marks": [list(mark) for mark in self.marks]}


@dataclass(frozen=True, slots=True)
class MatchedColumn:
    name: str
    marks: tuple[tuple[int, int], ...] = ()

    def to_dict(self) -> dict[str, object]:
        return {"name": self.name, "marks": [list(mark) for mark in self.marks]}


@dataclass(frozen=True, slots=True)
class ScoreExplanation:
    """Why a result is where it is: its stage first, then the points."""

    stage: MatchStage
    points: int
    boosts: tuple[RankBoost, ...]

    def to_dict(self) -> dict[str, object]:
        return {
            "stage": self.stage.name.lower(),
            "points": self.points,
            "base": BASE,
            "boosts": [boost.to_dict() for boost in self.boosts],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogHit:
    """`column`: the result is this column, and the document the asset that has it."""

    document: SearchDocument
    column: DocumentColumn | None = None
    stage: MatchStage
    name: MarkedText
    description: MarkedText
    columns: tuple[MatchedColumn, ...] = ()  # those of the document that match
    explanation: ScoreExplanation | None = None

    @property
    def type(self) -> str:
        return "column" if self.column else self.document.type.value

    @property
    def id(self) -> str:
        return self.qualified_name if self.column else self.document.id

    @property
    def qualified_name(self) -> str:
        own = self.document.qualified_name
        return f"{own}.{self.column.name}" if self.column else own

    def to_dict(self) -> dict[str, object]:
        document = self.document
        return {
            "id": self.id,
            "type": self.type,
            "name": self.name.text,
            "qualified_name": self.qualified_name,
            "table": document.qualified_name,
            "container": document.qualified_name if self.column else document.container,
            "description": self.column.description if self.column else document.description,
            "owner": document.owner,
            "domain": document.domain,
            "tags": list(document.tags),
            "classification": document.classification,
            "pii": [self.column.pii] if self.column and self.column.pii else [] if self.column else list(document.pii),
            "quality": document.quality,
            "popularity": document.popularity,
            "fresh_at": document.fresh_at.isoformat() if document.fresh_at else None,
            "deprecated": document.deprecated,
            "vanished": document.vanished,
            "has_contract": document.has_contract,
            "stage": self.stage.name.lower(),
            "highlight": {"name": self.name.to_dict(), "description": self.description.to_dict()},
            "matched_columns": [column.to_dict() for column in self.columns],
            "explanation": self.explanation.to_dict() if self.explanation else None,
        }


@dataclass(frozen=True, slots=True)
class FacetCount:
    value: str
    count: int

    def to_dict(self) -> dict[str, object]:
        return {"value": self.value, "count": self.count}


FacetCounts = Mapping[SearchFacet, tuple[FacetCount, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPage:
    """`total_exact` is False where columns are asked for and more pages follow: then at least so many match. Facets
    count documents; where columns are asked for, those that have them."""

    hits: tuple[CatalogHit, ...]
    total: int
    total_exact: bool = True
    facets: FacetCounts = field(default_factory=dict)
    next_cursor: str | None = None
    generation: int = 0  # grows with every change of the index

    def to_dict(self) -> dict[str, object]:
        return {
            "items": [hit.to_dict() for hit in self.hits],
            "total_count": self.total,
            "total_exact": self.total_exact,
            "facets": {name.value: [one.to_dict() for one in counts] for name, counts in self.facets.items()},
            "next_cursor": self.next_cursor,
            "has_more": self.next_cursor is not None,
            "generation": self.generation,
        }
