"""Column references."""

from __future__ import annotations

from sqlglot import exp

from forge.lineage.extract.relation import RelationColumn
from forge.lineage.extract.sql.fields import field_of
from forge.lineage.extract.sql.scope import AmbiguousName, QueryScope, line_of, name_of
from forge.lineage.extract.value import NOTHING, ColumnValue


def column_value(node: exp.Expr, scope: QueryScope, fields: tuple[str, ...] = ()) -> tuple[str, ColumnValue]:
    """The name by which a column is known where it comes from, and its value."""
    if isinstance(node.this, exp.Parameter) and node.this.name.isdigit():
        qualifier = tuple(name_of(part) for part in parts_of(node)[:-1])
        return f"${node.this.name}", numbered_value(int(node.this.name), qualifier, scope)
    parts = (*(name_of(part) for part in parts_of(node)), *fields)
    found = scope.resolve(parts, node)
    if isinstance(found, tuple):
        column, path = found
        if not path:
            return column.name, column.value
        return path[-1], field_of(column.value, path, scope.around)
    variable = scope.around.variable(".".join(parts))
    if variable is not None:
        return parts[-1], variable
    _add_gap(parts, found, node, scope)
    return parts[-1], NOTHING


def numbered_value(number: int, qualifier: tuple[str, ...], scope: QueryScope) -> ColumnValue:
    """Snowflake: `$1` is the first column of FROM."""
    source = scope.find_source(qualifier) if qualifier else scope.sources[0] if len(scope.sources) == 1 else None
    if source is None:
        return NOTHING
    if not source.is_open:
        columns = source.relation.columns
        return columns[number - 1].value if 0 < number <= len(columns) else NOTHING
    found = source.unknown(f"${number}")
    return found.value if isinstance(found, RelationColumn) else NOTHING


def parts_of(node: exp.Expr) -> list[exp.Expr]:
    args = node.args
    found = [args.get("catalog"), args.get("db"), args.get("table"), args.get("this")]
    return [part for part in found if part is not None]


def _add_gap(parts: tuple[str, ...], found: AmbiguousName | None, node: exp.Expr, scope: QueryScope) -> None:
    name, line = ".".join(parts), line_of(node)
    if isinstance(found, AmbiguousName):
        places = " or ".join(dict.fromkeys(found.places))
        scope.around.gap(line, f"column {name} may be from {places}; give their columns with --schema")
        return
    source = scope.find_source(parts[:-1]) if len(parts) > 1 else None
    if source is not None:
        scope.around.gap(line, f"{source.label} has no column {parts[-1]}")
        return
    places = ", ".join(dict.fromkeys(one.label for one in scope.sources)) or "this query"
    scope.around.gap(line, f"column {name} is not found in {places}")
