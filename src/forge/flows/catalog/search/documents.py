"""Documents of the catalog's assets, their schemas and databases, and of glossary terms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from forge.catalog.asset import AssetState, CatalogAsset
from forge.catalog.glossary.term import GlossaryTerm
from forge.catalog.search.document import DocumentColumn, DocumentTerm, DocumentType, SearchDocument
from forge.flows.runs.records import AssetRecord
from forge.model.classification import ClassificationLevel

TERM, SCHEMA, DATABASE = "term:", "schema:", "database:"


@dataclass(frozen=True, slots=True)
class SearchFacts:
    """What other rooms know of an asset. `pii`: the type of personal data of a column, by its name in lower case."""

    quality: float | None = None
    popularity: int = 0
    pii: Mapping[str, str] = field(default_factory=dict)
    has_contract: bool = False
    classification: ClassificationLevel | None = None


FactsOf = Callable[[Sequence[str]], Mapping[str, SearchFacts]]
_NOTHING = SearchFacts()


def asset_document(
    asset: CatalogAsset | None, record: AssetRecord | None, facts: SearchFacts, terms: Mapping[str, GlossaryTerm]
) -> SearchDocument | None:
    """Of what the catalog says, or, of a table that no crawl has seen yet, of what its publication wrote. None: it is
    neither. The columns are those of the publication where there is one."""
    if asset is not None and (asset.state is AssetState.ACTIVE or record is None):
        found = _of_asset(asset, facts, terms)
        return found if record is None else _with_record(found, asset, record, facts)
    return None if record is None else _of_record(record, facts)


def _of_asset(asset: CatalogAsset, facts: SearchFacts, terms: Mapping[str, GlossaryTerm]) -> SearchDocument:
    crawled, documentation = asset.crawled, asset.documentation
    columns = []
    for column in crawled.columns:
        own = asset.of_column(column.name)
        term = terms.get(own.term or "")
        columns.append(
            DocumentColumn(
                name=column.name,
                type=column.type,
                description=asset.column_description(column),
                tags=own.tags,
                terms=term.names if term else (),
                pii=facts.pii.get(column.name.lower()),
            )
        )
    name = asset.qualified_name
    return SearchDocument(
        id=name,
        type=DocumentType(crawled.type.value),
        name=crawled.name,
        qualified_name=name,
        container=container_of(name),
        description=asset.description,
        columns=tuple(columns),
        tags=asset.tags,
        terms=tuple(DocumentTerm(terms[one].name, terms[one].synonyms) for one in documentation.terms if one in terms),
        owner=asset.owner,
        team=documentation.team,
        domain=asset.domain,
        classification=_level(facts.classification or documentation.classification),
        pii=tuple(sorted(set(facts.pii.values()))),
        quality=facts.quality,
        popularity=facts.popularity,
        fresh_at=crawled.updated_at,
        deprecated=documentation.deprecated is not None,
        vanished=asset.state is AssetState.VANISHED,
        has_contract=facts.has_contract,
    )


def _with_record(found: SearchDocument, asset: CatalogAsset, record: AssetRecord, facts: SearchFacts) -> SearchDocument:
    known = {column.name.lower(): column for column in found.columns}
    columns = []
    for column in _record_columns(record, facts):
        documentation = known.get(column.name.lower())
        own = asset.of_column(column.name).description
        words = own or column.description or (documentation.description if documentation else "")
        columns.append(replace(documentation, type=column.type, description=words) if documentation else column)
    return replace(
        found,
        columns=tuple(columns) or found.columns,
        description=found.description or record.description,
        owner=found.owner or record.owner,
        tags=found.tags or record.tags,
        fresh_at=_fresh(record) or found.fresh_at,
    )


def _of_record(record: AssetRecord, facts: SearchFacts) -> SearchDocument:
    return SearchDocument(
        id=str(record.table),
        type=DocumentType(record.kind),
        name=record.table.name,
        qualified_name=str(record.table),
        container=record.table.schema,
        description=record.description,
        columns=_record_columns(record, facts),
        tags=record.tags,
        owner=record.owner,
        classification=_level(facts.classification),
        pii=tuple(sorted(set(facts.pii.values()))),
        quality=facts.quality,
        popularity=facts.popularity,
        fresh_at=_fresh(record),
        has_contract=facts.has_contract,
    )


def _record_columns(record: AssetRecord, facts: SearchFacts) -> tuple[DocumentColumn, ...]:
    return tuple(
        DocumentColumn(
            name=str(column["name"]),
            type=str(column.get("type") or ""),
            description=str(column.get("description") or ""),
            pii=facts.pii.get(str(column["name"]).lower()),
        )
        for column in record.columns
    )


def _level(level: ClassificationLevel | None) -> str | None:
    return level.value if level else None


def _fresh(record: AssetRecord) -> datetime | None:
    return record.updated_at if record.updated_at.year > 1 else None


def term_document(term: GlossaryTerm) -> SearchDocument:
    return SearchDocument(
        id=f"{TERM}{term.id}",
        type=DocumentType.TERM,
        name=term.name,
        qualified_name=term.name,
        container=term.domain,
        description=term.definition,
        synonyms=term.synonyms,
        owner=term.owner,
        domain=term.domain or None,
        fresh_at=term.updated_at,
    )


def container_documents(names: Iterable[str]) -> Iterator[SearchDocument]:
    """Of schemas and databases, each once."""
    for name in dict.fromkeys(names):
        if not name:
            continue
        above = container_of(name)
        own = name.removeprefix(above).lstrip("./") if above else name.partition(":")[2] or name.rstrip(":")
        if above:
            yield SearchDocument(
                id=f"{SCHEMA}{name}", type=DocumentType.SCHEMA, name=own, qualified_name=name, container=above
            )
        elif ":" in name:
            yield SearchDocument(id=f"{DATABASE}{name}", type=DocumentType.DATABASE, name=own, qualified_name=name)
        else:
            yield SearchDocument(id=f"{SCHEMA}{name}", type=DocumentType.SCHEMA, name=own, qualified_name=name)


def container_ids(name: str) -> tuple[str, str]:
    return f"{SCHEMA}{name}", f"{DATABASE}{name}"


def container_of(name: str) -> str:
    """`core` of core.orders, `pg:shop.public` of pg:shop.public.orders, `files:raw` of files:raw/orders.csv."""
    source, colon, own = name.partition(":")
    if not colon:
        return name.rpartition(".")[0]
    if source != "files" and "/" not in own:
        return name.rpartition(".")[0]
    folder = own.rstrip("/").rpartition("/")[0]
    if folder and not folder.endswith("/"):  # what is left of s3://bucket is no folder
        return f"{source}:{folder}"
    return f"{source}:" if own and source == "files" else ""


def containers_of(name: str) -> tuple[str, ...]:
    """All above it, the nearest first."""
    found = []
    while name := container_of(name):
        found.append(name)
    return tuple(found)
