"""The PySpark model."""

from __future__ import annotations

from dataclasses import replace

from forge.lineage.extract.python.library import Call, Handler, Library, ValueKind, methods
from forge.lineage.extract.python.parameters import default_at
from forge.lineage.extract.python.pyspark.column import (
    COLUMN,
    add_keys,
    column_of,
    exprs_of,
    operator,
    same_window,
)
from forge.lineage.extract.python.pyspark.delta import (
    BRANCH_METHODS,
    DELTA_METHODS,
    INTO_METHODS,
    MERGE_METHODS,
    for_name,
    for_path,
    merge_into,
)
from forge.lineage.extract.python.pyspark.frame import FRAME_METHODS, SPARK, drop_null, fill, selected
from forge.lineage.extract.python.pyspark.functions import (
    FUNCTIONS,
    SPARK_FUNCTIONS,
    call_udf,
    finish_udf,
    function,
    make_udf,
)
from forge.lineage.extract.python.pyspark.group import FRAME_GROUPING, GROUPED_METHODS
from forge.lineage.extract.python.pyspark.methods import COLUMN_METHODS, column_attribute, column_item
from forge.lineage.extract.python.pyspark.opaque import map_rows
from forge.lineage.extract.python.pyspark.pipelines import TABLE_DECORATORS, TABLE_FUNCTIONS
from forge.lineage.extract.python.pyspark.read import READER_METHODS, SparkReader
from forge.lineage.extract.python.pyspark.schema import (
    TYPES,
    SparkSchema,
    add_field,
    data_type,
    each_field,
    field_attribute,
    field_names,
    is_type,
    same_type,
    schema_attribute,
    struct_field,
    struct_type,
    type_name,
)
from forge.lineage.extract.python.pyspark.session import (
    BUILDER,
    CATALOG_METHODS,
    SESSION,
    SESSION_METHODS,
    VIEW_METHODS,
    builder_attribute,
    builder_call,
    get_session,
    make_row,
    session_attribute,
)
from forge.lineage.extract.python.pyspark.write import (
    STREAM_METHODS,
    WRITER2_METHODS,
    WRITER_METHODS,
    SparkWriter,
    write_to,
)
from forge.lineage.extract.python.values import (
    NONE,
    AbstractValue,
    Const,
    Expr,
    Frame,
    ListOf,
    Module,
    Text,
    UnknownValue,
    known_text,
    list_of,
    number_in,
    text,
)
from forge.lineage.extract.python.world import World
from forge.lineage.extract.sql.context import type_of_value
from forge.lineage.extract.sql.nested_type import plain


def _unknown(call: Call, world: World) -> AbstractValue:
    return UnknownValue(call.written)


def _to_pandas(call: Call, world: World) -> AbstractValue:
    return Frame("pandas", call.frame.relation)


def _rdd(call: Call, world: World) -> AbstractValue:
    """Rows as Python objects: what happens to them is not followed; what they come from is."""
    reason = f"what is done with rows as an RDD (line {call.line}) is not followed; use DataFrame operations"
    return Frame("pyspark.rdd", world.lost(call, "rdd", call.frame.relation.reads, reason))


def frame_attribute(call: Call, world: World) -> AbstractValue | None:
    frame = call.frame
    relation = frame.relation
    if call.name == "columns":
        for table in relation.open:
            world.needs(table)
        return ListOf([text(name) for name in relation.names], "list", bool(relation.open))
    if call.name == "write":
        return SparkWriter("pyspark.writer", frame)
    if call.name == "writeStream":
        return SparkWriter("pyspark.stream", frame)
    if call.name in {"na", "stat"}:
        return Frame("pyspark.na", relation, frame.aliases, frame.extra)
    if call.name == "schema":
        if relation.open:
            return SparkSchema("pyspark.schema", None)
        return SparkSchema("pyspark.schema", relation.names, _types(frame, world))
    if call.name == "dtypes":
        types = [text(one) if one else UnknownValue("a type") for one in _types(frame, world)]
        pairs: list[AbstractValue] = [
            list_of(pair, "tuple") for pair in zip(map(text, relation.names), types, strict=True)
        ]
        return ListOf(pairs, "list", bool(relation.open))
    if call.name == "rdd":
        return _rdd(call, world)
    if call.name in {"sparkSession", "sql_ctx"}:
        return SESSION
    if call.name.startswith("_") or call.name in {"isStreaming", "storageLevel"}:
        return UnknownValue(call.written)
    return column_of(frame, call.name, call, world)


def _types(frame: Frame, world: World) -> tuple[str, ...]:
    """Of its columns; empty where not known."""
    return tuple(plain(type_of_value(one.value, world.here())) for one in frame.relation.columns)


def frame_item(call: Call, world: World) -> AbstractValue:
    """`df["x"]`, `df[["a", "b"]]`, `df[condition]`, `df[0]`."""
    frame, key = call.frame, call.args[0]
    name = known_text(key)
    if name is not None:
        return column_of(frame, name, call, world)
    place = number_in(key)
    if (
        place is not None
        and not frame.relation.open
        and -len(frame.relation.columns) <= place < len(frame.relation.columns)
    ):
        return column_of(frame, frame.relation.columns[place].name, call, world)
    if isinstance(key, ListOf):
        return selected(frame, exprs_of([key], call, world))
    if isinstance(key, Expr):
        return FRAME_METHODS["filter"](call, world)
    if isinstance(key, Text):
        world.gap(call, f"the column {key.shown} is not known: it depends on {', '.join(key.holes)}")
    return UnknownValue(call.written)


def _na(handler: Handler) -> Handler:
    def inner(call: Call, world: World) -> AbstractValue:
        result = handler(call, world)
        return Frame(SPARK, result.relation, result.aliases, result.extra) if isinstance(result, Frame) else result

    return inner


def _rows(call: Call, world: World) -> AbstractValue:
    """collect: rows whose values are not known."""
    return ListOf([], "list", True)


def _column_called(call: Call, world: World) -> AbstractValue:
    """An unknown method of a frame or column: `df.newMethod(…)` is an attribute, hence a column, first."""
    name = call.receiver(Expr).text
    world.gap(call, f"the method {name} is not known")
    return UnknownValue(call.written)


_QUIET = (
    "show", "printSchema", "explain", "foreach", "foreachPartition", "registerDataFrame", "display", "inputFiles",
)  # fmt: skip
_VALUES = (
    "count", "first", "head", "isEmpty", "approxQuantile", "corr", "cov", "toLocalIterator", "toJSON", "isLocal",
    "describe", "summary", "crosstab", "freqItems", "semanticHash", "sameSemantics",
)  # fmt: skip
FRAME = ValueKind(
    name=SPARK,
    methods={
        **FRAME_METHODS,
        **FRAME_GROUPING,
        **VIEW_METHODS,
        "writeTo": write_to,
        "mergeInto": merge_into,
        "toPandas": _to_pandas,
        "DataFrame": _to_pandas,  # of what a %sql cell gives in Jupyter
        "pandas_api": _to_pandas,
        "to_pandas_on_spark": _to_pandas,
        **methods(map_rows, ("mapInPandas", "mapInArrow", "mapPartitions")),
        **methods(lambda call, world: NONE, _QUIET),
        **methods(_unknown, _VALUES),
        **methods(_rows, ("collect", "take", "tail")),
    },
    attribute=frame_attribute,
    item=frame_item,
)
RDD = ValueKind(
    name="pyspark.rdd",
    methods={
        **methods(lambda call, world: Frame(SPARK, call.frame.relation), ("toDF",)),
        **methods(_rows, ("collect", "take")),
        **methods(_unknown, ("count", "first")),
    },
    otherwise=lambda call, world: call.frame,
)
_WINDOW = "pyspark.sql.window.Window"
_WINDOW_METHODS: dict[str, Handler] = {
    **methods(add_keys, ("partitionBy", "orderBy")),
    **methods(same_window, ("rowsBetween", "rangeBetween")),
}
KINDS = (
    FRAME,
    RDD,
    ValueKind(
        name="pyspark.na", methods={"fill": _na(fill), "replace": _na(fill), "drop": _na(drop_null)}, otherwise=_unknown
    ),
    ValueKind(
        name=COLUMN,
        methods=COLUMN_METHODS,
        attribute=column_attribute,
        item=column_item,
        operator=operator,
        called=_column_called,
    ),
    ValueKind(name="pyspark.window", methods=_WINDOW_METHODS),
    ValueKind(name="pyspark.udf", called=call_udf, otherwise=_unknown),
    ValueKind(name="pyspark.udf.maker", called=finish_udf, otherwise=_unknown),
    ValueKind(name="pyspark.grouped", methods=GROUPED_METHODS, otherwise=_unknown),
    ValueKind(name="pyspark.session", methods=SESSION_METHODS, attribute=session_attribute),
    ValueKind(
        name="pyspark.builder", methods={"getOrCreate": get_session}, attribute=builder_attribute, called=builder_call
    ),
    ValueKind(name="pyspark.catalog", methods=CATALOG_METHODS, otherwise=_unknown),
    *(ValueKind(name=f"pyspark.{name}", otherwise=_unknown) for name in ("sparkContext", "streams", "row")),
    ValueKind(name="pyspark.conf", methods={"get": default_at(1, "default")}, otherwise=_unknown),
    ValueKind(
        name="pyspark.type",
        methods=methods(type_name, ("simpleString", "typeName")),
        operator=same_type,
        instance=is_type,
        otherwise=_unknown,
    ),
    ValueKind(name="pyspark.reader", methods=READER_METHODS, otherwise=lambda call, world: call.receiver(SparkReader)),
    ValueKind(name="pyspark.writer", methods=WRITER_METHODS, otherwise=lambda call, world: call.receiver(SparkWriter)),
    ValueKind(
        name="pyspark.writer2", methods=WRITER2_METHODS, otherwise=lambda call, world: call.receiver(SparkWriter)
    ),
    ValueKind(name="pyspark.stream", methods=STREAM_METHODS, otherwise=lambda call, world: call.receiver(SparkWriter)),
    ValueKind(
        name="pyspark.schema",
        methods={"add": add_field, "fieldNames": field_names},
        attribute=schema_attribute,
        iterate=each_field,
    ),
    ValueKind(name="pyspark.field", attribute=field_attribute),
    ValueKind(name="delta.table", methods=DELTA_METHODS, otherwise=_unknown),
    ValueKind(name="delta.merge", methods=MERGE_METHODS),
    ValueKind(name="pyspark.merge", methods=INTO_METHODS),
    ValueKind(name="pyspark.merge.branch", methods=BRANCH_METHODS),
)

_SESSIONS = (
    "pyspark.sql.SparkSession", "pyspark.sql.session.SparkSession", "pyspark.sql.SQLContext", "pyspark.sql.HiveContext",
    "databricks.connect.DatabricksSession", "pyspark.sql.context.SQLContext",
)  # fmt: skip
_CLASSES = (
    "pyspark.sql.DataFrame", "pyspark.sql.dataframe.DataFrame", "pyspark.sql.Column", "pyspark.sql.column.Column",
)  # fmt: skip


def _otherwise(call: Call, world: World) -> AbstractValue:
    if call.name.startswith(FUNCTIONS + "."):
        return function(call, world)
    start, _, name = call.name.rpartition(".")
    table = {"DataFrame": FRAME.methods, "Column": COLUMN_METHODS}.get(start.rpartition(".")[2], {})
    if name in table and call.args:  # DataFrame.union(a, b)
        return table[name](replace(call, name=name, on=call.args[0], args=call.args[1:]), world)
    return UnknownValue(call.written)


PYSPARK = Library(
    modules=("pyspark", "delta", "delta.tables", "dlt", "databricks.connect", "pyspark.sql", FUNCTIONS, "awsglue"),
    functions={
        **SPARK_FUNCTIONS,
        **TABLE_FUNCTIONS,
        **{f"{_WINDOW}.{name}": handler for name, handler in _WINDOW_METHODS.items()},
        **{f"pyspark.sql.Window.{name}": handler for name, handler in _WINDOW_METHODS.items()},
        **{
            f"{path}.{name}": get_session
            for path in _SESSIONS
            for name in ("getActiveSession", "active", "getOrCreate")
        },
        **{f"pyspark.sql.types.{name}": data_type for name in TYPES},
        "pyspark.sql.types.StructType": struct_type,
        "pyspark.sql.types.StructField": struct_field,
        "pyspark.sql.Row": make_row,
        "pyspark.sql.types.Row": make_row,
        "delta.tables.DeltaTable.forName": for_name,
        "delta.tables.DeltaTable.forPath": for_path,
        "delta.DeltaTable.forName": for_name,
        "delta.DeltaTable.forPath": for_path,
    },
    constants={
        **{f"{path}.builder": BUILDER for path in _SESSIONS},
        **{path: Module(path) for path in _CLASSES},
        "builtins.spark": SESSION,
        "builtins.sqlContext": SESSION,
        "parameter.spark": SESSION,
        "parameter.spark_session": SESSION,
        "parameter.sparkSession": SESSION,
        "annotation.SparkSession": SESSION,
        "pyspark.sql.window.Window.unboundedPreceding": Const(-(2**63)),
        "pyspark.sql.Window.unboundedPreceding": Const(-(2**63)),
    },
    kinds=KINDS,
    otherwise=_otherwise,
    annotations={"pyspark.sql.DataFrame": SPARK, "pyspark.sql.dataframe.DataFrame": SPARK},
    sinks=frozenset({"saveAsTable", "insertInto", "writeTo", "toTable", "writeStream"}),
    decorators={
        **{f"{FUNCTIONS}.{name}": make_udf for name in ("udf", "pandas_udf", "arrow_udf")},
        **TABLE_DECORATORS,
    },
)
