"""Types of personal data that a project declares, beside those that Forge knows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from forge.catalog.pii.tokens import Words, words_in, words_of
from forge.catalog.pii.vocabulary import KNOWN_WORDS
from forge.model.classification import ClassificationLevel

_LONGEST = 200  # characters of a value: what stands for a person is shorter


@dataclass(frozen=True, slots=True)
class PiiType:
    """`names`: of columns, in words. `pattern`: of whole values."""

    name: str
    names: tuple[str, ...] = ()
    pattern: str | None = None
    level: ClassificationLevel = ClassificationLevel.CONFIDENTIAL

    @property
    def phrases(self) -> tuple[Words, ...]:
        return tuple(words_of(name, KNOWN_WORDS) for name in self.names)

    def words_of(self, column: str) -> Words:
        return words_of(column, _known_words(self.phrases))

    def matching(self, values: Iterable[str]) -> int:
        """How many values have the form; none where the type has no pattern."""
        fits = matcher_of(self.pattern) if self.pattern else None
        return sum(len(value) <= _LONGEST and fits(value) for value in values) if fits else 0


@lru_cache(maxsize=100)
def _known_words(phrases: tuple[Words, ...]) -> frozenset[str]:
    """One set for all columns: it is large, and what words are made of a name is kept by it."""
    return KNOWN_WORDS | words_in([phrases])


def levels_of(types: Iterable[PiiType]) -> Mapping[str, ClassificationLevel]:
    return {one.name: one.level for one in types}


@lru_cache(maxsize=100)
def matcher_of(pattern: str) -> Callable[[str], bool]:
    """Of whole values. ValueError: it is no regular expression. Those of Rust, which pydantic has, never look back, so
    that no value takes longer than its length."""
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    try:
        # By itself, too: `a)|(b` is one inside of a group only.
        _, whole = (
            SchemaValidator(core_schema.str_schema(pattern=one, regex_engine="rust-regex"))
            for one in (pattern, rf"\A(?:{pattern})\z")
        )
    except SchemaError as error:
        raise ValueError(str(error).strip().splitlines()[-1].rpartition("rror: ")[2]) from None
    return whole.isinstance_python
