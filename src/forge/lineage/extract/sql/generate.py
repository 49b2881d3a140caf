"""Table-generating functions (explode and the like) in SELECT, LATERAL VIEW and FROM."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from forge.lineage.edge import Transformation
from forge.lineage.extract.relation import RelationColumn
from forge.lineage.extract.sql.context import type_of_value
from forge.lineage.extract.sql.kinds import GENERATOR_NAMES
from forge.lineage.extract.sql.nested_type import nested_of
from forge.lineage.extract.sql.scope import QueryScope, name_of
from forge.lineage.extract.sql.text import text_of
from forge.lineage.extract.value import ColumnValue, SourceTrace, add, compose
from forge.model.names import ColumnName

_CLASSES: dict[type[exp.Expr], str] = {
    exp.Explode: "explode",
    exp.ExplodeOuter: "explode",
    exp.Posexplode: "posexplode",
    exp.PosexplodeOuter: "posexplode",
    exp.Inline: "inline",
    exp.Stack: "stack",
    exp.ExplodingGenerateSeries: "generate_series",
    exp.GenerateSeries: "generate_series",
    exp.SplitToTable: "split_to_table",
    exp.StrtokSplitToTable: "split_to_table",
    exp.OpenJSON: "openjson",
    exp.JSONTable: "json_table",
    exp.XMLTable: "xmltable",
}
_OUTPUT = {
    "variant_explode": ("pos", "key", "value"),
    "flatten": ("seq", "key", "path", "index", "value", "this"),
    "split_to_table": ("seq", "index", "value"),
    "string_split": ("value", "ordinal"),
    "openjson": ("key", "value", "type"),
    "json_each": ("key", "value"),
    "range": ("id",),
    "generate_series": ("generate_series",),
}


@dataclass(frozen=True, slots=True)
class GeneratedColumns:
    """`anything`: the value of every column if the columns are unknown."""

    columns: tuple[RelationColumn, ...]
    anything: ColumnValue | None = None


def is_generator(node: exp.Expr) -> bool:
    """Whether it makes rows in a SELECT list."""
    if isinstance(node, exp.Anonymous):
        return node.name.lower() in GENERATOR_NAMES
    return type(node) in _CLASSES and not isinstance(node, exp.GenerateSeries)


def kind_of_generator(node: exp.Expr, dialect: str) -> str:
    if dialect == "snowflake" and isinstance(node, exp.Explode):
        return "flatten"
    if isinstance(node, exp.Anonymous):
        name = node.name.lower().removesuffix("_outer").removesuffix("_text")
        return name.replace("jsonb_", "json_")
    return _CLASSES.get(type(node), "")


def generated(node: exp.Expr, names: Sequence[str], scope: QueryScope) -> GeneratedColumns:
    """What a generator puts out under the given names; its own ones where there are none."""
    dialect = scope.around.dialect
    kind = kind_of_generator(node, dialect)
    outer = SourceTrace(Transformation.GENERATOR, text_of(node, dialect))
    if kind == "stack":
        return _stack(node, names, scope, outer)
    defined = _defined(node)
    values = [scope.value(one) for one in _inputs(node)]
    value = stepped(values, outer)
    found = names or defined or _names(kind, values, node)
    if not found and kind not in ("explode", "posexplode"):
        return GeneratedColumns((), value)
    *before, last = found or ("col",)
    element = replace(value, type=_element(kind, values, scope))
    return GeneratedColumns((*(RelationColumn(name, value) for name in before), RelationColumn(last, element)))


def _element(kind: str, values: Sequence[ColumnValue], scope: QueryScope) -> str:
    """The type of what the last column holds."""
    if kind not in ("explode", "posexplode") or not values:
        return ""
    return nested_of(type_of_value(values[0], scope.around)).element


def stepped(values: Iterable[ColumnValue], outer: SourceTrace) -> ColumnValue:
    found: dict[ColumnName, SourceTrace] = {}
    for value in values:
        for source, trace in value.sources.items():
            add(found, source, compose(trace, outer))
    return ColumnValue(found)


def _inputs(node: exp.Expr) -> list[exp.Expr]:
    """Columns that a call describes (`COLUMNS (a INT PATH …)`) are what comes out, not what goes in."""
    described = (exp.ColumnDef, exp.OpenJSONColumnDef, exp.JSONSchema, exp.Identifier, exp.DataType, exp.Var)
    return [one for one in node.iter_expressions() if not isinstance(one, described)]


def _defined(node: exp.Expr) -> tuple[str, ...]:
    kinds = (exp.ColumnDef, exp.OpenJSONColumnDef, exp.JSONColumnDef)
    if not isinstance(node, exp.OpenJSON | exp.JSONTable | exp.XMLTable):
        return ()
    return tuple(name_of(one.this) for one in node.find_all(*kinds) if isinstance(one.this, exp.Identifier))


def _names(kind: str, values: Sequence[ColumnValue], node: exp.Expr) -> tuple[str, ...]:
    if kind in _OUTPUT:
        return _OUTPUT[kind]
    if kind in ("json_tuple", "parse_url_tuple"):
        return tuple(f"c{place}" for place in range(len(node.expressions) - 1))
    return ()


def named_by_type(node: exp.Expr, scope: QueryScope) -> tuple[str, ...]:
    """The names that Spark gives by the type of the array or map; none where that is not known."""
    kind = kind_of_generator(node, scope.around.dialect)
    if kind not in ("explode", "posexplode", "inline"):
        return ()
    inputs = _inputs(node)
    nested = nested_of(type_of_value(scope.value(inputs[0]), scope.around)) if inputs else nested_of("")
    if kind == "inline":
        fields = tuple(name for name, _ in nested_of(nested.element).fields)
        return fields or (_listed_fields(inputs[0], scope) if inputs else ())
    if isinstance(inputs[0], exp.Map | exp.VarMap) if inputs else False:
        names: tuple[str, ...] = ("key", "value")
    else:
        names = ("key", "value") if nested.kind == "map" else ("col",)
    return ("pos", *names) if kind == "posexplode" else names


def _listed_fields(node: exp.Expr, scope: QueryScope) -> tuple[str, ...]:
    """Of `array(struct(a, b))`: those of its first struct."""
    first = node.expressions[0] if isinstance(node, exp.Array) and node.expressions else None
    return tuple(scope.value(first).members) if isinstance(first, exp.Struct) else ()


def types_by_name(node: exp.Expr, columns: Sequence[RelationColumn], scope: QueryScope) -> dict[str, str]:
    """The type of what an array holds, by the name of the column that explode makes of it."""
    kind, inputs = kind_of_generator(node, scope.around.dialect), _inputs(node)
    if kind not in ("explode", "posexplode") or not inputs or not columns:
        return {}
    element = _element(kind, [scope.value(inputs[0])], scope)
    return {columns[-1].name.lower(): element} if element else {}


def _stack(node: exp.Expr, names: Sequence[str], scope: QueryScope, outer: SourceTrace) -> GeneratedColumns:
    """`stack(rows, a, b, …)` lays its cells out in rows, so each column has its own."""
    cells = [scope.value(one) for one in node.expressions]
    rows = node.this
    count = int(rows.name) if isinstance(rows, exp.Literal) and rows.name.isdigit() else 0
    width = -(-len(cells) // count) if count else len(names)
    if not width:
        return GeneratedColumns((), stepped(cells, outer))
    columns = []
    for place in range(width):
        name = names[place] if place < len(names) else f"col{place}"
        columns.append(RelationColumn(name, stepped(cells[place::width], outer)))
    return GeneratedColumns(tuple(columns))
