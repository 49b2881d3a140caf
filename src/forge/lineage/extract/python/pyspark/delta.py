"""DeltaTable: merge, update, delete."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from forge.lineage.edge import IndirectType
from forge.lineage.extract.program import OutputKind
from forge.lineage.extract.python.cells import values_of
from forge.lineage.extract.python.library import Call, Handler, methods
from forge.lineage.extract.python.pyspark.column import expr_of
from forge.lineage.extract.python.pyspark.frame import SPARK, condition
from forge.lineage.extract.python.pyspark.sql import sql_expr
from forge.lineage.extract.python.values import (
    NONE,
    AbstractValue,
    DictOf,
    Expr,
    Frame,
    LibraryValue,
    Text,
    UnknownValue,
    known_text,
    what_is,
)
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import Relation, RelationColumn, joined
from forge.lineage.extract.sql.names import split_name
from forge.lineage.extract.value import ColumnValue, add
from forge.model.names import ColumnName


@dataclass(frozen=True, slots=True, eq=False)
class DeltaTable(LibraryValue):
    """`target`: the written table, by name or path."""

    kind: str
    target: AbstractValue
    is_path: bool
    relation: Relation
    alias: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class DeltaMerge(LibraryValue):
    kind: str
    delta: DeltaTable
    source: Frame
    on: Expr
    writes: tuple[tuple[AbstractValue | None, Mapping[str, Expr] | None], ...] = field(default=())
    """Of each branch its condition and what it sets; None: all columns of the source."""


def for_name(call: Call, world: World) -> AbstractValue:
    name = call.args[-1] if call.args else call.named.get("tableOrViewName", NONE)
    return DeltaTable("delta.table", name, False, world.read_table(call, name))


def for_path(call: Call, world: World) -> AbstractValue:
    path = call.arg(1, "path") or NONE
    return DeltaTable("delta.table", path, True, world.read_path(call, path))


def _to_frame(call: Call, world: World) -> AbstractValue:
    delta = call.receiver(DeltaTable)
    relation = delta.relation
    if delta.alias:
        relation = relation.with_columns(replace(one, owner=delta.alias) for one in relation.columns)
    return Frame(SPARK, relation, {delta.alias: relation} if delta.alias else {})


def _merge(call: Call, world: World) -> AbstractValue:
    delta, source = call.receiver(DeltaTable), call.arg(0, "source")
    if not isinstance(source, Frame):
        world.gap(call, f"the source of merge is not known: {what_is(source)}")
        return UnknownValue(call.written)
    return DeltaMerge("delta.merge", delta, source, condition(call.arg(1, "condition"), call, world))


def _branch(call: Call, world: World) -> AbstractValue:
    merge = call.receiver(DeltaMerge)
    if call.name.endswith("Delete"):
        return replace(merge, writes=(*merge.writes, (call.arg(0, "condition"), {})))
    if call.name.endswith("All"):
        return replace(merge, writes=(*merge.writes, (call.arg(0, "condition"), None)))
    given, test = _given("values" if "Insert" in call.name else "set", call)
    return replace(merge, writes=(*merge.writes, (test, _assignments(given, call, world))))


def _given(name: str, call: Call) -> tuple[AbstractValue | None, AbstractValue | None]:
    """What is set and under which condition, in any order."""
    given, test = call.named.get(name), call.named.get("condition")
    for one in call.args:
        if isinstance(one, DictOf):
            given = one
        else:
            test = one
    return given, test


def _assignments(given: AbstractValue | None, call: Call, world: World) -> dict[str, Expr]:
    if not isinstance(given, DictOf):
        world.gap(call, f"what {call.name} sets is not known: {what_is(given)}")
        return {}
    if given.open:
        world.gap(call, f"not all columns that {call.name} sets are known")
    found = {}
    for key, one in given.items.items():
        name = split_name(str(key))[-1]
        found[name] = sql_expr(one, call, world) if isinstance(one, Text) else expr_of(one, call, world)
    return found


def _execute(call: Call, world: World) -> AbstractValue:
    merge = call.receiver(DeltaMerge)
    delta, source = merge.delta, merge.source
    mine = delta.relation.with_columns(replace(one, owner=delta.alias) for one in delta.relation.columns)
    both = Frame(
        SPARK, joined(mine, source.relation), {**({delta.alias: mine} if delta.alias else {}), **source.aliases}
    )
    columns: dict[str, ColumnValue] = {}
    shaped = set(source.relation.shaped)
    _shape(shaped, merge.on, both, IndirectType.JOIN)
    open_: tuple[str, ...] = ()
    for test, sets in merge.writes:
        if test is not None and test != NONE:
            _shape(shaped, condition(test, call, world), both, IndirectType.FILTER)
        if sets is None:
            open_ = source.relation.open
            for column in source.relation.columns:
                _put(columns, column.name, column.value)
        for name, expr in (sets or {}).items():
            for value in values_of([expr.make(both)])[:1]:
                _put(columns, name, value)
    target = delta.relation.reads
    relation = Relation(
        tuple(RelationColumn(name, value) for name, value in columns.items()),
        open_, frozenset(), frozenset(shaped), source.relation.reads - target,
    )  # fmt: skip
    made = OutputKind.FILE if delta.is_path else OutputKind.TABLE
    world.write_table(call, delta.target, relation, whole=False, made=made)
    return NONE


def _shape(shaped: set[tuple[ColumnName, IndirectType]], expr: Expr, frame: Frame, subtype: IndirectType) -> None:
    cells = expr.make(frame)
    shaped |= {(source, subtype) for value in values_of([cells]) for source in value.sources}


def _put(columns: dict[str, ColumnValue], name: str, value: ColumnValue) -> None:
    known = next((one for one in columns if one.lower() == name.lower()), None)
    if known is None:
        columns[name] = value
        return
    found = dict(columns[known].sources)
    for source, trace in value.sources.items():
        add(found, source, trace)
    columns[known] = ColumnValue(found)


def _update(call: Call, world: World) -> AbstractValue:
    delta = call.receiver(DeltaTable)
    given, test = _given("set", call)
    _write_own(delta, _assignments(given, call, world), test, call, world)
    return NONE


def _delete(call: Call, world: World) -> AbstractValue:
    delta = call.receiver(DeltaTable)
    _write_own(delta, {}, call.arg(0, "condition"), call, world)
    return NONE


def _write_own(
    delta: DeltaTable, sets: Mapping[str, Expr], test: AbstractValue | None, call: Call, world: World
) -> None:
    """What changes rows of a table by the rows themselves."""
    frame = Frame(SPARK, delta.relation, {delta.alias: delta.relation} if delta.alias else {})
    shaped: set[tuple[ColumnName, IndirectType]] = set()
    if test is not None and test != NONE:
        _shape(shaped, condition(test, call, world), frame, IndirectType.FILTER)
    columns = tuple(
        RelationColumn(name, value) for name, one in sets.items() for value in values_of([one.make(frame)])[:1]
    )
    relation = Relation(columns, (), frozenset(), frozenset(shaped), frozenset())
    made = OutputKind.FILE if delta.is_path else OutputKind.TABLE
    world.write_table(call, delta.target, relation, whole=False, made=made)


@dataclass(frozen=True, slots=True, eq=False)
class DeltaMergeBranch(LibraryValue):
    """`whenMatched(…)` of df.mergeInto, before its action."""

    kind: str
    merge: DeltaMerge
    test: AbstractValue | None


def merge_into(call: Call, world: World) -> AbstractValue:
    """`df.mergeInto("t", condition)`: the table is known by its own name in it."""
    name = call.arg(0, "table") or NONE
    alias = known_text(name) or ""
    delta = DeltaTable("delta.table", name, False, world.read_table(call, name), alias)
    return DeltaMerge("pyspark.merge", delta, call.frame, condition(call.arg(1, "condition"), call, world))


def _when(call: Call, world: World) -> AbstractValue:
    return DeltaMergeBranch("pyspark.merge.branch", call.receiver(DeltaMerge), call.arg(0, "condition"))


def _then(call: Call, world: World) -> AbstractValue:
    branch = call.receiver(DeltaMergeBranch)
    sets: Mapping[str, Expr] | None = {}
    if call.name.endswith("All"):
        sets = None
    elif call.name != "delete":
        sets = _assignments(call.arg(0, "assignments"), call, world)
    return replace(branch.merge, writes=(*branch.merge.writes, (branch.test, sets)))


INTO_METHODS: dict[str, Handler] = {
    "merge": _execute,
    "withSchemaEvolution": lambda call, world: call.receiver(DeltaMerge),
    **methods(_when, ("whenMatched", "whenNotMatched", "whenNotMatchedBySource")),
}
BRANCH_METHODS: dict[str, Handler] = methods(_then, ("update", "updateAll", "insert", "insertAll", "delete"))
DELTA_METHODS: dict[str, Handler] = {
    "alias": lambda call, world: replace(call.receiver(DeltaTable), alias=call.text(0, "aliasName") or ""),
    "toDF": _to_frame,
    "merge": _merge,
    "update": _update,
    "updateExpr": _update,
    "delete": _delete,
}
MERGE_METHODS: dict[str, Handler] = {
    "execute": _execute,
    **methods(
        _branch,
        (
            "whenMatchedUpdate", "whenMatchedUpdateAll", "whenMatchedDelete", "whenNotMatchedInsert",
            "whenNotMatchedInsertAll", "whenNotMatchedBySourceUpdate", "whenNotMatchedBySourceDelete",
        ),
    ),
    "withSchemaEvolution": lambda call, world: call.receiver(DeltaMerge),
}  # fmt: skip
