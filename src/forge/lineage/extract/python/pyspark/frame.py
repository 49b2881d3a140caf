"""DataFrame transformations of PySpark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.python.cells import (
    absorbing,
    combined,
    renamed,
    shaped_by,
    with_column,
    without_columns,
)
from forge.lineage.extract.python.library import Call, Handler, methods
from forge.lineage.extract.python.pyspark.column import COLUMN, expr_of, exprs_of
from forge.lineage.extract.python.pyspark.join import cross_join, join
from forge.lineage.extract.python.pyspark.name import rebound
from forge.lineage.extract.python.pyspark.schema import NUMBERS
from forge.lineage.extract.python.pyspark.sql import sql_expr
from forge.lineage.extract.python.values import (
    AbstractValue,
    Cells,
    Const,
    DictOf,
    Expr,
    Frame,
    ListOf,
    Text,
    UnknownValue,
    items_of,
    known_text,
    names_in,
    what_is,
)
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import Relation, RelationColumn, stacked, stacked_by_name
from forge.lineage.extract.sql.context import type_of_value
from forge.lineage.extract.sql.star import matching
from forge.lineage.extract.value import union

SPARK = "pyspark"


def derived(frame: Frame, relation: Relation) -> Frame:
    """The same rows, or some of them: what may be written before columns stays."""
    return Frame(SPARK, relation, frame.aliases, frame.extra)


def selected(frame: Frame, exprs: Sequence[Expr], *, rest: bool = False) -> Frame:
    """`rest`: further, unknown columns are selected."""
    cells = [one.make(frame) for one in exprs]
    relation = frame.relation
    columns = tuple(column for one in cells for column in one.columns)
    star = rest or any(one.step == "*" for one in exprs)
    gone = frozenset(column.name.lower() for column in columns) | relation.without
    found = Relation(
        columns, relation.open if star else (), gone if star else frozenset(), relation.shaped, relation.reads
    )
    return derived(frame, absorbing(found, cells))


def _select(call: Call, world: World) -> AbstractValue:
    rest = call.open or any(isinstance(one, ListOf) and one.open for one in call.args)
    return selected(call.frame, exprs_of(call.args, call, world), rest=rest)


def _select_expr(call: Call, world: World) -> AbstractValue:
    things: list[AbstractValue] = []
    for one in call.args:
        things.extend(one.items if isinstance(one, ListOf) else [one])
    if call.open or any(isinstance(one, ListOf) and one.open for one in call.args):
        world.gap(call, "not all columns of selectExpr are known")
    return selected(call.frame, [sql_expr(one, call, world) for one in things])


def _with_column(call: Call, world: World) -> AbstractValue:
    name = world.name(call, call.arg(0, "colName"), "column")
    if name is None:
        return call.frame
    return with_exprs(call.frame, [(name, expr_of(call.arg(1, "col"), call, world))])


def with_exprs(frame: Frame, pairs: Iterable[tuple[str, Expr]]) -> Frame:
    """All are computed from the frame as it was."""
    relation = frame.relation
    made = [(name, expr.make(frame)) for name, expr in pairs]
    for name, cells in made:
        for column in cells.columns[:1]:
            relation = with_column(relation, name, column.value)
    return derived(frame, absorbing(relation, [cells for _, cells in made]))


def _with_columns(call: Call, world: World) -> AbstractValue:
    given = call.arg(0, "colsMap")
    if not isinstance(given, DictOf):
        world.gap(call, f"the columns of withColumns are not known: {what_is(given)}")
        return call.frame
    if given.open:
        world.gap(call, "not all columns of withColumns are known")
    return with_exprs(call.frame, [(str(key), expr_of(one, call, world)) for key, one in given.items.items()])


def _rename(call: Call, world: World) -> AbstractValue:
    old, new = call.text(0, "existing"), call.text(1, "new")
    if old is None or new is None:
        world.gap(call, "the names of withColumnRenamed are not known")
        return call.frame
    return rename_columns(call.frame, [(old, new)], world)


def _rename_many(call: Call, world: World) -> AbstractValue:
    given = call.arg(0, "colsMap")
    if not isinstance(given, DictOf) or given.open:
        world.gap(call, f"the names of withColumnsRenamed are not known: {what_is(given)}")
        return call.frame
    pairs = [(str(old), name) for old, one in given.items.items() if (name := known_text(one)) is not None]
    return rename_columns(call.frame, pairs, world)


def rename_columns(frame: Frame, pairs: Sequence[tuple[str, str]], world: World) -> Frame:
    for table in frame.relation.open:
        world.needs(table)
    return derived(frame, renamed(frame.relation, pairs))


def _to_df(call: Call, world: World) -> AbstractValue:
    names: list[str] = []
    for one in call.args:
        names.extend(names_in(one) or ())
    relation = call.frame.relation
    if not call.args:
        return call.frame
    if relation.open or len(names) != len(relation.columns):
        for table in relation.open:
            world.needs(table)
        world.gap(call, "toDF names columns by their place, but the columns before it are not all known")
        return Frame(SPARK, Relation(world.made_here(names).columns, (), frozenset(), relation.shaped, relation.reads))
    columns = tuple(RelationColumn(name, one.value) for name, one in zip(names, relation.columns, strict=True))
    return derived(call.frame, relation.with_columns(columns))


def _drop(call: Call, world: World) -> AbstractValue:
    frame, relation = call.frame, call.frame.relation
    things: list[AbstractValue] = []
    for one in call.args:
        things.extend(one.items if isinstance(one, ListOf) else [one])
    for thing in things:
        if isinstance(thing, Expr) and thing.frame is not None:
            (column, *_) = (*thing.make(frame).columns, None)
            if column is not None:
                here = rebound(column, frame, world)
                kept = [one for one in relation.columns if one.value is not here.value]
                if len(kept) < len(relation.columns):
                    relation = relation.with_columns(kept)
                    continue
        name = thing.text if isinstance(thing, Expr) else known_text(thing)
        if name is None:
            world.gap(call, "what drop takes away is not known")
        else:
            relation = without_columns(relation, [name])
    if call.open or any(isinstance(one, ListOf) and one.open for one in call.args):
        world.gap(call, "what drop takes away is not known")
    return derived(frame, relation)


def condition(thing: AbstractValue | None, call: Call, world: World) -> Expr:
    """Text is SQL here."""
    return sql_expr(thing, call, world) if isinstance(thing, Text) else expr_of(thing, call, world)


def _filter(call: Call, world: World) -> AbstractValue:
    cells = condition(call.arg(0, "condition"), call, world).make(call.frame)
    return derived(call.frame, shaped_by(call.frame.relation, [cells], IndirectType.FILTER))


def _shaped(call: Call, world: World, subtype: IndirectType) -> Frame:
    cells = [one.make(call.frame) for one in exprs_of(call.args, call, world)]
    return derived(call.frame, shaped_by(call.frame.relation, cells, subtype))


def _distinct(call: Call, world: World) -> AbstractValue:
    """By all columns, or by those that are named."""
    relation = call.frame.relation
    subset = call.arg(0, "subset")
    if subset is not None and call.name != "distinct":
        cells = [one.make(call.frame) for one in exprs_of([subset], call, world)]
    else:
        cells = [Cells(relation.columns)]
    return derived(call.frame, shaped_by(relation, cells, IndirectType.GROUP_BY))


def _alias(call: Call, world: World) -> AbstractValue:
    name = call.text(0, "alias")
    if name is None:
        return call.frame
    relation = call.frame.relation
    owned = relation.with_columns(replace(column, owner=name) for column in relation.columns)
    return Frame(SPARK, owned, {name: owned}, call.frame.extra)


def _other(call: Call, world: World) -> Frame | None:
    other = call.arg(0, "other")
    if isinstance(other, Frame):
        return other
    world.gap(call, f"the other side of {call.name} is not known: {what_is(other)}")
    return None


def _union(call: Call, world: World) -> AbstractValue:
    other = _other(call, world)
    if other is None:
        return call.frame
    by_name = call.name == "unionByName"
    sides = (call.frame.relation, other.relation)
    if not by_name and any(one.open for one in sides) and any(one.columns for one in sides):
        # Some are known by name only, so positions are unknown.
        by_name = True
    relation = (stacked_by_name if by_name else stacked)(sides)
    # Each of the open relations has every column.
    return Frame(SPARK, relation, {}, {"stacked": True} if len(relation.open) > 1 else {})


def _intersect(call: Call, world: World) -> AbstractValue:
    other = _other(call, world)
    return call.frame if other is None else Frame(SPARK, stacked((call.frame.relation, other.relation)))


def _except(call: Call, world: World) -> AbstractValue:
    other = _other(call, world)
    if other is None:
        return call.frame
    relation = shaped_by(call.frame.relation, [Cells(other.relation.columns)], IndirectType.FILTER)
    behind = other.relation
    return derived(
        call.frame, replace(relation, shaped=relation.shaped | behind.shaped, reads=relation.reads | behind.reads)
    )


def _transform(call: Call, world: World) -> AbstractValue:
    function = call.arg(0, "func")
    if function is None:
        return call.frame
    return world.call(function, (call.frame, *call.rest(1)), call, {k: v for k, v in call.named.items() if k != "func"})


def fill(call: Call, world: World) -> AbstractValue:
    """fillna, na.fill, replace: a value may be put in the place of another."""
    frame = call.frame
    given = call.arg(0, "value")
    subset = call.arg(1 if call.name != "replace" else 2, "subset")
    names = names_in(given) if isinstance(given, DictOf) and call.name != "replace" else names_in(subset)
    wanted = {name.lower() for name in names} if names is not None else None
    columns = []
    for column in frame.relation.columns:
        touched = _may_fill(column, given, world) if wanted is None else column.name.lower() in wanted
        value = combined([column.value], Transformation.CONDITIONAL, call.written) if touched else column.value
        columns.append(replace(column, value=value))
    relation = frame.relation.with_columns(columns)
    for name in names or ():
        if not relation.find(name) and relation.open and (source := relation.value(name)) is not None:
            relation = with_column(relation, name, combined([source], Transformation.CONDITIONAL, call.written))
    return derived(frame, relation)


def _may_fill(column: RelationColumn, given: AbstractValue | None, world: World) -> bool:
    """A number is filled in only where there are numbers, a text where there are texts, as far as types are known."""
    type_ = type_of_value(column.value, world.here())
    if not type_ or isinstance(given, DictOf | ListOf):
        return True
    if isinstance(given, Text):
        return type_.lower().startswith(("string", "varchar", "char"))
    if isinstance(given, Const) and isinstance(given.value, bool):
        return type_.lower() == "boolean"
    return NUMBERS.match(type_) is not None


def drop_null(call: Call, world: World) -> AbstractValue:
    frame = call.frame
    subset = call.named.get("subset") or call.arg(2)
    cells = [Cells(frame.relation.columns)]
    if subset is not None:
        cells = [one.make(frame) for one in exprs_of([subset], call, world)]
    return derived(frame, shaped_by(frame.relation, cells, IndirectType.FILTER))


def unpivot(call: Call, world: World) -> AbstractValue:
    """melt: columns become rows."""
    frame = call.frame
    ids = exprs_of([one for one in (call.arg(0, "ids"),) if one is not None], call, world)
    values = call.arg(1, "values")
    given = items_of(values)
    kept = [one.make(frame) for one in ids]
    if given is None:
        names = {column.name.lower() for one in kept for column in one.columns}
        taken = [Cells(tuple(one for one in frame.relation.columns if one.name.lower() not in names))]
    else:
        taken = [one.make(frame) for one in exprs_of(given, call, world)]
    name, value = call.text(2, "variableColumnName"), call.text(3, "valueColumnName")
    together = union(column.value for one in taken for column in one.columns)
    columns = [column for one in kept for column in one.columns]
    columns += [*world.made_here([name or "variable"]).columns, RelationColumn(value or "value", together)]
    return Frame(SPARK, Relation(tuple(columns), (), frozenset(), frame.relation.shaped, frame.relation.reads))


def _by_pattern(call: Call, world: World) -> AbstractValue:
    """``df.select(df.colRegex("`a.*`"))``: known only where the columns are."""
    name = call.text(0, "colName")
    relation = call.frame.relation
    found = None if name is None or relation.open else matching(name.strip("`"), relation.columns)
    if found is None:
        world.gap(call, "the columns that are chosen by a pattern are not known")
        return UnknownValue(call.written)
    return Expr(COLUMN, lambda frame: Cells(tuple(rebound(one, frame, world) for one in found)), call.written)


FRAME_METHODS: dict[str, Handler] = {
    "select": _select,
    "selectExpr": _select_expr,
    "withColumn": _with_column,
    "withColumns": _with_columns,
    "withColumnRenamed": _rename,
    "withColumnsRenamed": _rename_many,
    "toDF": _to_df,
    "drop": _drop,
    "filter": _filter,
    "where": _filter,
    "join": join,
    "crossJoin": cross_join,
    "alias": _alias,
    "transform": _transform,
    "colRegex": _by_pattern,
    "fillna": fill,
    "replace": fill,
    "dropna": drop_null,
    "unpivot": unpivot,
    "melt": unpivot,
    **methods(lambda call, world: _shaped(call, world, IndirectType.SORT), ("orderBy", "sort", "sortWithinPartitions")),
    **methods(_distinct, ("distinct", "dropDuplicates", "drop_duplicates", "dropDuplicatesWithinWatermark")),
    **methods(_union, ("union", "unionAll", "unionByName")),
    **methods(_intersect, ("intersect", "intersectAll")),
    **methods(_except, ("subtract", "exceptAll", "except_")),
    **methods(
        lambda call, world: call.frame,
        (
            "cache", "persist", "unpersist", "checkpoint", "localCheckpoint", "repartition", "repartitionByRange",
            "coalesce", "hint", "limit", "offset", "sample", "sampleBy", "withWatermark", "observe", "withMetadata",
            "to", "asTable", "lateralCache",
        ),
    ),
}  # fmt: skip
