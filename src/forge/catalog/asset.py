"""An asset of the catalog: what crawlers saw of it, and what people say about it.

The two are kept apart: a crawl never overwrites the words of a person, and a person cannot change what was seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from enum import StrEnum

from forge.model.classification import ClassificationLevel


class AssetType(StrEnum):
    TABLE = "table"
    VIEW = "view"
    DATASET = "dataset"
    PIPELINE = "pipeline"
    DASHBOARD = "dashboard"
    MODEL = "model"
    FEATURE = "feature"
    METRIC = "metric"


READING_TYPES = frozenset({AssetType.DASHBOARD, AssetType.MODEL, AssetType.FEATURE, AssetType.METRIC})
"""What backs one of these is read by it; a pipeline, a file or an object type also names what it fills or describes."""


class AssetState(StrEnum):
    ACTIVE = "active"
    VANISHED = "vanished"  # its source does not have it any more; its documentation is kept
    CLOSED = "closed"  # its source is no longer for everyone: nobody is told of it


class FieldOrigin(StrEnum):
    """Where the value of a field of an asset comes from."""

    FILE = "file"  # catalog/*.yaml
    EDIT = "edit"  # a person
    CRAWL = "crawl"


@dataclass(frozen=True, slots=True)
class CrawledColumn:
    name: str
    type: str
    nullable: bool = True
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawledAsset:
    """What a crawler saw. `key` is the name that its source gives it for life, like the UUID of an Iceberg table: by it
    a renamed asset is known again. A source that has none leaves it empty."""

    qualified_name: str
    type: AssetType
    source: str  # the crawler: lake, project, dbt, or the name of a declared source
    key: str = ""
    system: str = ""  # iceberg, postgresql, csv, dbt …
    location: str = ""
    description: str = ""
    owner: str | None = None
    domain: str | None = None
    tags: tuple[str, ...] = ()
    columns: tuple[CrawledColumn, ...] = ()
    primary_key: tuple[str, ...] = ()
    backed_by: tuple[str, ...] = ()  # assets that hold its data or that it writes
    row_count: int | None = None
    size_bytes: int | None = None
    updated_at: datetime | None = None  # when its data changed

    @property
    def name(self) -> str:
        """The last part of its qualified name: `orders` of postgresql:shop.public.orders, `a.csv` of files:x/a.csv."""
        own = self.qualified_name.partition(":")[2] or self.qualified_name
        return (own.rstrip("/").rpartition("/") if "/" in own else own.rpartition("."))[2] or own

    @property
    def read_assets(self) -> tuple[str, ...]:
        """Of what backs it, that which it reads."""
        return tuple(dict.fromkeys(self.backed_by)) if self.type in READING_TYPES else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDocumentation:
    description: str | None = None
    tags: tuple[str, ...] = ()
    term: str | None = None  # the id of a glossary term


@dataclass(frozen=True, slots=True, kw_only=True)
class Documentation:
    """What people say. None: nothing, so that what was crawled or inherited holds."""

    description: str | None = None  # Markdown
    owner: str | None = None
    team: str | None = None
    stewards: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()  # ids of glossary terms
    classification: ClassificationLevel | None = None
    domain: str | None = None
    primary_key: tuple[str, ...] | None = None
    deprecated: str | None = None  # why, and what to use instead
    columns: Mapping[str, ColumnDocumentation] = field(default_factory=dict)  # by name, in lower case


@dataclass(frozen=True, slots=True)
class FileDocumentation:
    """What a file of the project says. `places`: file:line of each field, like `columns.amount.description`."""

    documentation: Documentation = Documentation()
    places: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogAsset:
    """`version` counts the edits of its documentation, for whoever edits it next. `documentation` is what holds:
    that of files before `edited`, what people wrote through Forge."""

    uid: str
    crawled: CrawledAsset
    documentation: Documentation = Documentation()
    edited: Documentation = Documentation()
    places: Mapping[str, str] = field(default_factory=dict)  # file:line of each field that a file sets
    state: AssetState = AssetState.ACTIVE
    version: int = 0
    former_names: tuple[str, ...] = ()
    created_at: datetime
    updated_at: datetime  # of the documentation or of what was crawled, whichever came last

    @property
    def qualified_name(self) -> str:
        return self.crawled.qualified_name

    @property
    def description(self) -> str:
        return self.documentation.description or self.crawled.description

    @property
    def owner(self) -> str | None:
        return self.documentation.owner or self.crawled.owner

    @property
    def domain(self) -> str | None:
        return self.documentation.domain or self.crawled.domain

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.documentation.tags, *self.crawled.tags)))

    @property
    def primary_key(self) -> tuple[str, ...]:
        declared = self.documentation.primary_key
        return self.crawled.primary_key if declared is None else declared

    def of_column(self, name: str) -> ColumnDocumentation:
        return self.documentation.columns.get(name.lower(), ColumnDocumentation())

    def column_description(self, column: CrawledColumn) -> str:
        return self.of_column(column.name).description or column.description

    def origin(self, name: str) -> FieldOrigin | None:
        """Of a field of the documentation; None: it has no value."""
        if name in self.places:
            return FieldOrigin.FILE
        if getattr(self.edited, name):
            return FieldOrigin.EDIT
        return FieldOrigin.CRAWL if getattr(self.crawled, name, None) else None


def with_files(edited: Documentation, filed: FileDocumentation) -> Documentation:
    """What holds of both: a field that a file sets is that of the file."""
    if not filed.places:
        return edited
    names = {name for name in filed.places if "." not in name}
    filed_words = {
        one.name: getattr(filed.documentation, one.name) for one in fields(Documentation) if one.name in names
    }
    columns = dict(edited.columns)
    for path in filed.places:
        if path.startswith("columns."):
            name, _, part = path.removeprefix("columns.").rpartition(".")
            value = getattr(filed.documentation.columns[name], part)
            columns[name] = replace(columns.get(name, ColumnDocumentation()), **{part: value})
    return replace(edited, **filed_words, columns=columns)
