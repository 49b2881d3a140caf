"""A SELECT as the query builder shows it: tables joined on columns, columns and aggregates, filters of one level."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, assert_never

JoinWord = Literal["inner", "left", "right", "full"]
Aggregate = Literal["count", "count_distinct", "sum", "avg", "min", "max"]
Comparison = Literal["=", "<>", "<", "<=", ">", ">=", "like", "not like"]
Operator = Literal[Comparison, "in", "not in", "between", "not between", "is null", "is not null"]
ValueKind = Literal["text", "number", "boolean", "date", "timestamp", "parameter"]
Connective = Literal["and", "or"]

_NUMBER = re.compile(r"-?[0-9]{1,38}(\.[0-9]{1,38})?(e[+-]?[0-9]{1,3})?", re.I)
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Term:
    """A column, or an aggregate of it; count of all rows has no column. `table`: the alias, or the last part of the
    table's name; empty where the column alone says which."""

    column: str = ""
    table: str = ""
    aggregate: Aggregate | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """Columns that are equal in joined rows."""

    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Table:
    """`join`: to the tables before it; the first has none."""

    path: tuple[str, ...]
    alias: str = ""
    join: JoinWord | None = None
    on: tuple[Pair, ...] = ()


@dataclass(frozen=True, slots=True)
class OutputTerm:
    term: Term
    alias: str = ""


@dataclass(frozen=True, slots=True)
class Value:
    """As it is typed, without quotes; of a parameter its name."""

    kind: ValueKind
    text: str

    @property
    def is_sound(self) -> bool:
        """Whether a literal of that kind can be written which every reader of Spark's SQL reads as this."""
        match self.kind:
            case "text":
                return _CONTROL.search(self.text) is None
            case "number":
                return _NUMBER.fullmatch(self.text) is not None
            case "boolean":
                return self.text in ("true", "false")
            case "date":
                return _is(self.text, date)
            case "timestamp":
                return _TIME.fullmatch(self.text) is not None and _is(self.text, datetime)
            case "parameter":
                return re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,63}", self.text) is not None
        assert_never(self.kind)


@dataclass(frozen=True, slots=True)
class TermCondition:
    term: Term
    operator: Operator
    values: tuple[Value, ...] = ()

    @property
    def has_its_values(self) -> bool:
        match self.operator:
            case "in" | "not in":
                return len(self.values) > 0
            case "between" | "not between":
                return len(self.values) == 2
            case "is null" | "is not null":
                return not self.values
        return len(self.values) == 1


@dataclass(frozen=True, slots=True)
class Filter:
    """`connective` stands between the groups, the other one between the tests of a group."""

    connective: Connective = "and"
    groups: tuple[tuple[TermCondition, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Order:
    """`term` may be the alias of an output."""

    term: Term
    descending: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BuilderQuery:
    """`columns` empty: all of them."""

    tables: tuple[Table, ...]
    columns: tuple[OutputTerm, ...] = ()
    distinct: bool = False
    where: Filter = Filter()
    group_by: tuple[Term, ...] = ()
    having: Filter = Filter()
    order_by: tuple[Order, ...] = ()
    limit: int | None = None


def is_name(text: str) -> bool:
    return text != "" and text.isprintable()


def _is(text: str, kind: type[date]) -> bool:
    try:
        return len(text) >= 10 and kind.fromisoformat(text) is not None
    except ValueError:
        return False
