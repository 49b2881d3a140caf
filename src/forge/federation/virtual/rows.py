"""Pages of a virtual table: columns, filters and an order that were asked for by name. Names are those of its columns,
values are bound; nothing of what was sent becomes SQL."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from forge.federation.dialects.predicates import all_of
from forge.federation.source import VIRTUAL
from forge.federation.virtual_table import VirtualColumn, VirtualTable
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean

MOST_FILTERS = 50
_FILTER = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*(<=|>=|<>|!=|=|<|>)(.*)", re.DOTALL)
_NULL = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s+is\s+(not\s+)?null\s*", re.IGNORECASE)
_SORT = re.compile(r"\s*(-?)\s*([A-Za-z_][A-Za-z0-9_]*)\s*(asc|desc)?\s*", re.IGNORECASE)
_OPERATORS: Mapping[str, type[exp.Expr]] = {
    "=": exp.EQ, "<>": exp.NEQ, "!=": exp.NEQ, "<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE,
}  # fmt: skip
_UNORDERED = ("map", "array", "struct", "binary")


@dataclass(frozen=True, slots=True)
class RowCondition:
    """`operator`: `=`, `<` and the like, `is null` or `is not null`, which have no value."""

    column: VirtualColumn
    operator: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class RowQuestion:
    """`filters` are all true; `sort`: columns, and whether each is from the greatest down. `types`: of columns, in
    small letters, as far as they are known."""

    table: VirtualTable
    columns: tuple[VirtualColumn, ...]
    filters: tuple[RowCondition, ...]
    sort: tuple[tuple[VirtualColumn, bool], ...]

    @property
    def digest(self) -> str:
        """The same for the same question of the same definition: a page of another one is no page of this."""
        told = (self.table.definition, [one.name for one in self.columns])
        asked = ([(one.column.name, one.operator, one.text) for one in self.filters], self._sorted)
        return hashlib.sha256(repr((told, asked)).encode()).hexdigest()[:16]

    @property
    def _sorted(self) -> list[tuple[str, bool]]:
        return [(one.name, down) for one, down in self.sort]

    def select(self, types: Mapping[str, str], limit: int, offset: int) -> exp.Select:
        """`:p0`, `:p1` … stand for the values of filters. The order goes on with all columns that are shown, so that
        pages fit together; rows that differ in none of these are alike."""
        select = exp.Select(expressions=[_named(one) for one in self.columns])
        table = exp.to_identifier(self.table.name, quoted=True)
        select.set("from_", exp.From(this=exp.Table(this=table, db=exp.to_identifier(VIRTUAL))))
        condition = all_of([_condition(one, place) for place, one in enumerate(self.filters)])
        if condition is not None:
            select.set("where", exp.Where(this=condition))
        keys = dict(self.sort)
        for one in self.columns:
            if not types.get(one.name.lower(), "").startswith(_UNORDERED):
                keys.setdefault(one, False)
        ordered = [exp.Ordered(this=_named(one), desc=down, nulls_first=not down) for one, down in keys.items()]
        if ordered:
            select.set("order", exp.Order(expressions=ordered))
        select.set("limit", exp.Limit(expression=exp.Literal.number(limit)))
        if offset:
            select.set("offset", exp.Offset(expression=exp.Literal.number(offset)))
        return select


def read_question(
    table: VirtualTable, columns: Sequence[str], filters: Sequence[str], sort: Sequence[str]
) -> RowQuestion:
    """E105 for what is no filter, E108 for what is no column."""
    if len(filters) > MOST_FILTERS:
        raise ForgeError("E105", f"More than {MOST_FILTERS} filters", where="query.filter", fix="Filter by fewer.")
    named = [name.strip() for text in columns for name in text.split(",") if name.strip()]
    keys = [key for text in sort for key in text.split(",") if key.strip()]
    return RowQuestion(
        table,
        tuple(dict.fromkeys(_column(table, name, "query.columns") for name in named)) or table.columns,
        tuple(_read_filter(table, text) for text in filters),
        tuple(_read_key(table, text) for text in keys),
    )


def _read_filter(table: VirtualTable, text: str) -> RowCondition:
    null = _NULL.fullmatch(text)
    if null is not None:
        return RowCondition(_column(table, null[1], "query.filter"), "is not null" if null[2] else "is null")
    found = _FILTER.fullmatch(text)
    if found is None:
        raise ForgeError(
            "E105",
            "That is not a filter",
            where="query.filter",
            why="A filter is a column, one of = <> < <= > >= and a value; or `column is null`, `column is not null`.",
            fix="Write filter=city=London, and repeat it for more.",
        )
    return RowCondition(_column(table, found[1], "query.filter"), found[2], found[3])


def _read_key(table: VirtualTable, text: str) -> tuple[VirtualColumn, bool]:
    found = _SORT.fullmatch(text)
    if found is None:
        raise ForgeError("E105", "That is not an order", where="query.sort", fix="Write sort=city, or sort=-amount.")
    column = _column(table, found[2], "query.sort")
    if column.data_type.startswith(_UNORDERED):
        raise ForgeError("E105", f"{column.name} has no order", where="query.sort", fix="Sort by another column.")
    return column, bool(found[1]) != ((found[3] or "").lower() == "desc")


def _column(table: VirtualTable, name: str, where: str) -> VirtualColumn:
    found = table.column(name)
    if found is None:
        names = [one.name for one in table.columns]
        raise ForgeError("E108", f"unknown column {name[:100]}", where=where, fix=did_you_mean(name, names))
    return found


def _named(column: VirtualColumn) -> exp.Column:
    return exp.column(column.name, quoted=True)


def _condition(one: RowCondition, place: int) -> exp.Expr:
    column = _named(one.column)
    if one.operator in _OPERATORS:
        return _OPERATORS[one.operator](this=column, expression=exp.Placeholder(this=f"p{place}"))
    found: exp.Expr = exp.Is(this=column, expression=exp.Null())
    return exp.Not(this=found) if one.operator == "is not null" else found
