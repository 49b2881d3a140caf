"""The checks, one module per type. A new one is a module here, an entry in CHECKS, and a test: see
docs/guide/add-a-check.md."""

from __future__ import annotations

from collections.abc import Mapping

from forge.model.name_suggestions import did_you_mean
from forge.quality.check import Check
from forge.quality.checks.accepted_values import AcceptedValuesCheck as AcceptedValuesCheck
from forge.quality.checks.anomaly import AnomalyCheck as AnomalyCheck
from forge.quality.checks.drift import DriftCheck as DriftCheck
from forge.quality.checks.expression import ExpressionCheck as ExpressionCheck
from forge.quality.checks.foreign_key import ForeignKeyCheck as ForeignKeyCheck
from forge.quality.checks.freshness import FreshnessCheck as FreshnessCheck
from forge.quality.checks.function import FunctionCheck as FunctionCheck
from forge.quality.checks.iqr import IqrCheck as IqrCheck
from forge.quality.checks.ks_test import KsTestCheck as KsTestCheck
from forge.quality.checks.mean import MeanCheck as MeanCheck
from forge.quality.checks.not_null import NotNullCheck as NotNullCheck
from forge.quality.checks.quantile import QuantileCheck as QuantileCheck
from forge.quality.checks.query import QueryCheck as QueryCheck
from forge.quality.checks.range import RangeCheck as RangeCheck
from forge.quality.checks.regex import RegexCheck as RegexCheck
from forge.quality.checks.row_count import RowCountCheck as RowCountCheck
from forge.quality.checks.schema import SchemaCheck as SchemaCheck
from forge.quality.checks.std import StdCheck as StdCheck
from forge.quality.checks.unique import UniqueCheck as UniqueCheck
from forge.quality.checks.zscore import ZScoreCheck as ZScoreCheck
from forge.quality.keys import InvalidKey

CHECKS: tuple[type[Check], ...] = (
    NotNullCheck,
    UniqueCheck,
    AcceptedValuesCheck,
    RangeCheck,
    RegexCheck,
    RowCountCheck,
    FreshnessCheck,
    ForeignKeyCheck,
    SchemaCheck,
    ExpressionCheck,
    QueryCheck,
    FunctionCheck,
    ZScoreCheck,
    IqrCheck,
    MeanCheck,
    StdCheck,
    QuantileCheck,
    KsTestCheck,
    DriftCheck,
    AnomalyCheck,
)

# word → its check; where checks share a word, the first: `class_of` distinguishes them
BY_WORD: dict[str, type[Check]] = {word: check for check in reversed(CHECKS) for word in check.words}
STATISTICAL = {check.type: check for check in CHECKS if "statistical" in check.words}
CUSTOM = {next(iter(check.keys)): check for check in CHECKS if "custom" in check.words}


def class_of(mapping: Mapping[object, object]) -> type[Check]:
    """The check class of a mapping. `statistical` is resolved by its key statistical_check, `custom` by its key sql,
    query or function. Raises for an unknown type."""
    if "type" not in mapping:
        raise InvalidKey(f"'type' is missing; the types are {_types()}")
    word = mapping["type"]
    if word == "statistical":
        return _statistical(mapping.get("statistical_check"))
    if word == "custom":
        given = [key for key in CUSTOM if key in mapping]
        if len(given) != 1:
            raise InvalidKey(f"custom: exactly one of {', '.join(CUSTOM)} is needed")
        return CUSTOM[given[0]]
    check = BY_WORD.get(word) if isinstance(word, str) else None
    if check is None:
        near = did_you_mean(str(word), BY_WORD) or f"The types are {_types()}."
        raise InvalidKey(f"there is no check of type '{word}'. {near}")
    return check


def _statistical(name: object) -> type[Check]:
    if name is None:
        raise InvalidKey(f"statistical: 'statistical_check' is missing; it is one of {', '.join(STATISTICAL)}")
    if name not in STATISTICAL:
        near = did_you_mean(str(name), STATISTICAL) or f"It is one of {', '.join(STATISTICAL)}."
        raise InvalidKey(f"statistical: there is no statistical check '{name}'. {near}")
    return STATISTICAL[str(name)]


def _types() -> str:
    return ", ".join(check.type for check in CHECKS)
