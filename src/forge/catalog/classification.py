"""Rules that propose how confidential a column or an asset is, and which level holds in the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from forge.model.classification import ClassificationLevel, strictest

RESTRICTED_TYPES = frozenset({"ssn", "credit_card"})
Levels = Mapping[str, ClassificationLevel]
"""Of types of personal data that a project declares."""
NONE_DECLARED: Levels = {}


@dataclass(frozen=True, slots=True)
class InheritedLevel:
    """The level of something that an asset derives from. `masked`: all of it that arrives is hashed or masked."""

    level: ClassificationLevel
    masked: bool = False


@dataclass(frozen=True, slots=True)
class EffectiveClassification:
    """`why`: who or what set the level, in words."""

    level: ClassificationLevel | None
    why: str

    def to_dict(self) -> dict[str, object]:
        return {"level": str(self.level) if self.level else None, "why": self.why}


def level_of_type(pii_type: str | None, levels: Levels = NONE_DECLARED) -> ClassificationLevel | None:
    """What a kind of personal data asks for; None: nothing."""
    if pii_type is None:
        return None
    if pii_type in levels:
        return levels[pii_type]
    return ClassificationLevel.RESTRICTED if pii_type in RESTRICTED_TYPES else ClassificationLevel.CONFIDENTIAL


def rank_of_type(pii_type: str | None, levels: Levels = NONE_DECLARED) -> int:
    """Higher for what asks for more."""
    level = level_of_type(pii_type, levels)
    return -1 if level is None else level.rank


def most_confidential(pii_types: Iterable[str], levels: Levels = NONE_DECLARED) -> str:
    """Of equal ones the first by name."""
    return min(pii_types, key=lambda one: (-rank_of_type(one, levels), one))


def propose_level(pii_types: Iterable[str | None], levels: Levels = NONE_DECLARED) -> ClassificationLevel | None:
    """By the personal data in the columns."""
    return strictest(level_of_type(one, levels) for one in pii_types)


def classify(
    declared: ClassificationLevel | None,
    columns: Iterable[ClassificationLevel | None],
    upstream: Iterable[InheritedLevel] = (),
) -> EffectiveClassification:
    """A person's word wins over what rules propose, but is never below that of its columns nor of what it derives
    from, unless that arrives masked. `columns`: the levels of its columns, declared or proposed."""
    inside = strictest(columns)
    inherited = strictest(one.level for one in upstream if not one.masked)
    floor = strictest((inside, inherited))
    if declared is not None and (floor is None or declared.rank >= floor.rank):
        return EffectiveClassification(declared, "set by a person")
    if floor is None:
        return EffectiveClassification(None, "nobody set it, and no rule proposes one")
    why = "what it derives from" if inside is None or floor.rank > inside.rank else "its columns"
    if declared is not None:
        return EffectiveClassification(floor, f"a person set {declared}; because of {why} it stays {floor}")
    return EffectiveClassification(floor, f"proposed by {why}")
