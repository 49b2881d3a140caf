"""Text as search sees it: folded, cut into words, with typos counted."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from forge.catalog.identifiers import singular

_SIGNS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # kana and Han: no spaces between words, so each is one
_WORD = re.compile(rf"[{_SIGNS}]|[^\W_{_SIGNS}]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PART = re.compile(r"\d+|\D+")
_MARKS = re.compile("[\u0300-\u036f]")
_LONGEST, _LONGEST_NAME = 64, 1000
TYPO_LETTERS, TYPOS_LETTERS = 4, 8  # from so many letters on, one typo or two are forgiven


def fold(text: str) -> str:
    """Without case, accents and forms of width: Ünïcode and ＵＮＩＣＯＤＥ are unicode."""
    if text.isascii():
        return text.lower()
    spread = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFKC", _MARKS.sub("", spread))


def word_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where words are: between anything that is no letter or digit, and at capitals (`netAmount`, `HTTPCode`)."""
    for found in _WORD.finditer(text):
        start, end = found.span()
        run = found.group()
        if run.islower() or end - start == 1:
            yield start, end
            continue
        cuts = [0, *_humps(run), len(run)]
        yield from ((start + a, start + b) for a, b in pairwise(cuts))


@lru_cache(maxsize=100_000)
def words_of(text: str) -> tuple[str, ...]:
    """`order_itemID` → order, item, id. Of a longer word, the first 64 letters count."""
    return tuple(fold(text[start : min(end, start + _LONGEST)]) for start, end in word_spans(text))


@lru_cache(maxsize=100_000)
def parts_of(word: str) -> tuple[str, ...]:
    """Letters and digits apart: code2 → code, 2."""
    return tuple(_PART.findall(word))


@lru_cache(maxsize=100_000)
def singular_of(word: str) -> str:
    return singular(word)


def squash(name: str) -> str:
    """A name however it is written: cust_order_id, custOrderId and `Cust order ID` are custorderid. Dots stay."""
    return ".".join("".join(words_of(part)) for part in name.split("."))[:_LONGEST_NAME]


def typos_forgiven(word: str) -> int:
    if len(word) < TYPO_LETTERS or word.isdigit():
        return 0
    return 2 if len(word) >= TYPOS_LETTERS else 1


def is_near(left: str, right: str, most: int) -> bool:
    """At most so many insertions, deletions, substitutions and transpositions of neighbours apart."""
    if abs(len(left) - len(right)) > most or len(set(left) ^ set(right)) > 2 * most:
        return False
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        older, before, row = before, row, [i]
        for j, b in enumerate(right, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        if min(row) > most and (not before or min(before) > most):
            return False
    return row[-1] <= most


def _humps(run: str) -> list[int]:
    if run.isascii():
        return [found.start() for found in _HUMP.finditer(run)]
    found = []
    for i in range(1, len(run)):
        letter, before, after = run[i], run[i - 1], run[i + 1 : i + 2]
        if letter.isupper() and (before.islower() or before.isdigit() or (before.isupper() and after.islower())):
            found.append(i)
    return found
