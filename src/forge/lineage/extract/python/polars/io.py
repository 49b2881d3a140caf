"""Readers and writers of polars; SQL over frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from forge.lineage.extract.python.cells import with_column
from forge.lineage.extract.python.frame_columns import to_write
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.polars.expr import FRAME, of
from forge.lineage.extract.python.polars.selectors import TYPES, type_word
from forge.lineage.extract.python.values import (
    NONE,
    AbstractValue,
    Const,
    DictOf,
    Expr,
    Frame,
    LibraryValue,
    ListOf,
    UnknownValue,
    items_of,
    known_text,
    names_in,
    truth_of,
    what_is,
)
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import Relation, RelationColumn
from forge.lineage.extract.value import NOTHING
from forge.model.word_list import words

CONTEXT = "polars.context"
READERS = words("csv parquet ipc ipc_stream json ndjson avro excel ods delta iceberg pyarrow_dataset lines")
WRITERS = words("csv parquet ipc ipc_stream json ndjson avro excel delta iceberg clipboard")


def read_file(call: Call, world: World) -> AbstractValue:
    path = call.first("source", "file", "path", "table")
    schema = call.named.get("schema")
    columns = names_in(call.named.get("new_columns")) or names_in(call.named.get("columns"))
    if columns is None and isinstance(schema, DictOf | ListOf):
        columns = names_in(schema)
    relation = world.read_path(call, path, columns)
    extra: dict[str, object] = {}
    for name in ("schema", "schema_overrides", "dtypes"):
        types = call.named.get(name)
        if isinstance(types, DictOf):
            extra[TYPES] = {str(key): type_word(one) or "" for key, one in types.items.items()}
    number = call.text(99, "row_index_name")
    if number is not None:
        relation = relation.with_columns((RelationColumn(number, NOTHING), *relation.columns))
    return Frame(FRAME, relation, extra=extra)


def read_database(call: Call, world: World) -> AbstractValue:
    relation = world.read_sql(call, call.arg(0, "query"))
    return Frame(FRAME, relation if relation is not None else world.lost(call, "query"))


def write_database(call: Call, world: World) -> AbstractValue:
    whole = (call.text(99, "if_table_exists") or call.text(99, "if_exists") or "fail") != "append"
    world.write_table(call, call.arg(0, "table_name"), to_write(call.frame, call, world), whole=whole)
    return NONE


def write_file(call: Call, world: World) -> AbstractValue:
    path = call.first("file", "path", "target", "workbook")
    if path is None or path == NONE:
        return UnknownValue(call.written)
    whole = known_text(call.named.get("mode")) != "append"
    world.write_path(call, path, to_write(call.frame, call, world), whole=whole)
    return NONE


# Made in the program


def data_frame(call: Call, world: World) -> AbstractValue:
    data, schema = call.arg(0, "data"), call.arg(1, "schema")
    wanted = names_in(schema) if isinstance(schema, DictOf | ListOf) else None
    if isinstance(data, Frame):
        return Frame(FRAME, data.relation, extra=_clean(data.extra))
    if isinstance(data, DictOf):
        return _of_columns(data, call, world)
    rows = items_of(data)
    if rows is not None and rows and all(isinstance(one, DictOf) for one in rows):
        names = dict.fromkeys(str(key) for row in rows if isinstance(row, DictOf) for key in row.items)
        return Frame(FRAME, world.made_here(tuple(names)))
    if isinstance(data, ListOf) and (data.open or any(isinstance(one, UnknownValue) for one in data.items)):
        world.gap(call, "not all rows of this frame are known")
    if isinstance(data, ListOf | Const) or data is None:
        return Frame(FRAME, world.made_here(wanted or ()))
    world.gap(call, f"the rows of this frame come from {what_is(data)}, which is not known")
    return Frame(FRAME, world.made_here(wanted) if wanted is not None else world.lost(call, "rows"))


def _clean(extra: Mapping[str, object]) -> dict[str, object]:
    """Of a pandas frame, without its index."""
    return {key: value for key, value in extra.items() if key not in {"index", "levels", "totals"}}


def _of_columns(data: DictOf, call: Call, world: World) -> Frame:
    if data.open:
        world.gap(call, "not all columns of this frame are known")
    frame = Frame(FRAME, Relation())
    relation = frame.relation
    for name, thing in data.items.items():
        cells = of(thing, call, world, texts=False).make(frame) if isinstance(thing, Expr | Frame | ListOf) else None
        value = cells.columns[0].value if cells is not None and cells.columns else NOTHING
        relation = with_column(relation, str(name), value)
        if cells is not None:
            relation = replace(relation, shaped=relation.shaped | cells.shaped, reads=relation.reads | cells.reads)
    return Frame(FRAME, relation)


def from_other(call: Call, world: World) -> AbstractValue:
    """`pl.from_pandas(df)`, `pl.from_arrow(table)`."""
    data = call.arg(0, "data")
    if isinstance(data, Frame):
        return Frame(FRAME, data.relation, extra=_clean(data.extra))
    return data_frame(call, world)


def to_pandas(call: Call, world: World) -> AbstractValue:
    return Frame("pandas", call.frame.relation, extra={**call.frame.extra, "index": ()})


def collect_all(call: Call, world: World) -> AbstractValue:
    return call.arg(0, "lazy_frames") or UnknownValue(call.written)


# SQL


@dataclass(slots=True, eq=False)
class PolarsSqlContext(LibraryValue):
    """`pl.SQLContext`: frames by table name."""

    frames: dict[str, Frame] = field(default_factory=dict)
    kind: str = CONTEXT


def context(call: Call, world: World) -> AbstractValue:
    made = PolarsSqlContext()
    _take(made, call, world)
    return made


def _take(into: PolarsSqlContext, call: Call, world: World) -> None:
    given = call.arg(0, "frames")
    pairs = {str(name): one for name, one in given.items.items()} if isinstance(given, DictOf) else {}
    for name, one in {**pairs, **call.named}.items():
        if isinstance(one, Frame):
            into.frames[name] = one
        elif name not in {"eager", "register_globals", "eager_execution"}:
            world.gap(call, f"the frame {name} for SQL is not known: it is {what_is(one)}")
            into.frames[name] = Frame(FRAME, world.lost(call, name))
    if truth_of(call.named.get("register_globals")):
        into.frames.update({name: one for name, one in world.variables().items() if isinstance(one, Frame)})


def register(call: Call, world: World) -> AbstractValue:
    receiver = call.receiver(PolarsSqlContext)
    if call.name == "register_many":
        _take(receiver, call, world)
        return receiver
    if call.name == "register_globals":
        receiver.frames.update({name: one for name, one in world.variables().items() if isinstance(one, Frame)})
        return receiver
    name, frame = call.text(0, "name"), call.arg(1, "frame")
    if name is not None and isinstance(frame, Frame):
        receiver.frames[name] = frame
    else:
        world.gap(call, "what is registered for SQL is not known")
    return receiver


def execute(call: Call, world: World) -> AbstractValue:
    frames = call.receiver(PolarsSqlContext).frames
    return _run(call, world, call.arg(0, "query"), {name: one.relation for name, one in frames.items()})


def frame_sql(call: Call, world: World) -> AbstractValue:
    name = call.text(99, "table_name") or "self"
    return _run(call, world, call.arg(0, "query"), {name: call.frame.relation, "self": call.frame.relation})


def sql(call: Call, world: World) -> AbstractValue:
    """`pl.sql(…)`: names are those of variables."""
    frames = {name: one.relation for name, one in world.variables().items() if isinstance(one, Frame)}
    return _run(call, world, call.arg(0, "query"), frames)


def _run(call: Call, world: World, query: AbstractValue | None, frames: Mapping[str, Relation]) -> AbstractValue:
    relation = world.read_sql(call, query, frames)
    return Frame(FRAME, relation if relation is not None else world.lost(call, "query"))
