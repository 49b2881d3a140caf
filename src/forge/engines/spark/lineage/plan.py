"""What a DataFrame or a statement reads and writes, from Spark's analysed plan. No job runs.

    lineage_of_frame(frame, "marts.revenue")

The JSON of a plan has no names of files and targets; these are fetched through py4j."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from forge.lineage.edge import Extraction
from forge.lineage.extract.program import OutputKind
from forge.lineage.extract.spark.plan import Names, PlanHints, extract_analysed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Java = Any
"""An object of the JVM, seen through py4j."""

_ALL_COLUMNS = 100_000
_V2_WRITES = {"AppendData", "OverwriteByExpression", "OverwritePartitionsDynamic", "ReplaceData", "WriteDelta"}
_PLAIN_FOLDERS = ("file:///", "file:/")


@dataclass(frozen=True, slots=True, eq=False)
class PlanWrite:
    """The writing part of a plan. `columns`: target columns, if they differ from those of the query."""

    target: str
    made: OutputKind
    plan: Java
    columns: tuple[str, ...] = ()


def plain_name(catalog_name: str) -> str:
    """Names as users write them, without the default catalog."""
    return catalog_name.replace("`", "").removeprefix("spark_catalog.").removeprefix("forge.")


def lineage_of_frame(frame: DataFrame, target: str, names: Names = plain_name) -> Extraction:
    """Column lineage of a DataFrame that is to be written to `target`."""
    return lineage_of_plan(frame._jdf.queryExecution().analyzed(), target, names)


def lineage_of_plan(plan: Java, target: str, names: Names = plain_name, known: PlanHints | None = None) -> Extraction:
    around = known or PlanHints(views=True)
    around = replace(around, leaves={**leaf_names(plan), **around.leaves})
    text = plan.treeString(False, False, _ALL_COLUMNS, False, False)
    return extract_analysed(text, plan.toJSON, target, names, around)


def leaf_names(plan: Java) -> dict[int, str]:
    """Of files, JDBC tables and streams: names by the expression id of the first column."""
    found = {}
    inside = items_of(plan.innerChildren())  # the query of a command
    roots = [one for outer in (plan, *inside) for one in (outer, *items_of(outer.subqueriesAll()))]
    for root in roots:
        for leaf in items_of(root.collectLeaves()):
            first, finder = first_id(leaf), _LEAVES.get(kind_of(leaf))
            name = finder(leaf) if finder and first is not None else None
            if name and first is not None:
                found[first] = name
    return found


def writes_of(plan: Java) -> Iterator[PlanWrite]:
    """The writes of an analysed plan, if any. Session-scoped targets are omitted."""
    kind = kind_of(plan)
    if kind == "Union":  # FROM … INSERT … INSERT …
        for child in items_of(plan.children()):
            yield from writes_of(child)
    elif kind in _V2_WRITES:
        name = str(plan.table().name())
        if name != "noop-table":
            yield PlanWrite(name, OutputKind.TABLE, plan)
    elif kind in _TARGETS:
        made = _TARGETS[kind](plan)
        if made is not None:
            yield made


def first_id(plan: Java) -> int | None:
    output = items_of(plan.output())
    return int(output[0].exprId().id()) if output else None


def location_of(session: Java, write: PlanWrite) -> str:
    """The folder of a table that Spark has written as files, in a command of its own, inside this one."""
    if kind_of(write.plan) not in {"CreateDataSourceTableAsSelectCommand", "CreateHiveTableAsSelectCommand"}:
        return ""
    table = write.plan.table() if kind_of(write.plan).startswith("CreateData") else write.plan.tableDesc()
    known = session.sessionState().catalog().getTableMetadata(table.identifier())
    return path_name(str(known.location()))


def path_name(uri: str) -> str:
    """A path as users write it."""
    for prefix in _PLAIN_FOLDERS:
        if uri.startswith(prefix):
            return "/" + uri[len(prefix) :]
    return uri


def kind_of(java: Java) -> str:
    """The short name of its class."""
    return str(java.getClass().getSimpleName())


def items_of(scala: Java) -> list[Java]:
    return [scala.apply(place) for place in range(scala.size())]


def _option(scala: Java) -> Java | None:
    return scala.get() if scala.isDefined() else None


def _setting(scala_map: Java, key: str) -> str | None:
    found = _option(scala_map.get(key))
    return None if found is None else str(found)


# what a plan reads


def _relation(leaf: Java) -> str | None:
    relation = leaf.relation()
    match kind_of(relation):
        case "HadoopFsRelation":
            paths = [path_name(str(path)) for path in items_of(relation.location().rootPaths())]
            return paths[0] if len(paths) == 1 else os.path.commonpath(paths) if paths else None
        case "JDBCRelation":
            return str(relation.jdbcOptions().tableOrQuery())
    return None


def _stream(leaf: Java) -> str | None:
    source = leaf.dataSource()
    path = _setting(source.options(), "path")
    return path_name(path) if path else str(leaf.sourceName())


def _stream_v2(leaf: Java) -> str | None:
    identifier, catalog = _option(leaf.identifier()), _option(leaf.catalog())
    if identifier is not None:
        return plain_name(".".join(filter(None, (str(catalog.name()) if catalog else "", str(identifier)))))
    options = leaf.extraOptions()
    topic = options.get("subscribe") or options.get("path")
    return f"{leaf.sourceName()}:{topic}" if topic else str(leaf.sourceName())


_LEAVES: dict[str, Callable[[Java], str | None]] = {
    "LogicalRelation": _relation,
    "StreamingRelation": _stream,
    "StreamingRelationV2": _stream_v2,
}


# what a plan writes


def _resolved(identifier: Java) -> str:
    inner = identifier.identifier()
    return ".".join((str(identifier.catalog().name()), *map(str, inner.namespace()), str(inner.name())))


def _created(plan: Java) -> PlanWrite:
    return PlanWrite(_resolved(plan.name()), OutputKind.TABLE, plan)


def _v2_view(plan: Java) -> PlanWrite:
    return PlanWrite(_resolved(plan.child()), OutputKind.VIEW, plan)


def _view(plan: Java) -> PlanWrite | None:
    if kind_of(plan.viewType()).startswith(("LocalTempView", "GlobalTempView")):
        return None
    columns = tuple(str(pair._1()) for pair in items_of(plan.userSpecifiedColumns()))
    return PlanWrite(str(plan.name().unquotedString()), OutputKind.VIEW, plan, columns)


def _v1_table(plan: Java) -> PlanWrite:
    return PlanWrite(str(plan.table().identifier().unquotedString()), OutputKind.TABLE, plan)


def _files(plan: Java) -> PlanWrite:
    table = _option(plan.catalogTable())
    if table is not None:
        return PlanWrite(str(table.identifier().unquotedString()), OutputKind.TABLE, plan)
    return PlanWrite(path_name(str(plan.outputPath())), OutputKind.FILE, plan)


def _folder(plan: Java) -> PlanWrite | None:
    place = _option(plan.storage().locationUri())
    return None if place is None else PlanWrite(path_name(str(place)), OutputKind.FILE, plan)


def _saved(plan: Java) -> PlanWrite | None:
    table, path = _setting(plan.options(), "dbtable"), _setting(plan.options(), "path")
    if table:
        return PlanWrite(table, OutputKind.TABLE, plan)
    return PlanWrite(path_name(path), OutputKind.FILE, plan) if path else None


_TARGETS: dict[str, Callable[[Java], PlanWrite | None]] = {
    "CreateTableAsSelect": _created,
    "ReplaceTableAsSelect": _created,
    "CreateIcebergView": _v2_view,
    "CreateViewCommand": _view,
    "CreateDataSourceTableAsSelectCommand": _v1_table,
    "CreateHiveTableAsSelectCommand": lambda plan: PlanWrite(
        str(plan.tableDesc().identifier().unquotedString()), OutputKind.TABLE, plan
    ),
    "InsertIntoHiveTable": _v1_table,
    "InsertIntoHadoopFsRelationCommand": _files,
    "InsertIntoDataSourceDirCommand": _folder,
    "SaveIntoDataSourceCommand": _saved,
}
