"""Search of the catalog: documents, queries, stages of matching, ranks, pages. May import `forge.model` and this room.

A query is planned as data (`plan`): a clause for each stage of matching. An index finds what satisfies a clause, in a
fixed order; everything else (stages, pages, columns as results, highlights, reasons) happens here, once, so that every
index gives the same answer."""

from forge.catalog.search.names import COLUMN as COLUMN
from forge.catalog.search.names import MatchRank as MatchRank
from forge.catalog.search.names import SearchEntry as SearchEntry
from forge.catalog.search.names import SearchIndex as SearchIndex
from forge.catalog.search.names import SearchMatch as SearchMatch
from forge.catalog.search.names import fold as fold
from forge.catalog.search.names import is_one_typo as is_one_typo
from forge.catalog.search.names import words_of as words_of
