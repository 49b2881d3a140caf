"""Cost of reading a DataFrame: whether it is a plain scan, and which columns the measures need."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from pyspark.sql import DataFrame

from forge.engines.spark.measure.columns import ERRORS, condition_of
from forge.engines.spark.measure.kinds import spark_kind
from forge.model.schema import Schema
from forge.quality.kinds import sql_of
from forge.quality.measure import Measure
from forge.quality.paths import UnknownField, find_field

_SCANS = ("LogicalRelation", "DataSourceV2Relation", "DataSourceV2ScanRelation", "LocalRelation", "InMemoryRelation")
_AROUND = ("SubqueryAlias", "Project", "View", "RelationTimeTravel")


def is_scan(frame: DataFrame) -> bool:
    """Whether it is a plain file scan: then every job reads only its columns, and caching would cost more."""
    node = frame._jdf.queryExecution().analyzed()
    while True:
        name = node.getClass().getSimpleName()
        if name in _SCANS:
            return True
        if name not in _AROUND or node.children().size() != 1 or not _only_names(node, name):
            return False
        node = node.children().head()


_DEAR = re.compile(r"(?<!Broadcast)Exchange\b|Window|Generate|Python|Pandas|Arrow|SerializeFromObject")


def is_dear(frame: DataFrame) -> bool:
    """Whether computing it costs more than reading files: a shuffle, a window, Python. Otherwise each job computes only
    the columns it needs, which is cheaper than caching all."""
    return _DEAR.search(frame._jdf.queryExecution().executedPlan().toString()) is not None


def _only_names(node: Any, name: str) -> bool:
    if name != "Project":
        return True
    listed = node.projectList()
    return all(listed.apply(n).getClass().getSimpleName() == "AttributeReference" for n in range(listed.size()))


def needed_columns(frame: DataFrame, schema: Schema, measures: Iterable[Measure]) -> tuple[str, ...] | None:
    """The columns that the measures read, in table order; None where all are needed or unknown: a function may read
    any."""
    needed: set[str] = set()
    for measure in measures:
        if spark_kind(measure).columns == "all":
            return tuple(schema.names)
        for name in (*measure.columns, *measure.by):
            try:
                needed.add(find_field(schema, name).parts[0])
            except UnknownField:
                continue  # such a measure is invalid and reported by its reading
        for text in sql_of(measure):
            needed |= _named_in(frame, text)
    if not needed:  # rows are counted: any column will do
        return tuple(schema.names[:1])
    return tuple(name for name in schema.names if name in needed)


def _named_in(frame: DataFrame, text: str) -> set[str]:
    try:
        references = frame.select(condition_of(text))._jdf.queryExecution().analyzed().references().toSeq()
    except ERRORS:
        return set()  # it is reported as not measured
    return {references.apply(n).name() for n in range(references.size())}
