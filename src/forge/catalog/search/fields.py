"""The tokens of a document, by field: what clauses speak about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from forge.catalog.search.document import ASSET_TYPES, SEARCHED_TEXT, DocumentColumn, SearchDocument, quality_band
from forge.catalog.search.query import SearchFacet, SearchFilter
from forge.catalog.search.text import fold, parts_of, singular_of, squash, words_of

# Of the document itself. TEXT holds all words, of the other fields too: one look finds whatever has a word.
EXACT, NAME, PREFIX, PLACE, RELATED, TEXT = "exact", "name", "prefix", "place", "related", "text"
# Of its columns.
COLUMN_EXACT, COLUMN_NAME, COLUMN_PREFIX = "column_exact", "column_name", "column_prefix"
COLUMN_RELATED, COLUMN_TEXT = "column_related", "column_text"
FILTER = "filter"
NO_ASSET = "asset=no"  # schemas, databases and terms are few: leaving them out costs less than asking for the rest
IN_ORDER = (NAME, COLUMN_NAME)  # searched for phrases
BETWEEN = "\x02"  # between columns, so that no phrase spans two
TOKEN_FIELDS = (
    EXACT,
    NAME,
    PREFIX,
    PLACE,
    RELATED,
    TEXT,
    COLUMN_EXACT,
    COLUMN_NAME,
    COLUMN_PREFIX,
    COLUMN_RELATED,
    COLUMN_TEXT,
    FILTER,
)


def tokens_of(document: SearchDocument) -> dict[str, tuple[str, ...]]:
    """All fields, of the document and its columns."""
    columns = document.columns
    names = [_column_forms(column.name) for column in columns]
    about_columns = _set(word for column in columns for word in _column_related(column))
    in_descriptions = _set(word for column in columns if column.description for word in _prose(column.description))
    terms = [name for term in document.terms for name in (term.name, *term.synonyms)]
    linked = (*document.tags, *terms, *document.synonyms, *document.pii, document.domain, document.owner, document.team)
    related = [word for text in linked if text for word in _forms(text)]
    in_columns = _set(form for _, forms, _ in names for form in forms)
    table = squash(document.name)
    own, place = _forms_of(words_of(document.name)), _forms(document.container)
    about = _set((*related, *in_columns, *about_columns))
    prose = _prose(document.description[:SEARCHED_TEXT]) if document.description else ()
    return {
        EXACT: exact_names(document.qualified_name, document.name) + tuple(map(squash, document.synonyms)),
        NAME: tuple(map(singular_of, words_of(document.name))),
        PREFIX: own,
        PLACE: place,
        RELATED: about,
        TEXT: _set((*own, *place, *about, *in_descriptions, *prose)),
        COLUMN_EXACT: tuple(form for own, _, _ in names for form in (own, exact_token(f"{table}.{own}"))),
        COLUMN_NAME: tuple(word for _, _, singulars in names for word in singulars),
        COLUMN_PREFIX: in_columns,
        COLUMN_RELATED: about_columns,
        COLUMN_TEXT: _set((*in_columns, *about_columns, *in_descriptions)),
        FILTER: filter_tokens(document),
    }


class ColumnTokens(Mapping[str, tuple[str, ...]]):
    """One column as if it were a document: the same fields as a document's own, each made when it is asked for."""

    def __init__(self, document: SearchDocument, column: DocumentColumn) -> None:
        self._document, self._column = document, column

    def __getitem__(self, field: str) -> tuple[str, ...]:
        document, column = self._document, self._column
        match field:
            case "exact":
                return _column_names(document.qualified_name, column.name)
            case "name":
                return _column_forms(column.name)[2][:-1]
            case "prefix":
                return _column_forms(column.name)[1]
            case "place":
                return _forms_of(words_of(document.name)) + _forms(document.container)
            case "related":
                return _column_related(column)
            case "text":
                in_descriptions = tuple(_prose(column.description)) if column.description else ()
                return (*_column_forms(column.name)[1], *_column_related(column), *in_descriptions)
        raise KeyError(field)

    def __iter__(self) -> Iterator[str]:
        return iter((EXACT, NAME, PREFIX, PLACE, RELATED, TEXT))

    def __len__(self) -> int:
        return 6


def _column_names(qualified_name: str, name: str) -> tuple[str, ...]:
    return exact_names(f"{qualified_name}.{name}", name)


def exact_names(qualified_name: str, name: str) -> tuple[str, ...]:
    """orders, core.orders, shop.core.orders: however much of its place is given."""
    parts = [squash(part) for part in qualified_name.replace(":", ".").split(".")]
    return _set((squash(name), *(exact_token(".".join(parts[at:])) for at in range(len(parts)))))


def exact_token(name: str) -> str:
    """A name with its place is known from a name alone, so that no place is taken for the beginning of a name."""
    return f".{name}" if "." in name else name


def facet_values(document: SearchDocument) -> dict[SearchFacet, tuple[str, ...]]:
    """As they are written."""
    return {
        SearchFacet.TYPE: (document.type.value,),
        SearchFacet.DOMAIN: (document.domain,) if document.domain else (),
        SearchFacet.TAG: tuple(dict.fromkeys(document.tags)),
        SearchFacet.OWNER: (document.owner,) if document.owner else (),
        SearchFacet.CLASSIFICATION: (document.classification,) if document.classification else (),
        SearchFacet.PII: tuple(dict.fromkeys(document.pii)),
        SearchFacet.QUALITY: (quality_band(document.quality).value,),
    }


def filter_token(name: SearchFilter | SearchFacet, value: str) -> str:
    return f"{name.value}={fold(value)}" if name != SearchFilter.ID else f"id={value}"


def filter_tokens(document: SearchDocument) -> tuple[str, ...]:
    values: Mapping[SearchFacet, tuple[str, ...]] = facet_values(document)
    found = [filter_token(name, value) for name, many in values.items() for value in many]
    found.append(filter_token(SearchFilter.ID, document.id))
    if document.container:
        found.append(filter_token(SearchFilter.CONTAINER, document.container))
    if document.type not in ASSET_TYPES:
        found.append(NO_ASSET)
    return tuple(found)


@lru_cache(maxsize=100_000)
def _forms(name: str) -> tuple[str, ...]:
    return _forms_of(words_of(name))


@lru_cache(maxsize=100_000)
def _forms_of(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words, their singulars, and their letters and digits apart."""
    return _set(form for word in words for form in (word, singular_of(word), *parts_of(word)))


@lru_cache(maxsize=100_000)
def _column_forms(name: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Of the name of a column: squashed, its forms, its words in the singular."""
    words = words_of(name)
    return squash(name), _forms_of(words), (*map(singular_of, words), BETWEEN)


def _prose(text: str) -> Iterator[str]:
    return map(singular_of, words_of.__wrapped__(text))  # no text comes twice


def _column_related(column: DocumentColumn) -> tuple[str, ...]:
    if not (column.tags or column.terms or column.pii):
        return ()
    return _set(form for text in (*column.tags, *column.terms, column.pii or "") for form in _forms(text))


def _set(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))
