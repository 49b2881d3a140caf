"""The polars model."""

from __future__ import annotations

from dataclasses import dataclass

from forge.lineage.edge import Transformation
from forge.lineage.extract.python.library import Handler, Library, ValueKind, methods
from forge.lineage.extract.python.polars import expr as polars_expr
from forge.lineage.extract.python.polars import frame as polars_frame
from forge.lineage.extract.python.polars import functions as polars_functions
from forge.lineage.extract.python.polars import group as polars_group
from forge.lineage.extract.python.polars import io as polars_io
from forge.lineage.extract.python.polars import join as polars_join
from forge.lineage.extract.python.polars import methods as polars_methods
from forge.lineage.extract.python.polars import reshape as polars_reshape
from forge.lineage.extract.python.polars import selectors as polars_pick
from forge.lineage.extract.python.values import LibraryValue
from forge.model.word_list import words

COL = "polars.col"


@dataclass(frozen=True, slots=True, eq=False)
class Col(LibraryValue):
    """`pl.col`, called or with a column as attribute."""

    kind: str = COL


_FRAME: dict[str, Handler] = {
    **methods(
        polars_frame.same,
        words(
            "collect lazy clone head tail limit slice sample first last cache set_sorted rechunk "
            "shrink_to_fit reverse gather_every collect_async fetch profile remote interpolate_by_none "
            "remote_collect sort_none"
        ),
    ),
    **methods(polars_frame.select, ["select", "select_seq"]),
    **methods(polars_frame.with_columns, ["with_columns", "with_columns_seq", "with_column"]),
    **methods(polars_frame.filter_rows, ["filter", "remove"]),
    **methods(polars_frame.sort, ["sort", "top_k", "bottom_k"]),
    **methods(polars_group.group_by, ["group_by", "groupby", "group_by_dynamic", "rolling", "groupby_dynamic"]),
    **methods(polars_frame.each(Transformation.CONDITIONAL), ["fill_null", "fill_nan"]),
    **methods(polars_frame.each(Transformation.TRANSFORMATION), ["cast"]),
    **methods(polars_frame.each(Transformation.WINDOW), ["shift", "interpolate"]),
    **methods(
        polars_frame.each(Transformation.AGGREGATION),
        words("sum mean min max median std var quantile count product null_count n_unique"),
    ),
    **methods(polars_reshape.unpivot, ["unpivot", "melt"]),
    **methods(polars_frame.with_row_index, ["with_row_index", "with_row_count"]),
    **methods(polars_frame.drop_nulls, ["drop_nulls", "drop_nans"]),
    **methods(polars_frame.opaque_rows, ["map_batches", "map_rows", "map", "apply"]),
    **methods(polars_frame.column_names, ["collect_schema"]),
    **methods(
        polars_frame.nothing,
        words(
            "describe explain show_graph glimpse is_empty estimated_size equals to_dicts to_dict rows row "
            "iter_rows item to_numpy n_chunks show is_duplicated is_unique hash_rows"
        ),
    ),
    **methods(polars_join.join, ["join", "join_asof"]),
    **methods(polars_join.stack, ["vstack", "extend", "hstack"]),
    **{f"write_{kind}": polars_io.write_file for kind in polars_io.WRITERS},
    **{f"sink_{kind}": polars_io.write_file for kind in polars_io.WRITERS},
    "write_database": polars_io.write_database,
    "to_pandas": polars_io.to_pandas,
    "sql": polars_io.frame_sql,
    "unique": polars_frame.unique,
    "rename": polars_frame.rename,
    "drop": polars_frame.drop,
    "explode": polars_reshape.explode,
    "unnest": polars_reshape.unnest,
    "pivot": polars_reshape.pivot,
    "pipe": polars_frame.pipe,
    "get_column": polars_frame.get_column,
    "to_series": polars_frame.to_series,
}

_GROUPED: dict[str, Handler] = {
    **methods(
        polars_group.aggregate_all,
        words("sum mean min max median std var quantile first last n_unique all product"),
    ),
    **methods(polars_group.group_size, ["len", "count"]),
    **methods(polars_group.group_rows, ["head", "tail"]),
    "agg": polars_group.agg,
}

_FUNCTIONS: dict[str, Handler] = {
    **{f"read_{kind}": polars_io.read_file for kind in polars_io.READERS},
    **{f"scan_{kind}": polars_io.read_file for kind in polars_io.READERS},
    **methods(polars_io.read_database, ["read_database", "read_database_uri", "read_sql"]),
    **methods(polars_io.data_frame, ["DataFrame", "LazyFrame", "from_dict", "from_dicts", "from_records"]),
    **methods(polars_io.from_other, ["from_pandas", "from_arrow", "from_dataframe", "from_numpy"]),
    **methods(
        polars_functions.aggregated,
        words("sum mean min max median std var quantile first last n_unique any approx_n_unique avg implode"),
    ),
    **methods(polars_functions.rows, ["len", "count"]),
    **methods(
        polars_functions.combined_expr,
        words(
            "concat_str concat_list concat_arr coalesce format sum_horizontal min_horizontal max_horizontal "
            "any_horizontal all_horizontal mean_horizontal date datetime duration corr cov fold reduce "
            "arg_sort_by"
        ),
    ),
    "all": polars_pick.all_columns,
    "exclude": polars_pick.exclude,
    "lit": polars_functions.lit,
    "when": polars_functions.when,
    "struct": polars_functions.struct,
    "element": polars_functions.element,
    "Series": polars_functions.series,
    "concat": polars_join.concat,
    "collect_all": polars_io.collect_all,
    "SQLContext": polars_io.context,
    "sql": polars_io.sql,
}

SELECTORS = Library(modules=("polars.selectors",), otherwise=polars_pick.selector)

POLARS = Library(
    modules=("polars",),
    functions={f"polars.{name}": handler for name, handler in _FUNCTIONS.items()},
    constants={"polars.col": Col()},
    kinds=(
        ValueKind(
            name=polars_expr.FRAME,
            methods=_FRAME,
            attribute=polars_frame.attribute,
            item=polars_frame.item,
            set_item=polars_frame.set_item,
            otherwise=polars_frame.otherwise,
        ),
        ValueKind(
            name=polars_expr.EXPR,
            methods=polars_methods.METHODS,
            attribute=polars_methods.attribute,
            item=polars_methods.item,
            operator=polars_expr.operator,
            otherwise=polars_methods.otherwise,
        ),
        ValueKind(name=polars_methods.SPACE, item=polars_methods.space_item, otherwise=polars_methods.space_otherwise),
        ValueKind(name=COL, attribute=polars_pick.col_attribute, called=polars_pick.col),
        ValueKind(name=polars_functions.WHEN, methods={"then": polars_functions.then}),
        ValueKind(
            name=polars_group.GROUPED,
            methods=_GROUPED,
            iterate=polars_group.group_iterate,
            otherwise=polars_group.group_opaque,
        ),
        ValueKind(
            name=polars_frame.SCHEMA, methods={"names": polars_frame.schema_names}, iterate=polars_frame.schema_names
        ),
        ValueKind(
            name=polars_io.CONTEXT,
            methods={
                **methods(polars_io.register, ["register", "register_many", "register_globals"]),
                "execute": polars_io.execute,
            },
        ),
    ),
    otherwise=polars_functions.otherwise,
    annotations={"polars.DataFrame": polars_expr.FRAME, "polars.LazyFrame": polars_expr.FRAME},
    sinks=frozenset({"write_database", "write_parquet", "sink_parquet", "write_csv", "write_delta"}),
)
