"""Personal data, detected by column names and by the form of values. Pure; values are never kept: the evidence only
counts them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from forge.model.personal_names import PERSONAL_NAMES, QUASI_NAMES

LEAST_SHARE = 0.8  # share of the values that must match
LEAST_VALUES = 3  # that say something without a name
BY_NAME = 0.7  # how sure a name alone makes us
BY_VALUES = 0.9  # and values alone, when all of them match


@dataclass(frozen=True, slots=True)
class PiiFinding:
    """`type` is None where nothing was found. `quasi`: a quasi-identifier, identifying only together with others."""

    column: str
    type: str | None = None
    score: float = 0.0
    evidence: tuple[str, ...] = ()
    quasi: bool = False

    def to_dict(self) -> dict[str, object]:
        found: dict[str, object] = {"column": self.column, "type": self.type, "score": self.score}
        found["evidence"] = list(self.evidence)
        return found | ({"quasi": True} if self.quasi else {})


@dataclass(frozen=True, slots=True)
class _Kind:
    """`names`: consecutive words of a column name. `looks`: whether a value matches; None where values are no
    evidence. `alone`: whether values suffice without a name."""

    type: str
    names: tuple[str, ...]
    looks: Callable[[str], bool] | None = None
    alone: bool = False
    quasi: bool = False


def _pattern(text: str) -> Callable[[str], bool]:
    compiled = re.compile(text)
    return lambda value: compiled.fullmatch(value) is not None


def _is_iban(value: str) -> bool:
    """By its check digits."""
    text = value.replace(" ", "").upper()
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", text):
        return False
    return int("".join(str(int(sign, 36)) for sign in text[4:] + text[:4])) % 97 == 1


def _is_card(value: str) -> bool:
    """By its check digit (Luhn)."""
    digits = re.sub(r"[ -]", "", value)
    if not re.fullmatch(r"[2-6]\d{12,18}", digits):
        return False
    doubled = [int(d) * (2 if place % 2 else 1) for place, d in enumerate(reversed(digits))]
    return sum(each - 9 if each > 9 else each for each in doubled) % 10 == 0


def _is_ip(value: str) -> bool:
    parts = value.split(".")
    return len(parts) == 4 and all(part.isdecimal() and len(part) <= 3 and int(part) <= 255 for part in parts)


def _is_phone(value: str) -> bool:
    return re.fullmatch(r"\+?[\d ()/.-]{7,22}", value) is not None and 7 <= sum(c.isdigit() for c in value) <= 15


# Kinds with a value pattern, and whether that suffices without a name.
_LOOKS: Mapping[str, tuple[Callable[[str], bool], bool]] = {
    "email": (_pattern(r"[^@\s]+@[^@\s]+\.[^@\s]{2,}"), True),
    "iban": (_is_iban, True),
    "credit_card": (_is_card, True),
    "phone": (_is_phone, False),
    "ssn": (_pattern(r"\d{3}-\d{2}-\d{4}"), True),
    "ip_address": (_is_ip, True),
}
_KINDS = (
    *(_Kind(kind, names, *_LOOKS.get(kind, (None, False))) for kind, names in PERSONAL_NAMES.items()),
    *(_Kind(kind, names, quasi=True) for kind, names in QUASI_NAMES.items()),
)
# Counts and flags about personal data are none: email_count, has_phone, phone_verified.
_ABOUT = frozenset(
    {"count", "num", "number_of", "has", "is", "verified", "valid", "opt", "hash", "hashed", "sha256", "md5", "masked"}
)


def find_pii(columns: Mapping[str, Iterable[object]] | Sequence[str]) -> tuple[PiiFinding, ...]:
    """One finding for each column, in their order. `columns`: some values of each by name, or names alone."""
    given: Mapping[str, Iterable[object]] = columns if isinstance(columns, Mapping) else dict.fromkeys(columns, ())
    return tuple(_find(name, [str(v).strip() for v in values if v is not None]) for name, values in given.items())


def _find(column: str, values: list[str]) -> PiiFinding:
    filled = [value for value in values if value]
    found = [finding for kind in _KINDS if (finding := _judge(kind, column, filled)) is not None]
    return max(found, key=lambda one: (one.score, not one.quasi), default=PiiFinding(column))


def _judge(kind: _Kind, column: str, values: Sequence[str]) -> PiiFinding | None:
    words = _words(column)
    named = next((name for name in kind.names if _holds(words, name.split())), None)
    if named is not None and _ABOUT.intersection(words):
        named = None
    like = sum(kind.looks(value) for value in values) if kind.looks is not None else 0
    is_like = bool(values) and like >= LEAST_SHARE * len(values)
    evidence = [f"the name says {named}"] if named else []
    if is_like:
        evidence.append(f"{like} of {len(values)} values look like it")
    if named and (is_like or kind.looks is None or not values):
        score = 0.99 if is_like else BY_NAME + (0.15 if kind.looks is None else 0.0)
    elif is_like and kind.alone and len(values) >= LEAST_VALUES:
        score = BY_VALUES * like / len(values)
    elif named and kind.looks is not None and not _refutes(like, values):
        score = BY_NAME
    else:
        return None
    return PiiFinding(column, kind.type, round(score, 2), tuple(evidence), kind.quasi)


def _refutes(like: int, values: Sequence[str]) -> bool:
    """Many values of which none matches: `mail` of an order is how it is sent."""
    return like == 0 and len(values) >= 5


def _words(name: str) -> list[str]:
    """`customerEmail`, `customer_email` and `CUSTOMER-EMAIL` are two words each."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return [word for word in re.split(r"[^a-z0-9]+", spaced.lower()) if word]


def _holds(words: Sequence[str], wanted: Sequence[str]) -> bool:
    size = len(wanted)
    return any(list(words[at : at + size]) == list(wanted) for at in range(len(words) - size + 1))
