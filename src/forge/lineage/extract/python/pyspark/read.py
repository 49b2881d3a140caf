"""spark.read and spark.readStream."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from forge.lineage.extract.python.library import Call, Handler, methods
from forge.lineage.extract.python.pyspark.frame import SPARK
from forge.lineage.extract.python.pyspark.schema import schema_of
from forge.lineage.extract.python.values import (
    AbstractValue,
    Frame,
    LibraryValue,
    ListOf,
    Text,
    known_text,
    text,
)
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import Relation, relation_of
from forge.lineage.extract.sql.names import split_name

_KAFKA = ("key", "value", "topic", "partition", "offset", "timestamp", "timestampType")
_SUBQUERY = re.compile(r"\A\s*\((.*)\)\s*(?:AS\s+)?\w*\s*\Z", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True, eq=False)
class SparkReader(LibraryValue):
    kind: str
    format: str = ""
    options: Mapping[str, AbstractValue] = field(default_factory=dict)
    schema: AbstractValue | None = None

    def option(self, name: str) -> AbstractValue | None:
        return next((one for key, one in self.options.items() if key.lower() == name), None)


def _option(call: Call, world: World) -> AbstractValue:
    reader, key, value = call.receiver(SparkReader), call.text(0, "key"), call.arg(1, "value")
    return reader if key is None or value is None else replace(reader, options={**reader.options, key: value})


def _options(call: Call, world: World) -> AbstractValue:
    reader = call.receiver(SparkReader)
    return replace(reader, options={**reader.options, **call.named})


def table_frame(table: AbstractValue | None, call: Call, world: World) -> Frame:
    """Columns may be qualified by the table name or a suffix of it."""
    relation = world.read_table(call, table)
    name = ".".join(split_name(known_text(table) or ""))
    if not name:
        return Frame(SPARK, relation)
    owned = relation.with_columns(replace(column, owner=name) for column in relation.columns)
    return Frame(SPARK, owned, {name: owned})


def _files(call: Call, world: World) -> AbstractValue:
    """csv, json, parquet, orc, text, delta …: of one path or a list."""
    reader = call.receiver(SparkReader)
    if call.named.get("schema") is not None:
        reader = replace(reader, schema=call.named["schema"])
    path = call.arg(0, "path") or call.named.get("paths")
    if len(call.args) > 1 and isinstance(call.args[1], Text) and call.name in {"parquet", "orc"}:
        path = ListOf([one for one in call.args if isinstance(one, Text)])
    return _at(replace(reader, format=call.name), path, call, world)


def _at(reader: SparkReader, path: AbstractValue | None, call: Call, world: World) -> Frame:
    columns = schema_of(reader.schema)
    if columns is None and reader.format == "text":
        columns = ("value",)
    return Frame(SPARK, world.read_path(call, path, columns))


def _load(call: Call, world: World) -> AbstractValue:
    reader = call.receiver(SparkReader)
    named = {name: one for name, one in call.named.items() if name not in {"path", "format", "schema"}}
    reader = replace(reader, options={**reader.options, **named})
    if call.named.get("schema") is not None:
        reader = replace(reader, schema=call.named["schema"])
    format_ = known_text(call.named.get("format")) or call.text(1) or reader.format
    reader = replace(reader, format=format_.lower())
    for name in ("dbtable", "query"):
        thing = reader.option(name)
        if thing is not None:
            return Frame(SPARK, from_database(thing, name == "query", call, world))
    topic = reader.option("subscribe") or reader.option("topic")
    if reader.format == "kafka" and known_text(topic) is not None:
        return Frame(SPARK, relation_of(f"kafka:{known_text(topic)}", _KAFKA))
    path = call.arg(0, "path") or reader.option("path") or reader.option("table")
    if reader.format in {"rate", "socket"}:
        names = ("timestamp", "value") if reader.format == "rate" else ("value",)
        return Frame(SPARK, world.made_here(names))
    known = known_text(path)
    if (
        reader.format in {"iceberg", "hudi", "bigquery", "snowflake", "delta"}
        and known
        and not re.search(r"[/:\\]", known)
    ):
        return table_frame(path, call, world)
    return _at(reader, path, call, world)


def from_database(thing: AbstractValue, is_query: bool, call: Call, world: World) -> Relation:
    """A table by JDBC, or a query that runs there."""
    known = known_text(thing)
    inner = _SUBQUERY.match(known) if known is not None else None
    if inner is not None:
        thing, is_query = text(inner[1]), True
    if not is_query:
        return world.read_table(call, thing)
    relation = world.read_sql(call, thing)
    return relation if relation is not None else world.lost(call, "query")


def _jdbc(call: Call, world: World) -> AbstractValue:
    table = call.arg(1, "table")
    return Frame(SPARK, from_database(table, False, call, world) if table is not None else world.lost(call, "jdbc"))


READER_METHODS: dict[str, Handler] = {
    "format": lambda call, world: replace(call.receiver(SparkReader), format=(call.text(0, "source") or "").lower()),
    "option": _option,
    "options": _options,
    "schema": lambda call, world: replace(call.receiver(SparkReader), schema=call.arg(0, "schema")),
    "table": lambda call, world: table_frame(call.arg(0, "tableName"), call, world),
    "load": _load,
    "jdbc": _jdbc,
    **methods(_files, ("csv", "json", "parquet", "orc", "text", "delta", "xml", "avro", "excel")),
}
