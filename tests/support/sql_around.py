"""A session for queries alone: a catalog, and steps of what lies in between."""

from __future__ import annotations

from pathlib import Path

from sqlglot import exp, parse, parse_one

from forge.lineage.edge import Extraction, Gap
from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.definition import ColumnDefinition, TableDefinition
from forge.lineage.extract.flatten import flatten
from forge.lineage.extract.program import OutputKind, Program, ProgramStep
from forge.lineage.extract.relation import Relation, relation_of
from forge.lineage.extract.sql.context import QueryReader, SqlFunction, read_from, types_of
from forge.lineage.extract.sql.query import relation_of_query
from forge.lineage.extract.sql.reader import SqlReader
from forge.lineage.extract.sql.syntax.grammar import dialect_of
from forge.lineage.extract.value import ColumnValue
from forge.model.names import ColumnName

TARGET = "out.table"


class Surroundings:
    def __init__(
        self, catalog: TableCatalog, dialect: str = "spark", functions: dict[str, SqlFunction] | None = None
    ) -> None:
        self.catalog = catalog
        self.dialect = dialect
        self.reader: QueryReader = SqlReader()
        self.functions = functions or {}
        self.steps: list[ProgramStep] = []
        self.gaps: list[Gap] = []
        self.types: dict[str, dict[str, str]] = {}

    def table(self, table: exp.Table) -> Relation:
        if isinstance(table.this, exp.Func):
            self.gap(0, f"table function {table.this.name} is not known")
            return Relation()
        parts = [part.name if part.args.get("quoted") else part.name.lower() for part in table.parts]
        meant = self.catalog.find(parts)
        return relation_of(meant.name, meant.definition.names if meant.definition else None)

    def new_id(self, label: str, line: int) -> str:
        return f"{label}@{line}:{len(self.steps)}"

    def between(self, label: str, made: OutputKind, relation: Relation, line: int, target: str = "") -> Relation:
        target = target or self.new_id(label, line)
        columns = {column.name: column.value for column in relation.columns}
        self.steps.append(
            ProgramStep(
                target=target,
                made=made,
                columns=columns,
                shaped=relation.shaped,
                reads=relation.reads,
                open=relation.open,
                whole=True,
            )
        )
        self.types[target] = types_of(relation, self)
        return read_from(target, relation)

    def function(self, name: str) -> SqlFunction | None:
        return self.functions.get(name.lower())

    def variable(self, name: str) -> ColumnValue | None:
        return None

    def type_of(self, column: ColumnName) -> str:
        between = self.types.get(column.table)
        if between is not None:
            return between.get(column.column.lower(), "")
        definition = self.catalog.find(column.table.split(".")).definition
        types = {} if definition is None else {name.lower(): type_ for name, type_ in definition.types.items()}
        return types.get(column.column.lower(), "")

    def gap(self, line: int, reason: str) -> None:
        self.gaps.append(Gap("", line, reason))

    def extraction(self, relation: Relation) -> Extraction:
        """As if the query made a table."""
        columns = {column.name: column.value for column in relation.columns}
        last = ProgramStep(
            target=TARGET,
            made=OutputKind.TABLE,
            columns=columns,
            shaped=relation.shaped,
            reads=relation.reads,
            open=relation.open,
            whole=True,
        )
        return flatten([Program(file="", language="sql", steps=(*self.steps, last), gaps=tuple(self.gaps))])


def tree_of(query: str, dialect: str) -> exp.Expr:
    (tree,) = dialect_of(dialect).parse(query)
    assert tree is not None
    return tree


def extract(
    query: str, catalog: TableCatalog, dialect: str = "spark", functions: dict[str, SqlFunction] | None = None
) -> Extraction:
    around = Surroundings(catalog, dialect, functions)
    return around.extraction(relation_of_query(tree_of(query, dialect), around))


def catalog_of(path: Path) -> TableCatalog:
    """From CREATE TABLE statements."""
    found = []
    for statement in parse(path.read_text(), read="spark"):
        schema = statement.this if statement is not None else None
        if not isinstance(schema, exp.Schema):
            continue
        columns = tuple(
            ColumnDefinition(one.name, one.kind.sql("spark") if one.kind else "")
            for one in schema.find_all(exp.ColumnDef)
            if one.parent is schema
        )
        found.append(TableDefinition(name=schema.this.sql(), columns=columns, given=True))
    return TableCatalog(tuple(found))


def function_of(name: str, parameters: tuple[str, ...], body: str, **more: object) -> SqlFunction:
    return SqlFunction(name, parameters, parse_one(body, read="spark"), **more)  # type: ignore[arg-type]
