"""Types of personal data that a project declares, and those of them that cannot be meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from forge.catalog.pii import PiiType
from forge.catalog.pii.own_types import matcher_of
from forge.model.classification import ClassificationLevel
from forge.model.errors import ForgeError
from forge.model.personal_names import PERSONAL_NAMES
from forge.settings.keys import PiiKeys, PiiTypeKeys
from forge.settings.layers import KeyPath


def pii_types_of(keys: PiiKeys) -> tuple[PiiType, ...]:
    return tuple(_pii_type(name, one) for name, one in keys.types.items())


def _pii_type(name: str, keys: PiiTypeKeys) -> PiiType:
    return PiiType(name, tuple(keys.names), keys.pattern, ClassificationLevel(keys.level))


def pii_type_problems(keys: PiiKeys, place: Callable[[KeyPath], str]) -> Iterator[ForgeError]:
    for name, one in keys.types.items():
        path: KeyPath = ("pii", "types", name)
        for what, fix in _problems(name, one):
            yield ForgeError("E105", f"pii.types.{name[:80]}: {what}", where=place(path), fix=fix)


def _problems(name: str, keys: PiiTypeKeys) -> Iterator[tuple[str, str]]:
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", name):
        yield "this is no name of a type", "Use small letters, digits and _: employee_number."
    if name in PERSONAL_NAMES or name == "personal":
        yield "Forge has a type of that name", "Give it another one."
    if not keys.names and keys.pattern is None:
        yield "nothing says what it is", "Add names: [employee no], or a pattern."
    for text, words in zip(keys.names, _pii_type(name, keys).phrases, strict=True):
        if not words:
            yield f"'{text[:80]}' has no words", "Write it like employee no."
    try:
        matcher_of(keys.pattern or "")
    except ValueError as error:
        yield f"the pattern cannot be used: {error}", "Write it like E[0-9]{6}."
