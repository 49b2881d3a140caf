"""Weights of impact scores, all in one place.

score = base × entity × path confidence × depth factor × use × direction, where depth factor = max(floor, 1 − step ·
depth), and direction is that of a type change (other changes have none);
effort in hours = effort × effort_entity × min(effort_limit, score / 2).
`lineage: weights:` in forge.yaml overrides any of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace

from forge.lineage.node import NodeType
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean

OTHER = "other"  # what is not named has its weight


def _base() -> dict[str, float]:
    return {
        "schema": 3.0,
        "type": 4.0,
        "drop": 5.0,
        "rename": 5.0,
        "drop-table": 5.0,
        "location": 2.0,
        "permission": 2.5,
        "format": 3.5,
        "semantics": 3.0,
        "add": 2.0,
        OTHER: 2.0,
    }


def _entity() -> dict[str, float]:
    return {
        "table": 1.0,
        "column": 0.8,
        "view": 1.2,
        "process": 1.5,
        "transform": 1.5,
        "pipeline": 1.5,
        "dashboard": 2.0,
        "report": 2.0,
        OTHER: 1.0,
    }


def _use() -> dict[str, float]:
    return {"passed_through": 1.0, "aggregated": 1.2, "filter": 1.3, "join_key": 1.5}


def _direction() -> dict[str, float]:
    """`widening` is for what it does not break: a cast back to the old type, for one, weighs as before."""
    return {"widening": 0.1, "narrowing": 1.0, "unrelated": 1.0}


def _effort() -> dict[str, float]:
    return {
        "schema": 4.0,
        "type": 6.0,
        "drop": 8.0,
        "rename": 8.0,
        "drop-table": 12.0,
        "location": 2.0,
        "permission": 1.0,
        "format": 5.0,
        OTHER: 4.0,
    }


def _effort_entity() -> dict[str, float]:
    return {"table": 1.0, "column": 0.5, "view": 1.2, "process": 2.0, "dashboard": 1.5, "report": 1.3, OTHER: 1.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """`high` and `medium` are score thresholds; more than `raise_above` high entities raise the overall risk by one."""

    base: Mapping[str, float] = field(default_factory=_base)
    entity: Mapping[str, float] = field(default_factory=_entity)
    use: Mapping[str, float] = field(default_factory=_use)
    direction: Mapping[str, float] = field(default_factory=_direction)
    effort: Mapping[str, float] = field(default_factory=_effort)
    effort_entity: Mapping[str, float] = field(default_factory=_effort_entity)
    high: float = 4.0
    medium: float = 2.0
    depth_step: float = 0.1
    depth_floor: float = 0.1
    effort_limit: float = 3.0
    raise_above: float = 10

    @classmethod
    def of(cls, overrides: Mapping[str, object], *, where: str | None = None) -> Weights:
        """The defaults with what forge.yaml says instead. E104 for a name that is not known, E105 for a value that is
        no number from 0 on."""
        given: dict[str, object] = {}
        for name, value in overrides.items():
            known = _DEFAULTS.get(str(name))
            if known is None:
                raise _unknown(str(name), "", tuple(_DEFAULTS), where)
            if isinstance(known, Mapping):
                given[str(name)] = _table(str(name), value, known, where)
            else:
                given[str(name)] = _number(str(name), value, where)
        weights = replace(cls(), **given)  # type: ignore[arg-type]
        if weights.medium > weights.high:
            what = f"lineage.weights: medium ({weights.medium:g}) is above high ({weights.high:g})"
            raise ForgeError("E105", what, where=where, fix="Give high a score that is not below medium.")
        return weights

    def of_change(self, change: str) -> float:
        return self.base.get(change, self.base[OTHER])

    def of_entity(self, type_: NodeType) -> float:
        return self.entity.get(str(type_), self.entity[OTHER])

    def of_direction(self, direction: str, *, is_breaking: bool) -> float:
        """A wider type that breaks nothing where it arrives weighs next to nothing there."""
        return 1.0 if is_breaking else self.direction.get(direction, 1.0)

    def of_depth(self, depth: int) -> float:
        """A direct consumer has depth 1."""
        return max(self.depth_floor, round(1 - self.depth_step * depth, 9))

    def effort_of(self, change: str, type_: NodeType, score: float) -> float:
        hours = self.effort.get(change, self.effort[OTHER])
        entity = self.effort_entity.get(str(type_), self.effort_entity[OTHER])
        return round(hours * entity * min(self.effort_limit, score / 2), 6)

    def severity_of(self, score: float) -> str:
        return "high" if score >= self.high else "medium" if score >= self.medium else "low"


def _table(name: str, value: object, known: Mapping[str, float], where: str | None) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise ForgeError(
            "E105", f"lineage.weights.{name}: must be a mapping", where=where, fix=f"Write {name}: {{drop: 5.0}}."
        )
    # An entity or change that has the weight of the others may get one of its own.
    names = set(known) | _OWN.get(name, set())
    found = dict(known)
    for key, number in value.items():
        spelled = str(key) if str(key) in names else str(key).replace("_", "-")
        if spelled not in names:
            raise _unknown(str(key), f"{name}.", tuple(sorted(names)), where)
        found[spelled] = _number(f"{name}.{key}", number, where)
    return found


def _number(name: str, value: object, where: str | None) -> float:
    number = not isinstance(value, bool) and isinstance(value, int | float)
    if not number or not math.isfinite(float(value)) or float(value) < 0:  # type: ignore[arg-type]
        raise ForgeError("E105", f"lineage.weights.{name}: must be a number, 0 or more, not {value!r}", where=where)
    return float(value)  # type: ignore[arg-type]


def _unknown(name: str, section: str, known: tuple[str, ...], where: str | None) -> ForgeError:
    fix = did_you_mean(name, known) or f"Known are {', '.join(known)}."
    return ForgeError("E104", f"unknown setting 'lineage.weights.{section}{name}'", where=where, fix=fix)


_DEFAULTS: dict[str, object] = {one.name: getattr(Weights(), one.name) for one in fields(Weights)}
_OWN: dict[str, set[str]] = {
    "entity": set(map(str, NodeType)),
    "effort_entity": set(map(str, NodeType)),
    "effort": set(_base()),
}
