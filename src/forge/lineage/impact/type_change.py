"""Propagation of a type change: casts that end it, joins that it still reaches."""

from __future__ import annotations

import re

from forge.model.types import parse_type

_EXACT = frozenset(
    {"tinyint", "smallint", "int", "bigint", "decimal", "char", "varchar", "string", "boolean", "binary"}
)
_CAST = re.compile(r"\bas\s+([a-z_][a-z0-9_]*(?:\s+(?:precision|varying))?(?:\s*\([\d\s,]*\))?(?:\s*<.*>)?)\s*\)", re.I)
_SHORT_CAST = re.compile(r"::\s*([a-z_][a-z0-9_]*(?:\s*\([\d\s,]*\))?)", re.I)


def still_meets(old: str, new: str) -> bool:
    """Whether values of the wider type are found by a join against the old one: whole numbers, decimals and texts
    are; a time of day does not meet a date, and a double that is no float meets none."""
    return parse_type(old).name in _EXACT and parse_type(new).name in _EXACT


def casts_in(expression: str) -> tuple[str, ...]:
    """The types that an expression casts to: `CAST(x AS int)`, `TRY_CAST(…)`, `x::int`."""
    has_cast = re.search(r"cast\s*\(", expression, re.I)
    return (*(_CAST.findall(expression) if has_cast else ()), *_SHORT_CAST.findall(expression))
