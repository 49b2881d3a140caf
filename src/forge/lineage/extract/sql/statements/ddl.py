"""CREATE TABLE and ALTER TABLE as definitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from sqlglot import exp

from forge.lineage.extract.definition import ColumnDefinition, ForeignKeyDefinition, TableDefinition
from forge.lineage.extract.sql.names import parts_of, word_of

_COUNTED = {"serial": "int", "bigserial": "bigint", "smallserial": "smallint"}
Complete = Callable[[Sequence[str]], str]


def type_text(kind: exp.Expr | None) -> str:
    """As Spark writes it: decimal(12,2), struct<city:string>. Names of fields keep their case."""
    if kind is None:
        return ""
    if not isinstance(kind, exp.DataType):
        return kind.sql("spark").lower()
    inner = kind.expressions
    if kind.this is exp.DType.STRUCT and inner:
        return f"struct<{','.join(_field(one) for one in inner)}>"
    if kind.this in (exp.DType.ARRAY, exp.DType.LIST) and inner:
        return f"array<{type_text(inner[0])}>"
    if kind.this is exp.DType.MAP and len(inner) == 2:
        return f"map<{type_text(inner[0])},{type_text(inner[1])}>"
    text = kind.sql("spark").lower().replace(", ", ",")
    return _COUNTED.get(text, text)


def _field(one: exp.Expr) -> str:
    if isinstance(one, exp.ColumnDef):
        return f"{one.name}:{type_text(one.args.get('kind'))}"
    return f"_:{type_text(one)}"


def definition_of(create: exp.Create, name: str, complete: Complete, file: str, line: int) -> TableDefinition | None:
    """None: the statement lists no columns."""
    schema = create.this
    if not isinstance(schema, exp.Schema):
        return None
    columns = columns_of(schema.expressions)
    if not columns or not all(column.type for column in columns):
        return None
    listed = {column.name.lower() for column in columns}
    columns += tuple(one for one in partition_columns(create) if one.name.lower() not in listed)
    primary, foreign = keys_of(schema.expressions, complete)
    columns = tuple(replace(one, nullable=False) if one.name in primary else one for one in columns)
    return TableDefinition(
        name=name, columns=columns, kind="physical", file=file, line=line, primary_key=primary, foreign_keys=foreign
    )


def columns_of(expressions: Iterable[exp.Expr]) -> tuple[ColumnDefinition, ...]:
    return tuple(_column(one) for one in expressions if isinstance(one, exp.ColumnDef))


def _column(one: exp.ColumnDef) -> ColumnDefinition:
    kinds = [constraint.args.get("kind") for constraint in one.args.get("constraints") or ()]
    fixed = any(isinstance(kind, exp.NotNullColumnConstraint) and not kind.args.get("allow_null") for kind in kinds)
    key = any(isinstance(kind, exp.PrimaryKeyColumnConstraint) for kind in kinds)
    return ColumnDefinition(word_of(one.this), type_text(one.args.get("kind")) or "string", not (fixed or key))


def partition_columns(create: exp.Create) -> tuple[ColumnDefinition, ...]:
    """PARTITIONED BY (day string): columns of their own, as in Hive."""
    properties = create.args.get("properties")
    for one in properties.expressions if properties else ():
        if isinstance(one, exp.PartitionedByProperty) and isinstance(one.this, exp.Schema):
            return columns_of(one.this.expressions)
    return ()


def keys_of(
    expressions: Iterable[exp.Expr], complete: Complete
) -> tuple[tuple[str, ...], tuple[ForeignKeyDefinition, ...]]:
    primary: tuple[str, ...] = ()
    foreign: list[ForeignKeyDefinition] = []
    for one in expressions:
        if isinstance(one, exp.ColumnDef):
            for constraint in one.args.get("constraints") or ():
                kind = constraint.args.get("kind")
                if isinstance(kind, exp.PrimaryKeyColumnConstraint):
                    primary = (*primary, word_of(one.this))
                elif isinstance(kind, exp.Reference):
                    foreign.append(_reference((word_of(one.this),), kind, complete))
        elif isinstance(one, exp.PrimaryKey):
            primary = tuple(word_of(key) for key in one.expressions)
        elif isinstance(one, exp.ForeignKey):
            reference = one.args.get("reference")
            if isinstance(reference, exp.Reference):
                foreign.append(_reference(tuple(word_of(key) for key in one.expressions), reference, complete))
        elif isinstance(one, exp.Constraint | exp.AddConstraint):
            inner_primary, inner_foreign = keys_of(one.expressions, complete)
            primary = inner_primary or primary
            foreign.extend(inner_foreign)
    return primary, tuple(foreign)


def _reference(columns: tuple[str, ...], reference: exp.Reference, complete: Complete) -> ForeignKeyDefinition:
    there = reference.this
    table = there.this if isinstance(there, exp.Schema) else there
    named = tuple(word_of(one) for one in there.expressions) if isinstance(there, exp.Schema) else ()
    return ForeignKeyDefinition(columns, complete(parts_of(table)) if isinstance(table, exp.Table) else "", named)


def altered(definition: TableDefinition, action: exp.Expr, complete: Complete) -> TableDefinition:
    """A definition after one action of an ALTER TABLE; what does not change columns or keys leaves it as it is."""
    columns = definition.columns
    if isinstance(action, exp.ColumnDef):
        return _with_columns(definition, (action,))
    if isinstance(action, exp.Schema):
        return _with_columns(definition, action.expressions)
    if isinstance(action, exp.ReplaceColumns):
        return replace(definition, columns=columns_of(action.expressions) or columns)
    if isinstance(action, exp.Drop):
        gone = _dropped(action)
        return replace(definition, columns=tuple(one for one in columns if one.name.lower() not in gone))
    if isinstance(action, exp.RenameColumn):
        old, new = word_of(action.this).lower(), word_of(action.args["to"])
        named = tuple(replace(one, name=new) if one.name.lower() == old else one for one in columns)
        return replace(definition, columns=named)
    if isinstance(action, exp.AlterColumn):
        return _retyped(definition, action)
    if isinstance(action, exp.AddConstraint | exp.Constraint | exp.PrimaryKey | exp.ForeignKey):
        primary, foreign = keys_of((action,), complete)
        known = tuple(one for one in foreign if one not in definition.foreign_keys)
        return replace(
            definition,
            primary_key=primary or definition.primary_key,
            foreign_keys=(*definition.foreign_keys, *known),
        )
    return definition


def _with_columns(definition: TableDefinition, expressions: Iterable[exp.Expr]) -> TableDefinition:
    columns = list(definition.columns)
    for one in expressions:
        if isinstance(one, exp.ColumnDef) and word_of(one.this).lower() not in {c.name.lower() for c in columns}:
            columns.insert(_place(one, columns), _column(one))
    return replace(definition, columns=tuple(columns))


def _place(one: exp.ColumnDef, columns: Sequence[ColumnDefinition]) -> int:
    """FIRST, AFTER a; else the end."""
    position = one.args.get("position")
    if not isinstance(position, exp.ColumnPosition):
        return len(columns)
    if str(position.args.get("position")).upper() == "FIRST":
        return 0
    after = word_of(position.this).lower() if isinstance(position.this, exp.Expr) else ""
    return next((at + 1 for at, column in enumerate(columns) if column.name.lower() == after), len(columns))


def _dropped(action: exp.Drop) -> frozenset[str]:
    if str(action.args.get("kind") or "").upper() not in ("COLUMN", "COLUMNS"):
        return frozenset()
    named = [action.this, *(action.args.get("tables") or ()), *action.expressions]
    found: set[str] = set()
    for one in named:
        if isinstance(one, exp.Schema | exp.Tuple | exp.Paren):
            inner = one.expressions or [one.this]
            found.update(word_of(column).lower() for column in inner)
        elif isinstance(one, exp.Table):
            found.update(part.lower() for part in parts_of(one)[-1:])
        elif isinstance(one, exp.Expr):
            found.add(word_of(one).lower())
    return frozenset(found)


def _retyped(definition: TableDefinition, action: exp.AlterColumn) -> TableDefinition:
    name = word_of(action.this).lower()
    kind = type_text(action.args.get("dtype"))
    nullable = action.args.get("allow_null")

    def change(one: ColumnDefinition) -> ColumnDefinition:
        if one.name.lower() != name:
            return one
        return replace(one, type=kind or one.type, nullable=one.nullable if nullable is None else bool(nullable))

    return replace(definition, columns=tuple(change(one) for one in definition.columns))
