"""What a document has to satisfy, as data: each index translates it into its own words; `holds` is what it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forge.catalog.search.text import is_near

Tokens = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class HasToken:
    field: str
    token: str


@dataclass(frozen=True, slots=True)
class HasPrefix:
    """A token that begins so."""

    field: str
    token: str


@dataclass(frozen=True, slots=True)
class HasNear:
    """A token at most so many typos away."""

    field: str
    token: str
    typos: int


@dataclass(frozen=True, slots=True)
class HasPhrase:
    """These tokens, one behind the other."""

    field: str
    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AllOf:
    """Nothing in it: everything satisfies it."""

    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Nothing in it: nothing satisfies it."""

    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Except:
    """The first, without what satisfies the second."""

    wanted: Clause
    unwanted: Clause


Clause = HasToken | HasPrefix | HasNear | HasPhrase | AllOf | AnyOf | Except
NOTHING = AnyOf(())
EVERYTHING = AllOf(())


def holds(clause: Clause, tokens: Tokens) -> bool:
    match clause:
        case HasToken(field, token):
            return token in tokens.get(field, ())
        case HasPrefix(field, token):
            return any(one.startswith(token) for one in tokens.get(field, ()))
        case HasNear(field, token, typos):
            return any(is_near(token, one, typos) for one in tokens.get(field, ()))
        case HasPhrase(field, phrase):
            found, length = tuple(tokens.get(field, ())), len(phrase)
            return any(found[at : at + length] == phrase for at in range(len(found) - length + 1))
        case AllOf(clauses):
            return all(holds(one, tokens) for one in clauses)
        case AnyOf(clauses):
            return any(holds(one, tokens) for one in clauses)
        case Except(wanted, unwanted):
            return holds(wanted, tokens) and not holds(unwanted, tokens)
