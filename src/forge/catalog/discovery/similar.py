"""Assets like another: by columns, by words, by domain. Each says why.

Candidates by columns come from MinHash signatures in bands (locality-sensitive hashing), so that a question does not
look at every asset; candidates by words from the rarest words. Only candidates are compared exactly."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from forge.catalog.glossary.abbreviations import type_family
from forge.catalog.identifiers import identifier_words, singular
from forge.model.record_json import record_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BANDS, ROWS = 32, 3
"""Two assets with the Jaccard index s share a band with 1 − (1 − s³)³²: 0.5 → 99 %, 0.3 → 58 %, 0.1 → 3 %."""
MOST_OF_A_BAND = 200
MOST_CANDIDATES = 1000
LEAST_SCORE = 0.1
_SCHEMA, _TEXT, _DOMAIN = 0.6, 0.3, 0.1
_MOST_WORDS = 200
_COMMON = 2000  # a word of more assets than this finds none
# Words that say nothing of what is meant.
_STOP_WORDS = """
a about above after again against all also am an and another any are as at be because been before being below between
both but by can cannot could did do does doing done down during each either else ever every everyone everything few
for from further had has have having he her here hers him his how however i if in into is it its itself just like many
may me might more most much must my neither never no nobody none nor not nothing now of off often on once one only
onto or other others our out over own per same several shall she should since so some somebody someone something still
such than that the their theirs them then there these they this those though through thus to together too under until
up upon us very was we were what whatever when where whether which while who whoever whole whom whose why will with
within without would yet you your
"""
_STOP = frozenset(_STOP_WORDS.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetFeatures:
    """What is compared of an asset."""

    name: str
    columns: tuple[tuple[str, str], ...] = ()  # name and type
    description: str = ""
    domain: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarAsset:
    name: str
    score: float
    schema_score: float
    text_score: float
    reasons: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        return record_json(self)


def column_tokens(columns: Iterable[tuple[str, str]]) -> dict[str, str]:
    """What makes two columns the same, however they are written: words of the name and family of the type. Each with
    the name of the column."""
    return {f"{' '.join(identifier_words(name)) or name}|{type_family(kind)}": name for name, kind in columns}


def text_words(features: AssetFeatures) -> tuple[str, ...]:
    """Words of the name without its schema, and of the description."""
    name = features.name.rpartition(".")[2]
    words = (*identifier_words(name), *identifier_words(features.description[:20_000]))
    kept = dict.fromkeys(singular(word) for word in words if len(word) > 1 and word not in _STOP)
    return tuple(kept)[:_MOST_WORDS]


def jaccard(one: Iterable[str], other: Iterable[str]) -> float:
    left, right = set(one), set(other)
    return len(left & right) / len(left | right) if left or right else 0.0


@dataclass(frozen=True)
class SimilarityIndex:
    """Of any number of assets: 100,000 take seconds to build and some hundred MB."""

    assets: Sequence[AssetFeatures]

    def prepare(self) -> None:
        """Works out what questions need, which the first of them would wait for."""
        _ = self._sorted_bands, self._by_word

    def find(self, name: str, limit: int = 10) -> tuple[SimilarAsset, ...]:
        """Those that are most like an asset of the index, best first."""
        number = self._numbers.get(name)
        return () if number is None else self.find_like(self.assets[number], limit)

    def find_like(self, wanted: AssetFeatures, limit: int = 10) -> tuple[SimilarAsset, ...]:
        """The same for an asset that need not be in the index."""
        numbers = {*self.schema_candidates(wanted), *self._text_candidates(wanted)}
        found = (self._compared(wanted, self.assets[number]) for number in numbers)
        kept = [one for one in found if one.name != wanted.name and one.score >= LEAST_SCORE]
        return tuple(sorted(kept, key=lambda one: (-one.score, one.name))[:limit])

    def schema_candidates(self, wanted: AssetFeatures) -> tuple[int, ...]:
        """Numbers of assets that share a band, those with most bands first."""
        import numpy as np

        tokens = column_tokens(wanted.columns)
        if not tokens:
            return ()
        shared: Counter[int] = Counter()
        for band, value in enumerate(_bands(_signature(tokens))):
            values, numbers = self._sorted_bands[band]
            begin = int(np.searchsorted(values, value, "left"))
            end = min(int(np.searchsorted(values, value, "right")), begin + MOST_OF_A_BAND)
            shared.update(numbers[begin:end].tolist())
        return tuple(number for number, _ in shared.most_common(MOST_CANDIDATES))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {asset.name: number for number, asset in enumerate(self.assets)}

    @cached_property
    def _sorted_bands(self) -> list[tuple[NDArray[np.uint64], NDArray[np.uint32]]]:
        """Of each band the values in order, and whose they are: a lookup is a binary search."""
        import numpy as np

        numbers = [number for number, asset in enumerate(self.assets) if asset.columns]
        bands = np.empty((len(numbers), BANDS), dtype=np.uint64)
        for row, number in enumerate(numbers):
            bands[row] = _bands(_signature(column_tokens(self.assets[number].columns)))
        own = np.array(numbers, dtype=np.uint32)
        found = []
        for band in range(BANDS):
            order = np.argsort(bands[:, band], kind="stable")
            found.append((bands[order, band], own[order]))
        return found

    @cached_property
    def _by_word(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number, asset in enumerate(self.assets):
            for word in text_words(asset):
                found.setdefault(word, []).append(number)
        return found

    def _text_candidates(self, wanted: AssetFeatures) -> tuple[int, ...]:
        """Those that have the rarest words."""
        words = sorted((word for word in text_words(wanted) if word in self._by_word), key=self._frequency)
        shared: Counter[int] = Counter()
        for word in words[:20]:
            if self._frequency(word) <= _COMMON:
                shared.update(self._by_word[word])
        return tuple(number for number, _ in shared.most_common(MOST_CANDIDATES // 2))

    def _frequency(self, word: str) -> int:
        return len(self._by_word.get(word, ()))

    def _weight(self, word: str) -> float:
        """Rare words tell more (inverse document frequency)."""
        return math.log(1 + len(self.assets) / (1 + self._frequency(word)))

    def _compared(self, wanted: AssetFeatures, other: AssetFeatures) -> SimilarAsset:
        schema, schema_reason = _schema(wanted, other)
        text, text_reason = self._text(wanted, other)
        domain, domain_reason = _domain(wanted, other)
        has_columns = bool(wanted.columns)
        weights = (_SCHEMA, _TEXT, _DOMAIN) if has_columns else (0.0, _SCHEMA + _TEXT, _DOMAIN)
        score = sum(weight * value for weight, value in zip(weights, (schema, text, domain), strict=True))
        near = schema > 0 or text > 0  # one domain alone makes nothing similar
        return SimilarAsset(
            name=other.name,
            score=round(score, 4) if near else 0.0,
            schema_score=round(schema, 4),
            text_score=round(text, 4),
            reasons=tuple(reason for reason in (schema_reason, text_reason, domain_reason) if reason),
        )

    def _text(self, wanted: AssetFeatures, other: AssetFeatures) -> tuple[float, str]:
        """The weighted Jaccard index of their words."""
        left, right = set(text_words(wanted)), set(text_words(other))
        both = left & right
        if not both:
            return 0.0, ""
        score = math.fsum(map(self._weight, both)) / math.fsum(map(self._weight, left | right))
        telling = sorted(both, key=lambda word: (-self._weight(word), word))[:4]
        return score, f"both speak of {', '.join(telling)}"


def _schema(wanted: AssetFeatures, other: AssetFeatures) -> tuple[float, str]:
    mine, theirs = column_tokens(wanted.columns), column_tokens(other.columns)
    both = [name for token, name in mine.items() if token in theirs]
    if not both:
        return 0.0, ""
    shown = ", ".join(both[:5]) + (" …" if len(both) > 5 else "")
    return jaccard(mine, theirs), f"shares {len(both)} of {len(mine)} columns: {shown}"


def _domain(wanted: AssetFeatures, other: AssetFeatures) -> tuple[float, str]:
    tags = sorted(set(wanted.tags) & set(other.tags))
    same = wanted.domain is not None and wanted.domain == other.domain
    reasons = [f"the same domain {wanted.domain}"] if same else []
    reasons += [f"the same tag{'s' if len(tags) > 1 else ''} {', '.join(tags[:3])}"] if tags else []
    return 0.5 * same + 0.5 * bool(tags), " and ".join(reasons)


def _signature(tokens: Iterable[str]) -> NDArray[np.uint64]:
    """MinHash: of each of many hash functions the least value over the tokens."""
    import numpy as np

    found: NDArray[np.uint64] = np.minimum.reduce([_hashes(token) for token in tokens])
    return found


@lru_cache(maxsize=20_000)
def _hashes(token: str) -> NDArray[np.uint64]:
    """The values of one token: its own hash, mixed with a constant for each function (splitmix64)."""
    import numpy as np

    seed = np.uint64(int.from_bytes(hashlib.blake2b(token.encode(errors="replace"), digest_size=8).digest(), "big"))
    golden = np.uint64(0x9E3779B97F4A7C15)
    with np.errstate(over="ignore"):
        z = seed + golden * np.arange(1, BANDS * ROWS + 1, dtype=np.uint64)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        found: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return found


def _bands(signature: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The rows of each band as one number."""
    import numpy as np

    rows = signature.reshape(BANDS, ROWS)
    found = np.zeros(BANDS, dtype=np.uint64)
    with np.errstate(over="ignore"):
        for row in range(ROWS):
            found = found * np.uint64(0x100000001B3) ^ rows[:, row]
    return found
