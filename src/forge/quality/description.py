"""What each type of check is and which keys it has, for forms, the reference and whoever asks over HTTP. All of it is
declared by the class of the check: its `keys`, its fields and its docstring."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any

from forge.quality import checks
from forge.quality.check import Check
from forge.quality.keys import KeyKind, Keys
from forge.quality.spec import COMMON
from forge.quality.values import plain

_SENTENCE = re.compile(r".*?\.(?=\s|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyDescription:
    """`aliases`: other keys of the same field. `words`: those of a choice. `default`: JSON-safe; None where there is
    none."""

    name: str
    aliases: tuple[str, ...]
    label: str
    kind: KeyKind
    required: bool
    default: object
    words: tuple[str, ...]
    help: str
    example: str


@dataclass(frozen=True, slots=True)
class Spelling:
    """Another word for the type. Where types share one, a key or the value of a key decides."""

    word: str
    key: str | None = None
    value: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckDescription:
    """`summary` is the first sentence of `text`. `without`: keys of every check that it does not have."""

    type: str
    label: str
    summary: str
    text: str
    spellings: tuple[Spelling, ...]
    keys: tuple[KeyDescription, ...]
    without: tuple[str, ...]


def describe_checks() -> tuple[CheckDescription, ...]:
    return tuple(describe_check(check) for check in checks.CHECKS)


def describe_check(check: type[Check]) -> CheckDescription:
    text = " ".join((check.__doc__ or "").split())
    sentence = _SENTENCE.match(text)
    return CheckDescription(
        type=check.type,
        label=check.label or _label(check.type),
        summary=sentence[0] if sentence else text,
        text=text,
        spellings=tuple(_spelling(check, word) for word in check.words if word != check.type),
        keys=_describe_keys(check.keys, fields(check)),
        without=tuple(sorted(check.without)),
    )


def describe_common() -> tuple[KeyDescription, ...]:
    """The keys of every check."""
    return _describe_keys(COMMON, fields(Check))


def _describe_keys(keys: Keys, of: tuple[Field[Any], ...]) -> tuple[KeyDescription, ...]:
    """One for each field; the key that is called as its field goes before its aliases."""
    by_field: dict[str, list[str]] = {}
    for name, key in keys.items():
        by_field.setdefault(key.field, []).append(name)
    defaults = {field.name: field.default for field in of}
    return tuple(_describe(keys, field, names, defaults) for field, names in by_field.items())


def _describe(keys: Keys, field: str, names: list[str], defaults: Mapping[str, object]) -> KeyDescription:
    name = field if field in names else names[0]
    key, default = keys[name], defaults.get(field, MISSING)
    return KeyDescription(
        name=name,
        aliases=tuple(other for other in names if other != name),
        label=key.label or _label(name),
        kind=key.read.kind,
        required=any(keys[each].required for each in names),
        default=None if default is MISSING or default == () else plain(default),
        words=key.read.words,
        help=key.help,
        example=key.example,
    )


def _spelling(check: type[Check], word: str) -> Spelling:
    if word == "statistical":
        return Spelling(word, "statistical_check", check.type)
    return Spelling(word, next(iter(check.keys))) if word == "custom" else Spelling(word)


def _label(name: str) -> str:
    return name.replace("_", " ").capitalize()
