"""Methods of polars frames, eager and lazy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.python.cells import (
    absorbing,
    combined,
    renamed,
    shaped_by,
    values_of,
    with_column,
    without_columns,
)
from forge.lineage.extract.python.frame_columns import (
    REST,
    blurred,
    changed_name,
    column,
    column_value,
    has_all,
    respelled,
)
from forge.lineage.extract.python.library import Call, Handler
from forge.lineage.extract.python.polars.expr import FRAME, fixed, given, listed, of
from forge.lineage.extract.python.polars.functions import conditions
from forge.lineage.extract.python.values import (
    AbstractValue,
    BoundFunction,
    Cells,
    DictOf,
    Expr,
    Frame,
    FunctionValue,
    LibraryValue,
    ListOf,
    NativeFunction,
    SliceValue,
    UnknownValue,
    known_text,
    names_in,
    number_in,
    text,
    texts,
    what_is,
)
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import Relation, RelationColumn
from forge.lineage.extract.value import NOTHING


def copied(frame: Frame, relation: Relation | None = None) -> Frame:
    return Frame(FRAME, frame.relation if relation is None else relation, extra=frame.extra)


def same(call: Call, world: World) -> AbstractValue:
    return copied(call.frame)


def made_of(frame: Frame, cells: Sequence[Cells]) -> Frame:
    """Only the columns that were named."""
    columns = tuple(replace(one, owner="") for cell in cells for one in cell.columns)
    relation = absorbing(replace(frame.relation, columns=columns, open=()), cells)
    extra = {key: value for key, value in frame.extra.items() if key != REST}
    return Frame(FRAME, relation, extra=extra)


def select(call: Call, world: World) -> AbstractValue:
    return made_of(call.frame, [one.make(call.frame) for one in given(call, world)])


def with_columns(call: Call, world: World) -> AbstractValue:
    """All of them see the columns as they were before."""
    frame = call.frame
    cells = [one.make(frame) for one in given(call, world)]
    relation = absorbing(frame.relation, cells)
    for cell in cells:
        for one in cell.columns:
            relation = with_column(relation, one.name, one.value)
    return copied(frame, relation)


def filter_rows(call: Call, world: World) -> AbstractValue:
    cells = [one.make(call.frame) for one in conditions(call, world)]
    return copied(call.frame, shaped_by(call.frame.relation, cells, IndirectType.FILTER))


def sort(call: Call, world: World) -> AbstractValue:
    start = 1 if call.name in {"top_k", "bottom_k"} else 0
    by = [*call.args[start:], *([call.named["by"]] if "by" in call.named else [])]
    cells = [one.make(call.frame) for one in listed(by, call, world)]
    return copied(call.frame, shaped_by(call.frame.relation, cells, IndirectType.SORT))


def unique(call: Call, world: World) -> AbstractValue:
    return _shaped_by_subset(call, world, IndirectType.GROUP_BY)


def drop_nulls(call: Call, world: World) -> AbstractValue:
    return _shaped_by_subset(call, world, IndirectType.FILTER)


def _shaped_by_subset(call: Call, world: World, subtype: IndirectType) -> AbstractValue:
    subset = call.arg(0, "subset")
    if subset is None:
        cells = [Cells((one,)) for one in call.frame.relation.columns]
    else:
        cells = [one.make(call.frame) for one in listed([subset], call, world)]
    return copied(call.frame, shaped_by(call.frame.relation, cells, subtype))


def rename(call: Call, world: World) -> AbstractValue:
    frame, how = call.frame, call.arg(0, "mapping")
    if isinstance(how, DictOf) and not how.open:
        pairs = [(str(old), name) for old, one in how.items.items() if (name := known_text(one)) is not None]
        if len(pairs) == len(how.items):
            there = [(old, name) for old, name in pairs if column_value(frame, old) is not None]
            return copied(frame, renamed(frame.relation, there))
    if has_all(frame) and changed_name(how, "") is not None:
        pairs = [(one.name, changed_name(how, one.name) or "") for one in frame.relation.columns]
        return copied(frame, renamed(frame.relation, pairs))
    if isinstance(how, FunctionValue | BoundFunction | NativeFunction) and has_all(frame):
        made = [(one.name, known_text(world.call(how, (text(one.name),), call))) for one in frame.relation.columns]
        if all(name is not None for _, name in made):
            return copied(frame, renamed(frame.relation, [(old, name or "") for old, name in made]))
    return respelled(frame, call, world, f"the new names of the columns are not known: they are {what_is(how)}")


def drop(call: Call, world: World) -> AbstractValue:
    frame = call.frame
    things = [*call.args, *([call.named["columns"]] if "columns" in call.named else [])]
    names: list[str] = []
    for thing in things:
        known = names_in(thing)
        if known is not None:
            names += known
        elif isinstance(thing, Expr):
            names += [one.name for one in thing.make(frame).columns]
        else:
            return blurred(frame, call, world, f"which columns are dropped is not known: it is {what_is(thing)}")
    return copied(frame, without_columns(frame.relation, names))


def each(step: Transformation) -> Handler:
    """`fill_null`, `cast`, `shift` of all columns."""

    def handler(call: Call, world: World) -> AbstractValue:
        frame, how = call.frame, call.arg(0, "dtypes")
        chosen = {str(name) for name in how.items} if isinstance(how, DictOf) else None
        columns = tuple(
            one
            if chosen is not None and one.name not in chosen
            else RelationColumn(one.name, combined((one.value,), step, call.written))
            for one in frame.relation.columns
        )
        return copied(frame, frame.relation.with_columns(columns))

    return handler


def with_row_index(call: Call, world: World) -> AbstractValue:
    name = call.text(0, "name") or ("row_nr" if call.name == "with_row_count" else "index")
    relation = call.frame.relation
    return copied(call.frame, relation.with_columns((RelationColumn(name, NOTHING), *relation.columns)))


# Columns taken out


def item(call: Call, world: World) -> AbstractValue:
    """`df["a"]`, `df[["a", "b"]]`, `df[1:3]`, `df[:, "a"]`."""
    frame, key = call.frame, call.args[0]
    if isinstance(key, ListOf) and key.form == "tuple" and len(key.items) == 2:
        key = key.items[1]
    name = known_text(key)
    if name is not None:
        return fixed((RelationColumn(name, column(frame, name, call, world)),), frame)
    if isinstance(key, SliceValue) or number_in(key) is not None:
        return copied(frame)
    names = names_in(key)
    if names is not None:
        return made_of(frame, [Cells((RelationColumn(one, column(frame, one, call, world)),)) for one in names])
    if isinstance(key, Expr):
        return copied(frame, shaped_by(frame.relation, [key.make(frame)], IndirectType.FILTER))
    return blurred(frame, call, world, f"what {call.written} takes is not known: it is {what_is(key)}")


def get_column(call: Call, world: World) -> AbstractValue:
    name = call.text(0, "name")
    if name is None:
        return blurred(call.frame, call, world, f"which column is taken is not known: it is {what_is(call.arg(0))}")
    return fixed((RelationColumn(name, column(call.frame, name, call, world)),), call.frame)


def to_series(call: Call, world: World) -> AbstractValue:
    place = number_in(call.arg(0, "index")) or 0
    columns = call.frame.relation.columns
    return fixed(columns[place : place + 1], call.frame) if columns else UnknownValue(call.written)


def set_item(call: Call, world: World) -> AbstractValue:
    key, value = call.args
    name = known_text(key)
    if name is not None:
        cells = of(value, call, world, texts=False).make(call.frame)
        relation = absorbing(call.frame.relation, [cells])
        made = combined(values_of([cells]), Transformation.IDENTITY, "")
        world.update(call.frame, with_column(relation, name, made))
    return UnknownValue(call.written)


def attribute(call: Call, world: World) -> AbstractValue | None:
    frame = call.frame
    if call.name in {"columns", "schema", "dtypes"}:
        if call.name == "dtypes":
            return UnknownValue(call.written)
        found = texts(one.name for one in frame.relation.columns)
        found.open = not has_all(frame)
        return found
    if call.name in {"height", "width", "shape", "flags"}:
        return UnknownValue(call.written)
    return None


def column_names(call: Call, world: World) -> AbstractValue:
    """`collect_schema()`, with `.names()`."""
    found = texts(one.name for one in call.frame.relation.columns)
    found.open = not has_all(call.frame)
    return PolarsSchema(found)


SCHEMA = "polars.schema"


@dataclass(frozen=True, slots=True, eq=False)
class PolarsSchema(LibraryValue):
    names: ListOf
    kind: str = SCHEMA


def schema_names(call: Call, world: World) -> AbstractValue:
    return call.receiver(PolarsSchema).names


def pipe(call: Call, world: World) -> AbstractValue:
    function = call.arg(0, "function")
    named = {key: value for key, value in call.named.items() if key != "function"}
    return (
        UnknownValue(call.written)
        if function is None
        else world.call(function, (call.frame, *call.args[1:]), call, named)
    )


def opaque_rows(call: Call, world: World) -> AbstractValue:
    """`map_batches`, `map_rows`: f gets the frame. Where it can be read, so can the result."""
    function = call.arg(0, "function")
    if isinstance(function, FunctionValue | BoundFunction) and call.name in {"map_batches", "map"}:
        result = world.call(function, (copied(call.frame),), call)
        if isinstance(result, Frame):
            return result
    return blurred(call.frame, call, world, f"what {call.name} does with the rows cannot be read")


def otherwise(call: Call, world: World) -> AbstractValue:
    return blurred(call.frame, call, world, f"the method {call.name} of a polars frame is not known here")


def nothing(call: Call, world: World) -> AbstractValue:
    return UnknownValue(call.written)
