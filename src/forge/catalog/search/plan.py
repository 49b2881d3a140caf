"""A query as clauses: one for each stage of matching, and one for its filters.

The sets are nested: what matches in a stage satisfies the clauses of all stages behind PHRASE, too. A word that is
neither in the name nor in the place of something lowers it to the stage in which that word matches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import lru_cache

from forge.catalog.search import fields
from forge.catalog.search.clause import (
    EVERYTHING,
    NOTHING,
    AllOf,
    AnyOf,
    Clause,
    Except,
    HasNear,
    HasPhrase,
    HasPrefix,
    HasToken,
)
from forge.catalog.search.fields import exact_token, filter_token
from forge.catalog.search.query import SearchFacet, SearchFilter, SearchQuery
from forge.catalog.search.text import parts_of, singular_of, squash, typos_forgiven, words_of

_ENDS_OF_A_PLACE = ".:/"
_LETTERS_FOR_RELATED, _LETTERS_FOR_TEXT, _LETTERS_FOR_SQUASHED = 3, 4, 5


class MatchStage(IntEnum):
    """How a document matches; a greater one goes first, whatever else speaks for the other."""

    EXACT = 6  # the query is its name
    PHRASE = 5  # the words stand in its name, side by side
    PREFIX = 4  # words of its name begin so; others name its place
    RELATED = 3  # columns, tags, terms, personal data, owner or domain
    FUZZY = 2  # its name, but for typos
    DESCRIPTION = 1  # or columns, tags, terms, but for typos
    BROWSE = 0  # nothing was asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSpace:
    """The fields in which things of one sort are searched."""

    exact: str
    name: str
    prefix: str
    place: tuple[str, ...]
    related: str
    text: str
    own_needed: bool = False  # its place alone does not find it


DOCUMENTS = SearchSpace(
    exact=fields.EXACT,
    name=fields.NAME,
    prefix=fields.PREFIX,
    place=(fields.PLACE,),
    related=fields.RELATED,
    text=fields.TEXT,
)
# Documents with such a column; which one it is, ONE_COLUMN says.
COLUMNS = SearchSpace(
    exact=fields.COLUMN_EXACT,
    name=fields.COLUMN_NAME,
    prefix=fields.COLUMN_PREFIX,
    place=(fields.PREFIX, fields.PLACE),
    related=fields.COLUMN_RELATED,
    text=fields.COLUMN_TEXT,
    own_needed=True,
)
ONE_COLUMN = replace(DOCUMENTS, own_needed=True)


@dataclass(frozen=True, slots=True)
class StageClause:
    stage: MatchStage
    clause: Clause


def plan_stages(query: SearchQuery, space: SearchSpace, *, typos: bool) -> tuple[StageClause, ...]:
    """The best first. Words without letters or digits find nothing."""
    return _BROWSING if query.browses else _stages_of(query.text, space, typos)


def plan_place(query: SearchQuery) -> Clause:
    """Documents of a place: every word names it or begins a name in it."""
    words = tuple(dict.fromkeys(words_of(query.text)))
    if not words:
        return NOTHING
    return AllOf(tuple(AnyOf((HasPrefix(fields.PREFIX, word), HasPrefix(fields.PLACE, word))) for word in words))


_BROWSING = (StageClause(MatchStage.BROWSE, EVERYTHING),)


@lru_cache(maxsize=512)
def _stages_of(text: str, space: SearchSpace, typos: bool) -> tuple[StageClause, ...]:
    words = tuple(dict.fromkeys(words_of(text)))
    if not words:
        return (StageClause(MatchStage.DESCRIPTION, NOTHING),)
    single = len(words) == 1
    own = [_own(word, space, single=single) for word in words]
    place: list[Clause] = [AnyOf(tuple(HasPrefix(field, word) for field in space.place)) for word in words]
    related = [_related(word, space) for word in words]
    near = [_near(word, space.name) if typos else NOTHING for word in words]
    nearly = [_near(word, space.related) if typos else NOTHING for word in words]
    exactly = [_text(word, space, single=single) for word in words]
    asked = squash(text.strip().replace(":", "."))
    if space is COLUMNS:  # of a column's place, documents keep the name of the table
        asked = ".".join(asked.split(".")[-2:])
    exact = HasToken(space.exact, exact_token(asked))
    singulars = tuple(singular_of(word) for word in words)
    phrase: Clause = HasToken(space.name, singulars[0]) if single else HasPhrase(space.name, singulars)
    found = [
        StageClause(MatchStage.EXACT, exact),
        StageClause(MatchStage.PHRASE, phrase),
        StageClause(MatchStage.PREFIX, _each_word(own, (own, place), needed=True)),
    ]
    lower = [
        StageClause(MatchStage.RELATED, _each_word(own, (own, place, related), (related,), needed=space.own_needed))
    ]
    if typos:
        fuzzy = _each_word(own, (own, place, related, near), (related, near), needed=space.own_needed)
        lower.append(StageClause(MatchStage.FUZZY, fuzzy))
    ways = (exactly, near, nearly, place) if space.own_needed else (exactly, near, nearly)
    lower.append(
        StageClause(MatchStage.DESCRIPTION, _each_word(exactly, ways, (near, nearly), needed=space.own_needed))
    )
    if space is DOCUMENTS:  # e-mail finds what has a column email, netamount what has net_amount
        column = HasToken(fields.COLUMN_EXACT, "".join(words))
        lower = [StageClause(one.stage, AnyOf((one.clause, column))) for one in lower]
    return (*found, *lower)


@lru_cache(maxsize=512)
def plan_suggestions(text: str, space: SearchSpace, *, typos: bool) -> tuple[StageClause, ...]:
    """For who is still typing: names that begin so. Behind `core.` what is in there comes first. `typos`: for where
    nothing begins so, names but for typos; nothing where none is forgiven."""
    asked = text.strip().rstrip(_ENDS_OF_A_PLACE)
    words = tuple(dict.fromkeys(words_of(asked)))
    if typos or not words:
        return _mistyped(words, space)
    exact, phrase, prefix = _stages_of(asked, space, False)[:3]
    if text.rstrip()[-1] not in _ENDS_OF_A_PLACE:
        return exact, phrase, prefix
    within: Clause = AllOf(tuple(HasToken(field, word) for word in words for field in DOCUMENTS.place))
    if space is COLUMNS:  # their place is the document
        within = HasToken(fields.EXACT, exact_token(squash(asked.replace(":", "."))))
    others = AnyOf((phrase.clause, prefix.clause))
    return exact, StageClause(MatchStage.PHRASE, within), StageClause(MatchStage.PREFIX, others)


def _mistyped(words: tuple[str, ...], space: SearchSpace) -> tuple[StageClause, ...]:
    near = [_near(word, space.name) for word in words]
    if all(one == NOTHING for one in near):
        return ()
    own = [_own(word, space, single=len(words) == 1) for word in words]
    place: list[Clause] = [AnyOf(tuple(HasPrefix(field, word) for field in space.place)) for word in words]
    return (StageClause(MatchStage.FUZZY, _each_word(own, (own, place, near), (near,), needed=True)),)


@lru_cache(maxsize=512)
def matches(stages: tuple[StageClause, ...]) -> Clause:
    """All that matches in any stage: the last holds all but the first."""
    return AnyOf(tuple(dict.fromkeys(one.clause for one in (stages[0], stages[-1]))))


def plan_filters(query: SearchQuery, *, without: SearchFacet | None = None, types: bool = True) -> Clause:
    """`without`: a facet counts what its own filter leaves out."""
    clauses: list[Clause] = []
    if types and query.types and without is not SearchFacet.TYPE:
        clauses.append(AnyOf(tuple(filter_token_clause(SearchFacet.TYPE, one) for one in query.document_types)))
    for name, values in query.filters.items():
        if values and (without is None or name.value != without.value):
            clauses.append(AnyOf(tuple(filter_token_clause(name, value) for value in values)))
    if types and not query.types:
        clauses.append(_ASSETS)
    return AllOf(tuple(clauses))


_ASSETS = Except(EVERYTHING, HasToken(fields.FILTER, fields.NO_ASSET))


def filter_token_clause(name: SearchFilter | SearchFacet, value: str) -> HasToken:
    return HasToken(fields.FILTER, filter_token(name, value))


def _each_word(
    own: Iterable[Clause],
    ways: tuple[Iterable[Clause], ...],
    others: tuple[Iterable[Clause], ...] = (),
    *,
    needed: bool,
) -> Clause:
    """Every word matches in one of these ways; `needed`: at least one of them in its own name, or in `others`."""
    every = tuple(AnyOf(tuple(way for way in word if way != NOTHING)) for word in zip(*ways, strict=True))
    if not needed:
        return AllOf(every)
    return AllOf((*every, AnyOf(tuple(way for some in (own, *others) for way in some if way != NOTHING))))


def _own(word: str, space: SearchSpace, *, single: bool) -> Clause:
    ways = (HasPrefix(space.prefix, word), HasToken(space.name, singular_of(word)))
    return AnyOf((*ways, *_split_or_joined(word, space, single=single)))


def _split_or_joined(word: str, space: SearchSpace, *, single: bool) -> Iterator[Clause]:
    parts = parts_of(word)
    if len(parts) > 1:  # code2 finds code_2
        yield AllOf(tuple(HasToken(space.prefix, part) for part in parts))
    if single and len(word) >= _LETTERS_FOR_SQUASHED:  # custord finds cust_order_id
        yield HasPrefix(space.exact, word)


def _related(word: str, space: SearchSpace) -> Clause:
    ways: list[Clause] = [HasToken(space.related, singular_of(word))]
    if len(word) >= _LETTERS_FOR_RELATED:
        ways.append(HasPrefix(space.related, word))
    return AnyOf(tuple(ways))


def _near(word: str, field: str) -> Clause:
    typos = typos_forgiven(word)
    return HasNear(field, singular_of(word), typos) if typos else NOTHING


def _text(word: str, space: SearchSpace, *, single: bool) -> Clause:
    """All that the stages above find, and descriptions."""
    one = singular_of(word)
    if len(one) < _LETTERS_FOR_TEXT:
        ways: list[Clause] = [_own(word, space, single=single), HasToken(space.text, one)]
        ways += [HasPrefix(field, word) for field in space.place] if not space.own_needed else []
        return AnyOf((*ways, _related(word, space)))
    ways = [HasPrefix(space.text, form) for form in ((one,) if word.startswith(one) else (one, word))]
    return AnyOf((*ways, *_split_or_joined(word, space, single=single)))
