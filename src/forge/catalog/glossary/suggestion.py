"""Which terms could describe which columns, by their words and types.

The words of a column are compared with those of each name and synonym of a term. All words of the term must be there:
as they are, abbreviated, or one of them in the name of the table. The last word says what a thing is, so `order_date`
is no Order, and words that the term does not have make it less sure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from forge.catalog.glossary.abbreviations import ABBREVIATIONS, SHORT_FORMS, suits
from forge.catalog.glossary.term import GlossaryTerm, TermState
from forge.catalog.identifiers import identifier_words, singular
from forge.model.record_json import record_json

LEAST_SCORE = 0.55
_IGNORED = frozenset({"of", "the", "a", "an", "and", "for", "in", "per", "to"})
_UNITS = frozenset({"eur", "usd", "gbp", "chf", "jpy", "cny", "kg", "km", "cm", "ms", "sec", "utc"})  # after a measure
_KEYS = frozenset({"id", "identifier", "key", "code", "number"})
_LEAST_PREFIX = 3
_EXACT, _SHORT, _GUESSED, _OF_TABLE = 1.0, 0.95, 0.75, 0.85


@dataclass(frozen=True, slots=True)
class TermSuggestion:
    column: str
    term: str  # its id
    name: str
    score: float
    reason: str

    def to_dict(self) -> dict[str, object]:
        return record_json(self)


@dataclass(frozen=True, slots=True)
class ColumnToDescribe:
    name: str
    type: str = ""


@dataclass(frozen=True, slots=True)
class _Spelling:
    """One name of a term as words."""

    term: GlossaryTerm
    text: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class TermMatcher:
    """Terms, indexed by their words."""

    terms: Sequence[GlossaryTerm]

    @cached_property
    def _spellings(self) -> tuple[_Spelling, ...]:
        found = (_Spelling(term, text, _meaning(identifier_words(text))) for term in self.terms for text in term.names)
        return tuple(one for one in found if one.words)

    @cached_property
    def _counts(self) -> Counter[str]:
        """How many spellings have a word."""
        return Counter(word for one in self._spellings for word in set(one.words))

    @cached_property
    def _by_rarest(self) -> dict[str, list[_Spelling]]:
        """All words of a spelling must be found, so the rarest of them finds it."""
        found: dict[str, list[_Spelling]] = defaultdict(list)
        for one in self._spellings:
            found[min(one.words, key=lambda word: (self._counts[word], word))].append(one)
        return dict(found)

    @cached_property
    def _by_letter(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for word in self._counts:
            found[word[0]].append(word)
        return dict(found)

    def suggest(
        self, columns: Iterable[ColumnToDescribe], table: str = "", *, domain: str | None = None, limit: int = 3
    ) -> tuple[TermSuggestion, ...]:
        """For each column the best first, at most `limit`. Terms of the asset's own domain go before others."""
        context = tuple(singular(word) for word in identifier_words(table.rpartition(".")[2]))
        found: list[TermSuggestion] = []
        for column in columns:
            best: dict[str, TermSuggestion] = {}
            for one in self._of_column(column, context, domain):
                known = best.get(one.term)
                if known is None or one.score > known.score:
                    best[one.term] = one
            found += sorted(best.values(), key=lambda one: (-one.score, one.name, one.term))[:limit]
        return tuple(found)

    def _of_column(
        self, column: ColumnToDescribe, context: Sequence[str], domain: str | None
    ) -> Iterable[TermSuggestion]:
        own = _without_unit(_meaning(identifier_words(column.name)))
        meanings = [self._meanings(word) for word in own]
        words = {word for matched in meanings for word in matched} | set(context)
        for spelling in (one for word in words for one in self._by_rarest.get(word, ())):
            match = _match(own, meanings, spelling, context)
            if match is None:
                continue
            score, notes = _judged(match, column, spelling, domain)
            if score >= LEAST_SCORE:
                yield TermSuggestion(column.name, spelling.term.id, spelling.term.name, score, "; ".join(notes))

    def _meanings(self, word: str) -> dict[str, float]:
        """Words of terms that a word of a column may stand for, and how sure that is."""
        found: dict[str, float] = {}
        for known in self._by_letter.get(word[0], ()):
            if len(word) >= _LEAST_PREFIX and _abbreviates(word, known):
                found[known] = _GUESSED
        others = (*ABBREVIATIONS.get(word, ()), *SHORT_FORMS.get(word, ()))  # of an identifier the term may say ID
        found |= {other: _SHORT for other in others if other in self._counts}
        return found | ({word: _EXACT} if word in self._counts else {})


@dataclass(frozen=True, slots=True)
class _WordMatch:
    """How the words of a spelling were found in a column."""

    sureness: float
    coverage: float  # share of the column's words that the term has
    is_head: bool  # the last words are the same
    names_key: bool  # `customer_id` and Customer: a reference to it
    notes: tuple[str, ...]


def _match(
    own: Sequence[str], meanings: Sequence[dict[str, float]], spelling: _Spelling, context: Sequence[str]
) -> _WordMatch | None:
    used: dict[int, str] = {}
    sure, notes = [], []
    for wanted in spelling.words:
        places = [(found[wanted], -n) for n, found in enumerate(meanings) if wanted in found and n not in used]
        if places:
            sureness, place = max(places)
            used[-place] = wanted
            sure.append(sureness)
            if sureness in (_SHORT, _GUESSED):
                notes.append(f"“{own[-place]}” stands for {wanted}")
        elif wanted in context:
            sure.append(_OF_TABLE)
            notes.append(f"“{wanted}” is in the name of the table")
        else:
            return None
    with_table = len(used) < len(spelling.words)
    if not used or (with_table and len(used) < len(own)):  # `customers.order_id` is no Customer ID
        return None
    last = len(own) - 1
    rest = [word for n, word in enumerate(own) if n not in used and word not in context]
    return _WordMatch(
        sureness=sum(sure) / len(sure),
        coverage=len(used) / (len(used) + len(rest)),
        is_head=used.get(last) == spelling.words[-1],
        names_key=last not in used and own[last] in _KEYS,
        notes=tuple(notes),
    )


def _judged(
    match: _WordMatch, column: ColumnToDescribe, spelling: _Spelling, domain: str | None
) -> tuple[float, list[str]]:
    term = spelling.term
    score = match.sureness * (0.5 + 0.5 * match.coverage)
    kind = "name" if spelling.text == term.name else "synonym"
    notes = [f"the {kind} “{spelling.text}” is in the column's name", *match.notes]
    if match.names_key:
        score *= 0.9
        notes.append("the column refers to it by a key")
    elif not match.is_head:
        score *= 0.65
    fits = suits(spelling.words[-1], column.type) if not match.names_key else None
    if fits is False:
        score *= 0.6
        notes.append(f"but {column.type} is unusual for {spelling.words[-1]}")
    elif fits:
        notes.append(f"{column.type} suits it")
    if domain and term.domain and term.domain != domain:
        score *= 0.9
        notes.append(f"it is of the domain {term.domain}")
    if term.state is TermState.DRAFT:
        score *= 0.98
    return round(score, 2), notes


def _meaning(words: Iterable[str]) -> tuple[str, ...]:
    found = tuple(words)
    return tuple(singular(word) for word in found if word not in _IGNORED) or found


def _without_unit(words: tuple[str, ...]) -> tuple[str, ...]:
    return words[:-1] if len(words) > 1 and words[-1] in _UNITS else words


def _abbreviates(short: str, long: str) -> bool:
    """The beginning of a longer word, or its letters in order without some vowels: prod, cstmr → product, customer."""
    if len(short) >= len(long) - 1 or short[0] != long[0]:
        return False
    if long.startswith(short):
        return True
    rest = iter(long)
    return all(sign in rest for sign in short) and not set(short[1:]) & set("aeiou") and len(short) * 2 >= len(long)
