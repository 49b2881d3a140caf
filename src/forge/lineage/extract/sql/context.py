"""The session context of a query."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from sqlglot import exp

from forge.lineage.edge import Transformation
from forge.lineage.extract.program import OutputKind
from forge.lineage.extract.relation import Relation, RelationColumn, copy_of
from forge.lineage.extract.sql.nested_type import field_type
from forge.lineage.extract.value import ColumnValue
from forge.model.names import ColumnName

if TYPE_CHECKING:
    from forge.lineage.extract.sql.scope import CteEnvironment, QueryScope
    from forge.lineage.extract.value import Sources


@dataclass(frozen=True, slots=True, eq=False)
class SqlFunction:
    """A SQL function. `body`: an expression, or a query; of a table function (`table`) always a query, with columns
    renamed to `columns` if given. `defaults`: of the last parameters."""

    name: str
    parameters: tuple[str, ...]
    body: exp.Expr
    table: bool = False
    columns: tuple[str, ...] = ()
    defaults: tuple[exp.Expr, ...] = ()


class QueryReader(Protocol):
    """Reads expressions and queries, which contain each other."""

    def value(self, expression: exp.Expr, scope: QueryScope, /) -> ColumnValue: ...

    def sources(self, expression: exp.Expr, scope: QueryScope, /) -> Sources: ...

    def relation(
        self,
        query: exp.Expr,
        around: SessionContext,
        outer: QueryScope | None = None,
        environment: CteEnvironment | None = None,
        /,
    ) -> Relation: ...

    def relation_in_brackets(self, query: exp.Expr, scope: QueryScope, /) -> Relation: ...


class SessionContext(Protocol):
    """Lines are those of the parsed text; 0: unknown, use that of the statement."""

    dialect: str
    reader: QueryReader

    def table(self, table: exp.Table) -> Relation:
        """What a FROM names: a table of the catalog, a temporary view, a path, a table function that is none of the
        well-known ones. Never a CTE. The alias of `table` is no business of the session."""

    def new_id(self, label: str, line: int) -> str:
        """An id for something in between that nothing else has. A recursive CTE reads itself, so it must know its id
        before it is made."""

    def between(self, label: str, made: OutputKind, relation: Relation, line: int, target: str = "") -> Relation:
        """Makes a step of something in between, and gives the relation that reads from it. `target`: an id from
        `new_id`; if empty, a new one is taken."""

    def function(self, name: str) -> SqlFunction | None:
        """A SQL function that the code defines; `name` as the call writes it, without quotes, parts joined by dots."""

    def variable(self, name: str) -> ColumnValue | None:
        """What a variable of a script holds; asked only where no column has the name. None: there is none."""

    def type_of(self, column: ColumnName) -> str:
        """The type of a column (never of a field in it) as its definition writes it; empty: not known. Of something in
        between: `type_of_value` of the column it was made from."""

    def gap(self, line: int, reason: str) -> None: ...


def type_of_value(value: ColumnValue, around: SessionContext) -> str:
    """The type of a value that is a copy of one column, or that says its type, as text; empty where it is not known."""
    if value.type:
        return value.type
    if len(value.sources) != 1:
        return ""
    ((source, trace),) = value.sources.items()
    if trace.transformation is not Transformation.IDENTITY:
        return ""
    if source.field:
        return field_type(around.type_of(ColumnName(source.table, source.column)), source.field)
    return around.type_of(source)


def types_of(relation: Relation, around: SessionContext) -> dict[str, str]:
    """What a session keeps of an intermediate relation, for `type_of`."""
    return types_of_columns(((column.name, column.value) for column in relation.columns), around)


def types_of_columns(columns: Iterable[tuple[str, ColumnValue]], around: SessionContext) -> dict[str, str]:
    found = ((name, type_of_value(value, around)) for name, value in columns)
    return {name.lower(): type_ for name, type_ in found if type_}


def read_from(target: str, relation: Relation) -> Relation:
    """The result of `between`: a relation that reads from the step `target` made from `relation`. Unknown columns of
    multiple relations are ambiguous in a step and bypass it."""
    columns = tuple(RelationColumn(column.name, _copy(target, column)) for column in relation.columns)
    open_ = (target,) if len(relation.open) == 1 else relation.open
    reads = frozenset({target, *(open_ if len(open_) > 1 else ())})
    return Relation(columns, open_, relation.without, reads=reads)


def _copy(target: str, column: RelationColumn) -> ColumnValue:
    copied = copy_of(target, column.name)
    if not column.value.members:
        return copied
    return _with_members(copied, column.value)


def _with_members(copied: ColumnValue, made: ColumnValue) -> ColumnValue:
    """A struct that a step built still has its fields where it is read from that step."""
    ((source, trace),) = copied.sources.items()
    members = {}
    for name, member in made.members.items():
        inner = f"{source.field}.{name}" if source.field else name
        members[name] = _with_members(
            ColumnValue({replace(source, field=inner): replace(trace, expression="")}), member
        )
    return ColumnValue(copied.sources, members)
