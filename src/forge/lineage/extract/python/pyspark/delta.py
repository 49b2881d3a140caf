"""DeltaTable: merge, update, delete."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from forge.lineage.edge import Indirect
from forge.lineage.extract.program import Made
from forge.lineage.extract.python.cells import values_of
from forge.lineage.extract.python.library import Call, Handler, methods
from forge.lineage.extract.python.pyspark.column import expr_of
from forge.lineage.extract.python.pyspark.frame import SPARK, condition
from forge.lineage.extract.python.pyspark.sql import sql_expr
from forge.lineage.extract.python.reading import World
from forge.lineage.extract.python.values import (
    NONE,
    DictOf,
    Expr,
    Frame,
    Modelled,
    Text,
    Thing,
    Unknown,
    known_text,
    what_is,
)
from forge.lineage.extract.relation import Column, Relation, joined
from forge.lineage.extract.sql.names import split_name
from forge.lineage.extract.value import Value, add
from forge.model.names import ColumnName


@dataclass(frozen=True, slots=True, eq=False)
class Delta(Modelled):
    """`target`: what is written, by name or by path."""

    kind: str
    target: Thing
    is_path: bool
    relation: Relation
    alias: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Merge(Modelled):
    kind: str
    delta: Delta
    source: Frame
    on: Expr
    writes: tuple[tuple[Thing | None, Mapping[str, Expr] | None], ...] = field(default=())
    """Of each branch its condition and what it sets; None: all columns of the source."""


def for_name(call: Call, world: World) -> Thing:
    name = call.args[-1] if call.args else call.named.get("tableOrViewName", NONE)
    return Delta("delta.table", name, False, world.read_table(call, name))


def for_path(call: Call, world: World) -> Thing:
    path = call.arg(1, "path") or NONE
    return Delta("delta.table", path, True, world.read_path(call, path))


def _alias(call: Call, world: World) -> Thing:
    return replace(call.receiver(Delta), alias=call.text(0, "aliasName") or "")


def _to_frame(call: Call, world: World) -> Thing:
    delta = call.receiver(Delta)
    relation = delta.relation
    if delta.alias:
        relation = relation.with_columns(replace(one, owner=delta.alias) for one in relation.columns)
    return Frame(SPARK, relation, {delta.alias: relation} if delta.alias else {})


def _merge(call: Call, world: World) -> Thing:
    delta, source = call.receiver(Delta), call.arg(0, "source")
    if not isinstance(source, Frame):
        world.gap(call, f"the source of merge is not known: {what_is(source)}")
        return Unknown(call.written)
    return Merge("delta.merge", delta, source, condition(call.arg(1, "condition"), call, world))


def _branch(call: Call, world: World) -> Thing:
    merge = call.receiver(Merge)
    if call.name.endswith("Delete"):
        return replace(merge, writes=(*merge.writes, (call.arg(0, "condition"), {})))
    if call.name.endswith("All"):
        return replace(merge, writes=(*merge.writes, (call.arg(0, "condition"), None)))
    name = "values" if "Insert" in call.name else "set"
    given, test = call.named.get(name), call.named.get("condition")
    for one in call.args:
        if isinstance(one, DictOf):
            given = one
        else:
            test = one
    return replace(merge, writes=(*merge.writes, (test, _assignments(given, call, world))))


def _assignments(given: Thing | None, call: Call, world: World) -> dict[str, Expr]:
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


def _execute(call: Call, world: World) -> Thing:
    merge = call.receiver(Merge)
    delta, source = merge.delta, merge.source
    mine = delta.relation.with_columns(replace(one, owner=delta.alias) for one in delta.relation.columns)
    both = Frame(
        SPARK, joined(mine, source.relation), {**({delta.alias: mine} if delta.alias else {}), **source.aliases}
    )
    columns: dict[str, Value] = {}
    shaped = set(source.relation.shaped)
    _shape(shaped, merge.on, both, Indirect.JOIN)
    open_: tuple[str, ...] = ()
    for test, sets in merge.writes:
        if test is not None and test != NONE:
            _shape(shaped, condition(test, call, world), both, Indirect.FILTER)
        if sets is None:
            open_ = source.relation.open
            for column in source.relation.columns:
                _put(columns, column.name, column.value)
        for name, expr in (sets or {}).items():
            for value in values_of([expr.make(both)])[:1]:
                _put(columns, name, value)
    target = delta.relation.reads
    relation = Relation(
        tuple(Column(name, value) for name, value in columns.items()),
        open_, frozenset(), frozenset(shaped), source.relation.reads - target,
    )  # fmt: skip
    made = Made.FILE if delta.is_path else Made.TABLE
    world.write_table(call, delta.target, relation, whole=False, made=made)
    return NONE


def _shape(shaped: set[tuple[ColumnName, Indirect]], expr: Expr, frame: Frame, way: Indirect) -> None:
    cells = expr.make(frame)
    shaped |= {(source, way) for value in values_of([cells]) for source in value.sources}


def _put(columns: dict[str, Value], name: str, value: Value) -> None:
    known = next((one for one in columns if one.lower() == name.lower()), None)
    if known is None:
        columns[name] = value
        return
    found = dict(columns[known].sources)
    for source, trace in value.sources.items():
        add(found, source, trace)
    columns[known] = Value(found)


def _update(call: Call, world: World) -> Thing:
    delta = call.receiver(Delta)
    given, test = call.named.get("set"), call.named.get("condition")
    for one in call.args:
        if isinstance(one, DictOf):
            given = one
        else:
            test = one
    frame = Frame(SPARK, delta.relation, {delta.alias: delta.relation} if delta.alias else {})
    sets = _assignments(given, call, world)
    _write_own(delta, frame, sets, test, call, world)
    return NONE


def _delete(call: Call, world: World) -> Thing:
    delta = call.receiver(Delta)
    frame = Frame(SPARK, delta.relation, {delta.alias: delta.relation} if delta.alias else {})
    _write_own(delta, frame, {}, call.arg(0, "condition"), call, world)
    return NONE


def _write_own(
    delta: Delta, frame: Frame, sets: Mapping[str, Expr], test: Thing | None, call: Call, world: World
) -> None:
    """What changes rows of a table by the rows themselves."""
    shaped: set[tuple[ColumnName, Indirect]] = set()
    if test is not None and test != NONE:
        _shape(shaped, condition(test, call, world), frame, Indirect.FILTER)
    columns = tuple(Column(name, value) for name, one in sets.items() for value in values_of([one.make(frame)])[:1])
    relation = Relation(columns, (), frozenset(), frozenset(shaped), frozenset())
    made = Made.FILE if delta.is_path else Made.TABLE
    world.write_table(call, delta.target, relation, whole=False, made=made)


@dataclass(frozen=True, slots=True, eq=False)
class Branch(Modelled):
    """`whenMatched(…)` of df.mergeInto, before it is said what happens."""

    kind: str
    merge: Merge
    test: Thing | None


def merge_into(call: Call, world: World) -> Thing:
    """`df.mergeInto("t", condition)`: the table is known by its own name in it."""
    name = call.arg(0, "table") or NONE
    alias = known_text(name) or ""
    delta = Delta("delta.table", name, False, world.read_table(call, name), alias)
    return Merge("pyspark.merge", delta, call.frame, condition(call.arg(1, "condition"), call, world))


def _when(call: Call, world: World) -> Thing:
    return Branch("pyspark.merge.branch", call.receiver(Merge), call.arg(0, "condition"))


def _then(call: Call, world: World) -> Thing:
    branch = call.receiver(Branch)
    sets: Mapping[str, Expr] | None = {}
    if call.name.endswith("All"):
        sets = None
    elif call.name != "delete":
        sets = _assignments(call.arg(0, "assignments"), call, world)
    return replace(branch.merge, writes=(*branch.merge.writes, (branch.test, sets)))


INTO_METHODS: dict[str, Handler] = {
    "merge": lambda call, world: _execute(call, world),
    "withSchemaEvolution": lambda call, world: call.receiver(Merge),
    **methods(_when, ("whenMatched", "whenNotMatched", "whenNotMatchedBySource")),
}
BRANCH_METHODS: dict[str, Handler] = methods(_then, ("update", "updateAll", "insert", "insertAll", "delete"))
DELTA_METHODS: dict[str, Handler] = {
    "alias": _alias,
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
    "withSchemaEvolution": lambda call, world: call.receiver(Merge),
}  # fmt: skip
