"""The questions of the benchmark: of every kind that a search box and a page with facets ask."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from bench.catalog.generate import ADJECTIVES, DOMAINS, ENDINGS, FIELDS, LEVELS, NOUNS
from forge.catalog.search.document import DocumentType, SearchDocument
from forge.catalog.search.query import SearchFacet, SearchFilter, SearchQuery, SearchSort

FACETS = tuple(SearchFacet)


@dataclass(frozen=True, slots=True)
class AskedQuery:
    kind: str
    query: SearchQuery


def asked_queries(samples: Sequence[SearchDocument], tags: Sequence[str], owners: Sequence[str]) -> list[AskedQuery]:
    """No two are the same, so that nothing comes from a cache. `samples`: documents that are there."""
    chance = random.Random(11)
    found: list[AskedQuery] = []

    def ask(kind: str, text: str = "", **more: object) -> None:
        found.append(AskedQuery(kind, SearchQuery(text=text, limit=20, facets=FACETS, **more)))  # type: ignore[arg-type]

    def filters(**values: str) -> dict[SearchFilter, tuple[str, ...]]:
        return {SearchFilter(name): (value,) for name, value in values.items()}

    nouns = chance.sample(NOUNS, len(NOUNS))
    for document in samples[:30]:
        ask("name", document.name)
    for document in samples[30:45]:
        ask("qualified name", document.qualified_name)
    for number in range(45):
        ask("two words", f"{ADJECTIVES[number % 40]} {nouns[number]}")
    for number in range(30):
        ask("three words", f"{ADJECTIVES[number]} {nouns[number + 30]} {nouns[number + 60]}")
    for number in range(20):
        ask("beginning of a word", f"{ADJECTIVES[number + 3]} {nouns[number + 80][:4]}")
    for document in samples[45:65]:
        ask("typo in a name", _with_typo(document.name, chance))
    for number in range(15):
        ask("typo in a word", f"{_with_typo(nouns[number + 20], chance)} {ENDINGS[number]}{number}")
    for number in range(10):
        ask("one word", nouns[number + 100])
    for number in range(20):
        ask("column", f"{nouns[number + 5]}_{FIELDS[number + 4]}", types=(DocumentType.COLUMN,))
    for number in range(15):
        ask(
            "word and filter",
            nouns[number + 40],
            filters=filters(domain=DOMAINS[number], classification=LEVELS[number % 5]),
        )
    for number in range(15):
        ask("tag, owner", "", filters=filters(tag=tags[number * 3], owner=owners[number * 5 % len(owners)]))
    for number in range(5):
        ask("domain alone", "", filters=filters(domain=DOMAINS[number + 20]), sort=SearchSort.POPULARITY)
    for number in range(10):
        ask("by popularity", f"{nouns[number + 70]} {ENDINGS[number]}", sort=SearchSort.POPULARITY)
    for number in range(8):
        ask("nothing is so called", f"zq{number}xv {nouns[number]}")
    ask("browse")
    ask("browse", sort=SearchSort.FRESHNESS)
    return found


def asked_prefixes(samples: Sequence[SearchDocument]) -> list[str]:
    """What a search box asks while someone types: from the first letter on."""
    found: dict[str, None] = {}
    for word in (*NOUNS[::3], *ADJECTIVES[::4]):
        for end in range(1, len(word) + 1):
            found[word[:end]] = None
    for document in samples[:20]:
        for end in range(4, len(document.name), 5):
            found[document.name[:end]] = None
    return list(found)


def _with_typo(word: str, chance: random.Random) -> str:
    at = chance.randrange(1, max(2, min(6, len(word) - 2)))
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
