"""Fitness of a table version for a use, such as training a model: requirements, and the evidence for each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.record_json import record_json


@dataclass(frozen=True, slots=True)
class Requirements:
    """`min_score` in percent of passed checks, `max_age_hours` since the version was written, `no_pii`: no column holds
    personal data."""

    min_score: float | None = None
    max_age_hours: float | None = None
    no_pii: bool = False


_KEYS = {"min_score": "min_score", "max_age": "max_age_hours", "max_age_hours": "max_age_hours", "no_pii": "no_pii"}


def read_requirements(given: Mapping[str, object]) -> Requirements:
    """`{"min_score": 95, "max_age": 24, "no_pii": True}`; all errors at once, as E744."""
    fields: dict[str, object] = {}
    errors: list[str] = []
    for key, value in given.items():
        name = _KEYS.get(key)
        if name is None:
            errors.append(f"there is no requirement '{key}'. {did_you_mean(key, _KEYS) or 'There are ' + _listed()}")
        elif name in fields:
            errors.append(f"'{key}' is there twice: max_age is max_age_hours")
        else:
            fields[name] = value
            errors += _faults(key, name, value)
    if not given:
        errors.append(f"nothing is required; there are {_listed()}")
    if errors:
        fix = "Write it like {'min_score': 95, 'max_age': 24, 'no_pii': True}."
        raise ForgeError("E744", f"What is required cannot be read: {errors[0]}", why="\n".join(errors), fix=fix)
    return Requirements(**fields)  # type: ignore[arg-type]  # each was read above


def _faults(key: str, name: str, value: object) -> list[str]:
    if name == "no_pii":
        return [] if isinstance(value, bool) else [f"'{key}' is true or false, and is {value!r}"]
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return [f"'{key}' is a number, and is {value!r}"]
    if name == "min_score" and not 0 <= value <= 100:
        return [f"'{key}' is a percentage from 0 to 100, and is {value!r}"]
    return [f"'{key}' is a number of hours above 0, and is {value!r}"] if name != "min_score" and value <= 0 else []


def _listed() -> str:
    return "min_score, max_age (hours) and no_pii"


@dataclass(frozen=True, slots=True)
class FitnessCondition:
    """One requirement evaluated on the version. `evidence` is a sentence; `details` are its data."""

    name: Literal["min_score", "max_age", "no_pii"]
    passed: bool
    required: float | bool
    found: float | list[str] | None  # score, hours or columns; None: not known
    evidence: str
    details: Mapping[str, object] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        return record_json(self)
