"""df.write, df.writeTo, df.writeStream."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from forge.lineage.extract.python.library import Call, Handler, methods
from forge.lineage.extract.python.values import (
    NONE,
    AbstractValue,
    Frame,
    LibraryValue,
    Text,
    UnknownValue,
    known_text,
    text,
    truth_of,
)
from forge.lineage.extract.python.world import World


@dataclass(frozen=True, slots=True, eq=False)
class SparkWriter(LibraryValue):
    kind: str
    frame: Frame
    format: str = ""
    mode: str = ""
    options: Mapping[str, AbstractValue] = field(default_factory=dict)
    name: AbstractValue | None = None

    def option(self, name: str) -> AbstractValue | None:
        return next((one for key, one in self.options.items() if key.lower() == name), None)


def _format(call: Call, world: World) -> AbstractValue:
    return replace(call.receiver(SparkWriter), format=(call.text(0, "source") or "").lower())


def _mode(call: Call, world: World) -> AbstractValue:
    return replace(call.receiver(SparkWriter), mode=(call.text(0) or call.text(0, "saveMode") or "").lower())


def _option(call: Call, world: World) -> AbstractValue:
    writer, key, value = call.receiver(SparkWriter), call.text(0, "key"), call.arg(1, "value")
    return writer if key is None or value is None else replace(writer, options={**writer.options, key: value})


def _options(call: Call, world: World) -> AbstractValue:
    writer = call.receiver(SparkWriter)
    return replace(writer, options={**writer.options, **call.named})


def _same(call: Call, world: World) -> AbstractValue:
    return call.receiver(SparkWriter)


def _writer_of(call: Call) -> SparkWriter:
    """Modes and formats may also be arguments of the call that writes."""
    writer = call.receiver(SparkWriter)
    mode, format_ = known_text(call.named.get("mode")), known_text(call.named.get("format"))
    return replace(writer, mode=(mode or writer.mode).lower(), format=(format_ or writer.format).lower())


def _into_table(place: int, name: str) -> Handler:
    def handler(call: Call, world: World) -> AbstractValue:
        writer = _writer_of(call)
        world.write_table(call, call.arg(place, name), writer.frame.relation, whole=writer.mode != "append")
        return NONE

    return handler


def _insert_into(call: Call, world: World) -> AbstractValue:
    world.write_table(
        call, call.arg(0, "tableName"), call.receiver(SparkWriter).frame.relation, by="position", whole=False
    )
    return NONE


def _files(call: Call, world: World) -> AbstractValue:
    writer = _writer_of(call)
    world.write_path(call, call.arg(0, "path"), writer.frame.relation, whole=writer.mode != "append")
    return NONE


def _save(call: Call, world: World) -> AbstractValue:
    writer = _writer_of(call)
    writer = replace(writer, options={**writer.options, **call.named})
    relation, whole = writer.frame.relation, writer.mode != "append"
    table = writer.option("dbtable")
    if table is not None:
        world.write_table(call, table, relation, whole=whole)
        return NONE
    path = call.arg(0, "path") or writer.option("path") or writer.option("table")
    known = known_text(path)
    topic = known_text(writer.option("topic"))
    if path is None and topic is not None:
        world.write_path(call, text(f"kafka:{topic}"), relation, whole=False)
    elif path is None and writer.format in {"noop", "console", "memory"}:
        return NONE
    elif writer.format in {"iceberg", "hudi", "bigquery", "snowflake"} and known and not re.search(r"[/:\\]", known):
        world.write_table(call, path, relation, whole=whole)
    else:
        world.write_path(call, path, relation, whole=whole)
    return NONE


WRITER_METHODS: dict[str, Handler] = {
    "format": _format,
    "mode": _mode,
    "option": _option,
    "options": _options,
    "saveAsTable": _into_table(0, "name"),
    "save_as_table": _into_table(0, "name"),  # as Snowpark spells it
    "insertInto": _insert_into,
    "save": _save,
    "jdbc": _into_table(1, "table"),
    **methods(_files, ("csv", "json", "parquet", "orc", "text", "delta", "xml", "avro")),
    **methods(_same, ("partitionBy", "bucketBy", "sortBy", "clusterBy")),
}


# writeTo


def write_to(call: Call, world: World) -> AbstractValue:
    return SparkWriter("pyspark.writer2", call.frame, name=call.arg(0, "table"))


def _write(call: Call, world: World) -> AbstractValue:
    writer, whole = call.receiver(SparkWriter), call.name in ("create", "createOrReplace", "replace")
    world.write_table(call, writer.name, writer.frame.relation, whole=whole)
    return NONE


WRITER2_METHODS: dict[str, Handler] = {
    **methods(_write, ("create", "createOrReplace", "replace", "append", "overwrite", "overwritePartitions")),
    **methods(_same, ("using", "option", "options", "tableProperty", "partitionedBy", "clusterBy")),
}


# writeStream


def _to_table(call: Call, world: World) -> AbstractValue:
    writer = call.receiver(SparkWriter)
    world.write_table(call, call.arg(0, "tableName"), writer.frame.relation, whole=False)
    return UnknownValue("query")


def _start(call: Call, world: World) -> AbstractValue:
    writer = _writer_of(call)
    if truth_of(writer.options.get("__batch")):
        return UnknownValue("query")
    path = call.arg(0, "path") or writer.option("path") or writer.option("table") or writer.option("dbtable")
    topic = known_text(writer.option("topic"))
    known = known_text(path)
    name = known_text(writer.name)
    if path is not None and writer.format in {"iceberg", "table"} and known and not re.search(r"[/:\\]", known):
        world.write_table(call, path, writer.frame.relation, whole=False)
    elif path is not None:
        world.write_path(call, path, writer.frame.relation, whole=False)
    elif topic is not None:
        world.write_path(call, text(f"kafka:{topic}"), writer.frame.relation, whole=False)
    elif name is not None and writer.format == "memory":
        world.here().define_view(name, writer.frame.relation, call.line)
    return UnknownValue("query")


def _for_each_batch(call: Call, world: World) -> AbstractValue:
    """The function gets the rows of each batch."""
    writer, function = call.receiver(SparkWriter), call.arg(0, "func")
    if function is not None:
        world.call(function, (Frame(writer.frame.kind, writer.frame.relation), UnknownValue("batch_id")), call)
    return replace(writer, options={**writer.options, "__batch": Text(("yes",))})


STREAM_METHODS: dict[str, Handler] = {
    "format": _format,
    "option": _option,
    "options": _options,
    "outputMode": _same,
    "trigger": _same,
    "queryName": lambda call, world: replace(call.receiver(SparkWriter), name=call.arg(0, "queryName")),
    "toTable": _to_table,
    "table": _to_table,
    "start": _start,
    "foreachBatch": _for_each_batch,
    **methods(_same, ("partitionBy", "foreach", "clusterBy")),
}
