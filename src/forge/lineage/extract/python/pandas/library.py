"""The pandas model."""

from __future__ import annotations

from forge.lineage.edge import Transformation
from forge.lineage.extract.python.frame_columns import blurred
from forge.lineage.extract.python.library import Call, Handler, Library, ValueKind, methods
from forge.lineage.extract.python.pandas import apply as pandas_apply
from forge.lineage.extract.python.pandas import column as pandas_column
from forge.lineage.extract.python.pandas import frame as pandas_frame
from forge.lineage.extract.python.pandas import group as pandas_group
from forge.lineage.extract.python.pandas import io as pandas_io
from forge.lineage.extract.python.pandas import join as pandas_join
from forge.lineage.extract.python.pandas import names as pandas_names
from forge.lineage.extract.python.pandas import query as pandas_query
from forge.lineage.extract.python.pandas import reshape as pandas_reshape
from forge.lineage.extract.python.pandas import select as pandas_select
from forge.lineage.extract.python.pandas import values as pandas_values
from forge.lineage.extract.python.pandas import window as pandas_window
from forge.lineage.extract.python.pandas.series import FRAME, SERIES, arguments, changed, is_frame
from forge.lineage.extract.python.values import AbstractValue, UnknownValue, list_of
from forge.lineage.extract.python.world import World
from forge.model.word_list import words

_STEP = pandas_values.stepped

_FRAME: dict[str, Handler] = {
    **methods(
        pandas_frame.same,
        words(
            "copy head tail sample infer_objects convert_dtypes squeeze truncate persist compute drop_index "
            "to_period swapaxes set_flags get transpose reorder_levels droplevel to_frame"
        ),
    ),
    **methods(pandas_frame.sort, ["sort_values", "sort_index", "nlargest", "nsmallest"]),
    **methods(
        _STEP(Transformation.TRANSFORMATION),
        words(
            "astype round abs clip isna isnull notna notnull isin add sub mul div truediv floordiv mod pow "
            "radd rsub rmul rdiv eq ne lt le gt ge"
        ),
    ),
    **methods(_STEP(Transformation.CONDITIONAL), ["fillna", "where", "mask", "combine_first", "replace"]),
    **methods(
        _STEP(Transformation.WINDOW),
        words("shift diff cumsum cumprod cummax cummin pct_change rank ffill bfill pad interpolate transform"),
    ),
    **methods(pandas_values.total, sorted(pandas_group.AGGREGATES - {"first", "last", "nth", "ohlc"})),
    **methods(pandas_values.apply_each, ["map", "applymap"]),
    **methods(pandas_values.rows, ["iterrows", "itertuples"]),
    **methods(pandas_frame.affixed, ["add_prefix", "add_suffix"]),
    **methods(pandas_frame.choose, ["filter", "reindex"]),
    **methods(pandas_values.items, ["items", "iteritems"]),
    **methods(pandas_window.roll, ["rolling", "expanding", "ewm"]),
    **methods(pandas_reshape.pivot, ["pivot", "pivot_table"]),
    **methods(pandas_frame.nothing, words("info describe memory_usage plot hist boxplot equals keys duplicated")),
    **methods(pandas_frame.same, ["to_numpy", "to_dict", "to_records"]),
    **{f"to_{kind}": pandas_io.to_file for kind in pandas_io.WRITERS},
    "to_sql": pandas_io.to_sql,
    "to_gbq": pandas_io.to_gbq,
    "to_table": pandas_io.to_table,
    "to_delta": pandas_io.to_file,
    "to_spark": pandas_io.to_spark,
    "assign": pandas_frame.assign,
    "insert": pandas_frame.insert,
    "pop": pandas_frame.pop,
    "drop": pandas_frame.drop,
    "rename": pandas_frame.rename,
    "set_axis": pandas_frame.set_axis,
    "select_dtypes": pandas_frame.by_type,
    "set_index": pandas_frame.set_index,
    "reset_index": pandas_frame.reset_index,
    "rename_axis": pandas_frame.rename_axis,
    "drop_duplicates": pandas_frame.drop_duplicates,
    "dropna": pandas_frame.dropna,
    "apply": pandas_values.apply,
    "pipe": pandas_values.pipe,
    "query": pandas_query.query,
    "eval": pandas_query.evaluate,
    "groupby": pandas_group.group,
    "resample": pandas_group.resample,
    "merge": pandas_join.merge,
    "join": pandas_join.join,
    "melt": pandas_reshape.melt,
    "explode": pandas_reshape.explode,
    "unstack": pandas_reshape.unstack,
}

_SERIES: dict[str, Handler] = {
    **methods(
        pandas_column.same,
        words(
            "copy head tail sample unique tolist to_list to_numpy to_dict infer_objects squeeze item items "
            "ravel persist compute convert_dtypes flatten reshape"
        ),
    ),
    **methods(pandas_column.aggregate, sorted(pandas_group.AGGREGATES - {"nth", "ohlc"})),
    **methods(pandas_column.window, sorted(pandas_group.WINDOWS - {"fillna"})),
    **methods(pandas_column.conditional, words("where mask fillna combine_first replace case_when update")),
    **methods(pandas_column.mapped, ["map", "apply", "transform"]),
    **methods(pandas_column.sort, ["sort_values", "nlargest", "nsmallest"]),
    **methods(pandas_window.roll, ["rolling", "expanding", "ewm"]),
    **{f"to_{kind}": pandas_io.to_file for kind in pandas_io.WRITERS},
    "sort_index": pandas_column.same,
    "to_sql": pandas_io.to_sql,
    "to_frame": pandas_column.to_frame,
    "reset_index": pandas_column.reset_index,
    "rename": pandas_column.renamed,
    "dropna": pandas_column.dropna,
    "drop_duplicates": pandas_column.drop_duplicates,
    "value_counts": pandas_column.value_counts,
    "explode": pandas_column.exploded,
    "groupby": pandas_group.group,
    "unstack": pandas_reshape.unstack,
}

_GROUPED: dict[str, Handler] = {
    **methods(pandas_group.aggregate, sorted(pandas_group.AGGREGATES)),
    **methods(pandas_window.windowed, [*sorted(pandas_group.WINDOWS), "transform"]),
    **methods(pandas_window.numbered, ["cumcount", "ngroup"]),
    **methods(pandas_window.kept, ["head", "tail", "filter", "get_group", "sample"]),
    **methods(pandas_window.roll, ["rolling", "expanding", "ewm"]),
    "size": pandas_group.size,
    "apply": pandas_window.applied,
}


def otherwise(call: Call, world: World) -> AbstractValue:
    """Functions over columns that have no entry: `pd.to_datetime(df["day"])`."""
    frames = arguments(call)
    if not frames:
        return UnknownValue(call.written)
    if is_frame(frames[0]):
        return blurred(frames[0], call, world, f"the function {call.name} is not known here")
    masks = call.name.endswith("hash_pandas_object") or call.name.endswith("hash_array")
    return changed(frames[0], Transformation.TRANSFORMATION, call.written, frames[1:], masking=masks)


def named_agg(call: Call, world: World) -> AbstractValue:
    pair = [call.arg(0, "column"), call.arg(1, "aggfunc")]
    return list_of([one if one is not None else UnknownValue(call.written) for one in pair], "tuple")


PANDAS = Library(
    modules=("pandas", "modin.pandas", "pyspark.pandas", "dask.dataframe", "cudf"),
    functions={
        f"{module}.{name}": handler
        for module in ("pandas", "modin.pandas", "pyspark.pandas", "dask.dataframe", "cudf")
        for name, handler in {
            **{f"read_{kind}": pandas_io.read_file for kind in pandas_io.READERS},
            "read_sql": pandas_io.read_sql,
            "read_sql_query": pandas_io.read_sql_query,
            "read_sql_table": pandas_io.read_sql_table,
            "read_gbq": pandas_io.read_sql,
            "DataFrame": pandas_io.data_frame,
            "DataFrame.from_dict": pandas_io.from_records,
            "DataFrame.from_records": pandas_io.from_records,
            "Series": pandas_io.series,
            "ExcelWriter": pandas_io.excel_writer,
            "merge": pandas_join.merge_function,
            "merge_asof": pandas_join.merge_function,
            "merge_ordered": pandas_join.merge_function,
            "concat": pandas_join.concat,
            "melt": pandas_reshape.melt,
            "pivot": pandas_reshape.pivot,
            "pivot_table": pandas_reshape.pivot,
            "crosstab": pandas_reshape.crosstab,
            "get_dummies": pandas_reshape.get_dummies,
            "NamedAgg": named_agg,
            "Grouper": pandas_group.grouper,
        }.items()
    }
    | {
        "pyspark.pandas.read_table": pandas_io.read_spark_table,
        "pyspark.pandas.read_delta": pandas_io.read_file,
        "pyspark.pandas.sql": pandas_io.read_sql_query,
    },
    kinds=(
        ValueKind(
            name=FRAME,
            methods=_FRAME,
            attribute=pandas_select.frame_attribute,
            item=pandas_select.frame_item,
            set_item=pandas_select.frame_set_item,
            set_attribute=pandas_select.frame_set_attribute,
            delete_item=pandas_select.frame_delete,
            operator=pandas_values.operator,
            iterate=pandas_frame.iterate,
            otherwise=pandas_frame.otherwise,
        ),
        ValueKind(
            name=SERIES,
            methods=_SERIES,
            attribute=pandas_column.attribute,
            item=pandas_column.item,
            operator=pandas_column.operator,
            iterate=pandas_column.iterate,
            called=pandas_column.called,
            otherwise=pandas_column.otherwise,
        ),
        ValueKind(
            name=pandas_column.ACCESSOR,
            attribute=pandas_column.accessor_attribute,
            item=pandas_column.accessor_otherwise,
            otherwise=pandas_column.accessor_otherwise,
        ),
        ValueKind(name=pandas_select.LOC, item=pandas_select.loc_item, set_item=pandas_select.loc_set_item),
        ValueKind(
            name=pandas_select.NAMES,
            methods=pandas_names.METHODS,
            attribute=pandas_names.attribute,
            item=pandas_names.item,
            operator=pandas_names.operator,
            iterate=pandas_names.iterate,
        ),
        ValueKind(
            name=pandas_group.GROUPED,
            methods=_GROUPED,
            attribute=pandas_group.grouped_attribute,
            item=pandas_group.grouped_item,
            iterate=pandas_window.iterate,
            otherwise=pandas_window.otherwise,
        ),
        ValueKind(
            name=pandas_group.ROLLING,
            attribute=pandas_window.rolled_attribute,
            item=pandas_window.rolled_item,
            otherwise=pandas_window.rolled,
        ),
        ValueKind(name=pandas_group.GROUPER),
        ValueKind(
            name=pandas_io.CHUNKS,
            iterate=pandas_io.chunks_iterate,
            otherwise=pandas_io.chunks_otherwise,
        ),
        ValueKind(
            name=pandas_apply.ROW,
            methods={"get": pandas_apply.row_get},
            attribute=pandas_apply.row_attribute,
            item=pandas_apply.row_item,
            otherwise=pandas_apply.row_otherwise,
        ),
    ),
    otherwise=otherwise,
    annotations={"pandas.DataFrame": FRAME, "pandas.core.frame.DataFrame": FRAME},
    sinks=frozenset({"to_sql", "to_parquet", "to_csv", "to_gbq", "to_feather", "to_excel"}),
)

HASHING = Library(modules=("hashlib", "hmac"), otherwise=pandas_apply.hashed)
