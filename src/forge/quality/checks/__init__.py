"""The checks, one module for each type. A new one is a module here, a line in CHECKS, and a test: see
docs/guide/add-a-check.md."""

from __future__ import annotations

from collections.abc import Mapping

from forge.model.nearest import did_you_mean
from forge.quality.check import Check
from forge.quality.checks.accepted_values import AcceptedValues
from forge.quality.checks.anomaly import Anomaly
from forge.quality.checks.drift import Drift
from forge.quality.checks.expression import Expression
from forge.quality.checks.foreign_key import ForeignKey
from forge.quality.checks.freshness import Freshness
from forge.quality.checks.function import Function
from forge.quality.checks.iqr import Iqr
from forge.quality.checks.ks_test import KsTest
from forge.quality.checks.mean import Mean
from forge.quality.checks.not_null import NotNull
from forge.quality.checks.quantile import Quantile
from forge.quality.checks.query import Query
from forge.quality.checks.range import Range
from forge.quality.checks.regex import Regex
from forge.quality.checks.row_count import RowCount
from forge.quality.checks.schema import TableSchema
from forge.quality.checks.std import Std
from forge.quality.checks.unique import Unique
from forge.quality.checks.zscore import ZScore
from forge.quality.keys import Wrong

CHECKS: tuple[type[Check], ...] = (
    NotNull,
    Unique,
    AcceptedValues,
    Range,
    Regex,
    RowCount,
    Freshness,
    ForeignKey,
    TableSchema,
    Expression,
    Query,
    Function,
    ZScore,
    Iqr,
    Mean,
    Std,
    Quantile,
    KsTest,
    Drift,
    Anomaly,
)

# word → its check; of a word that several have, the first: `class_of` tells them apart
BY_WORD: dict[str, type[Check]] = {word: check for check in reversed(CHECKS) for word in check.words}
STATISTICAL = {check.type: check for check in CHECKS if "statistical" in check.words}
CUSTOM = {next(iter(check.keys)): check for check in CHECKS if "custom" in check.words}


def class_of(mapping: Mapping[object, object]) -> type[Check]:
    """The type of check that a mapping means. `statistical` is told apart by its key statistical_check, `custom` by the
    key that it has: sql, query or function. Raises Wrong."""
    if "type" not in mapping:
        raise Wrong(f"'type' is missing; the types are {_types()}")
    word = mapping["type"]
    if word == "statistical":
        return _statistical(mapping.get("statistical_check"))
    if word == "custom":
        given = [key for key in CUSTOM if key in mapping]
        if len(given) != 1:
            raise Wrong(f"custom: exactly one of {', '.join(CUSTOM)} is needed")
        return CUSTOM[given[0]]
    check = BY_WORD.get(word) if isinstance(word, str) else None
    if check is None:
        near = did_you_mean(str(word), BY_WORD) or f"The types are {_types()}."
        raise Wrong(f"there is no check of type '{word}'. {near}")
    return check


def _statistical(name: object) -> type[Check]:
    if name is None:
        raise Wrong(f"statistical: 'statistical_check' is missing; it is one of {', '.join(STATISTICAL)}")
    if name not in STATISTICAL:
        near = did_you_mean(str(name), STATISTICAL) or f"It is one of {', '.join(STATISTICAL)}."
        raise Wrong(f"statistical: there is no statistical check '{name}'. {near}")
    return STATISTICAL[str(name)]


def _types() -> str:
    return ", ".join(check.type for check in CHECKS)


__all__ = [
    "BY_WORD",
    "CHECKS",
    "CUSTOM",
    "STATISTICAL",
    "AcceptedValues",
    "Anomaly",
    "Drift",
    "Expression",
    "ForeignKey",
    "Freshness",
    "Function",
    "Iqr",
    "KsTest",
    "Mean",
    "NotNull",
    "Quantile",
    "Query",
    "Range",
    "Regex",
    "RowCount",
    "Std",
    "TableSchema",
    "Unique",
    "ZScore",
    "class_of",
]
