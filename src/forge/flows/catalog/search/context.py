"""A pack of the best assets for an assistant: names, columns and words, of bounded size. No values of any row.

Assistants ask in sentences, which no asset has all words of: then each word counts for itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from forge.catalog.search.document import DocumentColumn, SearchDocument
from forge.catalog.search.page import CatalogHit, SearchPage
from forge.catalog.search.query import MOST_LETTERS, MOST_WORDS, SearchQuery
from forge.catalog.search.rank import points_of
from forge.catalog.search.text import words_of
from forge.flows.catalog.search.documents import containers_of
from forge.model.errors import ForgeError

LEAST_CHARS, MOST_CHARS = 200, 200_000
MOST_ASSETS = 50
LONGEST_QUESTION = 1000
_DESCRIPTION = 600
_COLUMN_DESCRIPTION = 160


@dataclass(frozen=True, slots=True)
class ContextPack:
    """`text` is Markdown. `left_out`: matching assets that did not fit."""

    query: str
    text: str
    assets: tuple[str, ...]
    left_out: int

    def to_dict(self) -> dict[str, object]:
        return {
            "query": self.query,
            "text": self.text,
            "assets": list(self.assets),
            "left_out": self.left_out,
            "chars": len(self.text),
        }


_QUESTION_WORDS = frozenset(
    words_of(
        "a all am an and any are as at be by can could did do does each every find for from get give had has have hold "
        "holds how i in is it its list many me much my no not of on or our per please should show some tell that the "
        "their them there these they this those to us was we were what when where which who whom whose why will with "
        "would you your table tables view views column columns field fields dataset datasets data"
    )
)


def find_context(
    search: Callable[[SearchQuery], SearchPage],
    question: str,
    max_chars: int = 8000,
    closed: Collection[str] = (),
) -> ContextPack:
    """E105 for a question that is none, and for a size out of bounds. `closed`: names of databases, folders and files
    that are not for who asks: an assistant reads on what it is given here, so nothing within them is in the pack, nor
    counted."""
    if not question.strip() or len(question) > LONGEST_QUESTION:
        raise ForgeError("E105", f"A question has 1 to {LONGEST_QUESTION:,} letters")
    if not LEAST_CHARS <= max_chars <= MOST_CHARS:
        raise ForgeError("E105", f"max_chars is a number from {LEAST_CHARS:,} to {MOST_CHARS:,}")
    shut = frozenset(closed)

    def readable(query: SearchQuery) -> list[CatalogHit]:
        hits = search(query).hits
        return [hit for hit in hits if shut.isdisjoint((hit.document.id, *containers_of(hit.document.id)))]

    return pack_context(question, _best_documents(readable, question), max_chars)


_Hits = Callable[[SearchQuery], Sequence[CatalogHit]]


def _best_documents(search: _Hits, question: str) -> list[SearchDocument]:
    """What has all words; else all that say something; else as many of these as there are."""
    words = list(dict.fromkeys(words_of(question)))
    telling = [word for word in words if word not in _QUESTION_WORDS] or words
    tried = [question] if len(words) <= MOST_WORDS and len(question) <= MOST_LETTERS else []
    if len(telling) <= MOST_WORDS and len(text := " ".join(telling)) <= MOST_LETTERS:
        tried.append(text)
    for text in dict.fromkeys(tried):
        if hits := search(SearchQuery(text=text, limit=MOST_ASSETS)):
            return [hit.document for hit in hits]
    return _with_most_words(search, telling[:MOST_WORDS])


def _with_most_words(search: _Hits, words: Sequence[str]) -> list[SearchDocument]:
    found: dict[str, SearchDocument] = {}
    counted: dict[str, tuple[int, int]] = {}  # how many words, and how well
    for word in words if len(words) > 1 else ():
        for hit in search(SearchQuery(text=word, limit=MOST_ASSETS)):
            many, well = counted.get(hit.document.id, (0, 0))
            counted[hit.document.id] = many + 1, well + hit.stage
            found[hit.document.id] = hit.document
    best = sorted(found.values(), key=lambda one: (*counted[one.id], points_of(one)), reverse=True)
    return best[:MOST_ASSETS]


def pack_context(query: str, documents: Iterable[SearchDocument], max_chars: int) -> ContextPack:
    """The best first, each whole or with as many columns as fit; what does not fit at all is counted."""
    parts: list[str] = []
    named: list[str] = []
    used = left_out = 0
    for document in documents:
        room = max_chars - used - (1 if parts else 0)
        part = _section(document, room)
        if part is None or left_out:
            left_out += 1
            continue
        parts.append(part)
        named.append(document.qualified_name)
        used += len(part) + (1 if len(parts) > 1 else 0)
    return ContextPack(query, "\n".join(parts), tuple(named), left_out)


def _section(document: SearchDocument, room: int) -> str | None:
    head = "\n".join(_head(document, _DESCRIPTION)) + "\n"
    if over := max(0, len(head) - room):  # the words of an asset are cut before it is left out
        length = len(_line(document.description, _DESCRIPTION))
        head = "\n".join(_head(document, max(0, length - over))) + "\n"
    if len(head) > room:
        return None
    lines, used = [head], len(head)
    for number, column in enumerate(document.columns):
        rest = f"- … {len(document.columns) - number} more columns\n"
        line = _column(column)
        last = number == len(document.columns) - 1
        if used + len(line) + (0 if last else len(rest)) > room:
            if used + len(rest) <= room:
                lines.append(rest)
            break
        lines.append(line)
        used += len(line)
    return "".join(lines)


def _head(document: SearchDocument, most: int) -> list[str]:
    facts = {
        "owner": document.owner,
        "domain": document.domain,
        "tags": ", ".join(document.tags),
        "terms": ", ".join(term.name for term in document.terms),
        "classification": document.classification,
        "personal data": ", ".join(document.pii),
        "quality": None if document.quality is None else f"{document.quality:g}",
        "state": "deprecated" if document.deprecated else "vanished" if document.vanished else None,
    }
    summary = "; ".join(f"{name}: {_line(value, 200)}" for name, value in facts.items() if value)
    lines = [f"## {_line(document.qualified_name, 300)} ({document.type.value})"]
    return lines + [line for line in (_line(document.description, most), summary) if line]


def _column(column: DocumentColumn) -> str:
    about = [_line(column.description, _COLUMN_DESCRIPTION)]
    if column.pii:
        about.append(f"personal data: {column.pii}")
    if column.terms:
        about.append(f"term: {_line(column.terms[0], 100)}")
    summary = "; ".join(one for one in about if one)
    return f"- {_line(column.name, 200)} {column.type}{f': {summary}' if summary else ''}\n"


def _line(text: str, most: int) -> str:
    """One line of a text, so that no description can pose as a heading of its own."""
    joined = " ".join(text.split())
    return joined if len(joined) <= most else f"{joined[: most - 1]}…" if most else ""
