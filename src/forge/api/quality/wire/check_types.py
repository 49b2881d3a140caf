"""The types of checks and their keys: what a form asks for."""

from __future__ import annotations

from forge.api.wire import Wire
from forge.quality.keys import KeyKind


class CheckKeyView(Wire):
    name: str
    aliases: list[str]  # other keys of the same field
    label: str
    kind: KeyKind
    required: bool
    default: str | float | bool | None  # None: there is none
    words: list[str]  # those of a choice
    help: str
    example: str


class SpellingView(Wire):
    """Another word for the type. One that several types have is resolved by a key, or by the value of a key."""

    word: str
    key: str | None
    value: str | None


class CheckTypeView(Wire):
    type: str
    label: str
    summary: str  # the first sentence of `text`
    text: str
    spellings: list[SpellingView]
    keys: list[CheckKeyView]
    without: list[str]  # keys of every check that it does not have


class CheckTypesView(Wire):
    common: list[CheckKeyView]  # keys of every check
    types: list[CheckTypeView]
