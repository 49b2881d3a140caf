"""What each kind of source is proved to compute as Spark does. What is not listed is left to the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Literal

from forge.federation.dialects.families import TypeFamily
from forge.federation.relation import SourceColumn
from forge.federation.source import LAKE, ConnectorKind

UNKNOWN = "what this database means by it is not known"

LakeOrKind = ConnectorKind | Literal["lake"]

_F = TypeFamily
_NUMBERS = frozenset({_F.INTEGER, _F.DECIMAL, _F.DOUBLE})
_TIMES = frozenset({_F.DATE, _F.TIMESTAMP, _F.TIMESTAMP_NTZ})


@dataclass(frozen=True, slots=True)
class SourceRules:
    """`compared`: families whose `=`, `<` and the like are Spark's. `sorted`: also in ORDER BY, min and max. `grouped`:
    in GROUP BY and DISTINCT. `collated`: strings can be told to compare by bytes."""

    name: str  # for messages
    _: KW_ONLY
    is_sql: bool = True
    is_known: bool = True  # else nobody knows what it means by any predicate
    by_parameter: bool = False  # of all predicates only `=`, of columns that have a parameter
    compared: frozenset[TypeFamily]
    sorted: frozenset[TypeFamily] = frozenset()
    grouped: frozenset[TypeFamily] = frozenset()
    summed: frozenset[TypeFamily] = frozenset()
    collated: bool = False
    like: Literal["exact", "prefilter", "no"] = "no"
    wider_equality: bool = False  # where a collation differs from Spark's, equal bytes are still equal
    nan_compares: bool = True  # NaN is equal to itself and greater than all else, or there is none
    wide_sums: bool = False  # a sum of bigint has room for more than a bigint
    text_types: tuple[str, ...] = ()  # of strings, the beginnings of native types with the rules of text; none: all

    def why_no(self, part: str) -> str:
        """Of what only SQL computes; empty where it may."""
        if self.is_sql:
            return ""
        return f"it computes no {part}" if self.is_known else UNKNOWN


_POSTGRESQL = SourceRules(
    "PostgreSQL",
    compared=_NUMBERS | _TIMES | {_F.FLOAT, _F.STRING, _F.BOOLEAN},
    sorted=_NUMBERS | _TIMES | {_F.FLOAT, _F.STRING},
    grouped=_TIMES | {_F.INTEGER, _F.DECIMAL, _F.STRING, _F.BOOLEAN},
    summed=frozenset({_F.INTEGER, _F.DECIMAL}),
    collated=True,
    like="exact",
    wide_sums=True,
    text_types=("text", "varchar", "character varying"),  # of uuid, json and enum even `=` is another
)
_MYSQL = SourceRules(
    "MySQL",
    compared=_NUMBERS | _TIMES | {_F.STRING},
    sorted=_NUMBERS | _TIMES,
    grouped=_TIMES | {_F.INTEGER, _F.DECIMAL, _F.STRING},
    summed=frozenset({_F.INTEGER, _F.DECIMAL}),
    like="prefilter",
    wider_equality=True,
    wide_sums=True,
    text_types=("varchar", "text", "tinytext", "mediumtext", "longtext"),
)
_SQLITE = SourceRules(
    "SQLite",
    compared=frozenset({_F.INTEGER, _F.DOUBLE, _F.STRING}),
    sorted=frozenset({_F.INTEGER, _F.DOUBLE, _F.STRING}),
    grouped=frozenset({_F.INTEGER, _F.STRING}),
    summed=frozenset({_F.INTEGER}),
    collated=True,
    like="prefilter",
)
_LAKE = SourceRules(
    "the lake",
    is_sql=False,
    compared=_NUMBERS | _TIMES | {_F.STRING, _F.BOOLEAN},
    collated=True,
    nan_compares=False,
)
# The connector looks at each record again, so that an API may find more than was asked.
_REST = SourceRules(
    "an API",
    is_sql=False,
    by_parameter=True,
    compared=frozenset({_F.INTEGER, _F.STRING, _F.BOOLEAN, _F.DATE}),
)
_JDBC = SourceRules("this database", is_sql=False, is_known=False, compared=frozenset())
_RULES: Mapping[str, SourceRules] = {
    ConnectorKind.POSTGRESQL: _POSTGRESQL,
    ConnectorKind.MYSQL: _MYSQL,
    ConnectorKind.SQLITE: _SQLITE,
    ConnectorKind.FILES: replace(_LAKE, name="a source of files"),
    ConnectorKind.DELTA: replace(_LAKE, name="a Delta table"),
    ConnectorKind.REST: _REST,
    ConnectorKind.JDBC: _JDBC,
    LAKE: _LAKE,
}


def rules_of(kind: LakeOrKind) -> SourceRules:
    return _RULES[kind]


def has_text_rules(column: SourceColumn, rules: SourceRules) -> bool:
    native = column.native.lower()
    return not native or not rules.text_types or native.startswith(rules.text_types)
