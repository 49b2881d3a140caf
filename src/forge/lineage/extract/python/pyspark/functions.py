"""`pyspark.sql.functions` and the methods of columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import sqlglot
from sqlglot.errors import SqlglotError

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.python.cells import combined, one_cell, values_of
from forge.lineage.extract.python.library import Call, Handler, methods
from forge.lineage.extract.python.pyspark.column import (
    COLUMN,
    called,
    expr_of,
    exprs_of,
    literal,
    made_of,
    struct_expr,
)
from forge.lineage.extract.python.pyspark.schema import type_text
from forge.lineage.extract.python.pyspark.sql import sql_expr
from forge.lineage.extract.python.values import (
    AbstractValue,
    BoundFunction,
    Cells,
    Const,
    Expr,
    Frame,
    FunctionValue,
    LibraryValue,
    ListOf,
    Text,
    UnknownValue,
    known_text,
    number_in,
)
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import RelationColumn
from forge.lineage.extract.sql.context import type_of_value
from forge.lineage.extract.sql.kinds import kind_of
from forge.lineage.extract.sql.nested_type import nested_of, parsed_type
from forge.lineage.extract.value import ColumnValue
from forge.model.word_list import words

_T = Transformation
FUNCTIONS = "pyspark.sql.functions"
_AGGREGATES = frozenset(
    {"sumDistinct", "countDistinct", "approxCountDistinct", "sum_distinct", "count_distinct", "approx_count_distinct",
     "collect_list", "collect_set", "first", "last", "mean", "skewness", "kurtosis", "corr", "covar_pop", "covar_samp",
     "grouping", "grouping_id", "any_value", "bool_and", "bool_or", "every", "some", "count_if", "product", "mode",
     "median", "percentile", "percentile_approx", "stddev", "stddev_pop", "stddev_samp", "variance", "var_pop",
     "var_samp", "max_by", "min_by", "array_agg", "listagg", "string_agg", "bit_and", "bit_or", "bit_xor"}
)  # fmt: skip
_CONDITIONAL = frozenset({"coalesce", "nvl", "nvl2", "ifnull", "nullif", "nanvl", "zeroifnull", "nullifzero"})
_WINDOWED = frozenset(
    words("row_number rank dense_rank percent_rank cume_dist ntile lag lead nth_value first_value last_value")
)
_GENERATORS = frozenset(
    {"explode", "explode_outer", "posexplode", "posexplode_outer", "inline", "inline_outer", "stack", "json_tuple"}
)
_SHOWN = {
    "mean": "avg",
    "countDistinct": "count",
    "count_distinct": "count",
    "sumDistinct": "sum",
    "sum_distinct": "sum",
}
_TEXT_IS_LITERAL: dict[str, int] = {
    # arguments from this place on are plain values, not columns
    **dict.fromkeys(("to_date", "to_timestamp", "date_format", "round", "bround", "split", "sha2", "lpad", "rpad"), 1),
    **dict.fromkeys(("regexp_replace", "regexp_extract", "substring", "translate", "from_json", "get_json_object"), 1),
    **dict.fromkeys(("date_add", "date_sub", "add_months", "trunc", "from_unixtime", "unix_timestamp", "repeat"), 1),
    **dict.fromkeys(("array_contains", "array_join", "element_at", "instr", "like", "rlike", "sort_array", "lag"), 1),
    **dict.fromkeys(("lead", "ntile", "nth_value", "first", "last", "percentile_approx", "from_utc_timestamp"), 1),
    **dict.fromkeys(("to_utc_timestamp", "to_json", "schema_of_json", "months_between", "shiftleft", "encode"), 1),
    **dict.fromkeys(("decode", "substring_index", "window", "slice", "conv", "approx_count_distinct", "from_csv"), 1),
    **dict.fromkeys(
        ("lit", "monotonically_increasing_id", "json_tuple", "session_window", "overlay", "sequence_of"), 1
    ),
    **dict.fromkeys(("concat_ws", "format_string", "date_trunc", "locate", "format_number"), -1),
}
_SECOND_ALSO = frozenset({"months_between"})


_ALL_ROWS = (["*"], ["literal"])


@lru_cache(maxsize=2048)
def step_of(name: str) -> tuple[Transformation, bool]:
    """What a function does, and whether it masks: as SQL has it."""
    if name in _AGGREGATES:
        return _T.AGGREGATION, False
    if name in _CONDITIONAL:
        return _T.CONDITIONAL, False
    if name in _GENERATORS:
        return _T.GENERATOR, False
    if name in _WINDOWED:
        return _T.WINDOW, False
    snake = re.sub(r"(?<=[a-z])([A-Z])", lambda one: "_" + one[0].lower(), name)
    try:
        tree = sqlglot.parse_one(f"SELECT {snake}(x)", read="spark").expressions[0]
    except SqlglotError:
        return _T.TRANSFORMATION, False
    found, masking = kind_of(tree)
    return (_T.TRANSFORMATION if found is _T.IDENTITY else found), masking


def function(call: Call, world: World) -> AbstractValue:
    """Any function of the module that has no entry of its own."""
    name = call.name.rpartition(".")[2]
    if name[:1].isupper():
        return UnknownValue(call.written)
    step, masking = step_of(name)
    parts = _arguments(name, call, world)
    if name in {"grouping", "grouping_id"} or (name == "count" and [one.step for one in parts] in _ALL_ROWS):
        parts = []
    shown = _SHOWN.get(name, name)
    distinct = "DISTINCT " if "istinct" in name and "approx" not in name else ""
    return made_of(parts, step, call.written, lambda names: f"{shown}({distinct}{', '.join(names)})", masking=masking)


def _arguments(name: str, call: Call, world: World) -> list[Expr]:
    first = _TEXT_IS_LITERAL.get(name)
    found: list[Expr] = []
    things = (*call.args, *call.named.values())
    for place, thing in enumerate(things):
        if isinstance(thing, FunctionValue | BoundFunction):
            found.extend(_through_lambda(thing, found[:1], call, world))
        elif isinstance(thing, ListOf):
            found.extend(exprs_of([thing], call, world))
        elif isinstance(thing, Text) and first is not None:
            plain = place == 0 if first < 0 else place >= first and name not in _SECOND_ALSO
            if not plain or (first < 0 and place > 0):
                found.append(expr_of(thing, call, world))
        elif isinstance(thing, Expr | Text) or (isinstance(thing, UnknownValue) and place == 0 and first is None):
            found.append(expr_of(thing, call, world))
        elif isinstance(thing, Const) and name == "count":
            found.append(literal(thing))
    return found


def _through_lambda(thing: AbstractValue, over: Sequence[Expr], call: Call, world: World) -> list[Expr]:
    """`transform("items", lambda x: x.price * col("rate"))`: what the lambda adds."""
    count = len(thing.node.args.args) if isinstance(thing, FunctionValue) else 1
    parameter = over[0] if over else literal(Const(None))
    result = world.call(thing, tuple(parameter for _ in range(count)), call)
    return [result] if isinstance(result, Expr) else []


def _column(call: Call, world: World) -> AbstractValue:
    return expr_of(call.arg(0, "col"), call, world)


def _literal(call: Call, world: World) -> AbstractValue:
    thing = call.arg(0, "col")
    return thing if isinstance(thing, Expr) else literal(thing or Const(None))


def _named_struct(call: Call, world: World) -> AbstractValue:
    names = [one.text if isinstance(one, Expr) else str(known_text(one)) for one in call.args[::2]]
    return struct_expr([expr_of(one, call, world) for one in call.args[1::2]], names, call.written)


def when(call: Call, world: World) -> AbstractValue:
    """when, and further `.when` and `.otherwise` of what it gave."""
    parts = [expr_of(one, call, world, text_is_column=False) for one in (*call.args, *call.named.values())]
    before = call.on.extra.get("branches") if isinstance(call.on, Expr) else None
    if isinstance(before, tuple):
        parts = [*before, *parts]
    made = made_of(parts, _T.CONDITIONAL, call.written, lambda names: "CASE WHEN")
    return replace(made, extra={**made.extra, "branches": tuple(parts)})


def _generated(call: Call, world: World) -> AbstractValue:
    """explode and its like: one column, or more."""
    name = call.name.rpartition(".")[2]
    parts = [expr_of(call.arg(0, "col"), call, world)] if name != "stack" else exprs_of(call.args[1:], call, world)

    def make(frame: Frame) -> Cells:
        cells = [part.make(frame) for part in parts]
        value = combined(values_of(cells), _T.GENERATOR, call.written)
        inner = values_of(cells)
        names = _generated_names(name, inner[0] if inner else ColumnValue(), len(call.args), _width(call), world)
        if names is None:
            world.gap(call, f"the columns that {name} makes are not known")
            names = ()
        columns = [RelationColumn(one, value) for one in names]
        if columns and "explode" in name and inner:
            element = nested_of(type_of_value(inner[0], world.here())).element
            columns[-1] = RelationColumn(names[-1], replace(value, type=element))
        return replace(one_cell("", value, *cells), columns=tuple(columns))

    return Expr(COLUMN, make, call.written, step="generator")


def _width(call: Call) -> int:
    """How many columns stack makes of its values."""
    first = call.arg(0)
    written = first.text if isinstance(first, Expr) and first.step == "literal" else str(number_in(first))
    rows = int(written) if written.isdigit() else 0
    return -(-(len(call.args) - 1) // rows) if rows else 0


def _generated_names(name: str, value: ColumnValue, arguments: int, rows: int, world: World) -> tuple[str, ...] | None:
    type_ = type_of_value(value, world.here())
    nested = nested_of(type_)
    if name.startswith("inline"):
        inside = re.fullmatch(r"array<(struct<.*>)>", type_.strip(), re.IGNORECASE)
        fields = nested_of(inside[1]).fields if inside else ()
        return tuple(one[0] for one in fields) if fields else None
    if name == "json_tuple":
        return tuple(f"c{place}" for place in range(arguments - 1))
    if name == "stack":
        return tuple(f"col{place}" for place in range(rows)) if rows else None
    base = ("key", "value") if nested.kind == "map" else ("col",)
    return ("pos", *base) if name.startswith("pos") else base


@dataclass(frozen=True, slots=True, eq=False)
class Udf(LibraryValue):
    """A user-defined function: its result derives from its arguments."""

    kind: str
    name: str


def make_udf(call: Call, world: World) -> AbstractValue:
    """udf(f, type), udf(type) as decorator, pandas_udf(…)."""
    first = call.arg(0, "f")
    if isinstance(first, FunctionValue):
        return Udf("pyspark.udf", first.name)
    return Udf("pyspark.udf", "udf") if isinstance(first, BoundFunction) else Udf("pyspark.udf.maker", "udf")


def finish_udf(call: Call, world: World) -> AbstractValue:
    """`udf(returnType=…)` gives what makes a udf of a function."""
    first = call.arg(0)
    return Udf("pyspark.udf", first.name if isinstance(first, FunctionValue) else "udf")


def call_udf(call: Call, world: World) -> AbstractValue:
    udf = call.receiver(Udf)
    parts = exprs_of((*call.args, *call.named.values()), call, world)
    return made_of(parts, _T.TRANSFORMATION, call.written, called(udf.name))


def call_named_udf(call: Call, world: World) -> AbstractValue:
    """`F.call_udf("f", …)`, `F.call_function`."""
    name = call.text(0) or "udf"
    step, masking = step_of(name)
    parts = exprs_of(call.args[1:], call, world)
    return made_of(parts, step, call.written, called(name), masking=masking)


def _from_json(call: Call, world: World) -> AbstractValue:
    """What it makes has the fields of its schema."""
    made = function(call, world)
    written = type_text(call.arg(1, "schema"))
    if not isinstance(made, Expr) or written is None:
        return made

    def make(frame: Frame) -> Cells:
        cells = made.make(frame)
        columns = (replace(one, value=replace(one.value, type=parsed_type(written))) for one in cells.columns)
        return replace(cells, columns=tuple(columns))

    return replace(made, make=make)


def _time_window(call: Call, world: World) -> AbstractValue:
    """A struct of start and end; rows without a time are left out."""
    inner = expr_of(call.arg(0, "timeColumn"), call, world)

    def make(frame: Frame) -> Cells:
        cells = inner.make(frame)
        value = combined(values_of([cells]), _T.TRANSFORMATION, call.written)
        found = one_cell("window", ColumnValue(value.sources, {"start": value, "end": value}), cells)
        return replace(found, shaped=found.shaped | {(source, IndirectType.FILTER) for source in value.sources})

    return Expr(COLUMN, make, call.written)


_OWN: dict[str, Handler] = {
    "col": _column,
    "column": _column,
    "lit": _literal,
    "expr": lambda call, world: sql_expr(call.arg(0, "str"), call, world),
    "struct": lambda call, world: struct_expr(exprs_of(call.args, call, world), None, call.written),
    "named_struct": _named_struct,
    "when": when,
    "broadcast": lambda call, world: call.args[0] if call.args else UnknownValue(call.written),
    "from_json": _from_json,
    "from_csv": _from_json,
    "window": _time_window,
    "session_window": _time_window,
    "udf": make_udf,
    "pandas_udf": make_udf,
    "arrow_udf": make_udf,
    "call_udf": call_named_udf,
    "callUDF": call_named_udf,
    "call_function": call_named_udf,
    "asc": _column,
    "desc": _column,
    **methods(_column, ("asc_nulls_first", "asc_nulls_last", "desc_nulls_first", "desc_nulls_last")),
    **methods(_generated, sorted(_GENERATORS)),
    **methods(function, ("abs", "ascii", "bin", "filter", "hash", "hex", "max", "min", "pow", "round", "slice", "sum")),
}
"""The last ones hide what Python calls so, where all names are imported."""
SPARK_FUNCTIONS: dict[str, Handler] = {f"{FUNCTIONS}.{name}": handler for name, handler in _OWN.items()}
