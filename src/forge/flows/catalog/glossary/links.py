"""Which assets and columns a term describes, and which terms could describe the columns of an asset. Links are part of
the documentation of assets."""

from __future__ import annotations

from forge.catalog.asset import CatalogAsset
from forge.catalog.glossary.suggestion import ColumnToDescribe, TermMatcher, TermSuggestion
from forge.catalog.glossary.term import GlossaryTerm, TermLink
from forge.flows.catalog.asset_store import AssetFilter, AssetStore

MOST_LINKED = 500
"""So many assets are looked at for the links of one term."""


def find_links(assets: AssetStore, term_id: str) -> tuple[TermLink, ...]:
    """By asset and column, of vanished assets too: their documentation is kept."""
    found: list[TermLink] = []
    for asset in assets.assets(AssetFilter(terms=(term_id,)), limit=MOST_LINKED):
        found += links_of(asset, term_id)
    return tuple(found)


def links_of(asset: CatalogAsset, term_id: str) -> list[TermLink]:
    name, documentation = asset.qualified_name, asset.documentation
    own = [TermLink(name)] if term_id in documentation.terms else []
    columns = (column for column, words in sorted(documentation.columns.items()) if words.term == term_id)
    spelled = {column.name.lower(): column.name for column in asset.crawled.columns}
    return own + [TermLink(name, spelled.get(column, column)) for column in columns]


def suggest_for(asset: CatalogAsset, terms: tuple[GlossaryTerm, ...], *, limit: int = 3) -> tuple[TermSuggestion, ...]:
    """For columns without a term."""
    columns = [
        ColumnToDescribe(column.name, column.type)
        for column in asset.crawled.columns
        if asset.of_column(column.name).term is None
    ]
    return TermMatcher(terms).suggest(columns, asset.qualified_name, domain=asset.domain, limit=limit)
