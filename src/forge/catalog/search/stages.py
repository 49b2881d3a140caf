"""A search, stage by stage: the same steps for every index.

An index reads documents that satisfy a clause, in one fixed order; this takes them from the best stage downwards until
the page is full. Columns are results of their own: documents that have such a column are read, and the columns that
match in exactly this stage are taken out of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from forge.catalog.search.clause import AllOf, AnyOf, Clause, Except, Tokens, holds
from forge.catalog.search.cursor import OrderKey, SearchCursor, decode_search_cursor
from forge.catalog.search.document import DocumentColumn, SearchDocument
from forge.catalog.search.fields import ColumnTokens, tokens_of
from forge.catalog.search.match import QueryMarker
from forge.catalog.search.page import CatalogHit, FacetCount, FacetCounts, ScoreExplanation, SearchPage
from forge.catalog.search.plan import (
    COLUMNS,
    DOCUMENTS,
    ONE_COLUMN,
    MatchStage,
    StageClause,
    filter_token_clause,
    matches,
    plan_filters,
    plan_place,
    plan_stages,
    plan_suggestions,
)
from forge.catalog.search.query import MOST_LETTERS, SearchFacet, SearchFilter, SearchQuery, SearchSort
from forge.catalog.search.rank import boosts_of, id_of_order, order_of, points_of, primary_of
from forge.catalog.search.text import fold

FEW = 10  # with fewer results as it is written, typos are forgiven: else they would be noise
FEW_ENOUGH = 100  # documents that are read whole, and put into order without the index
MOST_VALUES = 50  # of a facet
MOST_READ = 300  # documents of one stage that a page looks through for columns
_BATCH = 50


class StageReader(Protocol):
    """One state of an index: what is added while it is read is not seen, or seen behind everything else."""

    @property
    def generation(self) -> int: ...
    def take(
        self, clause: Clause, sort: SearchSort, after: OrderKey | None, limit: int, skipped: int = 0
    ) -> Sequence[SearchDocument]:
        """The documents behind `after` that satisfy it: greatest `primary_of` first, then by `order_of`. So many of
        them are left out, and not read."""

    def few(
        self, stages: Sequence[tuple[int, Clause]], filters: Clause, most: int
    ) -> Sequence[tuple[int, SearchDocument]] | None:
        """All that satisfies the filters and a stage, with the best stage of each, in any order. None: there are more
        than so many, or the index cannot say; then it is asked stage by stage."""

    def count(self, clause: Clause) -> int: ...
    def facets(self, clause: Clause, wanted: Sequence[SearchFacet]) -> FacetCounts:
        """The most frequent values."""


@dataclass(frozen=True, slots=True)
class _Place:
    """One result, and where it is in the list."""

    document: SearchDocument
    column: DocumentColumn | None
    cursor: SearchCursor


def search_stages(reader: StageReader, query: SearchQuery) -> SearchPage:
    after = decode_search_cursor(query)
    skipped = 0 if after else query.offset
    typos = after.typos if after else False
    facets, total = _counted(reader, query, typos)
    if after is None and total < FEW and not query.browses:
        typos = True
        facets, total = _counted(reader, query, typos)
    found = _read(reader, query, typos, after, total, skipped)
    page, more = found[: query.limit], len(found) > query.limit
    marker = QueryMarker(query.words, typos=typos)
    exact = not query.wants_columns
    if not more and after is None and (page or not skipped):  # the list ends on this page
        total, exact = skipped + len(found), True
    return SearchPage(
        hits=tuple(_hit(place, query, marker, typos) for place in page),
        total=total,
        total_exact=exact,
        facets=facets,
        next_cursor=page[-1].cursor.encode(query) if more else None,
        generation=reader.generation,
    )


def _read(
    reader: StageReader, query: SearchQuery, typos: bool, after: SearchCursor | None, total: int, skipped: int
) -> Sequence[_Place]:
    """One more than the page needs."""
    if total <= FEW_ENOUGH and not query.wants_columns and query.order is SearchSort.RELEVANCE:
        found = _all_at_once(reader, query, typos, after)
        if found is not None:
            return found[skipped : skipped + query.limit + 1]
    return list(islice(_places(reader, query, typos, after, skipped), query.limit + 1))


def _all_at_once(
    reader: StageReader, query: SearchQuery, typos: bool, after: SearchCursor | None
) -> list[_Place] | None:
    """What matches few documents is read whole, and put into order here."""
    stages = plan_stages(query, DOCUMENTS, typos=typos)
    found = reader.few([(one.stage, one.clause) for one in stages], plan_filters(query), FEW_ENOUGH)
    if found is None:
        return None
    keyed = [(-stage, key_of(document, query.order), stage, document) for stage, document in found]
    keyed.sort(key=lambda one: (one[0], one[1].ascending))
    begin = (-after.stage, after.key.ascending) if after else None
    behind = [one for one in keyed if begin is None or (one[0], one[1].ascending) > begin]
    return [
        _Place(
            document,
            None,
            SearchCursor(typos=typos, columns=False, stage=MatchStage(stage), key=key, generation=reader.generation),
        )
        for _, key, stage, document in behind
    ]


def _wanted(query: SearchQuery, *, typos: bool, without: SearchFacet | None = None) -> Clause:
    """All documents that are results, or have columns that are."""
    found: list[Clause] = []
    if query.document_types:
        stages = plan_stages(query, DOCUMENTS, typos=typos)
        found.append(AllOf((matches(stages), plan_filters(query, without=without))))
    if query.wants_columns:
        stages = plan_stages(query, COLUMNS, typos=typos)
        found.append(AllOf((matches(stages), plan_filters(query, without=without, types=False))))
    return found[0] if len(found) == 1 else AnyOf(tuple(found))


def _places(
    reader: StageReader, query: SearchQuery, typos: bool, after: SearchCursor | None, skipped: int
) -> Iterator[_Place]:
    """In order: by stage; in each, documents before columns. The first ones are left out."""
    documents = plan_stages(query, DOCUMENTS, typos=typos)
    columns = plan_stages(query, COLUMNS, typos=typos) if query.wants_columns else documents
    of_one = plan_stages(query, ONE_COLUMN, typos=typos)
    if query.order is not SearchSort.RELEVANCE:
        lowest = documents[-1].stage
        documents = (StageClause(lowest, matches(documents)),)
        columns = (StageClause(lowest, matches(columns)),)
    better: list[Clause] = []
    for own, of_columns in zip(documents, columns, strict=True):
        start = after.stage if after else own.stage
        if own.stage <= start:
            here = after if after and after.stage == own.stage else None
            if query.document_types and not (here and here.columns):
                clause: Clause = AllOf((own.clause, plan_filters(query)))
                clause = Except(clause, AnyOf(tuple(better))) if better else clause
                held = reader.count(clause) if skipped else 0
                if held >= skipped:
                    yield from _documents(reader, query, clause, own.stage, typos, here, skipped)
                skipped = max(0, skipped - held)
            if query.wants_columns:
                clause = AllOf((of_columns.clause, plan_filters(query, types=False)))
                begin = here if here and here.columns else None
                for place in _columns(reader, query, clause, of_columns.stage, typos, begin, of_one):
                    if skipped:
                        skipped -= 1
                    else:
                        yield place
        better.append(own.clause)


def _documents(
    reader: StageReader,
    query: SearchQuery,
    clause: Clause,
    stage: MatchStage,
    typos: bool,
    after: SearchCursor | None,
    skipped: int,
) -> Iterator[_Place]:
    key, limit = after.key if after else None, query.limit + 1
    while True:
        found = reader.take(clause, query.order, key, limit, skipped)
        skipped = 0
        for document in found:
            key = key_of(document, query.order)
            yield _Place(
                document,
                None,
                SearchCursor(typos=typos, columns=False, stage=stage, key=key, generation=reader.generation),
            )
        if len(found) < limit:
            return


def _columns(
    reader: StageReader,
    query: SearchQuery,
    clause: Clause,
    stage: MatchStage,
    typos: bool,
    after: SearchCursor | None,
    stages: tuple[StageClause, ...],
) -> Iterator[_Place]:
    """Documents are read in batches. One may have matched by several columns together, and give none. `stages`: in
    which a column is."""
    ordered = query.order is SearchSort.RELEVANCE
    if after:  # the rest of the document that the page ended in
        same = filter_token_clause(SearchFilter.ID, id_of_order(after.key.order))
        for document in reader.take(AllOf((clause, same)), query.order, None, 1):
            yield from _of_document(document, stages, stage, query, typos, after.column, ordered, reader.generation)
    key, read, batch = after.key if after else None, 0, min(_BATCH, query.limit + 1)
    while read < MOST_READ + query.offset:
        found = reader.take(clause, query.order, key, batch)
        for document in found:
            key = key_of(document, query.order)
            yield from _of_document(document, stages, stage, query, typos, -1, ordered, reader.generation)
        read += len(found)
        if len(found) < batch:
            return


def _of_document(
    document: SearchDocument,
    stages: tuple[StageClause, ...],
    stage: MatchStage,
    query: SearchQuery,
    typos: bool,
    behind: int,
    ordered: bool,
    generation: int,
) -> Iterator[_Place]:
    key = key_of(document, query.order)
    columns = document.columns
    if query.order is SearchSort.NAME:
        columns = tuple(sorted(columns, key=lambda column: (fold(column.name), column.name)))
    for number, column in enumerate(columns):
        if number <= behind:
            continue
        if is_in_stage(ColumnTokens(document, column), stages, stage if ordered else None):
            cursor = SearchCursor(typos=typos, columns=True, stage=stage, key=key, column=number, generation=generation)
            yield _Place(document, column, cursor)


def key_of(document: SearchDocument, sort: SearchSort) -> OrderKey:
    return OrderKey(primary_of(document, sort), order_of(document.id, document.qualified_name))


def is_in_stage(tokens: Tokens, stages: tuple[StageClause, ...], stage: MatchStage | None) -> bool:
    """Whether this is its best stage; None: whether it is in any."""
    if stage is None:
        return holds(matches(stages), tokens)
    if not holds(next(one.clause for one in stages if one.stage is stage), tokens):
        return False
    return not any(holds(one.clause, tokens) for one in stages if one.stage > stage)


def _best_stage(tokens: Tokens, stages: tuple[StageClause, ...]) -> MatchStage | None:
    return next((one.stage for one in stages if holds(one.clause, tokens)), None)


def _counted(reader: StageReader, query: SearchQuery, typos: bool) -> tuple[FacetCounts, int]:
    """Facets, and how many documents match in all. A facet counts as if its own filter were not set: what else could
    be chosen."""
    filtered = {name.value for name, values in query.filters.items() if values}
    if query.types:
        filtered.add(SearchFacet.TYPE.value)
    plain = [name for name in query.facets if name.value not in filtered]
    found: dict[SearchFacet, tuple[FacetCount, ...]] = {}
    if plain:
        found |= reader.facets(_wanted(query, typos=typos), plain)
    for name in query.facets:
        if name.value in filtered:
            found |= reader.facets(_wanted(query, typos=typos, without=name), [name])
    facets = {name: found.get(name, ()) for name in query.facets}
    if SearchFacet.TYPE in facets and not query.wants_columns:  # every document has one type
        return facets, sum(one.count for one in facets[SearchFacet.TYPE] if one.value in query.document_types)
    return facets, reader.count(_wanted(query, typos=typos))


def _hit(place: _Place, query: SearchQuery, marker: QueryMarker, typos: bool) -> CatalogHit:
    document, column = place.document, place.column
    stage = place.cursor.stage
    if query.order is not SearchSort.RELEVANCE and not query.browses and query.explain:
        stage = _stage_of(place, query, typos) or stage
    text = column.description if column else document.description
    return CatalogHit(
        document=document,
        column=column,
        stage=stage,
        name=marker.name(column.name if column else document.name),
        description=marker.snippet(text),
        columns=() if column else marker.columns(document),
        explanation=ScoreExplanation(stage, points_of(document), boosts_of(document)) if query.explain else None,
    )


def _stage_of(place: _Place, query: SearchQuery, typos: bool) -> MatchStage | None:
    if place.column is not None:
        return _best_stage(ColumnTokens(place.document, place.column), plan_stages(query, ONE_COLUMN, typos=typos))
    return _best_stage(tokens_of(place.document), plan_stages(query, DOCUMENTS, typos=typos))


def suggest_names(reader: StageReader, prefix: str, limit: int) -> tuple[CatalogHit, ...]:
    """For a search box: names that begin so, then what is in a place that does, then columns; where there are none,
    those that are so but for typos. Not counted, and nothing in descriptions."""
    query = SearchQuery(text=prefix[:MOST_LETTERS], limit=limit)
    typos, found = False, _suggested(reader, query, typos=False)
    if not found and not query.browses:
        typos, found = True, _suggested(reader, query, typos=True)
    marker = QueryMarker(query.words, typos=typos)
    return tuple(_hit(place, query, marker, typos) for place in found)


def _suggested(reader: StageReader, query: SearchQuery, *, typos: bool) -> list[_Place]:
    if query.browses:
        stages = plan_stages(query, DOCUMENTS, typos=False)
    else:
        stages = plan_suggestions(query.text, DOCUMENTS, typos=typos)
        if not typos:
            stages = (*stages, StageClause(MatchStage.RELATED, plan_place(query)))
    found: list[_Place] = []
    better: list[Clause] = []
    for own in stages:
        clause = Except(own.clause, AnyOf(tuple(better))) if better else own.clause
        for document in reader.take(clause, query.order, None, query.limit - len(found)):
            cursor = SearchCursor(typos=typos, columns=False, stage=own.stage, key=key_of(document, query.order))
            found.append(_Place(document, None, cursor))
        better.append(own.clause)
        if len(found) >= query.limit:
            return found
    columns = () if query.browses else _suggested_columns(reader, query, typos)
    return [*found, *islice(columns, query.limit - len(found))]


def _suggested_columns(reader: StageReader, query: SearchQuery, typos: bool) -> Iterator[_Place]:
    of_one = plan_suggestions(query.text, ONE_COLUMN, typos=typos)
    for own in plan_suggestions(query.text, COLUMNS, typos=typos):
        yield from _columns(reader, query, own.clause, own.stage, typos, None, of_one)
