"""Where a query matches in a text: marks for whoever shows it, and the columns that made a document match."""

from __future__ import annotations

from functools import lru_cache

from forge.catalog.search.document import SearchDocument
from forge.catalog.search.page import MarkedText, MatchedColumn
from forge.catalog.search.text import fold, is_near, parts_of, singular_of, squash, typos_forgiven, word_spans, words_of

_SNIPPET = 200
_BEFORE = 60
_MOST_COLUMNS = 10


class QueryMarker:
    """Marks the words of one query."""

    def __init__(self, words: tuple[str, ...], *, typos: bool) -> None:
        self._words, self._typos, self._joined = words, typos, "".join(words)
        self._which = lru_cache(maxsize=5000)(self._matching)

    def marks(self, text: str) -> tuple[tuple[int, int], ...]:
        """Whole words of the text, in order; neighbours are one."""
        if not self._words:
            return ()
        found: list[tuple[int, int]] = []
        for start, end in word_spans(text):
            if not self._which(fold(text[start:end])):
                continue
            if found and found[-1][1] == start:
                found[-1] = (found[-1][0], end)
            else:
                found.append((start, end))
        return tuple(found)

    def name(self, name: str) -> MarkedText:
        return MarkedText(name, self.marks(name))

    def snippet(self, text: str) -> MarkedText:
        """A long text from a little before its first match, cut between words."""
        marks = self.marks(text)
        if len(text) <= _SNIPPET:
            return MarkedText(text, marks)
        start = max(0, marks[0][0] - _BEFORE) if marks else 0
        if start:
            start = text.find(" ", start, marks[0][0]) + 1 or start
        end = min(len(text), start + _SNIPPET)
        before, after = "…" if start else "", "…" if end < len(text) else ""
        moved = len(before) - start
        kept = tuple((a + moved, b + moved) for a, b in marks if a >= start and b <= end)
        return MarkedText(f"{before}{text[start:end]}{after}", kept)

    def columns(self, document: SearchDocument) -> tuple[MatchedColumn, ...]:
        """The columns whose name, tags, terms or description have one of the words: most words first."""
        if not self._words or not document.columns:
            return ()
        found = []
        for number, column in enumerate(document.columns):
            about = (column.name, column.description, *column.tags, *column.terms, column.pii or "")
            matched = len({number for text in about if text for own in words_of(text) for number in self._which(own)})
            is_whole = squash(column.name) == self._joined
            if matched or is_whole:
                matched = len(self._words) if is_whole else matched
                marks = ((0, len(column.name)),) if is_whole else self.marks(column.name)
                found.append((-matched, not marks, number, MatchedColumn(column.name, marks)))
        found.sort(key=lambda one: one[:3])
        return tuple(column for *_, column in found[:_MOST_COLUMNS])

    def _matching(self, own: str) -> frozenset[int]:
        """The words of the query that a word of a text stands for."""
        return frozenset(number for number, word in enumerate(self._words) if self._one(word, own))

    def _one(self, word: str, own: str) -> bool:
        single = singular_of(own)
        if own.startswith(word) or single == singular_of(word) or word in parts_of(own):
            return True
        if len(parts_of(word)) > 1 and own in parts_of(word):
            return True
        most = typos_forgiven(word) if self._typos else 0
        return bool(most) and is_near(singular_of(word), single, most)
