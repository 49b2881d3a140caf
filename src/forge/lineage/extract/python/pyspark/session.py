"""SparkSession: sources of frames, and temporary views."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from forge.lineage.extract.python.branch import either_relation
from forge.lineage.extract.python.library import Call, Handler, methods
from forge.lineage.extract.python.pyspark.frame import SPARK
from forge.lineage.extract.python.pyspark.read import SparkReader, table_frame
from forge.lineage.extract.python.pyspark.schema import schema_of
from forge.lineage.extract.python.texts import joined_text, to_text
from forge.lineage.extract.python.values import (
    NONE,
    AbstractValue,
    DictOf,
    Frame,
    Hole,
    Instance,
    LibraryValue,
    ListOf,
    Text,
    UnknownValue,
    known_text,
    text,
)
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import Relation, RelationColumn


@dataclass(frozen=True, slots=True, eq=False)
class SparkHandle(LibraryValue):
    """A stateless Spark object."""

    kind: str


_LIVE = re.compile(r"\bLIVE\.(?=[\w`])")
SESSION = SparkHandle("pyspark.session")
BUILDER = SparkHandle("pyspark.builder")


def get_session(call: Call, world: World) -> AbstractValue:
    return SESSION


def session_attribute(call: Call, world: World) -> AbstractValue | None:
    if call.name in {"read", "readStream"}:
        return SparkReader("pyspark.reader")
    if call.name in {"catalog", "udf", "conf", "sparkContext", "streams"}:
        return SparkHandle(f"pyspark.{call.name}")
    return BUILDER if call.name == "builder" else UnknownValue(call.written)


def _sql(call: Call, world: World) -> AbstractValue:
    """Frames may be named in the text, `{df}`; values, `{x}` or `:x`, are no matter."""
    query = call.arg(0, "sqlQuery")
    frames: dict[str, Relation] = {}
    if isinstance(query, Text) and call.named:
        query = _with_frames(query, call, frames)
    if isinstance(query, Text):  # tables of the same pipeline
        query = Text(tuple(_LIVE.sub("", part) if isinstance(part, str) else part for part in query.parts))
    relation = world.read_sql(call, query, frames)
    return Frame(SPARK, relation if relation is not None else _nothing(query, call, world))


def _nothing(query: AbstractValue | None, call: Call, world: World) -> Relation:
    known = known_text(query)
    if known is not None and not re.match(
        r"\s*(?:--[^\n]*\n|\s)*(?:select|with|from|table|values)\b", known, re.IGNORECASE
    ):
        return Relation()
    return world.lost(call, "sql")


def _with_frames(query: Text, call: Call, frames: dict[str, Relation]) -> Text:
    parts: list[Text] = []
    for part in query.parts:
        if isinstance(part, Hole):
            parts.append(Text((part,)))
            continue
        end = 0
        for found in re.finditer(r"\{(\w+)\}", part):
            value = call.named.get(found[1])
            if value is None:
                continue
            parts.append(text(part[end : found.start()]))
            end = found.end()
            if isinstance(value, Frame):
                frames[f"frame_{found[1]}"] = value.relation
                parts.append(text(f"frame_{found[1]}"))
            else:
                parts.append(to_text(value, found[1]))
        parts.append(text(part[end:]))
    return joined_text(parts)


def _create_frame(call: Call, world: World) -> AbstractValue:
    """Rows from the program itself, or from a frame of another library."""
    data, schema = call.arg(0, "data"), call.arg(1, "schema")
    names = schema_of(schema)
    if isinstance(data, Frame):
        relation = data.relation
        if names is not None and len(names) == len(relation.columns) and not relation.open:
            columns = (RelationColumn(name, one.value) for name, one in zip(names, relation.columns, strict=True))
            relation = relation.with_columns(columns)
        return Frame(SPARK, relation)
    if names is None and isinstance(data, ListOf) and data.items:
        names = _names_in_row(data.items[0])
    if names is None:
        reason = f"the columns of the rows made at line {call.line} are not known; give createDataFrame a schema"
        return Frame(SPARK, world.lost(call, "createDataFrame", reason=reason))
    return Frame(SPARK, world.made_here(names))


def _names_in_row(row: AbstractValue) -> tuple[str, ...] | None:
    if isinstance(row, DictOf) and not row.open:
        return tuple(str(key) for key in row.items)
    if isinstance(row, Instance):
        return tuple(row.attributes)
    if isinstance(row, SparkRow):
        return row.names
    return tuple(f"_{place + 1}" for place in range(len(row.items))) if isinstance(row, ListOf) else None


@dataclass(frozen=True, slots=True, eq=False)
class SparkRow(LibraryValue):
    kind: str
    names: tuple[str, ...]


def make_row(call: Call, world: World) -> AbstractValue:
    return SparkRow("pyspark.row", tuple(call.named))


SESSION_METHODS: dict[str, Handler] = {
    "sql": _sql,
    "table": lambda call, world: table_frame(call.arg(0, "tableName"), call, world),
    "range": lambda call, world: Frame(SPARK, world.made_here(["id"])),
    "createDataFrame": _create_frame,
    **methods(get_session, ("newSession", "getActiveSession", "active", "getOrCreate", "cloneSession")),
}


def builder_attribute(call: Call, world: World) -> AbstractValue | None:
    return BUILDER


def builder_call(call: Call, world: World) -> AbstractValue:
    return BUILDER


# Views


def _view(of_all: bool) -> Handler:
    def handler(call: Call, world: World) -> AbstractValue:
        name = world.name(call, call.arg(0, "name"), "view")
        if name is None:
            return NONE
        relation = call.frame.relation
        known = cast("dict[str, Relation]", world.settings.setdefault("views", {}))
        before = known.get(name.lower())
        if world.doubt and before is not None:
            relation = either_relation(before, relation, world)
        known[name.lower()] = relation
        world.here().define_view(name, relation, call.line, label_global=of_all)
        return NONE

    return handler


VIEW_METHODS: dict[str, Handler] = {
    **methods(_view(False), ("createOrReplaceTempView", "createTempView", "registerTempTable")),
    **methods(_view(True), ("createOrReplaceGlobalTempView", "createGlobalTempView")),
}


def _drop_view(call: Call, world: World) -> AbstractValue:
    name = call.text(0)
    if name is not None:
        world.here().drop_view(name if "Global" not in call.name else f"global_temp.{name}")
    return NONE


CATALOG_METHODS: dict[str, Handler] = methods(_drop_view, ("dropTempView", "dropGlobalTempView"))
