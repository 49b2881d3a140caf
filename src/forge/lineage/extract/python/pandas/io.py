"""Readers and writers of pandas."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from forge.lineage.extract.python.frame_columns import column, to_write
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.pandas.series import (
    FIELDS,
    FRAME,
    as_frame,
    data_columns,
    frames_in,
    value_of,
)
from forge.lineage.extract.python.values import (
    NONE,
    AbstractValue,
    Const,
    DictOf,
    Frame,
    LibraryValue,
    ListOf,
    Text,
    UnknownValue,
    items_of,
    known_text,
    list_of,
    names_in,
    text,
    truth_of,
    what_is,
)
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import Relation, RelationColumn
from forge.lineage.extract.value import NOTHING, ColumnValue, union
from forge.model.word_list import words

CHUNKS = "pandas.chunks"
_TABLE_NAME = re.compile(r"[\w\"`.\[\]-]+")


@dataclass(frozen=True, slots=True, eq=False)
class Chunks(LibraryValue):
    """A file read in chunks."""

    frame: Frame
    kind: str = CHUNKS


def chunks_iterate(call: Call, world: World) -> AbstractValue:
    return list_of([_copy(call.receiver(Chunks).frame)])


def chunks_otherwise(call: Call, world: World) -> AbstractValue:
    return _copy(call.receiver(Chunks).frame) if call.name in {"get_chunk", "read"} else call.receiver(Chunks)


def _copy(frame: Frame) -> Frame:
    return Frame(frame.kind, frame.relation, extra=frame.extra)


def _read(call: Call, world: World, relation: Relation) -> AbstractValue:
    """`index_col`, `chunksize` and what else all readers share."""
    index = names_in(call.named.get("index_col")) or ()
    frame = Frame(FRAME, relation, extra={"index": index})
    for name in index:
        if not relation.find(name):
            frame.relation = replace(
                frame.relation,
                columns=(RelationColumn(name, column(frame, name, call, world)), *frame.relation.columns),
            )
    parts = truth_of(call.named.get("chunksize", NONE)) is not False
    return Chunks(frame) if parts or truth_of(call.named.get("iterator")) else frame


def read_file(call: Call, world: World) -> AbstractValue:
    path = call.first("filepath_or_buffer", "path", "path_or_buf", "io")
    names, used = names_in(call.named.get("names")), names_in(call.named.get("usecols"))
    if names is None:
        names = names_in(call.arg(1, "columns") if "parquet" in call.name or "feather" in call.name else None)
        names = names if names is not None else names_in(call.named.get("columns"))
    if used is not None and names is not None:
        names = tuple(name for name in names if name in used)
    return _read(call, world, world.read_path(call, path, names if names is not None else used))


def read_sql_table(call: Call, world: World) -> AbstractValue:
    name = _full_name(call.arg(2, "schema"), call.arg(0, "table_name"))
    relation = world.read_table(call, name)
    chosen = names_in(call.arg(6, "columns"))
    if chosen is not None:
        frame = Frame(FRAME, relation)
        relation = relation.with_columns(RelationColumn(one, column(frame, one, call, world)) for one in chosen)
        relation = replace(relation, open=())
    return _read(call, world, relation)


def read_spark_table(call: Call, world: World) -> AbstractValue:
    """`pyspark.pandas.read_table(name)`: there it is a table, not a file."""
    return _read(call, world, world.read_table(call, call.arg(0, "name")))


def read_sql_query(call: Call, world: World) -> AbstractValue:
    query = call.arg(0, "sql")
    relation = world.read_sql(call, query)
    return _read(call, world, relation if relation is not None else world.lost(call, "query"))


def read_sql(call: Call, world: World) -> AbstractValue:
    name = known_text(call.arg(0, "sql"))
    if name is not None and _TABLE_NAME.fullmatch(name.strip()):
        return _read(call, world, world.read_table(call, text(name.strip())))
    return read_sql_query(call, world)


def _full_name(schema: AbstractValue | None, table: AbstractValue | None) -> AbstractValue | None:
    if not isinstance(schema, Text) or not isinstance(table, Text):
        return (
            table if schema is None or schema == NONE or not isinstance(table, Text) else UnknownValue(what_is(schema))
        )
    return Text((*schema.parts, ".", *table.parts))


# Writing


def _written(frame: Frame, call: Call, world: World, *, index: bool) -> Relation:
    """The columns as they arrive: the index goes with them, if it has a name."""
    frame = as_frame(frame)
    relation = to_write(frame, call, world)
    return relation if index else relation.with_columns(data_columns(frame))


def to_sql(call: Call, world: World) -> AbstractValue:
    name = _full_name(call.arg(2, "schema"), call.arg(0, "name"))
    index = truth_of(call.arg(4, "index")) is not False
    whole = (known_text(call.arg(3, "if_exists")) or "fail") in {"fail", "replace"}
    world.write_table(call, name, _written(call.frame, call, world, index=index), whole=whole)
    return NONE


def to_file(call: Call, world: World) -> AbstractValue:
    """`to_csv`, `to_parquet` …; without a path they give a text."""
    path = (
        call.args[0]
        if call.args
        else next(
            (
                call.named[name]
                for name in ("path_or_buf", "path", "excel_writer", "buf", "path_or_buffer")
                if name in call.named
            ),
            None,
        )
    )
    if path is None or path == NONE:
        return UnknownValue(call.written)
    index = truth_of(call.named.get("index")) is not False
    whole = known_text(call.named.get("mode")) != "a"
    world.write_path(call, path, _written(call.frame, call, world, index=index), whole=whole)
    return NONE


def to_gbq(call: Call, world: World) -> AbstractValue:
    world.write_table(call, call.arg(0, "destination_table"), _written(call.frame, call, world, index=False))
    return NONE


def to_table(call: Call, world: World) -> AbstractValue:
    """Of pandas on Spark."""
    world.write_table(call, call.arg(0, "name"), _written(call.frame, call, world, index=False))
    return NONE


def to_spark(call: Call, world: World) -> AbstractValue:
    return Frame("pyspark", _written(call.frame, call, world, index=False))


# Made in the program


def data_frame(call: Call, world: World) -> AbstractValue:
    """`pd.DataFrame(…)`: of a dict of columns, of rows, of another frame."""
    data, wanted = call.arg(0, "data"), names_in(call.arg(2, "columns"))
    if isinstance(data, Frame):
        frame = _copy(as_frame(data))
        return frame if wanted is None else renamed_or_chosen(frame, wanted, call, world)
    if isinstance(data, DictOf):
        return _of_columns(data, wanted, call, world)
    if isinstance(data, ListOf) and data.items and all(isinstance(one, DictOf) for one in data.items):
        return _of_records([one for one in data.items if isinstance(one, DictOf)], data.open, call, world)
    if isinstance(data, ListOf) and wanted is not None and all(items_of(one) is not None for one in data.items):
        return _of_rows(data, wanted)
    if isinstance(data, ListOf) and (data.open or any(isinstance(one, UnknownValue) for one in data.items)):
        world.gap(call, "not all rows of this frame are known")
    if isinstance(data, ListOf | Const) or data is None:
        return Frame(FRAME, world.made_here(wanted or ()))
    world.gap(call, f"the rows of this frame come from {what_is(data)}, which is not known")
    return Frame(FRAME, world.made_here(wanted)) if wanted is not None else Frame(FRAME, world.lost(call, "rows"))


def renamed_or_chosen(frame: Frame, wanted: tuple[str, ...], call: Call, world: World) -> Frame:
    columns = tuple(RelationColumn(name, column(frame, name, call, world)) for name in wanted)
    return Frame(FRAME, replace(frame.relation, columns=columns, open=()), extra={"index": ()})


def _of_columns(data: DictOf, wanted: tuple[str, ...] | None, call: Call, world: World) -> Frame:
    if data.open:
        world.gap(call, "not all columns of this frame are known")
    columns = tuple(RelationColumn(str(name), value_of(one)) for name, one in data.items.items())
    if wanted is not None:
        columns = tuple(one for one in columns if one.name in wanted)
    return Frame(FRAME, _around(columns, data.items.values()))


def _of_records(rows: list[DictOf], more: bool, call: Call, world: World) -> Frame:
    if more or any(row.open for row in rows):
        world.gap(call, "not all rows of this frame are known")
    names = dict.fromkeys(str(key) for row in rows for key in row.items)
    columns = tuple(RelationColumn(name, _merged([value_of(row.items.get(name)) for row in rows])) for name in names)
    return Frame(FRAME, _around(columns, [one for row in rows for one in row.items.values()]))


def _of_rows(data: ListOf, wanted: tuple[str, ...]) -> Frame:
    rows = [items_of(one) or () for one in data.items]
    columns = tuple(
        RelationColumn(name, _merged([value_of(row[place]) for row in rows if place < len(row)]))
        for place, name in enumerate(wanted)
    )
    return Frame(FRAME, _around(columns, [one for row in rows for one in row]))


def _merged(parts: list[ColumnValue]) -> ColumnValue:
    filled = [one for one in parts if one.sources]
    return NOTHING if not filled else filled[0] if len(filled) == 1 else union(filled)


def _around(columns: tuple[RelationColumn, ...], things: object) -> Relation:
    frames = frames_in(things if isinstance(things, list | tuple) else list(things))  # type: ignore[call-overload]
    return Relation(
        columns,
        shaped=frozenset().union(*(one.relation.shaped for one in frames)),
        reads=frozenset().union(*(one.relation.reads for one in frames)),
    )


def series(call: Call, world: World) -> AbstractValue:
    """`pd.Series(values, name=…)`."""
    from forge.lineage.extract.python.pandas.series import scalar_of

    data = call.arg(0, "data")
    if isinstance(data, Frame):
        return data
    made = scalar_of(value_of(data), *frames_in((data,)), name=known_text(call.named.get("name")) or "")
    if not isinstance(data, DictOf) or data.open:
        return made
    return replace(made, extra={**made.extra, FIELDS: {str(name): value_of(one) for name, one in data.items.items()}})


def excel_writer(call: Call, world: World) -> AbstractValue:
    """What is written to it goes into its file."""
    return call.arg(0, "path") or UnknownValue(call.written)


def from_records(call: Call, world: World) -> AbstractValue:
    data = call.arg(0, "data")
    columns = call.named.get("columns")
    named = {} if columns is None else {"columns": columns}
    return data_frame(replace(call, args=() if data is None else (data,), named=named), world)


READERS = words("csv parquet json excel feather orc table fwf pickle hdf xml stata sas spss")
WRITERS = words("csv parquet json excel feather orc pickle hdf xml stata html markdown string")
